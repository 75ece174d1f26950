/** Dependencies of the core's routes, as an interface that `core/server/control-deps.ts` implements. */
import type {
  FastifyRequest,
  LoadError,
  PluginRecord,
  ReloadResult,
  SvcHttp,
  SvcInstance,
  SvcStreams,
} from '../contract/plugin.ts'
import type { ResetKind, VerifiedRecords } from '../contract/testing.ts'
import type { SvcBudgets } from '../contract/budgets.ts'
import type { Config } from '../config/variables.ts'
import type { ClearResult, SwitchResult } from '../host/switching.ts'
import type { Connections } from '../inspector/connections.ts'
import type { ConnectionWaits } from './connection-waits.ts'
import type { Inspector } from '../inspector/inspector.ts'
import type { Keys } from '../keys/keys.ts'
import type { Limits } from '../limits/limits.ts'
import type { EventLoopView } from '../metrics/event-loop.ts'
import type { ProtocolRegistry } from '../match/protocols.ts'
import type { RuleBook } from '../rules/rule-book.ts'
import type { GenerationRules } from '../rules/rule-entry.ts'
import type { RouteRecord } from '../http/routes/route-record.ts'

export interface ControlDeps {
  config: Config
  budgets: SvcBudgets
  http: SvcHttp
  instance: ControlInstance
  /** Body of `GET /_svc/config`, without secrets. */
  effectiveConfig(): object
  /** Fields that plugins add to `GET /_svc/status`, by plugin. */
  pluginStatus(): Record<string, object>
  /** The protocols that conditions of a request to the control plane can test. */
  protocols(request: FastifyRequest): ProtocolRegistry
  /** All routes of the generation, in order of registration. */
  routes(): RouteRecord[]
  plugins: ControlPlugins
  inspector: Inspector
  /** Of TCP and UDP listeners. */
  connections: Connections
  connectionWaits: ConnectionWaits
  rules: ControlRules
  limits: Limits
  /** Null if shared mode is off. */
  keys: Keys | null
  replicas: ControlReplicas
  /** How busy the process is. */
  load(): { requests_open: number; event_loop: EventLoopView }
  metrics: { readonly contentType: string; text(): Promise<string> }
  /** Starts an event stream, like `svc.streams.sse`. */
  openEvents: SvcStreams['sse']
  /** The listener of a request and the peer of its TCP connection. */
  connection(request: FastifyRequest): { scheme: 'http' | 'https'; port: number; peerIp: string }
}

/** The instance, with members that only the control plane uses. */
export interface ControlInstance extends SvcInstance {
  /** The document of `GET /_svc/openapi.json`, without a session: of the control plane alone. */
  controlOpenapi(baseUrl: string): Record<string, unknown>
  uptimeSeconds(): number
  readonly startedAt: Date
  readonly hostname: string
  /** `SVC_GIT_SHA`, otherwise the HEAD of the checkout, otherwise null. */
  readonly gitSha: string | null
  /** Number of requests to `/identity` since the process started. */
  identityRequests(): number
  /** Increments the number of requests and returns it. */
  countIdentityRequest(): number
  /** Switches the health of this replica alone, until the next switch of all. */
  setOwnHealth(next: boolean | 'toggle'): boolean
}

/** The replicas of the deployment; a process without a state store is the only one. */
export interface ControlReplicas {
  /** Name of this replica. */
  readonly self: string
  /** Name of the replica that does what must happen once. */
  leader(): string
  /** Oldest first. */
  list(): ReplicaView[]
  /** Null without a state store. */
  store(): StateStoreView | null
}

export interface ReplicaView {
  replica: string
  instance_id: string
  hostname: string | null
  version: string
  git_sha: string | null
  started_at: string
  seen_ms_ago: number
  clock_offset_ms: number
  healthy: boolean
  generation: number
  streams_open: number
  requests_total: number
  ports: { http: number | null; https: number | null; grpc: number | null } | null
  self: boolean
}

export interface StateStoreView {
  up: boolean
  since: string
  host: string
  prefix: string
  cluster: boolean
  latency_ms: number | null
  version: string | null
}

export interface ControlRules {
  book: RuleBook
  /** The rules of files, and the protocols, of the generation that handles the request. */
  ofGeneration(request: FastifyRequest): GenerationRules
  /** What the plugins of that generation add to resets. */
  resetsOf(request: FastifyRequest): readonly ResetKind[]
  /** And to verifications. */
  verificationsOf(request: FastifyRequest): readonly VerifiedRecords[]
}

export interface ControlPlugins {
  /** Records of all plugins that were found. Options include secrets, which the control plane masks. */
  records(): PluginRecord[]
  /** Routes of a plugin; empty unless it is enabled. */
  routesOf(name: string): { methods: string[]; path: string }[]
  overview(): PluginsOverview
  /** Enables or disables a plugin. Resolves after the generation has been swapped. */
  switch(name: string, on: boolean, cascade: boolean): Promise<SwitchResult>
  /** How many replicas serve with the switches of this one, when all have replied. Undefined without a state store. */
  followers(): Promise<SwitchFollowers | undefined>
  /** Removes the override that `switch` set, so that svc.yaml applies again. */
  clearOverride(name: string): Promise<ClearResult>
  /** Of all replicas. `force` builds a generation even if no file changed. */
  reload(force: boolean): Promise<ReloadResult>
}

/** The others follow with their next heartbeat. */
export interface SwitchFollowers {
  followed: number
  of: number
}

/** Fields of `GET /_svc/plugins` apart from the records. */
export interface PluginsOverview {
  generation: number
  /** `open`: generations that serve or drain. `inMemory`: also those that are not garbage-collected yet. */
  generationCounts: { open: number; inMemory: number }
  /** A build that waits for a plugin; null if there is none. */
  building: { since: Date; plugin: string } | null
  loadedAt: Date
  /** Absolute path of the svc.yaml in use. */
  configFile: string | null
  /** Absolute paths of plugin folders, without the built-in one. */
  directories: string[]
  loadErrors: LoadError[]
}
