/** The body of a request: its announced length and its limit. */
import { EMPTY_BODY, type RequestContext } from './context.ts'
import { isHttp2, type ReceivedChunks } from './types.ts'

/** Bytes still read after a rejection, so that the client gets the response and not a reset. */
const DISCARD_BYTES = 64 * 1024 * 1024
const DISCARD_MS = 3_000

/** In bytes; the smaller of the limits of the route and the instance, unless the route has a limit of its own. */
export function bodyLimitOf(context: RequestContext, instanceLimit: number): number {
  const own = context.description?.ownBodyLimit
  if (own !== undefined) return own
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

export function joinedChunks({ chunks, bytes }: ReceivedChunks): Buffer {
  return chunks.length === 0 ? EMPTY_BODY : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)
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
