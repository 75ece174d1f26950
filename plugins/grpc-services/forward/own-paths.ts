/** Paths of this instance that `ForwardEcho` does not request: those that a caller may not be allowed to request itself. */

const CLOSED = ['/_svc', '/ui', '/proxy']
/** Times that a path may be encoded. */
const MAX_DECODINGS = 3

/** Whether a path is closed: however it is encoded, with or without the base path, and with or without a session. */
export function isClosed(pathAndQuery: string, basePath: string): boolean {
  const path = plainPath(pathAndQuery)
  if (path === null) return true
  const base = basePath.toLowerCase()
  const forms = [path, ...(base !== '' && isBelow(path, base) ? [path.slice(base.length) || '/'] : [])]
  return forms
    .flatMap(form => [
      form,
      ...afterSession(form),
      ...afterSession(form).flatMap(rest => (isBelow(rest, base) ? [rest.slice(base.length)] : [])),
    ])
    .some(form => CLOSED.some(prefix => isBelow(form, prefix)))
}

/** In lower case, decoded, without empty and dot segments; null for a path that cannot be decoded. */
function plainPath(pathAndQuery: string): string | null {
  let path = pathAndQuery.split('?', 1)[0]!
  for (let count = 0; path.includes('%'); count++) {
    if (count === MAX_DECODINGS) return null
    try {
      path = decodeURIComponent(path)
    } catch {
      return null
    }
  }
  const segments: string[] = []
  for (const segment of path.toLowerCase().split(/[/\\]/)) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/** The path behind a session in front of it. */
function afterSession(path: string): string[] {
  const found = /^\/s\/[^/]+(\/.*)?$/.exec(path)
  return found === null ? [] : [found[1] ?? '/']
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}
