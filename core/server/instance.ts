/** The instance: id, version, health, ports and uptime. */
import { execFile } from 'node:child_process'
import { hostname } from 'node:os'
import type { Config } from '../config/variables.ts'

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
  setHealthy(healthy: boolean): void
  /** Calls `listener` on each change. Returns a function that removes the listener. */
  onHealthChange(listener: (healthy: boolean) => void): () => void
  identityRequests(): number
  countIdentityRequest(): number
}

export function createInstance(config: Config, version: string, gitSha: string | null, ports: () => Ports): Instance {
  const startedAt = new Date()
  const startedAtMs = performance.now()
  const listeners = new Set<(healthy: boolean) => void>()
  let healthy = true
  let identityRequests = 0
  return {
    id: config.instanceId,
    version,
    gitSha,
    hostname: hostname(),
    startedAt,
    uptimeSeconds: () => Math.floor((performance.now() - startedAtMs) / 1000),
    ports,
    isHealthy: () => healthy,
    setHealthy(next) {
      if (next === healthy) return
      healthy = next
      for (const listener of listeners) listener(healthy)
    },
    onHealthChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
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
