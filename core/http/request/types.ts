/** The shapes a request's context is made of: request and response in use, the matched route, the generation that serves it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { Exemptions } from '../pipeline/exemptions.ts'
import type { ErrorForm } from '../../contract/plugin.ts'
import type { CoreRoute } from '../pipeline/route-record.ts'

export type ServerRequest = IncomingMessage | Http2ServerRequest

/** A text request line may claim to be `HTTP/2.0`: only the stream tells. */
export function isHttp2(request: ServerRequest): request is Http2ServerRequest {
  return 'stream' in request
}

/** The response in use, as the context sees it. */
export type ResponseInUse = (ServerResponse<IncomingMessage> | Http2ServerResponse) & {
  /** The core has answered in the route's place: what the route still writes is dropped. */
  isDetached?: boolean
}

/** The listener on which a request came. */
export interface ListenerFacts {
  kind: 'http' | 'https' | 'grpc'
  scheme: 'http' | 'https'
  port: number
}

/** Follows every request from outside. It lives as long as the server, so that no function is made per request for it. */
export interface RequestFollower<Context> {
  /** The head goes out. */
  onHead(context: Context): void
  /** The service breaks the connection before a head. */
  onBreak(context: Context): void
  /** The response is over, or the connection is gone; the status is 0 when there was no head. */
  onClose(context: Context): void
}

export interface EgressCounter {
  /** Bytes of response body that were written. */
  addEgress(bytes: number): void
}

/** A body that is being read. */
export interface BodyReading {
  readonly chunks: Buffer[]
  bytes: number
  readonly limit: number
  resolve(isThere: boolean): void
}

/** The routes of a generation, as the pipeline looks them up. */
export interface RouteLookup {
  readonly list: readonly CoreRoute[]
  find(method: string, url: string): CoreRoute | null
  /** Methods that the path has (RFC 9110, 10.2.1), none for an unknown path. */
  methodsOf(url: string): string[]
}

/** What the pipeline needs of a generation. */
export interface RoutingGeneration {
  readonly number: number
  readonly routes: RouteLookup
  /** Headers that browsers may read across origins. */
  readonly exposedHeaders: string
  /** Paths that layers leave alone. */
  readonly exemptions: Exemptions
  /** Fastify's own request handler. */
  handle(request: ServerRequest, response: ResponseInUse): void
  /** Hands a handshake to the WebSocket server. */
  upgrade(request: ServerRequest, socket: Socket, head: Buffer): void
  /** The plugin that is not enabled and whose `paths` hold this path. */
  absentOwner(path: string): { name: string; state: 'disabled' | 'failed' } | null
  /** How the 404 and 405 of this path look, where a plugin says so. */
  unroutedForm(path: string): ErrorForm | null
  retain(): void
  release(): void
}
