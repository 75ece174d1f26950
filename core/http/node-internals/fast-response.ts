/**
 * Node's response with two fast paths: header lines that were validated before are not validated again, and small
 * bodies are sent in one plain write. The bytes are identical to Node's own
 * (test/integration/core/node-internals.test.ts compares them on every supported version). If a member of Node is
 * missing, Node's own code runs.
 */
import { ServerResponse, type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http'
import { sendChunk, sendLastChunk, sendWhole, sendWholeBytes } from './coalesced-write.ts'
import { HeaderLineCache } from './header-line-cache.ts'

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Undocumented members of `ServerResponse`. */
interface Internals {
  readonly _headerSent?: boolean
  _storeHeader(statusLine: string, headers: Headers | undefined): void
}

const storeHeader = (ServerResponse.prototype as unknown as Internals)._storeHeader

export type ServerResponseClass = new (request: IncomingMessage) => ServerResponse

/** Creates a class of responses that share a cache. */
export function createFastResponse(lines = new HeaderLineCache()): ServerResponseClass {
  return class FastResponse extends ServerResponse {
    /** Node's `writeHead` passes the status line and the given headers; it keeps what the line already contains. */
    _storeHeader(statusLine: string, headers: Headers | undefined): void {
      if (!Array.isArray(headers) || Array.isArray(headers[0])) return storeHeader.call(this, statusLine, headers)
      let head = statusLine
      let index = 0
      // To keep the order, Node writes everything from the first line that is not cached.
      for (; index < headers.length; index += 2) {
        const line = lines.lineOf(headers[index] as string, headers[index + 1])
        if (line === null) break
        head += line
      }
      storeHeader.call(this, head, headers.slice(index) as OutgoingHttpHeader[])
    }

    /** If the head was sent, Node would write an empty text. */
    override flushHeaders(): void {
      if ((this as Partial<Internals>)._headerSent !== true) super.flushHeaders()
    }

    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      if (typeof chunk === 'string' && encoding === undefined && callback === undefined && sendChunk(this, chunk))
        return true
      return super.write(chunk as string, encoding as BufferEncoding, callback as () => void)
    }

    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      // Fastify passes null for unused arguments.
      if ((encoding ?? callback ?? null) === null && isSent(this, chunk)) return super.end()
      return super.end(chunk as string, encoding as BufferEncoding, callback as () => void)
    }
  }
}

/** Whether a body or its last part was sent in one write. */
function isSent(response: ServerResponse, chunk: unknown): boolean {
  if (typeof chunk === 'string') return sendWhole(response, chunk) || sendLastChunk(response, chunk)
  return chunk instanceof Uint8Array && sendWholeBytes(response, chunk)
}
