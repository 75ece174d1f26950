/**
 * URLs of svc itself, in documents that it makes from what the gateway tells it: metadata, challenges, cards. RFC 8414 and RFC
 * 9728 bind clients and servers, so a gateway that tells too little gets a warning, and all these checks have one cause.
 */
import { pass, skip, warn, type Facts, type Verdict } from '../catalog/check.ts'
import type { CauseId } from '../catalog/causes.ts'

/** A URL that clients can't use: it has another host, scheme or path than that of the gateway. */
export interface WrongUrl {
  cause: CauseId
  text: string
}

const originOf = (url: string): URL | null => (URL.canParse(url) ? new URL(url) : null)

/** What is wrong with the origin of a URL; null if it is that of the gateway. */
export function wrongOrigin(url: string, origin: string): CauseId | null {
  const [found, own] = [originOf(url), new URL(origin)]
  if (found === null) return 'host'
  if (found.origin === own.origin) return null
  return found.host === own.host ? 'scheme' : 'host'
}

/** The same, and whether the URL is exactly the one that was used. */
export function wrongUrl(url: string, used: string): CauseId | null {
  return wrongOrigin(url, used) ?? (withoutSlash(url) === withoutSlash(used) ? null : 'path')
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '')
}

/** Whether the gateway sends what svc needs to name its URLs. */
function isForwarded(cause: CauseId, { arrivedOrigin: arrived, gateway }: Facts): boolean {
  if (arrived === null) return false
  const { origin, authority } = gateway
  const scheme = new URL(origin).protocol.slice(0, -1)
  if (cause === 'host') return arrived.forwardedHost?.toLowerCase() === authority.toLowerCase()
  return cause === 'scheme' ? arrived.forwardedProto === scheme : arrived.forwardedPrefix !== null
}

/**
 * The verdict about the wrong URLs in what came through the gateway. `own` are those in what svc says without it, under the
 * gateway's name: they come from its own settings.
 */
export function judgeOwnUrls(found: readonly WrongUrl[], own: readonly WrongUrl[], facts: Facts): Verdict {
  if (found.length === 0) return pass()
  const ownCauses = new Set(own.map(({ cause }) => cause))
  const ofGateway = found.filter(({ cause }) => !ownCauses.has(cause))
  if (ofGateway.length === 0) return skip(`svc's own settings: without the gateway too, ${own[0]!.text}`)
  const missing = ofGateway.filter(({ cause }) => !isForwarded(cause, facts))
  if (missing.length === 0)
    return skip("svc's own settings: the gateway sends X-Forwarded-*, which SVC_TRUST_FORWARD=true would use")
  const [{ cause }] = missing as [WrongUrl]
  const text = [...new Set(missing.filter(one => one.cause === cause).map(one => one.text))].join('; ')
  return { ...warn(text), cause }
}

/** Why svc has no document to compare with; null if it has one. */
export function ownAnswerProblem(status: number | null | undefined, expected: number): Verdict | null {
  return status === undefined || status === expected
    ? null
    : skip(`svc itself answers ${status ?? 'nothing'}: is the plugin enabled?`)
}
