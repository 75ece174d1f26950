/** The instance: id, version, health, ports and uptime. */
import { execFile } from 'node:child_process'
import { hostname } from 'node:os'
import type { Config } from '../config/variables.ts'
import type { Replicated } from '../contract/plugin.ts'

export interface Ports {
  http: number | null
  https: number | null
  grpc: number | null
}

export interface Instance {
  readonly id: string
  readonly version: string
  readonly gitSha: string | null
  readonly hostname: string
  readonly startedAt: Date
  uptimeSeconds(): number
  /** Bound ports; null for a listener that did not start. */
  ports(): Ports
  isHealthy(): boolean
  setHealthy(next: boolean | 'toggle'): Promise<boolean>
  /** Switches this replica alone, until the next switch of all. */
  setOwnHealth(next: boolean | 'toggle'): boolean
  /** Calls `listener` on each change. Returns a function that removes the listener. */
  onHealthChange(listener: (healthy: boolean) => void): () => void
  identityRequests(): number
  countIdentityRequest(): number
}

export interface InstanceOptions {
  config: Config
  version: string
  gitSha: string | null
  ports(): Ports
  /** The health of the instance, which all replicas share. */
  health: Replicated<boolean>
}

export function createInstance({ config, version, gitSha, ports, health }: InstanceOptions): Instance {
  const startedAt = new Date()
  const startedAtMs = performance.now()
  let identityRequests = 0
  /** Set by a switch of this replica alone, until the next switch of all. */
  let own: boolean | null = null
  health.subscribe(() => {
    own = null
  })
  const isHealthy = (): boolean => own ?? health.current
  const listeners = new Set<{ call: (healthy: boolean) => void }>()
  let known = health.current
  const notify = (): void => {
    const healthy = isHealthy()
    if (healthy === known) return
    known = healthy
    for (const { call } of listeners) call(healthy)
  }
  health.subscribe(notify)
  return {
    id: config.instanceId,
    version,
    gitSha,
    hostname: hostname(),
    startedAt,
    uptimeSeconds: () => Math.floor((performance.now() - startedAtMs) / 1000),
    ports,
    isHealthy,
    setHealthy: next => health.update(healthy => (next === 'toggle' ? !healthy : next)),
    setOwnHealth(next) {
      own = next === 'toggle' ? !isHealthy() : next
      notify()
      return own
    },
    onHealthChange(listener) {
      const added = { call: listener }
      listeners.add(added)
      return () => void listeners.delete(added)
    },
    identityRequests: () => identityRequests,
    countIdentityRequest: () => ++identityRequests,
  }
}

/** Reads the commit of the checkout in `folder`; null if it is not a git checkout. */
export function readGitSha(folder: string): Promise<string | null> {
  return new Promise(resolve => {
    execFile('git', ['-C', folder, 'rev-parse', 'HEAD'], { timeout: 2_000 }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : null),
    )
  })
}
