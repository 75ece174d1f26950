/** `svc.instance`: the running instance and the routes it serves. */
import type { CatalogSelection } from './catalog-selection.ts'
import type { PageLink } from './declarations.ts'
import type { ListenerStatus } from './listeners.ts'
import type { RouteExample } from './routes.ts'

export interface SvcInstance {
  /** Id of the instance: `SVC_INSTANCE_ID`, or generated. */
  readonly id: string
  /** Version of svc. */
  readonly version: string
  /** Bound ports; null for a listener that did not start. */
  ports(): { http: number | null; https: number | null; grpc: number | null }
  /** All listeners, as in `GET /_svc/status`: those of the process, then those of plugins. */
  listeners(): ListenerStatus[]
  /** Whether `GET /health` responds with 200. */
  isHealthy(): boolean
  /** Sets the health of all replicas. Resolves to the new value when every replica has it. */
  setHealthy(next: boolean | 'toggle'): Promise<boolean>
  /** Calls `listener` on each change. Returns a function that removes the listener. */
  onHealthChange(listener: (healthy: boolean) => void): () => void
  /** All enabled endpoints, as in `GET /_svc/catalog`. */
  catalog(): Catalog
  /** The document of `GET /openapi.json` with `baseUrl` as server; see `svc.http.baseUrl`. Default: of all endpoints. */
  openapi(baseUrl: string, selection?: CatalogSelection): Record<string, unknown>
  /** The links that definitions of plugins declare, also those of disabled plugins. */
  links(): readonly PageLink[]
  /** All plugins that were found, as in `GET /_svc/plugins`. */
  plugins(): PluginRecord[]
}

/** The enabled endpoints, sorted by category. */
export interface Catalog {
  version: string
  count: number
  categories: { name: string; count: number }[]
  endpoints: CatalogEndpoint[]
}
/** An endpoint of the catalog: a description of a route. */
export interface CatalogEndpoint {
  /** Path template, such as `/status/{code}` or `/echo/{*path}`. */
  path: string
  /** Upper case. `['ANY']` if the route accepts all methods. */
  methods: string[]
  /** `methods`, with `ANY` replaced by the common methods. */
  expanded_methods: string[]
  category: string
  summary: string
  description: string
  protocol: 'http' | 'sse' | 'websocket'
  /** The stream never ends by itself. */
  endless: boolean
  /** Name of the plugin; null for endpoints of the core. */
  plugin: string | null
  examples: {
    name: string
    method: string
    path: string
    headers: { name: string; value: string }[]
    body: string | null
    body_type: 'json' | 'xml' | 'form' | null
    auth: NonNullable<RouteExample['auth']> | null
    expect_status: number | null
  }[]
}

/** State of a plugin, as in `GET /_svc/plugins`. */
export interface PluginRecord {
  name: string
  title: string
  version: string
  description: string
  source: 'builtin' | 'directory' | 'package'
  /** Absolute path of the plugin's folder; null for built-in plugins and in public mode. */
  path: string | null
  state: 'enabled' | 'disabled' | 'failed'
  /** `svc.yaml`, `api`, or `needs <plugin>` if a required plugin is disabled; null unless the plugin is disabled. */
  disabled_by: string | null
  /** Number of paths with a route. */
  routes: number
  /** Path prefixes of the plugin. */
  paths: string[]
  /** Why the plugin failed or, if `stale` is true, why its new version failed. */
  error: { phase: 'discover' | 'load' | 'options' | 'register'; message: string } | null
  /** The plugin runs in an older version because the new one failed. */
  stale: boolean
  /** Generation in which the running code was loaded. */
  generation: number
  /** Failures that the plugin declares for its routes, by word. */
  faults: Record<string, { status: number; message: string }>
  builds_on: string[]
  uses: string[]
  /** Effective options; secrets are masked. */
  options: unknown
}
