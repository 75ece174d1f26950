/** A captured request as stored, and its JSON form. */
import { randomUUID } from 'node:crypto'
import type {
  AbortKind,
  CoreFailure,
  FaultOrigin,
  InspectorEntry,
  ResponseEnd,
  SessionOrigin,
} from '../contract/plugin.ts'
import type { ProxyHeader } from '../contract/proxy-header.ts'
import { KEPT_STREAM_BYTES } from './response-copy.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import { sizeOfService, toHeaders, toServiceCall, type CapturedService } from './captured-service.ts'
import { sizeOfTags } from './tags.ts'
import { endReasonOf } from './end-reason.ts'

/** Maximum number of body bytes kept. */
export const KEPT_BODY_BYTES = 65_536

/**
 * A stored request, with credentials already redacted. It is close to the output of the parser, because every request
 * is captured and few are ever viewed; `toEntry` converts it to the public form.
 */
export interface CapturedRequest {
  /** Created on demand (`idOf`), because most entries are never viewed. */
  id: string | null
  requestId: string
  /** The request had no id. Absent in entries of older replicas. */
  isRequestIdGenerated?: boolean
  /** Milliseconds since 1970. */
  arrivedAt: number
  method: string
  /** Path and query as received. */
  uri: string
  /** Path and query of what served it, if that is elsewhere: on a host that a plugin serves whole. */
  served?: string
  httpVersion: string
  /** Alternating names and values. */
  rawHeaders: readonly string[]
  clientIp: string
  /** Absent in entries of older replicas. */
  scheme?: 'http' | 'https'
  /** Name of the listener; absent in entries of older replicas. */
  listener?: string
  /** The PROXY protocol header of the connection; absent without one. */
  proxy?: ProxyHeader
  /** A valid `X-Svc-Session` value. */
  session: string | null
  /** How the client named the session. */
  sessionFrom: SessionOrigin | null
  /**
   * At most `KEPT_BODY_BYTES`, one character per byte (Latin-1). Thousands of small buffers would each allocate their
   * own memory.
   */
  body: string | null
  /** Bytes received. */
  bodyBytes: number
  /** The same without its content coding; absent if it has none, or could not be decoded. */
  decodedBody?: string
  status: number
  latencyMs: number
  trace: TraceContext | null
  fault: string | null
  faultSource: string | null
  /** Name of the rule that acted on it. */
  rule: string | null
  faultOrigin: FaultOrigin | null
  /** How the connection was broken. */
  abort: AbortKind | null
  /** Why the core sent an error instead of a route. */
  failure: CoreFailure['kind'] | null
  route: string | null
  plugin: string | null
  /** What it asked as a call of a service; absent in other requests. */
  service?: CapturedService
  /** What plugins noticed about it; absent if they noticed nothing. */
  tags?: readonly string[]
  /** The requests that a rule has sent after the response, filled in until all are done; absent if there are none. */
  notified?: readonly Notified[]
  /** Replaced when the response has ended. */
  response: ResponseProgress
  /** Instance id of the replica that received the request, if there may be several. */
  replica?: string
}

/** What is noted until the response has ended; what is absent stays as it was. */
export type CapturedNotes = Partial<Pick<CapturedRequest, 'service' | 'tags' | 'rule'>>

/** A request that a rule has sent after the response, or not. */
export interface Notified {
  /** Without credentials. */
  url: string
  /** Null without a response, and before it. */
  status: number | null
  /** Why there is no response: `not_allowed`, `too_many`, `too_large`, `timeout`, `failed` or `dropped`. */
  error: string | null
}

/** The requests of one hit; the list is filled in until `done`. */
export interface Notifications {
  readonly list: readonly Notified[]
  readonly done: Promise<void>
}

/** The progress of a response. */
export interface ResponseProgress {
  readonly bytesSent: number
  readonly ended: ResponseEnd
  readonly grpcStatus: number | null
  /** Header lines as sent, each ended by CRLF, one character per byte (Latin-1). */
  readonly head: string | null
  /** The beginning of the body, one character per byte (Latin-1). */
  readonly body: string | null
}

/** A copy that does not change any more. */
export function progressOf({ bytesSent, ended, grpcStatus, head, body }: ResponseProgress): ResponseProgress {
  return { bytesSent, ended, grpcStatus, head, body }
}

/** The path of the request target as received, without the query. */
export function pathOf({ uri }: CapturedRequest): string {
  const query = uri.indexOf('?')
  return query === -1 ? uri : uri.slice(0, query)
}

/** The first bytes of a body, copied; a slice would retain the whole buffer. */
export function keptBody(body: Buffer): string | null {
  return body.length === 0 ? null : body.toString('latin1', 0, Math.min(body.length, KEPT_BODY_BYTES))
}

/** Memory of an entry without text, and of one string in its header list. */
const ENTRY_BYTES = 1024
const TEXT_BYTES = 36

/**
 * Memory of a captured request in bytes. Its strings are Latin-1, one byte per character, so they need not be scanned.
 * An open response may still grow, so its space is reserved.
 */
export function sizeOf({
  uri,
  served,
  body,
  decodedBody,
  rawHeaders,
  service,
  tags,
  trace,
  response,
}: CapturedRequest): number {
  let bytes =
    ENTRY_BYTES +
    uri.length +
    (served?.length ?? 0) +
    (body?.length ?? 0) +
    (decodedBody?.length ?? 0) +
    (trace?.state?.length ?? 0) +
    (response.head?.length ?? 0) +
    (response.ended === 'open' ? KEPT_STREAM_BYTES + (service === undefined ? 0 : KEPT_BODY_BYTES) : 0) +
    (response.body?.length ?? 0) +
    TEXT_BYTES * rawHeaders.length +
    (service === undefined ? 0 : sizeOfService(service)) +
    (tags === undefined ? 0 : sizeOfTags(tags))
  for (const text of rawHeaders) bytes += text.length
  return bytes
}

/** The id of the entry, created on first use. */
export function idOf(captured: CapturedRequest): string {
  return (captured.id ??= randomUUID())
}

export function toEntry(captured: CapturedRequest): InspectorEntry {
  const { uri } = captured
  const body = captured.body === null ? null : Buffer.from(captured.body, 'latin1')
  const query = uri.indexOf('?')
  const text = body === null ? null : decodeText(body, captured.bodyBytes > KEPT_BODY_BYTES)
  const { response } = captured
  const sent = response.body === null ? null : Buffer.from(response.body, 'latin1')
  const isCut = response.bytesSent > (sent?.length ?? 0)
  const sentText = sent === null ? null : decodeText(sent, isCut)
  return {
    id: idOf(captured),
    request_id: captured.requestId,
    timestamp: new Date(captured.arrivedAt).toISOString(),
    method: captured.method,
    uri,
    path: pathOf(captured),
    query: query === -1 ? null : uri.slice(query + 1),
    version: `HTTP/${captured.httpVersion}`,
    headers: toHeaders(captured.rawHeaders),
    client_ip: captured.clientIp,
    listener: captured.listener ?? null,
    proxy_protocol: captured.proxy ?? null,
    session: captured.session,
    session_from: captured.sessionFrom,
    body: text,
    body_base64: body === null || text !== null ? null : body.toString('base64'),
    body_size: captured.bodyBytes,
    body_truncated: captured.bodyBytes > KEPT_BODY_BYTES,
    body_decoded: decodedText(captured),
    status: captured.status,
    latency_ms: captured.latencyMs,
    grpc_status: response.grpcStatus,
    fault: captured.fault,
    fault_source: captured.faultSource,
    rule: captured.rule,
    fault_origin: captured.faultOrigin,
    abort: captured.abort,
    end_reason: endReasonOf(captured),
    service: captured.service === undefined ? null : toServiceCall(captured.service),
    tags: captured.tags ?? [],
    notified: captured.notified?.map(one => ({ ...one })) ?? [],
    services: [],
    route: captured.route,
    plugin: captured.plugin,
    bytes_sent: response.bytesSent,
    ended: response.ended,
    response_headers: response.head === null ? null : toHeaders(fieldsOf(response.head)),
    response_body: sentText,
    response_body_base64: sent === null || sentText !== null ? null : sent.toString('base64'),
    response_body_truncated: isCut,
    trace: captured.trace === null ? null : toTrace(captured.trace),
    ...(captured.replica === undefined ? {} : { replica: captured.replica }),
  }
}

/** Null for a body without a content coding, or that is not text. */
function decodedText({ decodedBody }: CapturedRequest): string | null {
  if (decodedBody === undefined) return null
  return decodeText(Buffer.from(decodedBody, 'latin1'), decodedBody.length === KEPT_BODY_BYTES)
}

/** Alternating names and values of header lines. */
export function fieldsOf(head: string): string[] {
  return head
    .split('\r\n')
    .slice(0, -1)
    .flatMap(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
}

function toTrace({ traceId, spanId, parentSpanId, sampled, state }: TraceContext): InspectorEntry['trace'] {
  return { trace_id: traceId, span_id: spanId, parent_span_id: parentSpanId, sampled, state }
}

/**
 * Decodes UTF-8; null if the bytes are not valid UTF-8. A character split by the truncation is dropped, so that a long
 * text remains text.
 */
function decodeText(bytes: Buffer, isCut: boolean): string | null {
  const whole = isCut ? bytes.subarray(0, bytes.length - incompleteTail(bytes)) : bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole)
  } catch {
    return null
  }
}

/** Bytes of an incomplete UTF-8 sequence at the end (RFC 3629, 3), 0 to 3. */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80 || byte > 0xf4) return 0
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? back : 0
  }
  return 0
}
