/**
 * Compares the direct run byte for byte: what was sent with what arrived, and what was written with what came back. A
 * difference is a fault of the probe, so the check is not run through the gateway.
 */
import { createHash } from 'node:crypto'
import type { ArrivalRecord } from '../upstream/arrival-record.ts'
import { messageBytes } from '../upstream/rpc-message.ts'
import type { StepScript } from '../upstream/script.ts'
import type { Call, Evidence } from './evidence.ts'
import type { ExchangeRecord } from './exchange.ts'

/** Times of the two halves may differ by this much, besides the error of the measured offset. */
const CLOCK_MS = 500

/** Actions that write nothing. */
const SILENT: ReadonlySet<string> = new Set(['receive', 'wait', 'keep', 'end', 'reset'])

/** The first difference, or null. `clockErrorMs`: how wrong the offset between the clocks of the halves may be. */
export function directDifference(evidence: Evidence, clockErrorMs = 0): string | null {
  return (
    bytesDifference(evidence) ??
    evidence.calls.map(call => clockDifference(call, CLOCK_MS + clockErrorMs)).find(text => text !== null) ??
    evidence.calls.map(call => scriptDifference(call, evidence.scripts)).find(text => text !== null) ??
    null
  )
}

/** A request arrives after it was sent, and before its answer comes back. Several requests may be of one step. */
function clockDifference({ record, arrivals, response }: Call, toleranceMs: number): string | null {
  if (arrivals.length === 0 || record.sent.length === 0) return null
  const isPossible = arrivals.some(({ record: { head_at_ms: at } }) => {
    const isEarly = at < record.sentAtMs - toleranceMs
    const isLate = response !== null && at > response.headAtMs + toleranceMs
    return !isEarly && !isLate
  })
  return isPossible ? null : 'the clocks of the two halves disagree'
}

/** Whether the upstream wrote what its script says, as far as the script says it by bytes. */
function scriptDifference(call: Call, scripts: ReadonlyMap<number, StepScript>): string | null {
  const found = scripts.get(call.record.step)
  if (found === undefined || call.record.http2 !== null) return null
  for (const [index, view] of call.arrivals.entries()) {
    const { record } = view
    const isOwn =
      record.framing !== 'invalid' && found.http2 !== true && !(found.http11 === true && record.protocol === '1.0')
    if (!isOwn) continue
    const actions = index === 0 ? found.script : (found.next ?? found.script)
    let expected = ''
    for (const action of actions) {
      if (action.do === 'content') expected += view.method === 'HEAD' ? '' : action.bytes
      else if (action.do === 'bytes') expected += action.bytes.replaceAll('{{n}}', String(index + 1).padStart(5, '0'))
      else if (action.do === 'message') expected += messageBytes(action, view.content)
      else if (!SILENT.has(action.do)) break
    }
    const written = record.answered.bytes
    const size = Math.min(written.length, expected.length)
    if (written.slice(0, size) !== expected.slice(0, size)) return 'the upstream did not obey its script'
  }
  return null
}

/** Why the upstream was not connected to; null if it was. */
export function connectionError({ exchanges }: Evidence): string | null {
  const [error] = exchanges.flatMap(({ record }) => record.connectError ?? [])
  return error === undefined ? null : `no connection to the upstream: ${error}`
}

function bytesDifference(evidence: Evidence): string | null {
  const error = connectionError(evidence)
  if (error !== null) return error
  for (const { record, calls } of evidence.exchanges) {
    const arrivals = [
      ...calls.flatMap(call => call.arrivals),
      ...evidence.embedded.flatMap(({ arrivals }) => arrivals),
    ].map(view => view.record)
    if (record.calls.some(({ http2 }) => http2 !== null)) {
      const problem = http2Difference(calls)
      if (problem !== null) return problem
      continue
    }
    const ofPort = arrivals.filter(({ peer }) => peer.endsWith(`:${record.port}`))
    // A balancer in front of replicas has ports of its own.
    const ofCalls = calls.flatMap(call => call.arrivals).map(view => view.record)
    const own = unique(ofPort.length > 0 ? ofPort : ofCalls).toSorted(
      (a, b) => a.request_on_connection - b.request_on_connection,
    )
    if (own.length === 0) return 'the upstream saw nothing of it'
    const problem = sentDifference(record, own) ?? receivedDifference(record, own)
    if (problem !== null) return problem
  }
  return null
}

/** Streams are compared one by one, since their frames are mixed on the connection. */
function http2Difference(calls: readonly Call[]): string | null {
  for (const { record, arrival, exchange } of calls) {
    if (record.sent.length === 0) continue
    if (arrival === null) return 'the upstream saw nothing of it'
    const { size, sha256, answered } = arrival.record
    const isCut = record.http2!.errorCode !== null || exchange.hasLeft
    if (hashOf(record.sent.subarray(0, size)) !== sha256) return 'what arrived differs from what was sent'
    if (size < record.sent.length && !isCut) return `${record.sent.length - size} bytes did not arrive`
    const received = Buffer.concat(record.http2!.received.map(({ bytes }) => bytes))
    if (received.length > answered.size) return 'more came back than the upstream answered'
    if (received.length < answered.size) {
      if (!isCut) return 'a part of the answer did not come back'
    } else if (hashOf(received) !== answered.sha256) return 'what came back differs from what the upstream answered'
  }
  return null
}

function unique(arrivals: ArrivalRecord[]): ArrivalRecord[] {
  return [...new Map(arrivals.map(arrival => [`${arrival.number} ${arrival.instance}`, arrival])).values()]
}

/** The upstream may have ended the connection before it read everything. */
function sentDifference(record: ExchangeRecord, arrivals: readonly ArrivalRecord[]): string | null {
  const sent = Buffer.concat(record.sent.map(({ bytes }) => bytes))
  let at = 0
  for (const { size, sha256 } of arrivals) {
    if (hashOf(sent.subarray(at, at + size)) !== sha256) return `what arrived differs from what was sent, at byte ${at}`
    at += size
  }
  const isCut = record.ended !== null || record.hasLeft
  return at < sent.length && !isCut ? `${sent.length - at} bytes did not arrive` : null
}

/** The client may have left before it had read everything. */
function receivedDifference(record: ExchangeRecord, arrivals: readonly ArrivalRecord[]): string | null {
  const received = Buffer.concat(record.received.map(({ bytes }) => bytes))
  let at = 0
  for (const { answered } of arrivals) {
    const part = received.subarray(at, at + answered.size)
    at += part.length
    if (part.length === answered.size) {
      if (hashOf(part) !== answered.sha256) return 'what came back differs from what the upstream answered'
    } else if (record.ended !== 'reset' && !record.hasLeft) return 'a part of the answer did not come back'
  }
  return at < received.length ? 'more came back than the upstream answered' : null
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
