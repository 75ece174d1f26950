/** Opens the state of the process: in its memory, or in the store that `SVC_STATE_STORE` names. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../config/variables.ts'
import { REDIS_PACKAGES, loadFailure } from '../config/optional-packages.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import {
  loadBackend,
  type BackendModule,
  type ReplicaRecord,
  type SharedBackend,
  type StoreAddress,
} from '../state/shared-backend.ts'
import { StateRegistry, type StateRegistryOptions } from '../state/state-registry.ts'

/** A larger difference between clocks is reported. */
const MAX_CLOCK_OFFSET_MS = 1_000

export interface OpenedState {
  states: StateRegistry
  /** Null if state is in the memory of the process. */
  shared: SharedBackend | null
}

export interface StateStoreOptions {
  config: Config
  log: Log
  metrics: Metrics
  workingDirectory: string
  onError: NonNullable<StateRegistryOptions['onError']>
  isStrict: boolean
}

/** A store that can't be used as configured is a warning, and state is in memory then. */
export async function openState(options: StateStoreOptions): Promise<OpenedState> {
  const { config, log, onError, isStrict } = options
  const shared = config.stateStore.url === null ? null : await createSharedState(options)
  const states = new StateRegistry({
    instanceId: config.instanceId,
    isStrict,
    onError,
    onNewSchema: data => log.info('state starts empty: its schema has changed', data),
    ...(shared !== null && { openBackend: () => shared }),
  })
  if (shared === null) {
    if (config.workers > 1)
      log.warn('each worker has its own state: requests of one client see different state (set SVC_STATE_STORE)')
    return { states, shared }
  }
  await shared.open()
  if (!(await shared.connection.whenStarted()))
    log.warn(`the state store ${hostOf(config.stateStore.url!)} did not respond; routes that need no state are served`)
  return { states, shared }
}

async function createSharedState({
  config,
  log,
  metrics,
  workingDirectory,
  onError,
}: StateStoreOptions): Promise<SharedBackend | null> {
  const { url, password, ca, isCluster, prefix, timeoutMs, secret } = config.stateStore
  const unused = (reason: string): null => {
    log.warn(`the state store is not used; state is in the memory of this process: ${reason}`)
    return null
  }
  if (url === 'local') return unused('no local server was started')
  let backend: BackendModule
  let address: StoreAddress
  try {
    address = {
      url: url!,
      password,
      isCluster,
      ca: ca === null ? null : await readFile(resolve(workingDirectory, ca), 'utf8'),
    }
    backend = await loadBackend()
  } catch (error) {
    return unused(loadFailure(error, REDIS_PACKAGES))
  }
  const { createStateStoreObservers, addStateStoreGauges } = await import('../metrics/state-store-metrics.ts')
  const host = hostOf(url!)
  let wasUp = false
  const shared = backend.createBackend({
    address,
    prefix,
    instanceId: config.instanceId,
    timeoutMs,
    secret,
    onError,
    observers: createStateStoreObservers(metrics),
    onAway: reason => log.warn(`the state store ${host} is unavailable: ${reason}`),
    onUp({ version, policy }, awayMs) {
      const since = wasUp ? ` after ${(awayMs / 1000).toFixed(1)} s` : ''
      log.info(`the state store ${host} is available${since} (${version || 'version unknown'})`)
      if (!wasUp && policy !== null && policy !== '' && policy !== 'noeviction')
        log.warn(
          `the state store ${host} has the policy ${policy}, so it may drop state; set maxmemory-policy to noeviction`,
        )
      const offset = shared.replicas.clockOffsetMs
      if (!wasUp && Math.abs(offset) > MAX_CLOCK_OFFSET_MS)
        log.warn(`the clock of this replica differs from that of the state store by ${(offset / 1000).toFixed(1)} s`)
      wasUp = true
    },
    onJoined: replica => log.info(`replica ${nameOf(replica)} joined`),
    onGone: replica => log.info(`replica ${nameOf(replica)} is gone`),
  })
  if (secret === null && !isLocal(url!))
    log.warn('SVC_STATE_STORE_SECRET is not set: credentials are stored as plain text in the state store')
  addStateStoreGauges(metrics, shared)
  return shared
}

/** Host and port, without credentials. */
export function hostOf(url: string): string {
  const { host, pathname } = new URL(url)
  return host === '' ? pathname : host
}

function nameOf({ replica, instanceId }: ReplicaRecord): string {
  return `${replica} (${instanceId})`
}

function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'unix:' || hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
