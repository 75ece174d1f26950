/** Owns the bridges to processes and remote servers. They survive reloads as long as their entry in svc.yaml does not change. */
import type { Logger } from 'svc/plugin'
import { MAX_SESSION_PROCESSES, type Bounds } from '../bounds.ts'
import { Bridge } from './bridge.ts'
import type { LinkSource } from './link.ts'
import { ProcessLink, type ProcessCommand } from './process-link.ts'
import { Processes } from './processes.ts'
import { RemoteLink, type RemoteTarget } from './remote-link.ts'
import type { BridgeHost, BridgeMetrics } from './host.ts'
import { RemoteRequests } from './remote-requests.ts'

/** An entry of svc.yaml, checked. */
export type BridgeEntry = {
  name: string
  /** Distinguishes entries: the same text keeps its server. */
  key: string
  timeoutMs: number
} & (
  | { kind: 'stdio'; command: ProcessCommand; per: 'instance' | 'session' }
  | { kind: 'remote'; url: URL; ca: string | null; target: Pick<RemoteTarget, 'revision' | 'headers' | 'forward'> }
)

/** What bridges need of the newest generation. */
export interface PoolServices {
  log: Logger
  metrics: BridgeMetrics
  instance: string
  release: string
}

const GRACE_MS = 10_000

export class BridgePool {
  readonly #bridges = new Map<string, Bridge>()
  readonly #processes: Processes
  readonly #host: BridgeHost
  readonly #bounds: Bounds
  readonly #timers = new Set<NodeJS.Timeout>()
  #services: PoolServices

  constructor(host: BridgeHost, bounds: Bounds, services: PoolServices) {
    this.#host = host
    this.#bounds = bounds
    this.#services = services
    this.#processes = new Processes(bounds.processes)
  }

  /** Passes the services of a newer generation. */
  connect(services: PoolServices): void {
    this.#services = services
  }

  /** The bridge of an entry; a new one does not run yet. */
  use(entry: BridgeEntry): Bridge {
    const known = this.#bridges.get(entry.key)
    if (known) return known
    const bridge = this.#create(entry)
    this.#bridges.set(entry.key, bridge)
    return bridge
  }

  /** Starts the bridges of these entries. Others get some time for their calls, and end. */
  retain(entries: readonly BridgeEntry[]): void {
    const keys = new Set(entries.map(({ key }) => key))
    for (const [key, bridge] of this.#bridges) {
      if (keys.has(key)) bridge.keep()
      else this.#retire(key, bridge)
    }
  }

  /** From now on, processes get less time to end. */
  hurry(): void {
    this.#processes.hurry()
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.allSettled([...this.#bridges.values()].map(bridge => bridge.close()))
    this.#bridges.clear()
    this.#processes.close()
  }

  #retire(key: string, bridge: Bridge): void {
    this.#bridges.delete(key)
    const close = (): void => void bridge.close()
    if (bridge.status.in_flight === 0) return close()
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      close()
    }, GRACE_MS)
    this.#timers.add(timer.unref())
  }

  #create(entry: BridgeEntry): Bridge {
    const { name, timeoutMs } = entry
    const bounds = this.#bounds
    const bridge: Bridge = new Bridge({
      name,
      source: entry.kind === 'stdio' ? this.#processSource(entry) : this.#remoteSource(entry, () => bridge),
      release: this.#services.release,
      timeoutMs: Math.min(timeoutMs, bounds.bridgeTimeoutMs),
      maxConnections: entry.kind === 'stdio' ? MAX_SESSION_PROCESSES : bounds.bridgeConnections,
      maxInFlight: bounds.bridgeCalls,
      ...this.#host(name, () => this.#services),
    })
    return bridge
  }

  #processSource({ name, command, per }: BridgeEntry & { kind: 'stdio' }): LinkSource {
    const log = {
      errorLine: (line: string, pid: number): void => void this.#services.log.info(line, { server: name, pid }),
      notJson: (pid: number): void =>
        void this.#services.log.warn('an MCP server writes lines that are not JSON-RPC to its standard output', {
          server: name,
          pid,
        }),
    }
    return {
      kind: 'stdio',
      isPerSession: per === 'session',
      create: async () => new ProcessLink(command, this.#processes, log),
    }
  }

  #remoteSource({ url, ca, target }: BridgeEntry & { kind: 'remote' }, bridge: () => Bridge): LinkSource {
    const requests = new RemoteRequests(url, ca)
    const { instance, release } = this.#services
    const routedArguments = (tool: string) => bridge().tools.get(tool)?.routed ?? new Map<string, never>()
    return {
      kind: 'remote',
      isPerSession: target.revision !== 'stateless',
      create: async () => new RemoteLink({ ...target, requests, instance, release, routedArguments }),
    }
  }
}
