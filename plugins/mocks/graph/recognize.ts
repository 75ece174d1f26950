/** Whether a document is a GraphQL schema: SDL, or the result of an introspection query. */

const WORDS = new Set(['schema', 'type', 'interface', 'union', 'enum', 'input', 'scalar', 'directive', 'extend'])
/** Files that have SDL, in lower case. */
export const GRAPH_ENDINGS = /\.(?:graphqls?|gql)$/i
export const GRAPH_TYPE = 'application/graphql'

/** Whether a text begins, comments and descriptions aside, with a word of the type system, or is an introspection result. */
export function isGraphText(text: string): boolean {
  const start = skipIgnored(text, 0)
  if (text[start] === '{') return isIntrospection(text)
  const word = wordAt(text, start)
  if (!WORDS.has(word)) return false
  // In YAML, a word like these is a key.
  const next = skipIgnored(text, start + word.length)
  return text[next] !== ':'
}

/** Looked for in the text, because a large document would be parsed twice. */
function isIntrospection(text: string): boolean {
  return /^[\s{"]*(?:data"\s*:\s*\{\s*")?__schema"/.test(text.slice(0, 1000).replace(/^\s*\{/, '{'))
}

/** The place of the first character that is not white space, a comma, a comment or a description. */
function skipIgnored(text: string, from: number): number {
  let at = from
  for (;;) {
    const character = text[at]
    if (character === '#') at = endOf(text, '\n', at)
    else if (text.startsWith('"""', at)) at = blockEnd(text, at + 3)
    else if (character === '"') at = stringEnd(text, at + 1)
    else if (character !== undefined && /[\s,\uFEFF]/.test(character)) at++
    else return at
  }
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found + mark.length
}

function blockEnd(text: string, from: number): number {
  let found = text.indexOf('"""', from)
  while (found > 0 && text[found - 1] === '\\') found = text.indexOf('"""', found + 3)
  return found === -1 ? text.length : found + 3
}

function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"' || text[at] === '\n') return at + 1
  }
  return text.length
}

function wordAt(text: string, from: number): string {
  let end = from
  while (end < text.length && end - from < 20 && /[a-z]/.test(text[end]!)) end++
  return text.slice(from, end)
}
