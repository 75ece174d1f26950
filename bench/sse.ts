/** What open event streams cost: memory of each, whether all get their events in time on one core, what stays behind. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { startServer } from './process.ts'

const streams = Number(process.env.BENCH_STREAMS ?? 1000)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const INTERVAL_MS = 100

const server = await startServer(join(import.meta.dirname, '..', 'core', 'main.ts'), [], {
  SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', SVC_WATCH: 'false', SVC_LOG_LEVEL: 'warn',
})

/** Resident memory and processor seconds of the server. */
function usage(): { bytes: number; cpuSeconds: number } {
  const [rss, ...times] = execFileSync('ps', ['-o', 'rss=,cputimes=', '-p', String(server.child.pid)], { encoding: 'utf8' }).trim().split(/\s+/).map(Number)
  return { bytes: rss! * 1024, cpuSeconds: times[0]! }
}

/** Streams of `path`, each open once its first event is there. `events` counts all that came. */
async function openStreams(count: number, path: string): Promise<{ events(): number; leave(): void }> {
  let events = 0
  const sockets: Socket[] = []
  await Promise.all(Array.from({ length: count }, () => new Promise<void>((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`))
    sockets.push(socket)
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('data', (text: string) => {
      events += text.split('\nid: ').length - 1
      if (events > 0) resolve()
    })
  })))
  return { events: () => events, leave: () => sockets.forEach(socket => socket.destroy()) }
}

async function openCount(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/_svc/metrics`)).text()
  return Number(/^svc_streams_open (\d+)$/m.exec(metrics)?.[1])
}

async function untilNoneOpen(): Promise<void> {
  while (await openCount() > 0) await wait(20)
}

// What is compiled once is none of the streams' cost; memory that they leave to those after them is.
const warmUp = await openStreams(Math.ceil(streams / 20), `/sse?interval_ms=${INTERVAL_MS}&count=1000`)
await wait(1000)
warmUp.leave()
await untilNoneOpen()

const before = usage()
const idle = await openStreams(streams, '/sse?interval_ms=60000')
const withIdle = usage()
console.log(`${streams} idle streams    ${((withIdle.bytes - before.bytes) / streams / 1024).toFixed(1)} KiB each (resident ${(withIdle.bytes / 2 ** 20).toFixed(0)} MiB)`)
idle.leave()
await untilNoneOpen()

const busy = await openStreams(streams, `/sse?interval_ms=${INTERVAL_MS}&count=1000`)
const cpuBefore = usage().cpuSeconds
const eventsBefore = busy.events()
const startedAt = performance.now()
await wait(seconds * 1000)
const elapsed = (performance.now() - startedAt) / 1000
const rate = (busy.events() - eventsBefore) / elapsed
const withBusy = usage()
console.log(`${streams} busy streams    ${rate.toFixed(0)} events/s of ${streams * 1000 / INTERVAL_MS} asked for, ${((withBusy.cpuSeconds - cpuBefore) / elapsed * 100).toFixed(0)} % of a core, ${((withBusy.bytes - before.bytes) / streams / 1024).toFixed(1)} KiB each`)
const leftAt = performance.now()
busy.leave()
await untilNoneOpen()
console.log(`all have left       0 open after ${(performance.now() - leftAt).toFixed(0)} ms, resident ${(usage().bytes / 2 ** 20).toFixed(0)} MiB (${(before.bytes / 2 ** 20).toFixed(0)} before)`)
await server.stop()
