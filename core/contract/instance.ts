/** `svc.instance`: the running instance and the routes it serves. */
import type { RouteExample } from './routes.ts'

export interface SvcInstance {
  readonly id: string
  readonly version: string
  /** Bound ports; null for a listener that did not start. */
  ports(): { http: number | null; https: number | null; grpc: number | null }
  isHealthy(): boolean
  setHealthy(healthy: boolean): void
  /** Calls `listener` on each change. Returns a function that removes the listener. */
  onHealthChange(listener: (healthy: boolean) => void): () => void
  /** All enabled endpoints, as in `GET /_svc/catalog`. */
  catalog(): Catalog
  /** The document of `GET /openapi.json` with `baseUrl` as server; see `svc.http.baseUrl`. */
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
  /** Null for endpoints of the core. */
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
