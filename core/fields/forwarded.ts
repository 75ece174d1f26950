/** The `Forwarded` header (RFC 7239, 4). */
import { splitList, unquote } from './list-syntax.ts'

/** One hop; values without quotes, not validated. */
export interface ForwardedElement {
  for?: string
  proto?: string
  host?: string
}

const MAX_PAIRS = 16

/**
 * The first `maxElements` elements in the order of the header. Unknown parameters are ignored; if one is repeated, the
 * first counts.
 */
export function parseForwarded(value: string, maxElements: number): ForwardedElement[] {
  return splitList(value, ',', maxElements).map(parseElement)
}

function parseElement(text: string): ForwardedElement {
  const element: ForwardedElement = {}
  for (const pair of splitList(text, ';', MAX_PAIRS)) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0)).trim().toLowerCase()
    if (name === 'for' || name === 'proto' || name === 'host') {
      element[name] ??= unquote(pair.slice(equals + 1).trim())
    }
  }
  return element
}
