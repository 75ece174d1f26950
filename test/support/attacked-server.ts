/**
 * A server process under attack: what it costs in memory and processor time. Processor time is that of the main thread, as
 * the kernel counts it, relative to a loop at the same moment, so that the figures depend little on the machine and on what
 * else runs on it. A file that has bounds on these figures has a comment `Measures: <what>`: then nothing else of the run
 * makes requests and answers pile up.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { slowness } from './reference-loop.ts'
import { startProcess, type ServerProcess, type StartOptions } from './process.ts'

const MIB = 1024 * 1024
/**
 * An attack after which another client waits longer than this, in milliseconds, is made again: when the machine does not run the
 * server for a while, what has arrived in the meantime is read in one turn. The shortest of the longest waits counts, but
 * the largest growth.
 */
const LONG_WAIT_MS = 200
const TRIES = 3

/**
 * Runs in the server: writes a line for each time that its event loop did not come round for some processor time. That is
 * how long another client waits.
 */
const MONITOR = `
import { appendFileSync, openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const file = process.env.SVC_TEST_GAPS
if (isMainThread && file && /svc(\\.mjs)?$/.test(process.argv[1] ?? '')) {
  const stat = openSync('/proc/self/task/' + process.pid + '/schedstat', 'r')
  const buffer = Buffer.alloc(64)
  const cpuMs = () => Number(buffer.toString('latin1', 0, readSync(stat, buffer, 0, 64, 0)).split(' ')[0]) / 1e6
  let before = cpuMs()
  setInterval(() => {
    const now = cpuMs()
    if (now - before > 5) appendFileSync(file, Math.round(now - before) + '\\n')
    before = cpuMs()
  }, 5).unref()
}`

interface Test {
  teardown(callback: () => unknown): unknown
}

/** What requests cost. */
export interface Cost {
  /** MiB by which the resident memory of the process grew at most. */
  grownMib: number
  /**
   * The longest that another client waits: milliseconds of processor time between two turns of the event loop. On a machine that
   * is slow at the moment, what they would be on another one.
   */
  slowestWaitMs: number
  /** Milliseconds of processor time of the process, all threads; the same applies. */
  cpuMs: number
  /** Answers to `GET /_svc/ready` of another client meanwhile, by status; -1 for no answer. */
  ready: Map<number, number>
  /** Set if the process has ended. */
  exit: { code: number | null; signal: string | null } | null
}

export interface AttackedServer extends ServerProcess {
  url: string
  /** Runs a function this many times at once, and measures until all have ended. The results are those of the first try. */
  attack<T>(times: number, act: (index: number) => Promise<T>): Promise<Cost & { results: PromiseSettledResult<T>[] }>
}

export interface AttackedOptions extends StartOptions {
  /** Default: `--max-old-space-size=256`. */
  nodeFlags?: string
  /** `SVC_PUBLIC_MODE` and the admin token are set. */
  isPublic?: boolean
}

export const ADMIN_TOKEN = 'attacked-server-admin-token-of-the-test'

/** Starts the server as a process of its own; it ends with the test. */
export async function attackedServer(
  t: Test,
  { nodeFlags = '--max-old-space-size=256', isPublic = false, env = {}, ...options }: AttackedOptions = {},
): Promise<AttackedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-attacked-'))
  const gapsFile = join(folder, 'gaps')
  writeFileSync(gapsFile, '')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const server = startProcess(t, {
    ...options,
    env: {
      NODE_OPTIONS: `${nodeFlags} --import=data:text/javascript,${encodeURIComponent(MONITOR)}`,
      SVC_TEST_GAPS: gapsFile,
      SVC_LOG_LEVEL: 'error',
      ...(isPublic ? { SVC_PUBLIC_MODE: '1', SVC_ADMIN_TOKEN: ADMIN_TOKEN } : {}),
      ...env,
    },
  })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  let exit: Cost['exit'] = null
  void server.exited.then(ended => {
    exit = ended
  })
  const { pid } = server.child
  const gaps = (): number[] => readFileSync(gapsFile, 'utf8').split('\n').filter(Boolean).map(Number)

  async function attackOnce<T>(
    times: number,
    act: (index: number) => Promise<T>,
    rssBefore: number,
  ): Promise<Cost & { results: PromiseSettledResult<T>[] }> {
    const slownessBefore = slowness()
    resetPeak(pid!)
    const known = gaps().length
    const cpuBefore = cpuMs(pid!)
    const last = { peak: rssBefore, cpu: cpuBefore }
    const ready = new Map<number, number>()
    let isOver = false
    const other = (async () => {
      while (!isOver && exit === null) {
        const status = await statusOf(`${url}/_svc/ready`)
        ready.set(status, (ready.get(status) ?? 0) + 1)
        look()
        await sleep(20)
      }
    })()
    // A process that has ended has no figures any more.
    function look(): void {
      try {
        last.peak = Math.max(last.peak, memoryMib(pid!, 'VmHWM'))
        last.cpu = cpuMs(pid!)
      } catch {}
    }
    const results = await Promise.allSettled(Array.from({ length: times }, async (_, index) => act(index)))
    isOver = true
    await other
    // One more turn of the loop, so that the last gap is written.
    await sleep(20)
    look()
    const slower = Math.max(1, (slownessBefore + slowness()) / 2)
    return {
      results,
      grownMib: Math.round(last.peak - rssBefore),
      slowestWaitMs: Math.round(Math.max(0, ...gaps().slice(known)) / slower),
      cpuMs: Math.round((last.cpu - cpuBefore) / slower),
      ready,
      exit,
    }
  }

  return {
    ...server,
    url,
    async attack(times, act) {
      const rssBefore = memoryMib(pid!, 'VmRSS')
      const cost = await attackOnce(times, act, rssBefore)
      for (let tries = 1; tries < TRIES && times > 1 && cost.slowestWaitMs > LONG_WAIT_MS && exit === null; tries++) {
        const again = await attackOnce(times, act, rssBefore)
        cost.slowestWaitMs = Math.min(cost.slowestWaitMs, again.slowestWaitMs)
        cost.grownMib = Math.max(cost.grownMib, again.grownMib)
        for (const [status, count] of again.ready) cost.ready.set(status, (cost.ready.get(status) ?? 0) + count)
        cost.exit = again.exit
      }
      return cost
    },
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

function memoryMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error(`process ${pid} has no ${field}`)
  return (Number(kib) * 1024) / MIB
}

/** From now on `VmHWM` is the peak from now on. */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // User and system time in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function statusOf(url: string): Promise<number> {
  return new Promise(resolve => {
    const request = httpRequest(url, { agent: false }, response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? -1))
      response.on('error', () => resolve(-1))
    })
    request.on('error', () => resolve(-1))
    request.end()
  })
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Bytes of the body. */
  bytes: number
  /** The first 4 KiB of the body. */
  text: string
}

/** Sends a request and reads the answer without keeping it. */
export function attackWith(
  url: string,
  {
    method = 'POST',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, agent: false, headers }, response => {
      let bytes = 0
      let text = ''
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (text.length < 4096) text += chunk.toString('latin1', 0, 4096 - text.length)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text }))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}
