/** Where redirects go (RFC 9110, 15.4). */
import type { Target } from '../context.ts'
import { fieldValues, type SentRequest } from '../sent.ts'

/** Null: the answer is not a redirect. */
export function locationOf(sent: SentRequest, target: Target): URL | null {
  if (sent.status === null || sent.status < 301 || sent.status > 308 || sent.status === 304) return null
  const [location] = fieldValues(sent.answerFields, 'location')
  const base = new URL(sent.target, originOf(target)).href
  return location !== undefined && URL.canParse(location, base) ? new URL(location, base) : null
}

/** Path and query below the target; null: it is another origin. */
export function pathAt(url: URL, target: Target): string | null {
  if (url.origin !== originOf(target).origin) return null
  const inFront = `${target.address.prefix}${target.prefix}`
  const path = `${url.pathname}${url.search}`
  return path.startsWith(inFront) ? path.slice(inFront.length) : path
}

/** Only 307 and 308 keep the method and the content. */
export function keepsMethod({ status }: SentRequest): boolean {
  return status === 307 || status === 308
}

/** A gateway that is reached by its host name uses it in redirects. */
function originOf({ address, host }: Target): URL {
  const base = new URL(address.url)
  if (host !== null) base.host = host
  return base
}
