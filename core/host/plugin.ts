/**
 * The public plugin contract: all that a plugin may use of the host, for built-in plugins and strangers alike.
 *
 * The life of a plugin, in the order in which it happens:
 *
 *  1. discover   its folder is found (`plugins/`, a further folder, an npm package); the folder's name is its name.
 *  2. load       `index.ts` and what it imports of its own folder become one module; the default export is the door.
 *  3. decide     `svc.yaml` and the switches of the API say whether it is on; a disabled plugin goes no further.
 *  4. options    its section of `svc.yaml` is checked against `options`; wrong items are left out and reported.
 *  5. register   `register(app, svc)` is called once, after all that it builds on or uses; it declares its routes on
 *                `app`, an encapsulated Fastify instance, and offers its extension points.
 *  6. registered callbacks given to `svc.whenRegistered` run, when every plugin has registered.
 *  7. serve      the generation takes over all new requests.
 *  8. drain      a newer generation has taken over; requests, streams and sockets of this one run to their end.
 *  9. close      callbacks given to `svc.whenClosed` run; state and shared objects that no generation holds are freed.
 *                It must work after a register that failed half-way.
 *
 * A plugin keeps no mutable state in module scope: what outlives a reload comes from `svc.state` (data) or
 * `svc.shared` (live objects).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import type { X509Certificate } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { Config } from '../config/variables.ts'
import type { NegotiatedType } from '../http/accept.ts'

export type { FastifyInstance, FastifyReply, FastifyRequest, Config, WebSocket }

// ---------------------------------------------------------------------------------------------------------- the door

/** The default export of a plugin's `index.ts`. */
export interface Plugin<Options = Record<string, unknown>> {
  /** A few words for lists and headings. */
  title: string
  /** Default: the `version` of the `package.json` beside the door, else the product's. */
  version?: string
  description?: string
  /** Prefixes that the plugin serves; each of its routes is one of them or lies below one. */
  paths: string[]
  /** Plugins it cannot do without: registered before it; one that is off or failed takes this one along. */
  buildsOn?: string[]
  /** Plugins it works with when they are there: registered before it, no reason to refuse switching them off. */
  uses?: string[]
  /** Key of its section in `svc.yaml`. Default: the plugin's name. */
  section?: string
  /** JSON Schema (2020-12) of its section; defaults in it are filled in. Without one a section is an error. */
  options?: JsonSchema
  /** Response headers that browsers may read across origins (CORS, core sheet 5). */
  exposes?: string[]
  /** A subcommand of the command line. */
  command?: Command
  register(app: FastifyInstance, svc: Svc<Options>): void | Promise<void>
}

/** Types a door: `export default definePlugin<Options>({ ... })`. */
export function definePlugin<Options = Record<string, unknown>>(plugin: Plugin<Options>): Plugin<Options> {
  return plugin
}

export type JsonSchema = { [keyword: string]: unknown }

/** A subcommand `svc <name> …`. It answers an exit code, or settings with which the server is then started. */
export interface Command {
  name: string
  summary: string
  /** Printed by `svc <name> --help`. */
  usage: string
  run(args: string[]): Promise<CommandResult> | CommandResult
}
export type CommandResult =
  | { exitCode: number }
  /** Start the server; `environment` is laid over the process's own, `options` over the plugin's section. */
  | { serve: true; environment?: Record<string, string>; options?: Record<string, unknown> }

// ------------------------------------------------------------------------------------------------------------ routes

/** What the catalogue, `/openapi.json`, the landing page, the console and the exports know of an operation. */
export interface RouteDescription {
  /** Template in the catalogue's notation (`/status/{code}`, `/echo/{*path}`). Default: the route's own. */
  path?: string
  /** Where one route serves several descriptions with different methods. Default: the route's. */
  methods?: string[]
  summary: string
  description?: string
  /** One of the catalogue's categories (core sheet 9), or a name of its own. */
  category: string
  /** Default `http`. A route described as `sse` always answers with an event stream. */
  protocol?: 'http' | 'sse' | 'websocket'
  /** A feed without an end of its own. */
  endless?: boolean
  parameters?: RouteParameter[]
  requestBody?: { description?: string; required?: boolean; content: Record<string, JsonSchema> }
  /** Status (`200`, `4XX`, `default`) to what it means. Default: `200`. */
  responses?: Record<string, { description: string; content?: Record<string, JsonSchema> }>
  examples: RouteExample[]
  /** JSON or XML by `Accept` (core sheet 7): errors of the route negotiate too. */
  negotiated?: boolean
  /** The protocol it counts under in the metrics. */
  area?: 'llm' | 'mcp' | 'a2a' | 'graphql'
  /** Bytes; the smaller of this and SVC_BODY_LIMIT holds. */
  bodyLimit?: number
  /** The route acts on `X-Svc-Fail` itself; the core does only the delay. */
  ownFail?: boolean
  /** How a 413, 503, 500 or injected fault looks here. Default: the core's JSON. */
  errorForm?: ErrorForm
  /** WebSocket: picks one of the subprotocols offered; false is none. Default: the first. */
  subprotocol?(offered: string[]): string | false
}

export interface RouteParameter {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema?: JsonSchema
}

/** A request that works as it stands. The project's test sends every one of them. */
export interface RouteExample {
  name: string
  method?: string
  /** Path and query. */
  path: string
  headers?: { name: string; value: string }[]
  body?: string | null
  bodyType?: 'json' | 'xml' | 'form' | null
  auth?: { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string } | null
  /** Null: anything but 404 and 405. */
  expectStatus?: number | null
}

/** A failure that the core answers for a route. */
export interface CoreFailure {
  status: number
  kind: 'payload_too_large' | 'timeout' | 'internal' | 'injected'
  /** What the core would answer. */
  body: Record<string, unknown>
  requestId: string
}
export type ErrorForm = (failure: CoreFailure, request: RequestFacts) => { status?: number; headers?: Record<string, string>; body: string | Buffer | object }

/** What is known of a request before a route has seen it. */
export interface RequestFacts {
  method: string
  /** Decoded, without query. */
  path: string
  /** Path and query as received. */
  url: string
  headers: IncomingMessage['headers']
}

/**
 * Puts descriptions on a route: `app.get('/uuid', describe({ ... }), handler)`.
 * Several descriptions belong to a wildcard route; the handler then says which one it serves (`svc.http.serving`).
 */
export function describe(...descriptions: RouteDescription[]): { config: { descriptions: RouteDescription[] } } {
  return { config: { descriptions } }
}

export { HttpError, invalidParameter, refusal } from './http-error.ts'
export { capCount, decimalParameter, integerParameter, isFlagSet, isTruthy, parseDecimal, parseInteger, queryRecord, quoteInput, rawQuery, readQuery } from './input.ts'
export type { NumberParameter } from './input.ts'
export { isJsonObject, readJsonObject } from './json-body.ts'
export { headerProblem } from '../http/settable-header.ts'
export { isSameSecret, readAuthorization, readBasicCredentials, readBearerToken } from '../http/authorization.ts'
export type { Authorization } from '../http/authorization.ts'
export { preferredType } from '../http/accept.ts'
export type { NegotiatedType } from '../http/accept.ts'

// ------------------------------------------------------------------------------------------------- what a plugin gets

/** The core's services, made for one plugin in one generation. */
export interface Svc<Options = Record<string, unknown>> {
  /** The plugin's own name. */
  readonly name: string
  /** Its validated section of `svc.yaml`. */
  readonly options: Options
  /** The effective configuration of the process. */
  readonly config: Config
  /** Absolute path of the plugin's folder. */
  readonly folder: string
  readonly log: Logger

  /** Offers a registry to other plugins. One plugin offers `<own name>.<point>`. */
  offer<K extends keyof ExtensionPoints>(point: K, value: ExtensionPoints[K] & PersonalPoint<ExtensionPoints[K]>): void
  /** Another plugin's extension point; undefined while that plugin is off. Name it in `buildsOn` or `uses`. */
  use<K extends keyof ExtensionPoints>(point: K): ExtensionPoints[K] | undefined

  /** Runs when every plugin has registered; routes and load errors are still possible in it. */
  whenRegistered(callback: () => void | Promise<void>): void
  /** Runs once when this generation is closed, also after a failed start. */
  whenClosed(callback: () => void | Promise<void>): void
  /** Runs when the process stops, after the drain; at most 2 s for all. */
  whenStopped(callback: () => void | Promise<void>): void
  /** Reports a wrong item of the plugin's section; the host adds file and line. */
  reportLoadError(error: { at: string | null; message: string; file?: string; line?: number | null }): void
  loadErrors(): LoadError[]
  /** Reloads as `POST /_svc/reload` does. */
  reload(options?: { force?: boolean }): Promise<ReloadResult>
  /** Has a further file or folder watched; a change of its bytes reloads. Call it before reading the file. */
  watch(path: string): void

  /** Bounded data that outlive a reload; the same name gives the same store in every generation of the same code. */
  state<T>(name: string, bounds: StoreBounds<T>): Store<T>
  /** A live object that outlives a reload: made once, disposed of with the last generation that holds it. */
  shared<T>(name: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T

  readonly http: SvcHttp
  readonly streams: SvcStreams
  readonly limits: SvcLimits
  readonly takeOver: SvcTakeOver
  readonly inspector: SvcInspector
  readonly pki: SvcPki
  readonly metrics: SvcMetrics
  readonly instance: SvcInstance
}

/** Grows by declaration: `declare module 'svc/plugin' { interface ExtensionPoints { 'llm.providers': Providers } }`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface ExtensionPoints {}

/**
 * An extension point that knows who uses it: where an offered value has this method, each plugin gets what the method
 * answers to that plugin's name. So a registry can say by whom a name was taken.
 */
export const forPlugin: unique symbol = Symbol.for('svc.forPlugin')
export interface PersonalPoint<T> {
  [forPlugin]?: (plugin: string) => T
}

export interface Logger {
  trace(message: string, fields?: Record<string, unknown>): void
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

export interface LoadError {
  file: string | null
  at: string | null
  message: string
  line: number | null
}

export interface ReloadResult {
  applied: boolean
  changed: boolean
  generation: number
  plugins: { added: string[]; reloaded: string[]; removed: string[]; failed: string[] }
  load_errors: LoadError[]
  took_ms: number
}

// -------------------------------------------------------------------------------------------------------------- http

/** Either side of a request: Fastify's or Node's own. */
export type AnyRequest = FastifyRequest | IncomingMessage | Http2ServerRequest

export interface SvcHttp {
  requestId(request: AnyRequest): string
  /** The body as received, empty when there is none. Also `request.body`. */
  body(request: FastifyRequest): Buffer
  /** Session key for state, limits and views: `X-Svc-Session`, else `ip:<client ip>` (core sheet 9). */
  session(request: AnyRequest): SessionKey
  clientIp(request: AnyRequest): string
  /** Scheme, host and port as the client named them (core sheet 6). */
  origin(request: AnyRequest): Origin
  /** `scheme://host[:port]`, without a trailing slash. */
  baseUrl(request: AnyRequest): string
  /** Trusted `X-Forwarded-Prefix`, else empty. */
  prefix(request: AnyRequest): string
  /** Aborts when the client leaves, the request times out or the response is done. */
  signal(request: AnyRequest): AbortSignal
  /** Whether the admin token (or a control token with scope `admin`) came with the request. */
  isAdmin(request: AnyRequest): boolean
  /** Passes, or throws the 401 or 403 of the admin guard (core sheet 9). */
  guardAdmin(request: AnyRequest): void
  /** Answers JSON or XML by `Accept`, with `Vary: Accept`. Takes status and headers of `reply`. */
  negotiate(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply
  /** The type that `negotiate` answers this request with: what a strong validator of the answer depends on. */
  negotiatedType(request: FastifyRequest): NegotiatedType
  /** The core's 404 for this request. */
  notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** Says which of several descriptions of a wildcard route is served. */
  serving(request: FastifyRequest, description: RouteDescription): void
  /** Says which injected fault an `ownFail` route acted on: sets `X-Svc-Fault: ai` and counts it. */
  markFault(request: FastifyRequest, reply: FastifyReply, kind: 'ai'): void
  /** Waits, at most the instance's delay limit; ends early and answers false when the client leaves. */
  delay(request: AnyRequest, ms: number): Promise<boolean>
}

export interface SessionKey {
  /** Distinct for a header value and an address that read alike; for stores and limits. */
  key: string
  /** As shown in replies. */
  label: string
  /** The valid `X-Svc-Session` value, or null. */
  header: string | null
}

export interface Origin {
  scheme: 'http' | 'https'
  /** Lower case, IPv6 without brackets. */
  host: string
  port: number
  /** `scheme://host[:port]`, the default port left out. */
  baseUrl: string
}

// ----------------------------------------------------------------------------------------------------------- streams

export interface SvcStreams {
  /**
   * Starts an event stream (WHATWG HTML, 9.2) on a route: takes the plan's stream slot, sends the head, then writes
   * events. Null when no slot was free: the 429 has been sent, nothing more is to be done. On HEAD the head is sent
   * and the stream is closed already.
   */
  sse(request: FastifyRequest, reply: FastifyReply, options?: SseOptions): SseStream | null
  /** Starts a streamed reply of another type (NDJSON, bytes), with the same back-pressure, abort and drain. */
  body(request: FastifyRequest, reply: FastifyReply, options?: BodyStreamOptions): BodyStream | null
  /** Puts a WebSocket's own limits on it. Every WebSocket is in the registry already (plan, drain). */
  websocket(request: FastifyRequest, socket: WebSocket, options?: WebSocketOptions): void
}

export interface BodyStreamOptions {
  /** Default: the reply's. */
  status?: number
  headers?: OutgoingHttpHeaders
  /** A feed without an end of its own: ended at once when the process stops. */
  endless?: boolean
  /** Milliseconds after which it is ended. */
  lifetimeMs?: number
  /** Called once before a forced end (lifetime, reload, stop); what it writes at once is still sent. */
  farewell?: (reason: StreamEnd) => void
}
export interface SseOptions extends BodyStreamOptions {
  /** Milliseconds of silence until a comment is sent; 0 or absent: none. */
  heartbeatMs?: number
  /** Text of that comment. Default `heartbeat`. */
  heartbeatText?: string
}
export type StreamEnd = 'done' | 'client' | 'lifetime' | 'plan' | 'reload' | 'stop'

export interface BodyStream {
  /** False when the reader is slow: wait for `ready()` before more, or skip. Dropped silently after the end. */
  write(chunk: string | Buffer): boolean
  /** Resolves when more can be written, or the stream is over. */
  ready(): Promise<void>
  /** Bytes not yet taken over by the socket. */
  readonly pendingBytes: number
  end(): void
  readonly closed: boolean
  /** Aborts at the end, whatever ended it; the reason is a `StreamEnd`. */
  readonly signal: AbortSignal
  /** Resolves at the end with what ended it. */
  readonly over: Promise<StreamEnd>
}
export interface SseStream extends BodyStream {
  /** Writes one event; `data` that is no string is sent as JSON. */
  send(event: SseEvent): boolean
  comment(text: string): boolean
}
export interface SseEvent {
  id?: string | number
  event?: string
  /** Milliseconds. */
  retry?: number
  data?: unknown
}

export interface WebSocketOptions {
  endless?: boolean
  /** Milliseconds without a frame of the client until close 1001 `idle timeout`. */
  idleMs?: number
  /** Milliseconds until close 1001 `maximum connection lifetime reached`. */
  lifetimeMs?: number
}

// ------------------------------------------------------------------------------------------- calls beside the pipeline

export interface SvcLimits {
  /** Admits a call that does not come through the pipeline, such as one of gRPC (limits sheet 2 and 8). */
  admitCall(call: { session: string | null; peer: string; key: string | null }): Promise<CallAdmission>
}
export type CallAdmission =
  | { admitted: true }
  | { admitted: false; grpcStatus: number; message: string; metadata: Record<string, string> }

/** Requests by media type before routing, on all listeners (gRPC). */
export interface SvcTakeOver {
  /**
   * `match` gets the lower-case media type without parameters. The handler owns the response; no stage of the
   * pipeline runs. `onGrpcPort`, `onHttp` say on which listeners (default both; HTTP only with SVC_GRPC_ON_HTTP).
   */
  requests(match: (mediaType: string, request: IncomingMessage | Http2ServerRequest) => boolean, handler: (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse, facts: ConnectionFacts) => void): void
  /** CORS headers for such an answer; for a preflight those of the preflight. */
  cors(request: IncomingMessage | Http2ServerRequest, expose: string[]): Record<string, string>
}
export interface ConnectionFacts {
  listener: 'http' | 'https' | 'grpc'
  socket: Socket
  /** Peer address, or the client IP of trusted proxy headers. */
  clientIp: string
}

// --------------------------------------------------------------------------------------------- inspector, PKI, metrics

export interface InspectorEntry {
  id: string
  request_id: string
  timestamp: string
  method: string
  uri: string
  path: string
  query: string | null
  version: string
  headers: { name: string; value: string }[]
  client_ip: string
  session: string | null
  body: string | null
  body_base64: string | null
  body_size: number
  body_truncated: boolean
  status: number
  latency_ms: number
}

export interface SvcInspector {
  /** The newest entry with this request id. */
  entry(requestId: string): InspectorEntry | undefined
  /** Header list with the values of control credentials and shared-mode keys replaced (limits sheet 4). */
  redactHeaders(headers: { name: string; value: string }[]): { name: string; value: string }[]
  /** The same for a path and query, or a query alone. */
  redactUrl(url: string): string
}

export interface SvcPki {
  /** PEM of the demo CA. */
  readonly caCertificate: string
  /** PEM certificate and key of the demo client. */
  readonly client: { certificate: string; key: string }
  /** The client certificate of a request: from TLS, or from the SVC_MTLS_IN_HEADER header, checked against the CA. */
  clientCertificate(request: FastifyRequest): ClientCertificate
}
export type ClientCertificate =
  | { state: 'none' }
  | { state: 'valid'; source: 'tls' | 'header'; certificate: X509Certificate }
  | { state: 'refused'; source: 'tls' | 'header'; reason: string }

export interface SvcMetrics {
  /** One series by name: one that exists is shared, so counters go on across generations. */
  counter(name: string, help: string, labels?: string[]): { inc(labels?: Record<string, string>, value?: number): void }
  gauge(name: string, help: string, labels?: string[]): { set(labels: Record<string, string>, value: number): void; inc(labels?: Record<string, string>, value?: number): void; dec(labels?: Record<string, string>, value?: number): void }
  histogram(name: string, help: string, buckets: number[], labels?: string[]): { observe(labels: Record<string, string>, value: number): void }
}

// ---------------------------------------------------------------------------------------------------------- instance

export interface SvcInstance {
  readonly id: string
  readonly version: string
  /** Bound ports; null for a listener that is not up. */
  ports(): { http: number | null; https: number | null; grpc: number | null }
  isHealthy(): boolean
  setHealthy(healthy: boolean): void
  /** Calls back at each change; answers how to stop that. */
  onHealthChange(listener: (healthy: boolean) => void): () => void
  /** The catalogue of what is enabled, as `GET /_svc/catalog` shows it. */
  catalog(): Catalog
  /** The document of `GET /openapi.json`. */
  openapi(baseUrl: string): Record<string, unknown>
  plugins(): PluginRecord[]
}

export interface Catalog {
  version: string
  count: number
  categories: { name: string; count: number }[]
  endpoints: CatalogEndpoint[]
}
export interface CatalogEndpoint {
  path: string
  methods: string[]
  expanded_methods: string[]
  category: string
  summary: string
  description: string
  protocol: 'http' | 'sse' | 'websocket'
  endless: boolean
  /** Null: the core's own. */
  plugin: string | null
  examples: {
    name: string
    method: string
    path: string
    headers: { name: string; value: string }[]
    body: string | null
    body_type: 'json' | 'xml' | 'form' | null
    auth: RouteExample['auth'] | null
    expect_status: number | null
  }[]
}

export interface PluginRecord {
  name: string
  title: string
  version: string
  description: string
  source: 'builtin' | 'directory' | 'package'
  path: string | null
  state: 'enabled' | 'disabled' | 'failed'
  disabled_by: string | null
  routes: number
  paths: string[]
  error: { phase: 'discover' | 'load' | 'options' | 'register'; message: string } | null
  stale: boolean
  generation: number
  builds_on: string[]
  uses: string[]
  options: unknown
}

// ------------------------------------------------------------------------------------------------------------- state

/** How much a store may hold. What is over a bound is evicted, the entry that comes first in `evict`'s order. */
export interface StoreBounds<T> {
  maxCount: number
  maxBytes?: number
  /** Bytes of a value, asked when it is set. Needed with `maxBytes`. */
  sizeOf?: (value: T, key: string) => number
  /** Milliseconds an entry lives: since it was set, or since it was last used when `ttlFrom` is `use`. */
  ttlMs?: number
  ttlFrom?: 'set' | 'use'
  /** Entries of one group (a session) at most; the group's own oldest goes first. */
  maxPerGroup?: number
  /** `oldest`: by first insertion; `idle`: by last use. Default `oldest`. */
  evict?: 'oldest' | 'idle'
}

/** A named, bounded map. Answers promises, so that another implementation can serve several replicas. */
export interface Store<T> {
  get(key: string): Promise<T | undefined>
  /** Looks without counting as use. */
  peek(key: string): Promise<T | undefined>
  /** Starts the entry's life anew. A value that is over the bounds by itself is evicted at once, nothing else for it. */
  set(key: string, value: T, options?: { group?: string; ttlMs?: number }): Promise<void>
  /** Sets only a key that is absent; answers whether it did. */
  add(key: string, value: T, options?: { group?: string; ttlMs?: number }): Promise<boolean>
  /** Removes and answers the value: of several callers exactly one gets it. */
  take(key: string): Promise<T | undefined>
  /**
   * Replaces the value by what `change` answers, with nobody between; undefined removes it. An entry
   * keeps the life that it has, unless `ttlMs` or, with `ttlFrom: 'use'`, this use renews it.
   */
  update(key: string, change: (current: T | undefined) => T | undefined, options?: { group?: string; ttlMs?: number }): Promise<T | undefined>
  delete(key: string): Promise<boolean>
  /** Entries in insertion order, or newest first. */
  list(options?: { group?: string; limit?: number; newestFirst?: boolean; where?: (value: T, key: string) => boolean }): Promise<{ key: string; value: T }[]>
  /** Removes what matches, all without an argument; answers how many. */
  clear(where?: (value: T, key: string) => boolean): Promise<number>
  count(): Promise<number>
  /** Bytes by `sizeOf`. */
  bytes(): Promise<number>
  /** Calls back after every change, in order; answers how to stop that. */
  subscribe(listener: (change: StoreChange<T>) => void): () => void
}
export interface StoreChange<T> {
  kind: 'set' | 'deleted' | 'evicted' | 'expired'
  key: string
  value: T
}

declare module 'fastify' {
  interface FastifyContextConfig {
    descriptions?: RouteDescription[]
  }
}
