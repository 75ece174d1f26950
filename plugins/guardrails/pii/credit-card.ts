/** Card numbers: groups of digits with one kind of separator, checked by Luhn (ISO/IEC 7812-1, annex B). */
import { isWordAt, isWordBefore } from '../code-points.ts'
import { digitRuns, isDigitAt, type Span } from './span.ts'

const MIN_DIGITS = 13
const MAX_DIGITS = 19
const MIN_FIRST_GROUP = 4

export function findCreditCards(text: string): Span[] {
  const spans: Span[] = []
  let free = 0
  for (const run of digitRuns(text)) {
    if (run.start < free || isWordBefore(text, run.start)) continue
    const end = longestCard(text, run)
    if (end === null) continue
    spans.push({ start: run.start, end })
    free = end
  }
  return spans
}

/** End of the longest sequence of whole groups that passes the Luhn check. */
function longestCard(text: string, first: Span): number | null {
  const size = first.end - first.start
  if (size < MIN_FIRST_GROUP || size > MAX_DIGITS || text[first.start] === '0') return null
  const separator = text[first.end] === ' ' || text[first.end] === '-' ? text[first.end]! : null
  let digits = text.slice(first.start, first.end)
  let end = first.end
  let best: number | null = null
  for (;;) {
    if (digits.length >= MIN_DIGITS && !isWordAt(text, end) && passesLuhn(digits)) best = end
    if (separator === null || text[end] !== separator || !isDigitAt(text, end + 1)) return best
    let next = end + 1
    while (isDigitAt(text, next) && digits.length + next - end - 1 <= MAX_DIGITS) next++
    digits += text.slice(end + 1, next)
    end = next
    if (digits.length > MAX_DIGITS) return best
  }
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 0x30
    const doubled = digit * 2
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
