/** The licenses that packages of the published package may have. */

const ALLOWED: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'Python-2.0',
  'CC0-1.0',
  'Unlicense',
])

/** Whether an SPDX expression is on the list: one side of `OR`, both of `AND`. Parentheses enclose the whole or one side. */
export function isAllowed(expression: string): boolean {
  const text = expression.trim()
  for (const [word, isEnough] of [
    [' OR ', true],
    [' AND ', false],
  ] as const) {
    const parts = splitOutside(text, word)
    if (parts.length > 1) return isEnough ? parts.some(isAllowed) : parts.every(isAllowed)
  }
  if (text.startsWith('(') && text.endsWith(')')) return isAllowed(text.slice(1, -1))
  return ALLOWED.has(text)
}

/** Splits at a word that is not in parentheses. */
function splitOutside(text: string, word: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
    else if (depth === 0 && text.startsWith(word, at)) {
      parts.push(text.slice(start, at))
      start = at + word.length
    }
  }
  return [...parts, text.slice(start)]
}
