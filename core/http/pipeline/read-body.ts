/** Reads the body of a request within its limit, for every method and media type. Routes get bytes. */
import { turnForBytes } from '../../contract/turns.ts'
import { sendError } from '../response/send.ts'
import { payloadTooLarge } from '../response/error-bodies.ts'
import { announcedLength, bodyLimitOf, discardRest, joinedChunks } from '../request/body.ts'
import { type BodyServices, contentOf, decodeBody } from '../request/decoded-body.ts'
import { contextOf, type RequestContext } from '../request/context.ts'
import { isHttp2, type ServerRequest } from '../request/types.ts'

/**
 * Reads the body within its limit into `context.body`, and decodes it. A large one then waits for its turn. Resolves with false
 * if it was rejected or the client disconnected.
 */
export function readContent(context: RequestContext, services: BodyServices): true | Promise<boolean> {
  if (context.upgrade !== null || announcedLength(context) === 0) return true
  if (context.expectsContinue) (context.response as { writeContinue(): void }).writeContinue()
  const limit = bodyLimitOf(context, services.config.bodyLimit)
  return new Promise(resolve => {
    const stop = (isThere: boolean): void => resolve(isThere && takeContent(context, services))
    context.reading = { chunks: [], bytes: 0, limit, resolve: stop }
    context.request.on('data', addChunk).on('end', endBody).on('close', loseBody).on('error', loseBody)
  })
}

function takeContent(context: RequestContext, services: BodyServices): true | Promise<boolean> {
  const isDecoded = decodeBody(context, services)
  if (isDecoded === true) return turnForBytes(contentOf(context).length)
  return isDecoded.then(is => is && turnForBytes(contentOf(context).length))
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
  reading.resolve(isThere)
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
