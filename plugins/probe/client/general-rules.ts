/** Rules that every check obeys before its own judge is asked. */
import { fault, skip, warn, type Check, type Verdict } from '../catalog/check.ts'
import type { Evidence } from './evidence.ts'

const REFUSALS = new Set([401, 403, 404, 405, 407, 421, 426, 429, 501])

/** Of a gateway that does not reach the upstream. */
const UNAVAILABLE = new Set<number | null>([502, 503, 504, null])

/**
 * The verdict instead of a finding that may come from replicas of the upstream that joined or ended, so that it says nothing
 * about the gateway; null if it does not.
 */
export function verdictOfReplicas(
  verdict: Verdict,
  { calls }: Evidence,
  { gone, haveChanged }: { gone: readonly string[]; haveChanged: boolean },
): Verdict | null {
  if (verdict.verdict !== 'fail' && verdict.verdict !== 'warn') return null
  if (haveChanged) return fault('replicas of the upstream joined or ended meanwhile')
  return gone.length > 0 && calls.some(({ count, status }) => count === 0 && UNAVAILABLE.has(status))
    ? fault(`${gone.join(', ')} ended during the run, and the gateway still sends requests there`)
    : null
}

/** The verdict of the general rules; null if the judge has to decide. */
export function generalVerdict(check: Check, evidence: Evidence): Verdict | null {
  for (const { record } of evidence.exchanges)
    if (record.connectError !== null && check.group === 'grpc') return skip(`not routed: ${record.connectError}`)
    else if (record.connectError !== null)
      return { verdict: 'error', summary: `no connection to the gateway: ${record.connectError}`, values: {} }
  const [exceeded] = evidence.exchanges.flatMap(({ record }) => record.exceeded ?? [])
  if (exceeded !== undefined)
    return warn(exceeded === 'bytes' ? 'the gateway sent more than 8 MiB' : 'the answer of the gateway does not end')
  if (evidence.calls.some(call => call.count === 0 && call.isOurs))
    return fault('the answer of the upstream came back, but the upstream does not know the request')
  if (check.when?.http11 === true && evidence.calls.some(({ arrival }) => arrival?.record.protocol === '1.0'))
    return skip('upstream spoken to in HTTP/1.0')
  if (check.when?.judgesRefusal === true || check.hostile === true) return null
  // A later request on a connection may suffer from what was answered to the first.
  for (const { calls } of evidence.exchanges) {
    const call = calls[0]!
    // A request that was never sent says nothing.
    const wasSent = call.record.sent.length > 0
    if (!wasSent || call.count > 0 || call.record.spec.isValid === false || call.exchange.hasLeft) continue
    const { status } = call
    if (status !== null && REFUSALS.has(status)) return skip(`not forwarded: ${status}`)
    if (status !== null && status < 400) return skip(`answered by the gateway: ${status}`)
    if (status === null || status >= 400) {
      const reason = `a valid request was not forwarded: ${status ?? 'no status came back'}`
      return ['must', 'other-spec', 'integrity'].includes(check.level) ? skip(reason) : warn(reason)
    }
  }
  return null
}
