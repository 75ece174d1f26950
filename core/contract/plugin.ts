/**
 * The public plugin contract: all that a plugin may use of the host, for built-in plugins and strangers alike.
 *
 * The life of a plugin, in the order in which it happens:
 *
 *  1. discover   its folder is found (`plugins/`, a further folder, an npm package); the folder's name is its name.
 *  2. load       `index.ts` and what it imports of its own folder become one module; the default export is the definition.
 *                What it declares holds from here on, also while the plugin is disabled: variables, exemptions, names.
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
import type { WebSocket } from 'ws'
import type { Config } from '../config/variables.ts'
import type { SvcHttp } from './http.ts'
import type { SvcStreams } from './streams.ts'
import type { SvcLimits, SvcMediaTypes } from './calls.ts'
import type { SvcInspector, SvcPki, SvcMetrics } from './observation.ts'
import type { SvcInstance } from './instance.ts'
import type { ErrorForm } from './routes.ts'
import type { EventLog, EventLogBounds } from './event-log.ts'
import type { Channel, ChannelHandler, Replicated, ReplicatedOptions, SvcReplicas } from './replication.ts'
import type { StoreBounds, Store } from './state.ts'
import type { JsonSchema } from './json-schema.ts'
import type { CategoryDeclaration, Exemption, ExposedHeader, PageLink, VariableDefinitions } from './declarations.ts'
import type { Logger } from './logger.ts'
import type { LoadError, ReloadResult, ReportedError } from './reload.ts'

export type { FastifyInstance, FastifyReply, FastifyRequest, Config, WebSocket }
// Brings `wsHandler` of routes along.
export type { WebsocketHandler } from '@fastify/websocket'
export type { AnyRequest, SvcHttp, SessionKey, Origin } from './http.ts'
export type {
  SvcStreams,
  BodyStreamOptions,
  SseOptions,
  StreamEnd,
  BodyStream,
  SseStream,
  SseEvent,
  WebSocketOptions,
} from './streams.ts'
export type { SvcLimits, CallAdmission, CallFailure, SvcMediaTypes, MediaTypeCall, ConnectionFacts } from './calls.ts'
export type { AnswerEnd, InspectorEntry, SvcInspector, SvcPki, ClientCertificate, SvcMetrics } from './observation.ts'
export type { SvcInstance, Catalog, CatalogEndpoint, PluginRecord } from './instance.ts'
export type { PutOptions, StoreBounds, Store, StoreChange } from './state.ts'
export { StateUnavailable } from './state.ts'
export type { EventLog, EventLogBounds, LoggedEvent } from './event-log.ts'
export type { Channel, ChannelHandler, Replica, Replicated, ReplicatedOptions, SvcReplicas } from './replication.ts'
export { ReplicaError } from './replication.ts'
export type { JsonSchema } from './json-schema.ts'
export { variable } from './declarations.ts'
export type {
  CategoryDeclaration,
  Exemption,
  ExemptibleLayer,
  ExposedHeader,
  PageLink,
  VariableDefinition,
  VariableDefinitions,
  VariableValues,
} from './declarations.ts'
export {
  boolean,
  clampedNumber,
  isHttpUrl,
  list,
  oneOf,
  parser,
  splitList,
  text,
  usableEntries,
  wholeNumber,
} from './parsers.ts'
export type { Parsed, Parser } from './parsers.ts'
export type { Logger, LoggerOptions, LogMethod } from './logger.ts'
export type { LoadError, ReloadResult, ReportedError } from './reload.ts'
export { describe } from './routes.ts'
export type {
  CoreFailure,
  CredentialKind,
  ErrorForm,
  NamedKey,
  RequestFacts,
  RouteDescription,
  RouteExample,
  RouteParameter,
} from './routes.ts'

// ---------------------------------------------------------------------------------------------------------- the definition

/** The default export of a plugin's `index.ts`. */
export interface Plugin<Options = Record<string, unknown>, Variables = Record<string, unknown>> {
  /** A few words for lists and headings. */
  title: string
  /** Default: the `version` of the `package.json` beside the definition, else the product's. */
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
  /**
   * JSON Schema (2020-12) of its section; defaults in it are filled in. Without one a section is an error.
   * What the plugin checks itself can stand under the keyword `x-svc-editor`: editors get it, nothing is left out by it.
   */
  options?: JsonSchema
  /** Response headers that browsers may read across origins (CORS, core sheet 5). */
  exposes?: ExposedHeader[]
  /** A subcommand of the command line. */
  command?: Command

  /** Its environment variables, by the key under which `svc.variables` has their values. */
  variables?: VariableDefinitions<Variables>
  /**
   * Called once with the values that were read: changes what follows from several of them, and returns warnings about
   * values that together do not do what they seem to.
   */
  resolveVariables?(values: Variables, config: Config): readonly string[]
  /** Paths that some layers of the core leave alone. */
  exempt?: readonly Exemption[]
  /** The protocol under which its routes count in the metrics, unless a route names another. Lower case. */
  area?: string
  /** Faults that its routes inject themselves (`svc.http.markFault`), as the metrics name them. Lower case. */
  faultKinds?: readonly string[]
  /** Its categories of the catalog, with their place. */
  categories?: readonly CategoryDeclaration[]
  /** Links on the landing page. */
  links?: readonly PageLink[]

  register(app: FastifyInstance, svc: Svc<Options, Variables>): void | Promise<void>
}

/** Types a definition: `export default definePlugin<Options>({ ... })`. */
export function definePlugin<Options = Record<string, unknown>, Variables = Record<string, unknown>>(
  plugin: Plugin<Options, Variables>,
): Plugin<Options, Variables> {
  return plugin
}

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
  | {
      serve: true
      environment?: Record<string, string>
      options?: Record<string, unknown>
      /** Called once the server listens, with the address of its HTTP listener. */
      whenListening?: (url: string) => void
    }

// ----------------------------------------------------------------------------------------------------- small helpers

export { HttpError, invalidParameter, refusal } from './http-error.ts'
export {
  capCount,
  decimalParameter,
  integerParameter,
  isFlagSet,
  isTruthy,
  parseDecimal,
  parseInteger,
  emptyRecord,
  queryRecord,
  quoteInput,
  rawQuery,
  readQuery,
  shownText,
} from './input.ts'
export type { NumberParameter } from './input.ts'
export { jsonSerializer } from './json-serializer.ts'
export { readJsonObject } from './json-body.ts'
export { isRecord } from './record.ts'
export { nearest } from './nearest.ts'
export { unknownName } from './unknown-name.ts'
export { isNestedWithin, isTextNestedWithin } from './json-depth.ts'
export { preferredCoding } from '../fields/accept-encoding.ts'
export { parseCookies } from '../fields/cookie.ts'
export { headerProblem, isOriginWide } from '../fields/settable-header.ts'
export { isToken } from '../fields/token.ts'
export { SANDBOX_POLICY, sandboxPolicy } from './untrusted-content.ts'
export { isSameSecret, readAuthorization, readBasicCredentials, readBearerToken } from '../fields/authorization.ts'
export type { Authorization } from '../fields/authorization.ts'
export { preferredType } from '../fields/accept.ts'
export type { NegotiatedType } from '../fields/accept.ts'
export { trimCharacters, trimEndCharacters } from '../fields/trim.ts'
export { namesTag } from '../fields/etag.ts'
export { BoundedMap, memoize } from '../collections/bounded-map.ts'
/** For what is bounded in bytes: what text and plain data cost in memory; copies that hold nothing but themselves. */
export type { DataCopy } from '../collections/value-memory.ts'
export { copyText, heldBytes } from '../collections/text-memory.ts'
/** The same for what was parsed from JSON. */
export { copyData, heldValueBytes } from '../collections/value-memory.ts'
/** The newest of what every request leaves behind; made with `svc.shared`, it outlives a reload. */
export { RingBuffer } from '../collections/ring-buffer.ts'
export type { RingBounds, RingEntry } from '../collections/ring-buffer.ts'
export { escapeHtml } from './html.ts'
export { curlArguments } from './curl-line.ts'
export { quoteWord, singleQuote } from './shell.ts'
export {
  fillTemplate,
  readParameters,
  replaceParameters,
  templateParameters,
  templatePattern,
} from './path-template.ts'
export type { TemplateForms, TemplateParameter } from './path-template.ts'

// ------------------------------------------------------------------------------------------------- what a plugin gets

/** The core's services, made for one plugin in one generation. */
export interface Svc<Options = Record<string, unknown>, Variables = Record<string, unknown>> {
  /** The plugin's own name. */
  readonly name: string
  /** Its validated section of `svc.yaml`. */
  readonly options: Options
  /** The core's effective configuration. */
  readonly config: Config
  /** Values of the environment variables that the definition declares. */
  readonly variables: Readonly<Variables>
  /** Absolute path of the plugin's folder. */
  readonly folder: string
  /** Also `app.log`; `request.log` adds the request id. */
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
  /** Reports a wrong item of the plugin's section; the host adds file, line and column. */
  reportLoadError(error: ReportedError): void
  loadErrors(): LoadError[]
  /** Reloads as `POST /_svc/reload` does. */
  reload(options?: { force?: boolean }): Promise<ReloadResult>
  /** Has a further file or folder watched; a change of its bytes reloads. Call it before reading the file. */
  watch(path: string): void

  /** Bounded data that outlive a reload; the same name gives the same store in every generation of the same code. */
  state<T>(name: string, bounds: StoreBounds<T>): Store<T>
  /** Numbered entries that others read and follow; kept as `state` is. */
  eventLog<T>(name: string, bounds: EventLogBounds<T>): EventLog<T>
  /** A small value that every replica holds in memory; kept as `state` is. */
  replicated<T>(name: string, options: ReplicatedOptions<T>): Replicated<T>
  /** Messages between the replicas of the deployment; the newest generation handles them. */
  channel<M, R = void>(name: string, handler: ChannelHandler<M, R>): Channel<M, R>
  /** The replicas of the deployment. */
  readonly replicas: SvcReplicas
  /** 32 random bytes: without a shared store those of this process, with one the same in every replica and after every start. */
  secret(name: string): Promise<Buffer>
  /**
   * A live object that outlives a reload: made once, disposed of with the last generation that holds it. It stays in this
   * process: each replica has its own. What another request has to find belongs in `state`, `eventLog` or `replicated`.
   */
  shared<T>(name: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T

  /** Gives the 404 and 405 of what no route serves below a path of the plugin their own form; the longest path wins. Keeps `Allow`. */
  unroutedForm(path: string, form: ErrorForm): void

  readonly http: SvcHttp
  readonly streams: SvcStreams
  readonly limits: SvcLimits
  readonly mediaTypes: SvcMediaTypes
  readonly inspector: SvcInspector
  readonly pki: SvcPki
  readonly metrics: SvcMetrics
  readonly instance: SvcInstance
}

/** Grows by declaration: `declare module 'svc/plugin' { interface ExtensionPoints { 'orders.prices': Prices } }`. */
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
