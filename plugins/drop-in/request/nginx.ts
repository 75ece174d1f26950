/** Paths and arguments as nginx and its Lua module show them. */

/** `$uri`: the path of a target, decoded, with its slashes merged and its dot segments resolved. */
export function nginxUri(target: string): string {
  const path = target
    .split('?', 1)[0]!
    .replace(/(?:%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const isFolder = /\/\.{0,2}$/.test(path)
  return `/${kept.join('/')}${isFolder && kept.length > 0 ? '/' : ''}`
}

export type Argument = string | true

/** Arguments of a query or a form by name, in the order of their first arrival; `true` without an equals sign. */
export function nginxArguments(text: string): Map<string, Argument[]> {
  const found = new Map<string, Argument[]>()
  for (const pair of text.split('&')) {
    const at = pair.indexOf('=')
    const name = decodeArgument(at === -1 ? pair : pair.slice(0, at))
    if (name === '') continue
    const value = at === -1 || decodeArgument(pair.slice(at + 1))
    const values = found.get(name)
    if (values === undefined) found.set(name, [value])
    else values.push(value)
  }
  return found
}

/** The arguments of a target. */
export function argumentsOf(target: string): Map<string, Argument[]> {
  const mark = target.indexOf('?')
  return nginxArguments(mark === -1 ? '' : target.slice(mark + 1))
}

function decodeArgument(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}
