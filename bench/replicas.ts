/** What a state store costs: the same requests to svc with a store and without one, and the work of the store itself. */
import { spawn, spawnSync } from 'node:child_process'
import { cases, ECHO_GET, loadOf } from './cases.ts'
import { contest, cpuMs, type ContestOptions } from './contest.ts'
import { sendLoad, type Load } from './load.ts'
import { startProduct } from './product.ts'
import type { Measured } from './process.ts'

export interface StoreCost {
  name: string
  /** Processor time of svc with the store, relative to svc without one. */
  ratio: number
  /** Microseconds of processor time per request: svc without and with the store, and the store. */
  without: number
  with: number
  store: number
}

export interface Growth {
  workers: number
  hasStore: boolean
  /** Requests per second by case. */
  rates: Map<string, number>
}

type RequestLoad = Omit<Load, 'seconds' | 'connections'>

const CONNECTIONS = 50
const STORE_PORT = 16_379
const SHARED = ['MCP tools/call, session', 'A2A SendMessage', '/auth/jwt', '/oauth/token']
const GROWN = [ECHO_GET, 'counter', 'MCP tools/call, session', 'A2A SendMessage', '/oauth/token']

/** The case's request; the counter and the capture are not in the contest, since no peer has them. */
async function loadFor(name: string, port: number): Promise<RequestLoad> {
  const base = { port, warmUp: 0 }
  if (name === 'counter') return { ...base, path: '/flaky/recover/0', headers: { 'X-Svc-Session': 'bench' } }
  if (name === 'bin capture') {
    const response = await fetch(`http://127.0.0.1:${port}/bin`, { method: 'POST' })
    const { id } = (await response.json()) as { id: string }
    return { ...base, path: `/bin/${id}/x` }
  }
  return loadOf(cases.find(one => one.name === name)!, port)
}

export function canRunStore(): boolean {
  return storeProgram() !== undefined
}

/** Each case with a store next to one without. */
export async function measureStoreCost(options: ContestOptions): Promise<StoreCost[]> {
  const store = await startStore()
  const [plain, shared] = await Promise.all([startProduct(), startProduct({ SVC_STATE_STORE: store.url })])
  try {
    const costs: StoreCost[] = []
    for (const name of [ECHO_GET, 'counter', 'bin capture', ...SHARED]) costs.push(await costOf(name))
    return costs
  } finally {
    await Promise.all([plain.stop(), shared.stop()])
    await store.stop()
  }

  async function costOf(name: string): Promise<StoreCost> {
    const loads = await Promise.all([plain, shared].map(({ port }) => loadFor(name, port)))
    let requests = 0
    let before = cpuMs(store)
    const idleBefore = performance.now()
    await new Promise(resolve => setTimeout(resolve, 1000))
    const idleMs = (cpuMs(store) - before) / (performance.now() - idleBefore)
    before = cpuMs(store)
    const startedAt = performance.now()
    const contenders = [plain, shared].map((server, index) => ({
      name: index === 0 ? 'without' : 'with',
      server,
      load: async (seconds: number) => {
        const result = await sendLoad({ ...loads[index]!, connections: CONNECTIONS, seconds })
        if (index === 1) requests += result.requestsPerSecond * seconds
        return result
      },
    }))
    const figures = await contest(contenders, options)
    const ofStoreMs = cpuMs(store) - before - idleMs * (performance.now() - startedAt)
    const [without, withStore] = [figures.get('without')!.cpu, figures.get('with')!.cpu]
    return { name, ratio: withStore / without, without, with: withStore, store: (ofStoreMs * 1000) / requests }
  }
}

/** Requests per second of several processes behind one port, on all cores. The load generator needs one, too. */
export async function measureWorkers(options: ContestOptions, counts: readonly number[]): Promise<Growth[]> {
  const grown: Growth[] = []
  for (const hasStore of [false, true])
    for (const workers of counts) {
      const env = { SVC_WORKERS: String(workers), ...(hasStore && { SVC_STATE_STORE: 'local' }) }
      const server = await startProduct(env, false)
      try {
        const rates = new Map<string, number>()
        for (const name of GROWN) rates.set(name, await rateOf(server, name, hasStore || workers === 1))
        grown.push({ workers, hasStore, rates })
      } finally {
        await server.stop()
      }
    }
  return grown

  /** Without a store, a session is in one worker only. */
  async function rateOf(server: Measured, name: string, hasState: boolean): Promise<number> {
    if (!hasState && name.startsWith('MCP')) return Number.NaN
    const load = await loadFor(name, server.port)
    let best = 0
    for (let slice = 0; slice < options.slices; slice++) {
      const { requestsPerSecond } = await sendLoad({
        ...load,
        connections: CONNECTIONS,
        seconds: options.seconds,
        warmUp: slice === 0 ? 2 * options.seconds : 0,
      })
      best = Math.max(best, requestsPerSecond)
    }
    return best
  }
}

function storeProgram(): string | undefined {
  return ['valkey-server', 'redis-server'].find(name => spawnSync(name, ['--version']).status === 0)
}

async function startStore(): Promise<Measured & { url: string }> {
  const args = ['--port', String(STORE_PORT), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn(storeProgram()!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    let text = ''
    child.on('exit', code => reject(new Error(`the store ended with ${code}: ${text}`)))
    child.stdout.on('data', chunk => {
      text += String(chunk)
      if (text.includes('Ready to accept connections')) resolve()
    })
  })
  return {
    url: `redis://127.0.0.1:${STORE_PORT}`,
    port: STORE_PORT,
    child,
    stop: () =>
      new Promise(resolve => {
        child.removeAllListeners('exit')
        child.on('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}
