/** The extension point `core.responses`: fields that a plugin adds to the responses of all routes. */
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { HttpError } from './http-error.ts'

export interface SvcResponses {
  /**
   * Calls `read` for each request that passes the pipeline, before faults and rules act; not for the control plane, handshakes
   * of WebSockets and calls outside the pipeline. With `fields`, names of header fields in lower case, only for requests that
   * have one of them. Call it while the plugin registers. `read` must not take long.
   */
  add(read: ResponseReader, options?: { fields?: readonly string[] }): void
  /** Calls `listener` with the status of each response to such requests, when its head is sent. Call it while the plugin registers. */
  observe(listener: (status: number) => void): void
}

/** Returns what to add to the response, an `HttpError` that is sent instead, or null. */
export type ResponseReader = (request: IncomingMessage | Http2ServerRequest) => ResponseAddition | HttpError | null

export interface ResponseAddition {
  /** A request header that can't be read: the response gets `X-Svc-Ignored: <name>; <expected>`. */
  ignored?: { name: string; expected: string }
  /**
   * The header fields, when the head is sent. A field of the route with the same name takes precedence. `canTrail`: the body is
   * streamed and can have trailers.
   */
  headers?(head: { status: number; canTrail: boolean }): Readonly<Record<string, string>>
  /** The trailer fields, when the body ends. Only called if it can have trailers; `headers` announces them as `Trailer`. */
  trailers?(): Readonly<Record<string, string>>
}
