/** US social security numbers: `ddd-dd-dddd` without numbers that are never issued. */
import { isWordAt, isWordBefore } from '../code-points.ts'
import { digitRuns, isDigitAt, type Span } from './span.ts'

const LENGTH = 11
const FORM = /^(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}$/

export function findSsns(text: string): Span[] {
  const spans: Span[] = []
  for (const { start, end: groupEnd } of digitRuns(text)) {
    const end = start + LENGTH
    if (groupEnd - start !== 3 || !FORM.test(text.slice(start, end))) continue
    if (isWordBefore(text, start) || isWordAt(text, end)) continue
    if (text[start - 1] === '-' && isDigitAt(text, start - 2)) continue
    if (text[end] === '-' && isDigitAt(text, end + 1)) continue
    spans.push({ start, end })
  }
  return spans
}
