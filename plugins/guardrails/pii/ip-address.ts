/** IPv4 and IPv6 addresses (RFC 4291, 2.2), found in runs of the characters that they may contain. */
import { isIPv4, isIPv6 } from 'node:net'
import { isWordAt, isWordBefore } from '../code-points.ts'
import type { Span } from './span.ts'

const RUN = /[0-9A-Fa-f:.]+/g
/** The longest text form, including an IPv4 part and a port. */
const LONGEST = 52

export function findIpAddresses(text: string): Span[] {
  const spans: Span[] = []
  for (const { 0: run, index: start } of text.matchAll(RUN)) {
    if (isWordBefore(text, start) || isWordAt(text, start + run.length)) continue
    const address = addressIn(run)
    if (address !== null) spans.push({ start, end: start + address.length })
  }
  return spans
}

function addressIn(run: string): string | null {
  let end = run.length
  while (run[end - 1] === '.') end--
  if (run[end - 1] === ':' && run[end - 2] !== ':') end--
  if (end > LONGEST) return null
  const candidate = run.slice(0, end)
  if (/[0-9A-Fa-f]/.test(candidate) && isIPv6(candidate)) return candidate
  const address = candidate.replace(/:\d{1,5}$/, '')
  return isIPv4(address) ? address : null
}
