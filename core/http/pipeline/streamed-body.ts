/** Bodies that a route reads as they arrive (`streamsBody`), within their limit. */
import { constants } from 'node:http2'
import type { Readable } from 'node:stream'
import { IncompleteBody } from '../../contract/http-error.ts'
import { announcedLength, discardRest, joinedChunks } from '../request/body.ts'
import { rejectBody } from './read-body.ts'
import type { RequestContext } from '../request/context.ts'
import { isHttp2 } from '../request/types.ts'

/** The body of a request that no stage has read; null if it has none. `limit` is in bytes. */
export function streamBody(context: RequestContext, limit: number): AsyncIterable<Buffer> | null {
  // Rules and calls within the process have read it before.
  if (context.isBodyRead || context.description?.streamsBody !== true)
    return context.body.length === 0 ? null : inOnePiece(context.body)
  if (announcedLength(context) === 0) return null
  if (context.streamed !== null) throw new Error('the body of a request can be read once')
  context.streamed = { chunks: [], bytes: 0 }
  return receive(context, context.streamed, limit)
}

async function* inOnePiece(body: Buffer): AsyncGenerator<Buffer> {
  yield body
}

async function* receive(
  context: RequestContext,
  received: NonNullable<RequestContext['streamed']>,
  limit: number,
): AsyncGenerator<Buffer> {
  if (context.expectsContinue) {
    ;(context.response as { writeContinue(): void }).writeContinue()
    context.expectsContinue = false
  }
  const chunks = (context.request as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  try {
    for await (const chunk of chunks) {
      received.chunks.push(chunk)
      received.bytes += chunk.length
      if (received.bytes > limit) {
        if (!context.response.headersSent) rejectBody(context, limit)
        throw new IncompleteBody('the body exceeds its limit')
      }
      yield chunk
    }
  } catch (error) {
    throw error instanceof IncompleteBody ? error : new IncompleteBody('the client has disconnected')
  } finally {
    context.body = joinedChunks(received)
    context.streamed = null
  }
}

/** What has arrived so far. */
export function receivedBody(context: RequestContext): Buffer {
  return context.streamed === null ? context.body : joinedChunks(context.streamed)
}

/** Drops the rest of a body whose response has ended; a client that does not end it is disconnected. */
export function dropUnread(context: RequestContext): void {
  const { request } = context
  if (request.complete || request.destroyed) return
  discardRest(context, () => {
    if (request.complete) return
    if (isHttp2(request)) request.stream.close(constants.NGHTTP2_NO_ERROR)
    else request.destroy()
  })
}
