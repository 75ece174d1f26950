/** Types of the request context: request and response, the matched route, and the generation that serves it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { RequestContext } from './context.ts'
import type { HostMount, HostMounts } from '../routes/host-mounts.ts'
import type { Exemptions } from '../routes/exemptions.ts'
import type { ErrorForm, WebSocketOptions } from '../../contract/plugin.ts'
import type { HttpError } from '../../contract/http-error.ts'
import type { RouteLookup } from '../routes/route-record.ts'
import type { AliasRegistry } from '../../rules/alias-registry.ts'
import type { ResetRegistry } from '../../rules/reset-registry.ts'
import type { VerificationRegistry } from '../../rules/verification-registry.ts'
import type { GenerationRules } from '../../rules/rule-entry.ts'

export type ServerRequest = IncomingMessage | Http2ServerRequest

/** A text request line may claim to be `HTTP/2.0`; only the stream is proof. */
export function isHttp2(request: ServerRequest): request is Http2ServerRequest {
  return 'stream' in request
}

/** Changes the target that is routed. Fastify exposes the received one as `request.originalUrl`. */
export function rewriteTarget(request: ServerRequest & { originalUrl?: string }, target: string): void {
  if (target === request.url) return
  if (request.url !== undefined) request.originalUrl ??= request.url
  request.url = target
}

/** The current response, as seen by the context. */
export type ResponseInUse = (ServerResponse<IncomingMessage> | Http2ServerResponse) & {
  /** The core has sent a response instead of the route: what the route still writes is dropped. */
  isDetached?: boolean
}

/** The listener that received a request. */
export interface ListenerFacts {
  /** The kind, for the listeners of the process. */
  name: string
  kind: 'http' | 'https' | 'grpc'
  scheme: 'http' | 'https'
  port: number
  /** The path whose routes serve all requests; null: requests are routed by host and path. */
  mount: HostMount | null
  /** Whether gRPC is served, for the listeners of plugins; null: as SVC_GRPC_ON_HTTP says. */
  grpc: boolean | null
}

/** Observes every request. It lives as long as the server, so that no closure is created per request. */
export interface RequestFollower<Context> {
  /** The response headers are being sent. */
  onHead(context: Context): void
  /** svc breaks the connection before any response headers. */
  onBreak(context: Context): void
  /** The response has ended, or the connection is closed; the status is 0 if no response headers were sent. */
  onClose(context: Context): void
}

export interface EgressCounter {
  /** Bytes of response body that were written. */
  addEgress(bytes: number): void
}

export interface ReceivedChunks {
  chunks: Buffer[]
  bytes: number
}

/** The unsent bytes of a response, and of what waits to be written to it. */
/** A response that is sent in a content coding. */
export interface CodedBody {
  /** Sends it as it is, unless its head was written. */
  off(): void
}

export interface UnsentBytes {
  /** Whether the writer never waits. */
  readonly isOverflowing: boolean
  /** Call it after a write. */
  countWrite(): void
  /** Counts bytes that are not yet written. Returns a function that no longer counts them. */
  hold(bytes: number): () => void
  /** Ends the response at once, with all its bytes. */
  cutOff(): void
}

/** An open WebSocket, for a route to set its own limits. */
export interface OpenWebSocket {
  /** Adds or replaces limits. Both times count from this call. */
  limit(options: WebSocketOptions): void
}

/** A body that is being read. */
export interface BodyReading extends ReceivedChunks {
  readonly limit: number
  resolve(isThere: boolean): void
}

/** A plugin that is not running. */
export interface AbsentPlugin {
  name: string
  state: 'disabled' | 'failed'
  /** It failed because the state store was unavailable, and is registered again when that is back. */
  lacksState: boolean
}

/** Plugins that add to responses or observe them (`core.responses`). */
export interface ResponsePlugins {
  readonly isEmpty: boolean
  /** Asks those who add. Returns the error that one of them wants to be sent; null if the request continues. */
  read(context: RequestContext): HttpError | null
  /** Tells those who observe the status of a response. */
  report(status: number): void
}

/** What the pipeline needs from a generation. */
export interface RoutingGeneration {
  readonly number: number
  readonly routes: RouteLookup
  /** Headers that browsers may read across origins of a response of a plugin; null: of the core. */
  exposedHeaders(plugin: string | null): string
  /** Value of `X-Svc-Replica`; null if the process is not a replica. */
  readonly replica: string | null
  /** What plugins add to responses, and observe of them. */
  readonly responses: ResponsePlugins
  /** Headers of other projects that say what `X-Svc-Expect` and `X-Svc-Answer` say. */
  readonly aliases: AliasRegistry
  /** Headers that name sessions, in addition to `X-Svc-Session`; lower case. */
  readonly sessionHeaders: readonly string[]
  /** Hosts to which rules may send requests. */
  readonly notifyHosts: readonly string[]
  /** What plugins add to resets. */
  readonly resets: ResetRegistry
  /** What plugins add to verifications. */
  readonly verifications: VerificationRegistry
  /** Rules of files, and the protocols that conditions can test. */
  readonly rules: GenerationRules
  /** Hosts that plugins serve whole. */
  readonly hosts: HostMounts
  /** Paths that are exempt from layers. */
  readonly exemptions: Exemptions
  /** Fastify's own request handler. */
  handle(request: ServerRequest, response: ResponseInUse): void
  /** Passes a handshake to the WebSocket server. */
  upgrade(request: ServerRequest, socket: Socket, head: Buffer): void
  /** The plugin that is not running and whose `paths` include this path. */
  absentOwner(path: string): AbsentPlugin | null
  /** The path here of what other servers have at this path. */
  familiarPath(path: string): string | null
  /** The path here that serves a request to such a path; null if none does. */
  familiarTarget(request: ServerRequest, path: string): string | null
  /** The format of the 404 and 405 for this path, if a plugin defines one. */
  unroutedForm(path: string): ErrorForm | null
  retain(): void
  release(): void
}
