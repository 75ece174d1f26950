/** Phone numbers: North American forms, then international ones that begin with `+`. */
import { isWordAt, isWordBefore } from '../code-points.ts'
import { isDigitAt, type Span } from './span.ts'

const NORTH_AMERICAN = /(?:\+?1[ .-]?)?(?:\([2-9]\d\d\)|[2-9]\d\d)[ .-]?\d{3}[ .-]?\d{4}/y
const MIN_DIGITS = 8
const MAX_DIGITS = 15

export function findPhones(text: string): Span[] {
  const spans: Span[] = []
  for (let start = 0; start < text.length; start++) {
    if (!isStart(text, start)) continue
    const end = northAmericanEnd(text, start) ?? internationalEnd(text, start)
    if (end === null) continue
    spans.push({ start, end })
    start = end - 1
  }
  return spans
}

function isStart(text: string, index: number): boolean {
  const first = text[index]
  if (first !== '+' && first !== '(' && !isDigitAt(text, index)) return false
  if (isWordBefore(text, index) || text[index - 1] === '+') return false
  return !((text[index - 1] === '-' || text[index - 1] === '.') && isDigitAt(text, index - 2))
}

function northAmericanEnd(text: string, start: number): number | null {
  NORTH_AMERICAN.lastIndex = start
  const match = NORTH_AMERICAN.exec(text)
  return match === null || isWordAt(text, start + match[0].length) ? null : start + match[0].length
}

/** Matches as many whole groups as fit into 15 digits; a group may be in parentheses. */
function internationalEnd(text: string, start: number): number | null {
  if (text[start] !== '+' || !isDigitAt(text, start + 1) || text[start + 1] === '0') return null
  let best: number | null = null
  let digits = 0
  let position = start + 1
  for (let group = 1; ; group++) {
    const end = groupEnd(text, position)
    if (end === null) return best
    const size = end - position - (text[position] === '(' ? 2 : 0)
    digits += size
    if (digits > MAX_DIGITS || (group > 2 && size < 2)) return best
    if (digits >= MIN_DIGITS && !isWordAt(text, end)) best = end
    position = / |\.|-/.test(text[end] ?? '') ? end + 1 : end
    if (position === end && text[end] !== '(' && text[end - 1] !== ')') return best
  }
}

/** End of the digits at `start`, or of one to four digits in parentheses; null if there is no group. */
function groupEnd(text: string, start: number): number | null {
  const isBracketed = text[start] === '('
  let end = isBracketed ? start + 1 : start
  const first = end
  while (isDigitAt(text, end) && end - first <= MAX_DIGITS) end++
  if (end === first) return null
  if (!isBracketed) return end
  return end - first <= 4 && text[end] === ')' ? end + 1 : null
}
