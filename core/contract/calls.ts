/** The extension point `core.media-types`: requests that a plugin handles outside the pipeline, such as gRPC calls. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'

/** Result of `admitCall`. A rejected call must end with this gRPC status and metadata. */
export type CallAdmission =
  | { admitted: true }
  | { admitted: false; grpcStatus: number; message: string; metadata: Record<string, string> }

/** Handles requests by media type before routing, on all listeners. gRPC uses this. */
export interface SvcMediaTypes {
  /**
   * Sends every request for which `match` returns true to `handler`. `match` gets the lower-case media type without
   * parameters. The handler writes the whole response; no pipeline stage runs.
   */
  requests(
    match: (mediaType: string, request: IncomingMessage | Http2ServerRequest) => boolean,
    handler: (
      request: IncomingMessage | Http2ServerRequest,
      response: ServerResponse | Http2ServerResponse,
      facts: ConnectionFacts,
    ) => void,
  ): void
  /**
   * Checks the API key and the limits for a call outside the pipeline. `session` is the value of `X-Svc-Session`, `peer`
   * the client's IP address and `key` the API key, if any.
   */
  admitCall(call: { session: string | null; peer: string; key: string | null }): Promise<CallAdmission>
  /** CORS headers for the response to such a request or, for a preflight request, of the preflight response. */
  cors(request: IncomingMessage | Http2ServerRequest, expose: string[]): Record<string, string>
  /**
   * Adds the request to the inspector and enables fault headers for it. Call it before sending the response, and not for
   * requests that are exempt from both, such as gRPC health checks and reflection.
   */
  follow(request: IncomingMessage | Http2ServerRequest): MediaTypeCall
}

/** A request outside the pipeline that the inspector captures and fault headers apply to. */
export interface MediaTypeCall {
  /** Call it when a limit rejects the request: the inspector then keeps no entry. */
  refuse(): void
  /**
   * Applies `X-Svc-Delay`, then `X-Svc-Fail`. Call it after the request has been admitted. Resolves with the status to send
   * if a fault is injected, otherwise with null. `isServed` (default true) tells whether a method exists for the call; if
   * not, the inspector's entry names no route.
   */
  injectFaults(options?: { isServed?: boolean }): Promise<CallFailure | null>
  /**
   * Call it when sending the response head without `response.writeHead`. Returns the headers that `writeHead` would add,
   * such as those about faults.
   */
  sendHead(status: number): Record<string, string | string[]>
  /** Sets the gRPC status of the inspector's entry. */
  end(grpcStatus: number): void
}
/** The gRPC status of an injected fault. */
export interface CallFailure {
  grpcStatus: number
  message: string
}
/** The connection of a request. */
export interface ConnectionFacts {
  listener: 'http' | 'https' | 'grpc'
  socket: Socket
  /** Address of the peer, or the client IP from trusted proxy headers. */
  clientIp: string
}
