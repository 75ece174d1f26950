/**
 * Chat completions a second on one core, and 1000 token streams at once, beside a bare `node:http` server that sends the
 * same bytes, and beside aimock when `BENCH_AIMOCK` names a folder where it is installed. `BENCH_SECONDS`,
 * `BENCH_ROUNDS` and `BENCH_STREAMS` say how much, 0 skips a part.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadFrom, startServer, type Measured } from './process.ts'
import type { StreamLoad, StreamResult } from './stream-load.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const streams = Number(process.env.BENCH_STREAMS ?? 1000)
const aimock = process.env.BENCH_AIMOCK
const connections = 20
const tokensPerSecond = 20

const bare = join(import.meta.dirname, 'llm-bare.ts')
const product = join(import.meta.dirname, '..', 'core', 'main.ts')
const quiet = { SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', SVC_WATCH: 'false', SVC_LOG_LEVEL: 'warn' }
const headers = { 'Content-Type': 'application/json', 'Authorization': 'Bearer sk-bench-0000' }
const bodyOf = (stream: boolean): string => JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }], stream })

interface Contender {
  name: string
  script: string
  args: string[]
  path: string
}

/** What the product answers, for the bare server to repeat. */
async function record(stream: boolean): Promise<string> {
  const server = await startServer(product, [], quiet)
  const answer = await fetch(`http://127.0.0.1:${server.port}/ai/v1/chat/completions`, { method: 'POST', headers: { ...headers, 'X-Svc-Tokens-Per-Second': '0' }, body: bodyOf(stream) })
  const text = await answer.text()
  await server.stop()
  const own = Object.fromEntries([...answer.headers].filter(([name]) => !['content-length', 'transfer-encoding', 'connection', 'date', 'keep-alive'].includes(name)))
  const events = text.split(/(?<=\n\n)/)
  return JSON.stringify(stream ? { headers: own, events, gapMs: 1000 / tokensPerSecond } : { headers: own, body: text })
}

async function contenders(stream: boolean): Promise<Contender[]> {
  return [
    { name: 'node:http, same bytes', script: bare, args: ['node', await record(stream)], path: '/' },
    { name: 'svc', script: product, args: [], path: '/ai/v1/chat/completions' },
    ...(aimock === undefined || stream ? [] : [{ name: 'aimock', script: bare, args: ['aimock', aimock], path: '/v1/chat/completions' }]),
  ]
}

async function measureRequests(): Promise<void> {
  const best = new Map<string, { rate: number; p99: number; cpuMicros: number }>()
  const all = await contenders(false)
  // Rounds alternate, so that a slow moment of the machine meets everybody.
  for (let round = 0; round < rounds; round++) {
    for (const { name, script, args, path } of all) {
      const server = await startServer(script, args, quiet)
      const load = { port: server.port, path, method: 'POST', connections, warmUp: 0, headers, body: bodyOf(false) }
      await loadFrom({ ...load, seconds: 1 })
      const cpuBefore = cpuMicros(server)
      const { requestsPerSecond: rate, p99 } = await loadFrom({ ...load, seconds })
      const cpu = (cpuMicros(server) - cpuBefore) / (rate * seconds)
      const before = best.get(name)
      best.set(name, { rate: Math.max(rate, before?.rate ?? 0), p99: Math.min(p99, before?.p99 ?? Infinity), cpuMicros: Math.min(cpu, before?.cpuMicros ?? Infinity) })
      await server.stop()
    }
  }
  const own = best.get('svc')
  for (const [name, { rate, p99, cpuMicros: cpu }] of best) {
    const ratio = `svc: ${((own?.rate ?? Number.NaN) / rate).toFixed(2)} times the rate, ${(cpu / (own?.cpuMicros ?? Number.NaN)).toFixed(2)} times a CPU second`
    console.log(`${name.padEnd(24)} ${rate.toFixed(0).padStart(7)} completions/s  p99 ${p99.toFixed(1).padStart(6)} ms  ${cpu.toFixed(0).padStart(5)} us of CPU each  ${ratio}`)
  }
}

/** User and system time of a process so far: what other work on the machine hardly changes. NaN where it is not told. */
function cpuMicros({ child }: Measured): number {
  try {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * (1_000_000 / ticksPerSecond)
  } catch {
    return Number.NaN
  }
}
/** Linux counts in hundredths of a second on every platform that Node runs on. */
const ticksPerSecond = 100

/** Resident memory of a process in bytes; NaN where the system does not tell. */
function residentBytes({ child }: Measured): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}

function loadStreams(load: StreamLoad): Promise<StreamResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), join(import.meta.dirname, 'stream-load.ts'), JSON.stringify(load)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => { text += chunk })
    child.on('exit', (code) => (code === 0 ? resolve(JSON.parse(text) as StreamResult) : reject(new Error(`the load ended with ${code}`))))
  })
}

async function measureStreams(): Promise<void> {
  for (const { name, script, args, path } of await contenders(true)) {
    const server = await startServer(script, args, quiet)
    const load = { port: server.port, path, headers: { ...headers, 'X-Svc-Tokens-Per-Second': String(tokensPerSecond) }, body: bodyOf(true) }
    await loadStreams({ ...load, streams: 20 })
    const before = residentBytes(server)
    let peak = before
    const timer = setInterval(() => { peak = Math.max(peak, residentBytes(server)) }, 100)
    const result = await loadStreams({ ...load, streams })
    clearInterval(timer)
    await server.stop()
    const figures = [`first token p50 ${result.ttftP50.toFixed(1)} p99 ${result.ttftP99.toFixed(1)} ms`, `gap p50 ${result.gapP50.toFixed(1)} p99 ${result.gapP99.toFixed(1)} ms (asked ${1000 / tokensPerSecond})`, `${((peak - before) / streams / 1024).toFixed(1)} KiB a stream`]
    console.log(`${name.padEnd(24)} ${streams} streams: ${figures.join(', ')}`)
  }
}

if (rounds > 0) await measureRequests()
if (streams > 0) await measureStreams()
