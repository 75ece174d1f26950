/** Reads the body of a request within its limit, for every method and media type. Routes get bytes. */
import { ownTurn } from '../../contract/turns.ts'
import { sendError } from '../response/send.ts'
import { payloadTooLarge } from '../response/error-bodies.ts'
import { announcedLength, bodyLimitOf, discardRest, joinedChunks } from '../request/body.ts'
import { type BodyServices, decodeBody } from '../request/decoded-body.ts'
import { contextOf, type RequestContext } from '../request/context.ts'
import { isHttp2, type ServerRequest } from '../request/types.ts'

/**
 * Bytes of a body that is worth some milliseconds of work: requests with such bodies take turns, and others run in between.
 */
const LARGE_BODY = 65_536

/** Reads the body into `context.body`; returns false if it was rejected or the client disconnected. */
function readBody(context: RequestContext, limit: number): true | Promise<boolean> {
  if (context.upgrade !== null || announcedLength(context) === 0) return true
  if (context.expectsContinue) (context.response as { writeContinue(): void }).writeContinue()
  return new Promise(resolve => {
    context.reading = { chunks: [], bytes: 0, limit, resolve }
    context.request.on('data', addChunk).on('end', endBody).on('close', loseBody).on('error', loseBody)
  })
}

/** Reads the body within its limit, and decodes it. Resolves with false if it was rejected or the client disconnected. */
export function readContent(context: RequestContext, services: BodyServices): true | Promise<boolean> {
  const isThere = readBody(context, bodyLimitOf(context, services.config.bodyLimit))
  if (isThere === true || context.request.headers['content-encoding'] === undefined) return isThere
  return isThere.then(is => is && decodeBody(context, services))
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

/**
 * Sends 413 and closes the connection. Ending at once would race with a client that is still writing: its unread bytes
 * make the kernel reset the connection, and the response is lost. So the response is written at once, the rest of the
 * upload is read and dropped within bounds, and only then the response ends.
 */
export function rejectBody(context: RequestContext, limit: number): void {
  const failure = { status: 413, kind: 'payload_too_large', body: payloadTooLarge(limit, context) } as const
  if (isHttp2(context.request)) return sendError(context, failure)
  sendError(context, failure, { Connection: 'close' }, (response, payload) => {
    if (payload !== null) response.write(payload)
    else response.flushHeaders()
    discardRest(context, () => response.end())
  })
}
