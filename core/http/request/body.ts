/** Reads the body of a request within its limit, for every method and media type. Routes get bytes. */
import { ownTurn } from '../../contract/turns.ts'
import { sendError } from '../response/send.ts'
import { contextOf, EMPTY_BODY } from './context.ts'
import { isHttp2 } from './types.ts'
import type { RequestContext } from './context.ts'
import type { ReceivedChunks, ServerRequest } from './types.ts'
import { payloadTooLarge } from '../pipeline/error-bodies.ts'

/**
 * Bytes of a body that is worth some milliseconds of work: requests with such bodies take turns, and others run in between.
 */
const LARGE_BODY = 65_536
/** Bytes still read after a rejection, so that the client gets the response and not a reset. */
const DISCARD_BYTES = 64 * 1024 * 1024
const DISCARD_MS = 3_000

/** In bytes; the smaller of the limits of the route and the instance. */
export function bodyLimitOf(context: RequestContext, instanceLimit: number): number {
  return Math.min(
    instanceLimit,
    context.description?.bodyLimit ?? instanceLimit,
    context.route?.bodyLimit ?? instanceLimit,
  )
}

/** The announced length of the body; null for a chunked body or without a length. */
export function announcedLength(context: RequestContext): number | null {
  const { headers } = context.request
  if (headers['transfer-encoding'] !== undefined) return null
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return isHttp2(context.request) && !isStreamEnded(context) ? null : 0
}

function isStreamEnded(context: RequestContext): boolean {
  const { request } = context
  return isHttp2(request) && (request.stream as { endAfterHeaders?: boolean }).endAfterHeaders === true
}

/** Reads the body into `context.body`; returns false if it was rejected or the client disconnected. */
export function readBody(context: RequestContext, limit: number): true | Promise<boolean> {
  if (context.upgrade !== null || announcedLength(context) === 0) return true
  if (context.expectsContinue) (context.response as { writeContinue(): void }).writeContinue()
  return new Promise(resolve => {
    context.reading = { chunks: [], bytes: 0, limit, resolve }
    context.request.on('data', addChunk).on('end', endBody).on('close', loseBody).on('error', loseBody)
  })
}

// One set of functions for all requests; `this` is the request. They stay attached and do nothing once the body is
// complete: removing four listeners costs more than reading a small body.

function addChunk(this: ServerRequest, chunk: Buffer): void {
  const context = contextOf(this)
  const { reading } = context
  if (reading === null) return
  reading.chunks.push(chunk)
  reading.bytes += chunk.length
  if (reading.bytes <= reading.limit) return
  // The result is shown where requests are displayed.
  stopReading(context, false, () => rejectBody(context, reading.limit))
}

function endBody(this: ServerRequest): void {
  stopReading(contextOf(this), true)
}

function loseBody(this: ServerRequest): void {
  stopReading(contextOf(this), false)
}

/** Uses the bytes received so far as the body. Only the first call has an effect. */
function stopReading(context: RequestContext, isThere: boolean, before?: () => void): void {
  const { reading } = context
  if (reading === null) return
  context.body = joinedChunks(reading)
  context.reading = null
  before?.()
  if (isThere && reading.bytes > LARGE_BODY) void ownTurn().then(() => reading.resolve(true))
  else reading.resolve(isThere)
}

export function joinedChunks({ chunks, bytes }: ReceivedChunks): Buffer {
  return chunks.length === 0 ? EMPTY_BODY : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)
}

/**
 * Sends 413 and closes the connection. Ending at once would race with a client that is still writing: its unread bytes
 * make the kernel reset the connection, and the response is lost. So the response is written at once, the rest of the
 * upload is read and dropped within bounds, and only then the response ends.
 */
export function rejectBody(context: RequestContext, limit: number): void {
  const failure = { status: 413, kind: 'payload_too_large', body: payloadTooLarge(limit) } as const
  if (isHttp2(context.request)) return sendError(context, failure)
  sendError(context, failure, { Connection: 'close' }, (response, payload) => {
    if (payload !== null) response.write(payload)
    else response.flushHeaders()
    discardRest(context, () => response.end())
  })
}

/** Reads and drops the rest of the body, within bounds. */
export function discardRest(context: RequestContext, done: () => void): void {
  const { request } = context
  if (request.complete || context.expectsContinue) return done()
  let discarded = 0
  const deadline = setTimeout(done, DISCARD_MS)
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > DISCARD_BYTES) done()
  })
  request.on('error', () => {})
  request.once('end', done)
  request.once('close', () => clearTimeout(deadline))
  request.resume()
}
