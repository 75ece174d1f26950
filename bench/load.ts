/**
 * A bounded load over raw sockets: a number of connections for some seconds, one request at a time on each. An HTTP client
 * would cost more than the servers under test.
 */
import { connect } from 'node:net'

export interface Load {
  host?: string
  port: number
  path: string
  connections: number
  /** Measured seconds, after `warmUp` seconds that don't count. */
  seconds: number
  warmUp?: number
  /** Sends at this rate over all connections, and counts from when a request was due; by default as fast as responses come. */
  requestsPerSecond?: number
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface LoadResult {
  requestsPerSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** Sends the load; rejects if a response is not 2xx or a connection breaks. */
export async function sendLoad(load: Load): Promise<LoadResult> {
  const { warmUp = 1 } = load
  const bytes = requestBytes(load)
  const startedAt = performance.now()
  const countFrom = startedAt + warmUp * 1000
  const until = countFrom + load.seconds * 1000
  const latencies: number[] = []
  const rest = stayAwake()
  await Promise.all(
    Array.from({ length: load.connections }, (_, index) =>
      runConnection(load, bytes, { dueAt: dueTimes(load, index, startedAt), countFrom, until }, latencies),
    ),
  )
  rest()
  latencies.sort((a, b) => a - b)
  return {
    requestsPerSecond: latencies.length / load.seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }
}

/**
 * Keeps the event loop busy until the returned function is called. If a load generator slept between responses, the
 * server's writes would have to wake it, which costs up to half a write, and a slower server would pay it more often.
 */
export function stayAwake(): () => void {
  let isAwake = true
  const turn = (): void => {
    if (isAwake) setImmediate(turn)
  }
  turn()
  return () => {
    isAwake = false
  }
}

function requestBytes({ host = '127.0.0.1', port, path, method = 'GET', headers = {}, body }: Load): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

interface Times {
  /** When the next request is due; 0 for at once. */
  dueAt(): number
  countFrom: number
  until: number
}

/** When the requests of a connection are due: the connections take turns. */
function dueTimes({ requestsPerSecond, connections }: Load, index: number, startedAt: number): () => number {
  if (requestsPerSecond === undefined) return () => 0
  let sent = 0
  return () => startedAt + ((index + connections * sent++) * 1000) / requestsPerSecond
}

function runConnection(
  { host = '127.0.0.1', port }: Load,
  bytes: Buffer,
  { dueAt, countFrom, until }: Times,
  latencies: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    let sentAt = 0
    let pending: Buffer = Buffer.alloc(0)
    const send = (): void => {
      const due = dueAt()
      const sendWhenDue = (): void => {
        const now = performance.now()
        if (now >= until) return void socket.end()
        // The event loop is kept busy, so this is more exact than a timer.
        if (now < due) return void setImmediate(sendWhenDue)
        sentAt = due === 0 ? now : due
        socket.write(bytes)
      }
      sendWhenDue()
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => (performance.now() < until ? reject(new Error('the connection was closed')) : resolve()))
    socket.on('data', chunk => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      const length = responseLength(pending)
      if (length === null || pending.length < length) return
      if (pending[9] !== 0x32) return void reject(new Error(pending.toString('latin1', 0, 200)))
      pending = pending.subarray(length)
      const now = performance.now()
      if (now >= countFrom && now < until) latencies.push(now - sentAt)
      send()
    })
  })
}

/** Length in bytes of the response at the start of `buffer`; null if it is incomplete. */
function responseLength(buffer: Buffer): number | null {
  const headEnd = buffer.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = buffer.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)
  if (length !== null) return headEnd + 4 + Number(length[1])
  const last = buffer.indexOf('0\r\n\r\n', headEnd)
  return last === -1 ? null : last + 5
}

/** The `q`-quantile of sorted values. */
export function quantile(sorted: number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}
