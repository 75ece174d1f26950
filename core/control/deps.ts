/** Owns what the instance's and the control plane's routes need of the host, as an interface that the host fulfills. */
import type {
  FastifyRequest,
  LoadError,
  PageLink,
  PluginRecord,
  ReloadResult,
  SvcHttp,
  SvcInstance,
  SvcStreams,
} from '../contract/plugin.ts'
import type { Config } from '../config/variables.ts'
import type { ClearResult, SwitchResult } from '../host/switching.ts'
import type { Inspector } from '../inspector/inspector.ts'
import type { Keys } from '../keys/keys.ts'
import type { Limits } from '../limits/limits.ts'
import type { RouteRecord } from '../http/pipeline/route-record.ts'

export interface ControlDeps {
  config: Config
  http: SvcHttp
  instance: ControlInstance
  /** What `GET /_svc/config` answers: no secrets, names as on the wire. */
  effectiveConfig(): object
  /** Fields of `GET /_svc/status` that plugins show, by plugin. */
  pluginStatus(): Record<string, object>
  /** Links that plugins put on the landing page while their targets are served. */
  landingLinks(): readonly PageLink[]
  /** All routes of the generation, in the order in which they were registered. */
  routes(): RouteRecord[]
  plugins: ControlPlugins
  inspector: Inspector
  limits: Limits
  /** Null: shared mode is off. */
  keys: Keys | null
  metrics: { readonly contentType: string; text(): Promise<string> }
  /** Starts an event stream, as `svc.streams.sse` does for plugins. */
  openEvents: SvcStreams['sse']
  /** Which listener the request came in by, and the peer of its TCP connection. */
  connection(request: FastifyRequest): { scheme: 'http' | 'https'; port: number; peerIp: string }
}

/** The instance with the facts that only the control plane shows. */
export interface ControlInstance extends SvcInstance {
  uptimeSeconds(): number
  readonly startedAt: Date
  readonly hostname: string
  /** `SVC_GIT_SHA`, else the checkout's HEAD, else null. */
  readonly gitSha: string | null
  /** Requests to `/identity` since the process started. */
  identityRequests(): number
  /** Counts one more and answers the new count. */
  countIdentityRequest(): number
}

export interface ControlPlugins {
  /** One record per plugin that was found, on or off, with the options as they are; secrets are masked here. */
  records(): PluginRecord[]
  /** Registered routes of a plugin; none unless it is enabled. */
  routesOf(name: string): { methods: string[]; path: string }[]
  overview(): PluginsOverview
  /** Switches a plugin; the generation has been swapped when the promise resolves. */
  switch(name: string, on: boolean, cascade: boolean): Promise<SwitchResult>
  /** Forgets what `switch` chose, so that svc.yaml decides again. */
  clearOverride(name: string): Promise<ClearResult>
  /** `force` builds a generation even when no file changed. */
  reload(force: boolean): Promise<ReloadResult>
}

/** What `GET /_svc/plugins` says beside the records. */
export interface PluginsOverview {
  generation: number
  /** Generations that serve or drain, and those that are still in memory. */
  generationCounts: { open: number; inMemory: number }
  loadedAt: Date
  /** Absolute path of the svc.yaml in use. */
  configFile: string | null
  /** Absolute paths of the folders of plugins, the product's own aside. */
  directories: string[]
  loadErrors: LoadError[]
}
