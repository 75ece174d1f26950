/**
 * The public plugin contract, exported as `svc/plugin`. Built-in and third-party plugins use the same one. Helpers that
 * plugins share are in `svc/toolkit`.
 *
 * A *generation* is one complete set of routes and plugins. Every reload that changes something builds a new generation;
 * the old one finishes its open requests. The lifecycle of a plugin in one generation:
 *
 *  1. discover   The host finds the plugin's folder (in `plugins/`, a configured folder or an npm package). The name of
 *                the folder is the name of the plugin.
 *  2. load       `index.ts` and the files it imports from the same folder are bundled into one module. Its default export
 *                is the plugin definition. Declarations (variables, exempt paths, areas) take effect now, even if the
 *                plugin is disabled.
 *  3. decide     `svc.yaml` and the control plane determine whether the plugin is enabled. The steps below are skipped
 *                for a disabled plugin.
 *  4. options    The plugin's section of `svc.yaml` is validated against `options`. Invalid items are removed and reported.
 *  5. register   `register(app, svc)` is called once, after the plugins in `buildsOn` and `uses`. It adds routes to `app`,
 *                an encapsulated Fastify instance, and offers extension points.
 *  6. registered `svc.whenRegistered` callbacks run once all plugins have registered.
 *  7. serve      All new requests go to this generation.
 *  8. drain      A newer generation serves new requests. Open requests, streams and sockets finish here.
 *  9. close      `svc.whenClosed` callbacks run. State and shared objects that no other generation uses are freed. These
 *                callbacks also run if `register` threw, so they must not rely on it having completed.
 *
 * Plugins must not keep mutable state in module scope. Use `svc.state` (data) or `svc.shared` (live objects) for
 * everything that has to survive a reload.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Config } from '../config/variables.ts'
import type { SvcHttp } from './http.ts'
import type { SvcListeners } from './listeners.ts'
import type { SvcStreams } from './streams.ts'
import type { SvcBudgets } from './budgets.ts'
import type { SvcInspector, SvcPki, SvcMetrics } from './observation.ts'
import type { SvcInstance } from './instance.ts'
import type { CommandContext, CommandGroup, CompletionWords } from './command.ts'
import type { CorePoints } from './core-points.ts'
import type { ErrorForm } from './routes.ts'
import type { EventLog, EventLogBounds } from './event-log.ts'
import type { Channel, ChannelHandler, Replicated, ReplicatedOptions, SvcReplicas } from './replication.ts'
import type { StoreBounds, Store } from './state.ts'
import type { JsonSchema } from './json-schema.ts'
import type {
  CategoryDeclaration,
  DeclaredFault,
  Exemption,
  ExposedHeader,
  FamiliarPath,
  FirstStep,
  PageLink,
  VariableDefinitions,
} from './declarations.ts'
import type { ServedHostOptions } from './hosts.ts'
import type { Logger } from './logger.ts'
import type { LoadError, ReloadResult, ReportedError } from './reload.ts'

export type { FastifyInstance, FastifyReply, FastifyRequest, Config, WebSocket }
// Also adds `wsHandler` to the types of Fastify's route options.
export type { WebsocketHandler } from '@fastify/websocket'
export type {
  AnyRequest,
  InProcessCall,
  InProcessResponse,
  SvcHttp,
  SessionKey,
  SessionOrigin,
  Origin,
  MessageRule,
  NearRule,
  ProtocolFacts,
  RuleFailure,
  RequestSpan,
  ExpectationFailure,
  RuleMessage,
  SessionPlaces,
  NamedSession,
  RuleOutcome,
  SpanAttributeValue,
} from './http.ts'
export type { AliasRefusal, RequestAlias, RequestAliases } from './aliases.ts'
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
export type {
  AbortKind,
  Arrival,
  ArrivalQuery,
  CertificateProfile,
  ClientCertificate,
  FaultOrigin,
  InspectorEntry,
  ResponseEnd,
  ServiceCall,
  ServiceDecision,
  SvcInspector,
  SvcMetrics,
  SvcPki,
} from './observation.ts'
export type { SvcInstance, Catalog, CatalogEndpoint, PluginRecord } from './instance.ts'
export type {
  ConnectionTls,
  Datagram,
  HttpListenerSettings,
  HttpListenerEntry,
  ListenerEntry,
  ListenerStatus,
  OpenPort,
  PeerAddress,
  SvcListeners,
  TcpConnection,
  TcpListenerSettings,
  UdpListenerSettings,
} from './listeners.ts'
export type { ConnectionEnd, ConnectionEntry, ConnectionRecord } from './connections.ts'
export type { ProxyHeader } from './proxy-header.ts'
export type {
  CommandContext,
  CommandGroup,
  CommandOutput,
  CommandServer,
  CommandServerOptions,
  CompletionWords,
} from './command.ts'
export type { AppendedEntry, PutOptions, StoreBounds, Store, StoreChange } from './state.ts'
export { StateUnavailable } from './state.ts'
export { createRecords, createTextRecords, RecordTooLong } from './record-store.ts'
export type { RecordOptions, Records, RecordStore, StoredRecord } from './record-store.ts'
export type { EventLog, EventLogBounds, LoggedEvent, StreamInfo } from './event-log.ts'
export type { ServedHost, ServedHostOptions } from './hosts.ts'
export type { Bundler } from './bundler.ts'
export type { ControlScope } from './control-scope.ts'
export type { Channel, ChannelHandler, Replica, Replicated, ReplicatedOptions, SvcReplicas } from './replication.ts'
export { ReplicaError } from './replication.ts'
export type { JsonSchema } from './json-schema.ts'
export { variable } from './declarations.ts'
export type {
  CategoryDeclaration,
  DeclaredFault,
  Exemption,
  ExemptibleLayer,
  ExposedHeader,
  FamiliarPath,
  FamiliarRequest,
  FirstStep,
  PageLink,
  VariableDefinition,
  VariableDefinitions,
  VariableValues,
} from './declarations.ts'
export { boolean, clampedNumber, list, oneOf, parser, text, wholeNumber } from './parsers.ts'
export type { Parsed, Parser } from './parsers.ts'
export type { Logger, LoggerOptions, LogMethod } from './logger.ts'
export type { LoadError, ReloadResult, ReplicaReload, ReportedError } from './reload.ts'
export { describe } from './routes.ts'
export type {
  CoreFailure,
  AuthorizationScheme,
  CredentialKind,
  ErrorForm,
  MessageCompression,
  NamedKey,
  RouteCredential,
  RequestFacts,
  ReplyContent,
  RouteDescription,
  RouteExample,
  RouteParameter,
} from './routes.ts'

// ---------- Plugin definition

/** A plugin definition: the default export of a plugin's `index.ts`. */
export interface Plugin<Options = Record<string, unknown>, Variables = Record<string, unknown>> {
  /** Short title for lists and headings. */
  title: string
  /** Default: `version` of the `package.json` in the plugin's folder, otherwise the version of svc. */
  version?: string
  /** One sentence about what the plugin serves, for user interfaces and the documentation. */
  description?: string
  /**
   * Path prefixes that the plugin serves. Each of its routes must be equal to or below one of them. `/` is the root alone: no
   * plugin owns all paths.
   */
  paths: string[]
  /** Names of required plugins. They register first; if one is disabled or fails, so does this plugin. */
  buildsOn?: string[]
  /** Names of optional plugins. They register first if they are enabled, and can be disabled at any time. */
  uses?: string[]
  /** Key of the plugin's section in `svc.yaml`. Default: the plugin's name. */
  section?: string
  /**
   * JSON Schema (2020-12) of the plugin's section in `svc.yaml`. Its `default`s are filled in. Without a schema, a section
   * is an error. Put constraints that the plugin checks itself under `x-svc-editor`: they become part of the schema for
   * editors but are not used for validation.
   */
  options?: JsonSchema
  /**
   * JSON Schemas (2020-12) of other files that users write for the plugin, by name: `$defs` of the schema for editors
   * (`svc schema`). They are not used for validation.
   */
  documents?: Readonly<Record<string, JsonSchema>>
  /**
   * Response headers that browsers may read across origins (`Access-Control-Expose-Headers`), for the routes of this plugin
   * and of those that build on it.
   */
  exposes?: ExposedHeader[]
  /** A subcommand of `svc`. */
  command?: Command

  /** Environment variables of the plugin, by their key in `svc.variables`. */
  variables?: VariableDefinitions<Variables>
  /**
   * Called once with all values read from the environment. May change values that depend on others. Returns warnings, for
   * example about combinations that have no effect.
   */
  resolveVariables?(values: Variables, config: Config): readonly string[]
  /** Paths that are exempt from fault injection, limits, API keys or capturing. */
  exempt?: readonly Exemption[]
  /** Value of the `protocol` label in the metrics of this plugin's routes; a route can set its own. Lower case. */
  area?: string
  /**
   * Failures of the plugin's routes by word, such as `sold_out`: lower-case letters, digits, `-` and `_`. `X-Svc-Fail: sold_out`,
   * and rules request them, and the metrics count them by their word.
   */
  faults?: Readonly<Record<string, DeclaredFault>>
  /** Faults that the plugin's routes inject themselves: the kinds passed to `svc.http.markFault`. Lower case. */
  faultKinds?: readonly string[]
  /** Categories of the plugin in the catalog, with their position. */
  categories?: readonly CategoryDeclaration[]
  /** Paths of other servers for what the plugin serves. A 404 for one of them names the path here, or it is served. */
  familiar?: readonly FamiliarPath[]
  /** Links for pages that list what the instance serves, such as the landing page (`svc.instance.links`). */
  links?: readonly PageLink[]
  /** Pages and requests that are printed when the server has started on a terminal. */
  firstSteps?: readonly FirstStep[]

  /**
   * Adds the routes of the plugin to `app` and offers its extension points. Called once in each generation. If it throws or
   * rejects, the plugin fails with this error and the other plugins are not affected.
   */
  register(app: FastifyInstance, svc: Svc<Options, Variables>): void | Promise<void>
}

/**
 * Returns the definition unchanged; it only checks the types.
 *
 *     export default definePlugin<{ greeting: string }>({
 *       title: 'Hello',
 *       paths: ['/hello'],
 *       options: { type: 'object', properties: { greeting: { type: 'string', default: 'Hello' } } },
 *       register(app, svc) {
 *         const examples = [{ name: 'Hello', path: '/hello' }]
 *         app.get('/hello', describe({ summary: 'Say hello', category: 'Hello', examples }), () => ({
 *           greeting: svc.options.greeting,
 *         }))
 *       },
 *     })
 */
export function definePlugin<Options = Record<string, unknown>, Variables = Record<string, unknown>>(
  plugin: Plugin<Options, Variables>,
): Plugin<Options, Variables> {
  return plugin
}

/** A subcommand `svc <name> …`. It returns an exit code, or starts the server with additional settings. */
export interface Command {
  name: string
  /** One line for the list of commands in `svc --help`. */
  summary: string
  /** Text that `svc <name> --help` prints. The options in it (`--name`) are those that shells complete. */
  usage: string
  /** Where `svc --help` lists it. Default: `test`. */
  group?: CommandGroup
  /**
   * Words that shells complete, by the word before them: a subcommand or an option; `''` for those right after the command.
   * They are written into the script of `svc completion`.
   */
  complete?(context: CommandContext): Promise<CompletionWords> | CompletionWords
  /** Runs the command with the arguments after its name. svc always passes the context; a test that needs none may not. */
  run(args: string[], context?: CommandContext): Promise<CommandResult> | CommandResult
  /**
   * A variable that runs the command in place of serving, as in a container whose arguments are those of another program: its
   * value comes before the arguments. The entry file of the plugin must contain the name of the variable.
   */
  variable?: {
    name: string
    /** Whether the command takes a value. If not, the server starts as without the variable. */
    takes(value: string, context: CommandContext): boolean | Promise<boolean>
  }
}
/** Result of a command. */
export type CommandResult =
  | { exitCode: number }
  /**
   * Starts the server. `environment` overrides variables of the process, `options` overrides items of the plugin's
   * section in `svc.yaml`.
   */
  | {
      serve: true
      environment?: Record<string, string>
      options?: Record<string, unknown>
      /**
       * Sections of `svc.yaml`, added to those of the file: the items of lists come after those of the file, other keys replace
       * them. They are checked as those of the file are. If a part of them can't be served, such as a port that is in use, the
       * process prints why and ends with exit code 1.
       */
      sections?: Record<string, Record<string, unknown>>
      /**
       * Ports that the sections need. A listener of the process that has one of them, or whose port no variable sets, listens on
       * a free port of the loopback address instead.
       */
      yieldsPorts?: readonly number[]
      /** Called with the URL of the HTTP listener once the server listens. */
      whenListening?: (url: string) => void
    }

// ---------- Functions for plugins

export {
  isOutputError,
  isTooExpensive,
  MemoryPool,
  OutputBudget,
  OutputTooLarge,
  OutputUnavailable,
  Pacer,
  StepBudget,
  TooExpensive,
} from './budgets.ts'
export type { Budgets, SharedMemory, SvcBudgets } from './budgets.ts'

export { HttpError, IncompleteBody, invalidParameter, refusal } from './http-error.ts'
export { type CatalogSelection, isSelected, readCatalogSelection } from './catalog-selection.ts'
export { decimalParameter, integerParameter, isFlagSet, quoteInput, readQuery } from './input.ts'
export type { NumberParameter } from './input.ts'
export { readJsonObject } from './json-body.ts'
export type { Json, JsonObject } from './json.ts'
export type { MeasuresMemory, MemoryUse } from '../collections/memory-use.ts'

// ---------- The `svc` argument of `register`

/** The services of the host, created for one plugin in one generation. */
export interface Svc<Options = Record<string, unknown>, Variables = Record<string, unknown>> {
  /** Name of the plugin. */
  readonly name: string
  /** The plugin's validated section of `svc.yaml`, with defaults filled in. */
  readonly options: Options
  /** Effective configuration of the core (`SVC_*` variables). */
  readonly config: Config
  /** Values of the environment variables declared in `variables` of the definition. */
  readonly variables: Readonly<Variables>
  /**
   * A variable of the process that the plugin's section of `svc.yaml` names, for example as `${TOKEN}`; undefined if it is
   * not set. Variables of the plugin itself belong in `variables` of the definition.
   */
  environment(name: string): string | undefined
  /** Absolute path of the plugin's folder. */
  readonly folder: string
  /** Same as `app.log`. `request.log` adds the request id. */
  readonly log: Logger

  /** Offers an extension point to other plugins. Its name must be `<plugin name>.<point>`. */
  offer<K extends keyof ExtensionPoints>(point: K, value: ExtensionPoints[K] & PersonalPoint<ExtensionPoints[K]>): void
  /**
   * Another plugin's extension point; undefined if that plugin is disabled. `buildsOn` or `uses` must list that plugin. The
   * points `core.*`, `testing.*` and `control.*` belong to the core and are always there.
   */
  use<K extends keyof ExtensionPoints>(point: K): ExtensionPoints[K] | (K extends keyof CorePoints ? never : undefined)

  /** Runs after all plugins have registered. The callback may still add routes and report load errors. */
  whenRegistered(callback: () => void | Promise<void>): void
  /** Runs once when this generation is closed, even if it failed to start. */
  whenClosed(callback: () => void | Promise<void>): void
  /** Runs when the process stops, after open requests have finished. All callbacks together get 2 s. */
  whenStopped(callback: () => void | Promise<void>): void
  /** Reports an invalid item of the plugin's section; the host adds file, line and column. */
  reportLoadError(error: ReportedError): void
  /** Reports an item that works and has a better spelling. Only `svc check` shows it, as a warning. */
  reportAdvice(advice: ReportedError): void
  loadErrors(): LoadError[]
  /** Does the same as `POST /_svc/reload`. */
  reload(options?: { force?: boolean }): Promise<ReloadResult>
  /** Watches another file or folder and reloads when its content changes. Call it before reading the file. */
  watch(path: string): void

  /**
   * A bounded store for data, which survives reloads, also those after a change of the plugin's code: all generations get the
   * same store for the same name. Raise `schema` when changed code can't read the values; the store then starts empty.
   */
  state<T>(name: string, bounds: StoreBounds<T>): Store<T>
  /** A log of numbered entries that others read and follow; it survives reloads as `state` does. */
  eventLog<T>(name: string, bounds: EventLogBounds<T>): EventLog<T>
  /** A small value that every replica keeps in memory; it survives reloads as `state` does. */
  replicated<T>(name: string, options: ReplicatedOptions<T>): Replicated<T>
  /** Messages between the replicas of the deployment. The newest generation handles them. */
  channel<M, R = void>(name: string, handler: ChannelHandler<M, R>): Channel<M, R>
  /** The replicas of the deployment. */
  readonly replicas: SvcReplicas
  /**
   * 32 random bytes. Without a shared store they belong to this process; with one they are the same in every replica and
   * after every start.
   */
  secret(name: string): Promise<Buffer>
  /**
   * A live object, such as a connection, which survives reloads. `create` is called once; `dispose` is called when the
   * last generation that uses the object is closed; changed code makes a new object. The object stays in this process: each replica has its own. Data that
   * other requests must find belong in `state`, `eventLog` or `replicated`.
   */
  shared<T>(name: string, create: () => T, dispose?: (value: T) => void | Promise<void>): T

  /**
   * Formats the 404 and 405 responses for requests below `path` that match no route. If several paths match, the longest
   * one applies. The `Allow` header is kept.
   */
  unroutedForm(path: string, form: ErrorForm): void

  /**
   * Serves all requests to a host from the routes below `mount`, a path of the plugin or of one that builds on it: the route
   * `<mount>/get` responds to `/get`. `pattern` is a host without port, which may have one `*` for any characters, such as
   * `*.` and a domain for the hosts below it; `*` alone is every host. The first entry that matches counts. `request.url` is
   * the routed target then, `svc.http.target(request)` the received one, and the URLs that `svc.http.url` and `svc.http.path`
   * return are those of the host, without the mount. Other hosts do not reach the routes below `mount`, unless they are
   * `shared`. The control plane, and paths that are exempt from `hosts`, stay as they are.
   *
   * The HTTPS listener presents a certificate of the demo CA for the name, and HTTP listeners take `CONNECT` to it, so that
   * clients reach it through svc as a proxy.
   */
  serveHost(pattern: string, mount: string, options?: ServedHostOptions): void

  /**
   * Serves all requests below a path, on every host that is not served whole, from the routes below `mount`, as `serveHost` does
   * for a host: `/apps/blue/get` is answered by the route `<mount>/get`. A path that a plugin serves, or the core, is a load error.
   * `at` is the place in the section of the plugin, such as `orders.prefixes[0]`. Throws if `path` is not an absolute path of at
   * least one segment, without `.` and `..`.
   */
  servePrefix(path: string, mount: string, options?: { at?: string }): void

  /** Routes below `mount` respond only on the hosts, listeners and prefixes that serve it. Elsewhere they are unknown: 404. */
  reserve(mount: string): void

  /** Bounds of what a request makes the service produce and compute. */
  readonly budgets: SvcBudgets
  readonly http: SvcHttp
  readonly streams: SvcStreams
  /** Ports of the plugin: TCP, UDP, HTTP. */
  readonly listeners: SvcListeners
  readonly inspector: SvcInspector
  readonly pki: SvcPki
  readonly metrics: SvcMetrics
  readonly instance: SvcInstance
}

/**
 * Types of all extension points by name. Add yours by declaration merging:
 * `declare module 'svc/plugin' { interface ExtensionPoints { 'orders.prices': Prices } }`.
 */
export interface ExtensionPoints extends CorePoints {}

/**
 * Key of an optional method of an offered value. If the value has it, `svc.use` calls it with the name of the plugin that
 * calls `use` and returns its result, so that a registry can tell which plugin registered what. `own.log` is the logger of that
 * plugin, for errors of what it registered; absent for commands, which serve nothing.
 */
export const forPlugin: unique symbol = Symbol.for('svc.forPlugin')
export interface PersonalPoint<T> {
  [forPlugin]?: (plugin: string, own?: { log: Logger }) => T
}
