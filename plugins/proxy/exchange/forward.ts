/** Forwards a request to the upstream, sends its response as it comes, and records it. */
import type { IncomingMessage } from 'node:http'
import {
  IncompleteBody,
  MemoryPool,
  type BodyStream,
  type FastifyReply,
  type FastifyRequest,
  type Svc,
} from 'svc/plugin'
import type { Upstream } from '../config/upstream.ts'
import { upstreamTimeout, upstreamUnreachable } from '../errors.ts'
import { clientHeaders, headerLines, headerRecord, responseHeaders, upstreamHeaders } from '../forwarded-headers.ts'
import { isSensitiveHeader } from '../redaction.ts'
import type { RecordedResponse } from '../recordings/recording.ts'
import type { Pairs } from '../recordings/request-shape.ts'
import { MAX_BODIES_BYTES, ResponseRecorder, type AroundBody } from './response-recorder.ts'
import { sentHeaders } from './sent-headers.ts'
import { addTrailers, canHaveTrailers, endToEndTrailers, sendEarlyHints } from './trailers.ts'
import { UpstreamFailure, type Client } from './upstream-request.ts'

export interface Forwarded {
  request: FastifyRequest
  reply: FastifyReply
  upstream: Upstream
  client: Client
  /** Path and query at the upstream. */
  requested: string
  /** The path at which clients find the upstream. */
  mount: string
  /** Fields of the client that are not sent, in lower case. */
  removeHeaders: ReadonlySet<string>
  /** The body of the request as it arrives; null if there is none. */
  body: AsyncIterable<Buffer> | null
  /** Called with the complete response; null if it is not to be recorded. */
  record: ((response: RecordedResponse) => Promise<void>) | null
  /** The secrets of query and body, once the request is complete. */
  secrets: () => Iterable<string>
}

/** Resolves when the response has ended. Throws for an upstream that does not respond. */
export async function forward(svc: Svc<unknown>, exchange: Forwarded): Promise<FastifyReply> {
  const { request, reply, upstream, requested, mount, removeHeaders } = exchange
  const sent = clientHeaders(svc, request).filter(([name]) => !removeHeaders.has(name.toLowerCase()))
  const sentAt = performance.now()
  const upload = new Upload(exchange.body)
  const hints: Pairs[] = []
  const response = await send(svc, exchange, upload, sent, hints)
  if (response === null) return reply.hijack()
  const lines = headerLines(response.rawHeaders)
  const status = response.statusCode ?? 502
  const isEmpty = hasNoBody(request.method, response)
  const isRecorded = exchange.record !== null && (isEmpty || !ResponseRecorder.cannotRecord(lines))
  const recorder = isRecorded
    ? new ResponseRecorder({
        upstream,
        status,
        isHead: request.method === 'HEAD',
        lines,
        sentAt,
        secrets: () => secretsOf(exchange, sent),
        memory: recordingsOf(svc).memory,
      })
    : null
  const headers: Record<string, string | string[]> = {
    ...sentHeaders(svc, request, { upstream, requested, mount, lines, received: status }),
    'X-Svc-Proxy': isRecorded ? 'record' : 'passthrough',
  }
  if (isEmpty) {
    response.resume()
    await keep(svc, exchange, upload, recorder, { hints, trailers: {} })
    return reply.code(status).headers(headers).send()
  }
  const announced = response.headers.trailer
  if (announced !== undefined && canHaveTrailers(request, headers)) headers.trailer = announced
  const stream = svc.streams.body(request, reply, { status, headers, isPassedOn: true })
  if (stream === null) {
    response.destroy()
    recorder?.discard()
    return reply
  }
  const { isComplete, last } = await relay(response, stream, recorder)
  if (!isComplete) {
    recorder?.discard()
    // A break in the middle must not look like the end.
    if (stream.closed) response.destroy()
    else svc.http.abortResponse(request, reply)
    return reply
  }
  const trailers = endToEndTrailers(response.rawTrailers)
  await keep(svc, exchange, upload, recorder, { hints, trailers })
  if (last !== null) stream.write(last)
  if (!stream.closed && canHaveTrailers(request, headers)) addTrailers(reply, trailers)
  stream.end()
  return reply
}

/** 103 responses that are recorded. */
const MAX_HINTS = 20

/** Statuses without content (RFC 9110, 15.3.5, 15.3.6, 15.4.5). */
const BODILESS = new Set([204, 205, 304])

function hasNoBody(method: string, { statusCode = 0, headers }: IncomingMessage): boolean {
  return method === 'HEAD' || BODILESS.has(statusCode) || headers['content-length'] === '0'
}

/** The body of a request on its way to the upstream. */
class Upload {
  isComplete: boolean
  readonly pieces: AsyncIterable<Buffer> | null

  constructor(body: AsyncIterable<Buffer> | null) {
    this.isComplete = body === null
    this.pieces = body === null ? null : this.#follow(body)
  }

  async *#follow(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    yield* body
    this.isComplete = true
  }
}

/** Responses that are being recorded, of all upstreams. */
interface Recordings {
  memory: MemoryPool
  /** Resolves when the last one is written: they are redacted and written in turn, because large ones take long. */
  last: Promise<void>
}

function recordingsOf(svc: Svc<unknown>): Recordings {
  return svc.shared('recordings', () => ({ memory: new MemoryPool(MAX_BODIES_BYTES), last: Promise.resolve() }))
}

/** Records a complete response. */
async function keep(
  svc: Svc<unknown>,
  { upstream, record }: Forwarded,
  upload: Upload,
  recorder: ResponseRecorder | null,
  around: AroundBody,
): Promise<void> {
  if (recorder === null) return
  if (!upload.isComplete) {
    recorder.discard()
    svc.log.warn('response not recorded: it ended before the body of the request', { upstream: upstream.name })
    return
  }
  const finishing = recordingsOf(svc)
  const written = finishing.last.then(async () => {
    const recorded = await recorder.finish(around)
    if (recorded !== null) await record?.(recorded)
    return recorded !== null
  })
  finishing.last = written.then(
    () => recorder.discard(),
    () => recorder.discard(),
  )
  if (await written) return
  const why = 'its body is too large, too many large ones come at once, or its coding is invalid'
  svc.log.warn(`response not recorded: ${why}`, { upstream: upstream.name })
}

/** Null if the client has disconnected, or its body was rejected. */
async function send(
  svc: Svc<unknown>,
  { request, reply, upstream, client, requested }: Forwarded,
  upload: Upload,
  sent: ReturnType<typeof clientHeaders>,
  hints: Pairs[],
): Promise<IncomingMessage | null> {
  const headers = upstreamHeaders(svc, request, {
    client: sent,
    setHeaders: upstream.setHeaders,
    host: upstream.target.host,
    hasBody: upload.pieces !== null,
  })
  try {
    return await client({
      method: request.method,
      path: requested,
      headers,
      body: upload.pieces,
      trailers: () => endToEndTrailers(request.raw.rawTrailers ?? []),
      onEarlyHints: raw => {
        const fields = headerRecord(responseHeaders(headerLines(raw)))
        if (hints.length < MAX_HINTS) hints.push(fields)
        sendEarlyHints(request, reply, fields)
      },
      receivedBody: () => (upload.isComplete ? svc.http.receivedBody(request) : null),
      signal: svc.http.signal(request),
    })
  } catch (error) {
    if (error instanceof IncompleteBody) return null
    if (!(error instanceof UpstreamFailure)) throw error
    if (error.kind === 'client_left') return null
    if (error.kind === 'timeout') throw upstreamTimeout(upstream.name, upstream.timeoutMs, error.cause)
    throw upstreamUnreachable(upstream.name, error.message, error.cause)
  }
}

interface Relayed {
  /** Whether the body is complete and the client has received it. */
  isComplete: boolean
  /** The last piece of a body of known length, not sent yet: a client that has it can count on the recording. */
  last: Buffer | null
}

/** Sends the body on, piece by piece. */
async function relay(
  response: IncomingMessage,
  stream: BodyStream,
  recorder: ResponseRecorder | null,
): Promise<Relayed> {
  const leave = (): void => void response.destroy()
  const length = Number(response.headers['content-length'] ?? Infinity)
  let received = 0
  let last: Buffer | null = null
  stream.signal.addEventListener('abort', leave, { once: true })
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (recorder?.write(chunk) === false) await recorder.ready()
      received += chunk.length
      if (recorder !== null && received >= length) last = chunk
      else if (!stream.write(chunk)) await stream.ready()
    }
  } catch {
    return { isComplete: false, last: null }
  } finally {
    stream.signal.removeEventListener('abort', leave)
  }
  return { isComplete: response.complete && !stream.closed, last }
}

/** The secrets that the upstream could repeat: those of the client, and those that svc adds. */
function secretsOf({ upstream, secrets }: Forwarded, sent: readonly (readonly [string, string])[]): string[] {
  const ofClient = sent.filter(([name, value]) => isSensitiveHeader(name.toLowerCase(), value, upstream.redact))
  return [...[...ofClient, ...upstream.setHeaders].map(([, value]) => value), ...secrets()]
}
