/** A request whose body can be read once more. */
import { Readable } from 'node:stream'
import type { ReadableOptions } from 'node:stream'
import type { ServerRequest } from './types.ts'

/** Streams are functions that also make a stream of an object given (Node's documentation calls it pre-ES6 style). */
const makeReadable = Readable as unknown as (this: object, options: ReadableOptions) => void

/**
 * The pipeline has read the body before the route runs; parsers expect a stream. The result has everything of the
 * request (head, socket, context), and is a stream of its own over the bytes that were read.
 */
export function replayRequest<Request extends ServerRequest>(request: Request, body: Buffer): Request {
  const replay = Object.create(request) as Request
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
    // The request's own would destroy the connection, on which the answer has to go out.
    destroy: (error, done) => done(error),
  })
  return replay
}
