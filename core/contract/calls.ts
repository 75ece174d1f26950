/** Calls and requests that do not come through the pipeline: `svc.limits`, `svc.mediaTypes`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'

export interface SvcLimits {
  /** Admits a call that does not come through the pipeline, such as one of gRPC (limits sheet 2 and 8). */
  admitCall(call: { session: string | null; peer: string; key: string | null }): Promise<CallAdmission>
}
export type CallAdmission =
  | { admitted: true }
  | { admitted: false; grpcStatus: number; message: string; metadata: Record<string, string> }

/** Requests by media type before routing, on all listeners (gRPC). */
export interface SvcMediaTypes {
  /**
   * `match` gets the lower-case media type without parameters. The handler owns the response; no stage of the
   * pipeline runs. `onGrpcPort`, `onHttp` say on which listeners (default both; HTTP only with SVC_GRPC_ON_HTTP).
   */
  requests(
    match: (mediaType: string, request: IncomingMessage | Http2ServerRequest) => boolean,
    handler: (
      request: IncomingMessage | Http2ServerRequest,
      response: ServerResponse | Http2ServerResponse,
      facts: ConnectionFacts,
    ) => void,
  ): void
  /** CORS headers for such an answer; for a preflight those of the preflight. */
  cors(request: IncomingMessage | Http2ServerRequest, expose: string[]): Record<string, string>
  /**
   * Makes a taken-over request one for the inspector and for fault headers. Not for what is exempt from both, such as gRPC
   * health and reflection. To be called before it is answered.
   */
  follow(request: IncomingMessage | Http2ServerRequest): MediaTypeCall
}

/** A taken-over request that the core follows. */
export interface MediaTypeCall {
  /** A limit refuses the call: no entry is kept of it. */
  refuse(): void
  /**
   * Acts on `X-Svc-Delay` and `X-Svc-Fail`, in this order, once the call has been admitted. Resolves with the status that
   * the call is to end with, or null: the method is to be called. `isServed`: whether there is one (default true); the entry
   * of a call without one names no route.
   */
  injectFaults(options?: { isServed?: boolean }): Promise<CallFailure | null>
  /** The head goes out past `response.writeHead`. Answers the fields about faults, which `writeHead` adds by itself. */
  sendHead(status: number): Record<string, string | string[]>
  /** The status of the call, for its entry. */
  end(grpcStatus: number): void
}
export interface CallFailure {
  grpcStatus: number
  message: string
}
export interface ConnectionFacts {
  listener: 'http' | 'https' | 'grpc'
  socket: Socket
  /** Peer address, or the client IP of trusted proxy headers. */
  clientIp: string
}
