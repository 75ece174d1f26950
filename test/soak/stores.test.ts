/**
 * What a process keeps of its requests: after the stores of `/_svc/metrics` are subtracted, the heap does not grow. By hand:
 * `SVC_SOAK_SECS=1800 SVC_SOAK_LOG=/tmp/soak npm test -- soak/stores --timeout=2700`. Without the variable it is skipped, because the stores have to
 * fill first. Runs alone: it measures memory.
 */
import t, { type Test } from 'tap'
import { appendFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fetch } from 'undici'
import { parseExposition } from '../support/exposition.ts'
import { startProcess, type ServerProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { MixedTraffic } from './mixed-traffic.ts'
import { slopeOf } from './slope.ts'

const SECONDS = Number(process.env.SVC_SOAK_SECS ?? 0)
/** Less is too short for a fit: caches of the engine still fill. */
const MIN_SECONDS = 300
const INTERVALS = 30
/** A file that gets a line for each interval and server. */
const LOG = process.env.SVC_SOAK_LOG
/**
 * Bytes of a request that may stay, besides what the stores count. The smallest object takes 16 bytes, with a reference to it
 * 24, so a leak of one object a request shows; so does one of 200 bytes in every tenth request.
 */
const MAX_SLOPE = 16

interface Sample {
  requests: number
  heap: number
  stores: number
  rss: number
  byStore: Map<string, number>
}

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(2)

/** Bounds are low, so all stores are full in the second half. */
const PUBLIC = { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'soak' }

class SoakServer {
  readonly samples: Sample[] = []
  readonly mode: string
  readonly traffic: MixedTraffic
  readonly #process: ServerProcess
  readonly #url: string

  private constructor(mode: string, server: ServerProcess, url: string, traffic: MixedTraffic) {
    this.mode = mode
    this.#process = server
    this.#url = url
    this.traffic = traffic
  }

  static async start(t: Test, mode: string, env: Record<string, string>): Promise<SoakServer> {
    const preload = pathToFileURL(join(import.meta.dirname, 'heap-report.mjs'))
    const { SOAK_SNAPSHOTS: snapshots } = process.env
    const server = startProcess(t, {
      env: {
        SVC_LOG_LEVEL: 'off',
        SVC_WATCH: 'false',
        NODE_OPTIONS: `--import=${preload}`,
        ...env,
        ...(snapshots !== undefined && { SOAK_SNAPSHOTS: join(snapshots, mode) }),
      },
    })
    const url = `http://127.0.0.1:${await server.port('HTTP')}`
    return new SoakServer(mode, server, url, await MixedTraffic.create(url))
  }

  async measure(): Promise<void> {
    const reports = (): RegExpExecArray[] => [...this.#process.errors().matchAll(/^heap report (.*)$/gm)]
    const before = reports().length
    this.#process.child.kill('SIGUSR2')
    await until(() => reports().length > before, 'a heap report')
    const { used: heap, rss } = JSON.parse(reports().at(-1)![1]!) as { used: number; rss: number }
    const metrics = parseExposition(await (await fetch(`${this.#url}/_svc/metrics`)).text())
    const byStore = new Map(metrics.get('svc_state_bytes')!.samples.map(({ labels, value }) => [labels.store!, value]))
    const stores = [...byStore.values()].reduce((sum, bytes) => sum + bytes, 0)
    const { sent: requests } = this.traffic
    this.samples.push({ requests, heap, stores, rss, byStore })
    // Not a comment of the test: a run of half an hour can be watched.
    if (LOG !== undefined)
      appendFileSync(
        LOG,
        `${this.mode}: ${requests} requests, heap ${mib(heap)} MiB, stores ${mib(stores)}, without them ${mib(heap - stores)}, RSS ${mib(rss)}\n`,
      )
  }
}

t.setTimeout((SECONDS + 900) * 1000)
t.test(
  `${SECONDS} s of mixed requests, in default and in public mode: the heap without the stores stays flat [SOAK-2]`,
  { timeout: (SECONDS + 840) * 1000, skip: SECONDS < MIN_SECONDS && `set SVC_SOAK_SECS to ${MIN_SECONDS} or more` },
  async t => {
    const servers = [await SoakServer.start(t, 'default', {}), await SoakServer.start(t, 'public', PUBLIC)]
    const startedAt = performance.now()
    for (let interval = 1; interval <= INTERVALS; interval++) {
      const endsAt = startedAt + (interval * SECONDS * 1000) / INTERVALS
      await Promise.all(servers.map(({ traffic }) => traffic.run(endsAt)))
      // Closing connections are released in later turns.
      await wait(1000)
      for (const server of servers) await server.measure()
    }
    for (const { mode, samples, traffic } of servers) {
      const second = samples.slice(INTERVALS / 2)
      const [first, last] = [second[0]!, second.at(-1)!]
      const slopes = {
        heap: slopeOf(second.map(({ requests, heap }) => [requests, heap])),
        stores: slopeOf(second.map(({ requests, stores }) => [requests, stores])),
        rest: slopeOf(second.map(({ requests, heap, stores }) => [requests, heap - stores])),
      }
      t.comment(`${mode}: ${JSON.stringify(slopes)} bytes a request in the second half`)
      for (const [store, bytes] of last.byStore) {
        const grown = bytes - (first.byStore.get(store) ?? 0)
        if (Math.abs(grown) > 100_000) t.comment(`${store}: ${mib(bytes)} MiB, ${mib(grown)} more than at half time`)
      }
      t.strictSame(traffic.problems.slice(0, 5), [])
      t.ok(slopes.rest < MAX_SLOPE, `${mode}: ${slopes.rest.toFixed(1)} bytes a request stay besides the stores`)
    }
  },
)
