/** State of the instance: reachable, healthy, enabled plugins, and whether the console has a new version. */
import type { LoadError, PluginRecord } from 'svc/plugin'
import { computed, effect, signal } from '@preact/signals'
import { ApiError, InstanceUnreachableError, call, callJson, explain, signInReason } from './api.ts'
import { gatewayOf, pageGateway } from './page-gateway.ts'

export interface Status {
  name: string
  version: string
  git_sha: string | null
  instance_id: string
  hostname: string
  uptime_seconds: number
  started_at: string
  healthy: boolean
  public_mode: boolean
  /** Nothing is captured. */
  load_mode: boolean
  admin_token_configured: boolean
  control_auth: string
  hosted_mode: boolean
  inspector: { stored: number; capacity: number; total_captured: number }
  /** How busy the process is that responded: shares of a second, 0 to 1. */
  event_loop: { utilization: number; busiest: number; delay_p99_ms: number | null; delay_max_ms: number | null }
  /** The store that replicas share; null without one. */
  state_store: { up: boolean; since: string } | null
  ports: { http: number | null; https: number | null; grpc: number | null }
  plugins: {
    enabled: number
    disabled: number
    failed: number
    generation: number
    /** A reload that waits for a plugin. */
    building: { since: string; plugin: string } | null
  }
  /** Names of request headers that show a proxy. */
  proxy_headers: string[]
}

export type { LoadError, PluginRecord }

export interface PluginsList {
  generation: number
  loaded_at: string
  config_file: string | null
  directories: string[]
  counts: { enabled: number; disabled: number; failed: number }
  load_errors: LoadError[]
  plugins: PluginRecord[]
}

const REFRESH_MS = 5000
/** Pauses while the instance does not respond: the first one, and the longest, so that its return shows within 3 s. */
const MIN_RETRY_MS = 500
const MAX_RETRY_MS = 2000

export const status = signal<Status | null>(null)
export const plugins = signal<PluginsList | null>(null)
/** Set while the instance is not responding. */
export const outage = signal<{ since: number; retryInMs: number } | null>(null)
/** Why the instance rejects requests for its status, such as a missing scope or a reached limit. */
export const rejection = signal<{ title: string; message: string } | null>(null)
/** The code of the console has changed since this page was loaded. */
export const isOutdated = signal(false)

/** Paths that enabled plugins serve, which decide which views are shown. Null: unknown. */
export const enabledPaths = computed<string[] | null>(
  () => plugins.value?.plugins.filter(({ state }) => state === 'enabled').flatMap(({ paths }) => paths) ?? null,
)

/** The instance does not respond to something else than a status: finds out now whether that is an outage. */
export function suspectOutage(): void {
  if (outage.peek() === null) void refresh()
}

let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined
let consoleGeneration: number | null = null

/** Loads status and plugins now, and then periodically while the page is visible. */
export async function refresh(): Promise<void> {
  clearTimeout(timer)
  if (signInReason.peek() === null) await read()
  timer = setTimeout(() => {
    if (!document.hidden) void refresh()
  }, outage.peek()?.retryInMs ?? REFRESH_MS)
}

async function read(): Promise<void> {
  try {
    const response = await call('_svc/status')
    const next = (await response.json()) as Status
    status.value = next
    const seen = gatewayOf(location.host, next.proxy_headers, response.headers)
    if (seen?.evidence.join() !== pageGateway.peek()?.evidence.join()) pageGateway.value = seen
    failures = 0
    outage.value = null
    if (next.plugins.generation !== plugins.peek()?.generation) takePlugins(await callJson<PluginsList>('_svc/plugins'))
    rejection.value = null
  } catch (error) {
    if (error instanceof InstanceUnreachableError || (error instanceof ApiError && error.status >= 500)) {
      outage.value = {
        since: outage.peek()?.since ?? Date.now(),
        retryInMs: Math.min(MIN_RETRY_MS * 2 ** failures++, MAX_RETRY_MS),
      }
    } else {
      outage.value = null
      const isLimited = error instanceof ApiError && error.status === 429
      // The sign-in screen reports a rejected credential.
      rejection.value =
        signInReason.peek() !== null
          ? null
          : {
              title: isLimited ? 'Too many requests' : 'Your credential does not allow access to parts of this page',
              message: explain(error),
            }
    }
  }
}

function takePlugins(list: PluginsList): void {
  plugins.value = list
  const own = list.plugins.find(({ paths, state }) => state === 'enabled' && paths.includes('/ui'))
  consoleGeneration ??= own?.generation ?? null
  if (own && own.generation !== consoleGeneration) isOutdated.value = true
}

/** Starts loading, again after each sign-in and whenever the page becomes visible. */
export function startStatus(): void {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void refresh()
  })
  effect(() => {
    if (signInReason.value === null) void refresh()
  })
}
