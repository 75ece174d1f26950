/** A request with a body that can be read once more. */
import { Readable, type ReadableOptions } from 'node:stream'
import type { ServerRequest } from './types.ts'

/**
 * Stream constructors can also be called as functions on an existing object (Node's documentation calls this pre-ES6
 * style).
 */
const makeReadable = Readable as unknown as (this: object, options: ReadableOptions) => void

/** The headers of the body without its coding. */
function withoutCoding(headers: ServerRequest['headers'], body: Buffer): ServerRequest['headers'] {
  const { 'content-encoding': _coding, ...others } = headers
  return { ...others, ...(others['content-length'] === undefined ? {} : { 'content-length': String(body.length) }) }
}

/**
 * The pipeline has read the body before the route runs, but parsers expect a stream. The result has everything of the
 * request (head, socket, context), and is a separate stream over the bytes that were read. If they were
 * decoded, it has no `Content-Encoding`, so that no parser decodes them again.
 */
export function replayRequest<Request extends ServerRequest>(
  request: Request,
  body: Buffer,
  isDecoded = false,
): Request {
  const replay = Object.create(request) as Request
  if (isDecoded)
    Object.defineProperty(replay, 'headers', { value: withoutCoding(request.headers, body), writable: true })
  let isSent = false
  makeReadable.call(replay, {
    read(this: Readable) {
      if (!isSent && body.length > 0) {
        isSent = true
        this.push(body)
      } else {
        this.push(null)
      }
    },
    // The method of the request would destroy the connection, which is needed for the response.
    destroy: (error, done) => done(error),
  })
  return replay
}
