/**
 * Evidence as JSON, so that `svc probe replay --offline` can judge it again. Bytes are text in ISO 8859-1. Specifications of
 * requests are left out: the plan of the check gives them again.
 */
import type { Check, Facts, Plan } from '../catalog/check.ts'
import { ArrivalView, Call, Evidence } from '../client/evidence.ts'
import { MAX_MEANWHILE, type CallRecord, type ConnectionSpec, type ExchangeRecord } from '../client/exchange.ts'
import type { ReportedRequest } from '../client/reports.ts'
import type { RequestSpec } from '../client/request.ts'
import type { Field, Response } from '../client/response-parser.ts'
import type { ArrivalRecord } from '../upstream/arrival-record.ts'

interface RecordedPiece {
  at_ms: number
  bytes: string
}

interface RecordedResponse extends Omit<Response, 'fields' | 'interims' | 'head' | 'body' | 'trailers' | 'parts'> {
  fields: Field[]
  interims: Response['interims']
  head: string
  trailers: Field[]
  parts: RecordedPiece[]
}

interface RecordedCall {
  step: number
  method: string
  sent_at_ms: number
  sent_end_ms: number
  sent: string
  response: RecordedResponse | null
  http2: { fields: readonly Field[]; received: RecordedPiece[]; error_code: number | null } | null
  arrivals: RecordedArrival[]
}

/** Head and content are apart, so that masked secrets do not move the border. */
type RecordedArrival = Omit<ArrivalRecord, 'bytes' | 'head_size'> & { head: string; content: string }

export interface RecordedExchange
  extends Omit<ExchangeRecord, 'calls' | 'sent' | 'received' | 'receivedBytes' | 'extra'> {
  extra: string
  /** Pieces of the connection, apart from those of streams. */
  received: RecordedPiece[]
  calls: RecordedCall[]
}

export interface RecordedEvidence {
  nonce: string
  exchanges: RecordedExchange[]
  embedded: { label: string; step: number; arrivals: RecordedArrival[] }[]
  reports?: readonly ReportedRequest[]
}

export interface RecordedFacts extends Omit<Facts, 'tokens' | 'routes' | 'mcpToken' | 'protocol'> {
  routes: string[]
  hasMcpToken: boolean
}

/** Characters of JSON; larger evidence is not recorded. */
const MAX_RECORDED = 256 * 1024
/** What replaces secrets in a report. */
const MASKED = '***'

const textOf = (bytes: Buffer): string => bytes.toString('latin1')
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Null if it is too large. */
export function recordedEvidence(evidence: Evidence): RecordedEvidence | null {
  const size = evidence.exchanges.reduce((sum, { record }) => sum + record.receivedBytes, 0)
  if (size > MAX_RECORDED) return null
  const recorded: RecordedEvidence = {
    nonce: nonceOf(evidence),
    exchanges: evidence.exchanges.map(({ record, calls }) => recordedExchange(record, calls)),
    embedded: evidence.embedded.map(({ arrivals, ...rest }) => ({ ...rest, arrivals: arrivals.map(recordedArrival) })),
    ...(evidence.reports.length === 0 ? {} : { reports: evidence.reports }),
  }
  return JSON.stringify(recorded).length > MAX_RECORDED ? null : recorded
}

function nonceOf({ exchanges, embedded }: Evidence): string {
  const views = [...exchanges.flatMap(({ calls }) => calls), ...embedded].flatMap(({ arrivals }) => arrivals)
  return views[0]?.nonce ?? ''
}

function recordedExchange(record: ExchangeRecord, calls: readonly Call[]): RecordedExchange {
  const { calls: _calls, sent: _sent, received, receivedBytes: _size, extra, ...rest } = record
  const isHttp2 = record.calls.some(({ http2 }) => http2 !== null)
  return {
    ...rest,
    extra: textOf(extra),
    received: isHttp2 ? [] : received.map(recordedPiece),
    calls: calls.map(call => recordedCall(call)),
  }
}

function recordedCall({ record, arrivals }: Call): RecordedCall {
  const { step, method, sentAtMs, sentEndMs, sent, response, http2 } = record
  return {
    step,
    method,
    sent_at_ms: sentAtMs,
    sent_end_ms: sentEndMs,
    sent: textOf(sent),
    response: response === null ? null : recordedResponse(response),
    http2:
      http2 === null
        ? null
        : { fields: http2.fields, received: http2.received.map(recordedPiece), error_code: http2.errorCode },
    arrivals: arrivals.map(recordedArrival),
  }
}

function recordedResponse({ head, body: _body, parts, ...rest }: Response): RecordedResponse {
  return { ...rest, head: textOf(head), parts: parts.map(recordedPiece) }
}

function recordedPiece({ atMs, bytes }: { atMs: number; bytes: Buffer }): RecordedPiece {
  return { at_ms: atMs, bytes: textOf(bytes) }
}

function recordedArrival({ record }: ArrivalView): RecordedArrival {
  const { bytes, head_size: size, ...rest } = record
  return { ...rest, head: bytes.slice(0, size), content: bytes.slice(size) }
}

export function recordedFacts({
  tokens: _tokens,
  routes,
  mcpToken,
  protocol: _protocol,
  ...rest
}: Facts): RecordedFacts {
  return { ...rest, routes: [...routes], hasMcpToken: mcpToken !== null }
}

export function factsOf({ routes, hasMcpToken, ...rest }: RecordedFacts, protocol: Facts['protocol']): Facts {
  return { ...rest, routes: new Set(routes), mcpToken: hasMcpToken ? MASKED : null, tokens: {}, protocol }
}

/** The evidence that a check had. Throws if the plan of the check is another one by now. */
export function evidenceOf(
  { nonce, exchanges, embedded, reports = [] }: RecordedEvidence,
  check: Check,
  facts: Facts,
): Evidence {
  const plan = check.plan(facts)
  const records: ExchangeRecord[] = []
  /** Those that were opened while others were open. */
  const meanwhile: ConnectionSpec[] = []
  const rebuilt = exchanges.map(exchange => {
    const spec = specOf(plan, records, meanwhile)
    if (spec === null || spec.requests.length !== exchange.calls.length)
      throw new Error(`${check.id} sends other requests by now`)
    const record = exchangeOf(exchange, spec.requests)
    records.push(record)
    meanwhile.push(...openedDuring(spec, record))
    const calls = exchange.calls.map(
      (call, index) =>
        new Call(
          record.calls[index]!,
          record,
          call.arrivals.map(one => viewOf(one, nonce)),
        ),
    )
    return { record, calls }
  })
  const evidence = new Evidence(
    'gateway',
    rebuilt,
    embedded.map(({ arrivals, ...rest }) => ({ ...rest, arrivals: arrivals.map(one => viewOf(one, nonce)) })),
  )
  evidence.reports = reports
  return evidence
}

/** The connection that follows these, as in a run. */
function specOf(plan: Plan, records: readonly ExchangeRecord[], meanwhile: ConnectionSpec[]): ConnectionSpec | null {
  const wasEnough = plan.inOrder === true && records.some(record => plan.isEnough?.(record) === true)
  const next = wasEnough ? undefined : plan.connections[records.length]
  return next ?? meanwhile.shift() ?? plan.follow?.(records) ?? null
}

function openedDuring(spec: ConnectionSpec, { received }: ExchangeRecord): ConnectionSpec[] {
  if (spec.meanwhile === undefined) return []
  const bytes = Buffer.concat(received.map(piece => piece.bytes))
  const opened: ConnectionSpec[] = []
  for (let next = spec.meanwhile(bytes, 0); next !== null && opened.length < MAX_MEANWHILE; ) {
    opened.push(next)
    next = spec.meanwhile(bytes, opened.length)
  }
  return opened
}

function exchangeOf(exchange: RecordedExchange, specs: readonly RequestSpec[]): ExchangeRecord {
  const calls = exchange.calls.map((call, index) => callOf(call, specs[index]!))
  const received = exchange.received.map(pieceOf)
  const pieces = received.length > 0 ? received : calls.flatMap(({ http2 }) => http2?.received ?? [])
  return {
    ...exchange,
    calls,
    sent: calls.map(({ sentAtMs: atMs, sent: bytes }) => ({ atMs, bytes })),
    received: pieces,
    receivedBytes: pieces.reduce((sum, { bytes }) => sum + bytes.length, 0),
    extra: bytesOf(exchange.extra),
  }
}

function callOf({ step, method, sent, response, http2, ...times }: RecordedCall, spec: RequestSpec): CallRecord {
  return {
    spec,
    step,
    method,
    sentAtMs: times.sent_at_ms,
    sentEndMs: times.sent_end_ms,
    sent: bytesOf(sent),
    response: response === null ? null : responseOf(response),
    http2:
      http2 === null
        ? null
        : { fields: http2.fields, received: http2.received.map(pieceOf), errorCode: http2.error_code },
  }
}

function responseOf({ head, parts, ...rest }: RecordedResponse): Response {
  const own = parts.map(pieceOf)
  return { ...rest, head: bytesOf(head), parts: own, body: Buffer.concat(own.map(({ bytes }) => bytes)) }
}

function pieceOf({ at_ms: atMs, bytes }: RecordedPiece): { atMs: number; bytes: Buffer } {
  return { atMs, bytes: bytesOf(bytes) }
}

function viewOf({ head, content, ...rest }: RecordedArrival, nonce: string): ArrivalView {
  return new ArrivalView({ ...rest, bytes: `${head}${content}`, head_size: head.length }, nonce)
}
