/** E-mail addresses: a bounded search to both sides of each `@`. */
import { isWordAt } from '../code-points.ts'
import type { Span } from './span.ts'

const MAX_LOCAL = 64
const MAX_DOMAIN = 253
const LOCAL = /[A-Za-z0-9._%+-]/
const DOMAIN = /[A-Za-z0-9.-]/
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

export function findEmails(text: string): Span[] {
  const spans: Span[] = []
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const start = localStart(text, at)
    const end = start === null ? null : domainEnd(text, at)
    if (start !== null && end !== null) spans.push({ start, end })
  }
  return spans
}

function localStart(text: string, at: number): number | null {
  let start = at
  while (start > 0 && at - start <= MAX_LOCAL && LOCAL.test(text[start - 1]!)) start--
  if (at - start > MAX_LOCAL || text[at - 1] === '.') return null
  while (start < at && !/[A-Za-z0-9_]/.test(text[start]!)) start++
  return start === at ? null : start
}

function domainEnd(text: string, at: number): number | null {
  let end = at + 1
  while (end < text.length && end - at <= MAX_DOMAIN + 1 && DOMAIN.test(text[end]!)) end++
  if (end - at - 1 > MAX_DOMAIN || isWordAt(text, end) || text[end] === '@') return null
  while (/[.-]/.test(text[end - 1]!)) end--
  const labels = text.slice(at + 1, end).split('.')
  const isValid =
    labels.length >= 2 && labels.every(label => LABEL.test(label)) && /^[A-Za-z]{2,63}$/.test(labels.at(-1)!)
  return isValid ? end : null
}
