/** Serves HTTP requests to provider routes. Providers only parse and render, or answer by themselves. */
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import type { Recipient } from '../call/entry-point.ts'
import { commonHeaders, nativeHeaders } from '../call/error-responses.ts'
import { ModelCall, type Served, type StreamedEvents, type WholeReply } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import type { Rendered } from '../contract/route.ts'
import { printable } from '../headers/credentials.ts'
import { showTiming } from '../profiles/timing.ts'
import { itemOf, showShape, type StreamShape } from '../shapes/shape.ts'
import { shapeError } from '../shapes/shape-error.ts'
import { ShapedOutput } from '../shapes/shaped-output.ts'
import { codingOf, shapeOfError } from '../steps/choose-shape.ts'
import { enterInLedger, returnReserved, settleLimits } from '../steps/record-reply.ts'
import { recordError, recordOf } from '../steps/recording.ts'
import { refuse } from '../steps/refuse.ts'
import { streamHeadersOf } from '../steps/render-reply.ts'
import { noteEvents, noteReply } from '../steps/span.ts'
import { writeBody } from '../steps/large-reply.ts'
import { framings } from '../streaming/framing.ts'
import { PlainOutput } from '../streaming/output.ts'
import { pump, type StreamOutcome } from '../streaming/pump.ts'
import { passSteps, REQUEST } from './call-path.ts'
import { pumpOptions } from './pump-options.ts'

/** The status of a request whose client disconnected before the response began. */
export const CLIENT_GONE = 499

/** Serves one request. Never throws for a client error. */
export async function serveRequest(
  services: CallServices,
  served: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const call = new ModelCall(services, served, { request, reply }, REQUEST)
  call.recipient = new HttpClient(call, services)
  try {
    const passing = passSteps(REQUEST, call, services)
    if (passing !== undefined) await passing
    return reply
  } catch (error) {
    const response = refuse(call, services, error)
    const shape = shapeOfError(call)
    const { status, headers, body } = shapeError(response, shape)
    if (shape.length > 0) headers['X-Svc-Stream-Shape'] = showShape(shape)
    return reply.code(status).headers(headers).send(body)
  }
}

/** The client of a request. */
class HttpClient implements Recipient {
  readonly #call: ModelCall
  readonly #services: CallServices

  constructor(call: ModelCall, services: CallServices) {
    this.#call = call
    this.#services = services
  }

  wait(ms: number): Promise<boolean> {
    return this.#services.svc.http.delay(this.#call.request, ms)
  }

  get isGone(): boolean {
    return this.#call.reply.raw.destroyed
  }

  /** It disconnected before the response began: the ledger counts what the model had read. */
  leave(): void {
    const call = this.#call
    // The core has responded instead (a timeout), and its response is counted.
    if (call.reply.raw.headersSent || !call.isCounted) return returnReserved(call)
    const hasReply = call.result !== null
    if (hasReply) call.isStream = false
    call.recorded = hasReply ? recordOf(call, CLIENT_GONE) : recordError(call, CLIENT_GONE)
    if (call.recorded === null) return returnReserved(call)
    this.#services.records.add(call.recorded)
    const reply = hasReply ? 'unsent' : 'none'
    enterInLedger(call, this.#services, { status: CLIENT_GONE, errorType: 'client_gone', reply })
  }

  abort(): void {
    this.#services.svc.http.abortResponse(this.#call.request, this.#call.reply)
  }

  deliver(): void | Promise<void> {
    const { streamed, shapeOfWhole, request } = this.#call
    const coded = codingOf(streamed === null ? shapeOfWhole : streamed.shape)
    if (coded === null) return this.#send()
    return this.#services.svc.http.encodeResponse(request, coded.coding, coded).then(() => this.#send())
  }

  #send(): void {
    const call = this.#call
    const { instance, parsed, result, recorded } = call
    const headers = commonHeaders(instance, call)
    if (call.varies) headers.vary = 'Accept-Encoding'
    if (call.shapeOfWhole.length > 0) headers['x-svc-stream-shape'] = showShape(call.shapeOfWhole)
    if (parsed?.model !== undefined && parsed.op !== 'models')
      headers['x-svc-model'] = printable(parsed.model).slice(0, 256)
    const mode = result?.op === 'chat' || result?.op === 'embed' ? result.mode : undefined
    if (mode !== undefined) headers['x-svc-mode'] = mode
    if (call.timing !== null && result?.op === 'chat')
      headers['x-svc-timing'] = showTiming(call.timing, {
        queueMs: call.queueMs,
        tokens: result.completionTokens,
        load: call.load?.shown ?? null,
      })
    const prompt = recorded?.prompt_tokens ?? 0
    const completion = recorded?.completion_tokens ?? 0
    if (call.streamed === null) settleLimits(call, prompt, completion)
    const native = nativeHeaders(instance, call, 200, prompt, completion)
    if (call.streamed !== null) {
      call.reply.headers(headers).headers(native)
      return stream(call, this.#services, call.streamed)
    }
    sendWhole(call, this.#services, call.whole!, [headers, native])
    if (recorded !== null) enterInLedger(call, this.#services, { status: recorded.status, reply: 'sent' })
  }
}

/**
 * Sends through Node's response with a flat list of headers. For about twenty headers this is measurably faster than
 * Fastify's reply, which copies each of them into an object first.
 */
function sendWhole(
  call: ModelCall,
  services: CallServices,
  { rendered, bytes }: WholeReply,
  sources: readonly Record<string, string>[],
): void {
  const { body, stored } = rendered
  noteReply(call, rendered)
  const known = bytes ?? stored?.bytes ?? null
  if (known !== null) return sendLarge(call, services, { rendered, bytes: known }, sources)
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  sendHead(call.reply, rendered, Buffer.byteLength(payload), sources)
  call.reply.raw.end(payload)
}

function sendHead(
  reply: FastifyReply,
  { status = 200, contentType = 'application/json; charset=utf-8', headers }: Rendered,
  bytes: number,
  sources: readonly Record<string, string>[],
): void {
  const list = ['content-type', contentType, 'content-length', String(bytes)]
  for (const source of headers === undefined ? sources : [...sources, headers])
    for (const name in source) list.push(name, source[name]!)
  reply.hijack()
  reply.raw.writeHead(status, list)
}

/** Large replies and the contents of files, whose size is known, are written in chunks. */
function sendLarge(
  { request, reply, requestId }: ModelCall,
  { svc }: CallServices,
  { rendered, bytes }: { rendered: Rendered; bytes: number },
  sources: readonly Record<string, string>[],
): void {
  sendHead(reply, rendered, bytes, sources)
  writeBody(reply, rendered).catch((error: unknown) => {
    svc.log.error('writing a reply failed', { error, request_id: requestId })
    svc.http.abortResponse(request, reply)
  })
}

/** Bytes that the shape `split=byte` writes one by one. */
const SINGLE_BYTES = { normal: 16_384, public: 4096 }

function stream(call: ModelCall, services: CallServices, streamed: StreamedEvents): void {
  const { clock, ledger, svc } = services
  const { request, reply } = call
  const { framing, shape, events } = streamed
  const framer = framings[framing]
  const headers = {
    'Content-Type': framer.contentType,
    'Cache-Control': 'no-cache',
    'X-Accel-Buffering': 'no',
    ...streamHeadersOf(call),
    ...(shape === null ? {} : shapeHeaders(shape)),
  }
  const open = framer.contentType.startsWith('text/event-stream') ? svc.streams.sse : svc.streams.body
  const opened = open(request, reply, { status: 200, headers })
  if (opened === null) return returnReserved(call)
  const maxSingleBytes = SINGLE_BYTES[svc.config.publicMode ? 'public' : 'normal']
  const abort = (): void => svc.http.abortResponse(request, reply)
  ledger.streamOpened()
  const output =
    shape === null
      ? new PlainOutput(opened, framer, clock.now)
      : new ShapedOutput(opened, { shape, framing, now: clock.now, maxSingleBytes })
  const options = pumpOptions(call, services, streamed, {
    output,
    ended(outcome: StreamOutcome) {
      ledger.streamEnded()
      if (call.recorded !== null) enterInLedger(call, services, { status: 200, reply: 'sent', stream: outcome })
    },
    destroy: abort,
    fail(error) {
      // The headers are already sent: log the error and abort the response.
      svc.log.error('rendering a stream failed', { error, request_id: call.requestId })
      abort()
    },
  })
  pump(opened, noteEvents(call, events), options)
}

function shapeHeaders(shape: StreamShape): Record<string, string> {
  const type = itemOf(shape, 'type')
  return {
    'X-Svc-Stream-Shape': showShape(shape),
    ...(type === undefined ? {} : { 'Content-Type': type === 'json' ? 'application/json' : 'text/plain' }),
  }
}
