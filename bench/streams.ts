/** Many streams at once: paced token streams, and idle event streams that only use memory. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { chat } from './cases.ts'
import { residentBytes } from './contest.ts'
import type { Measured } from './process.ts'
import { sendStreams, type StreamResult } from './stream-load.ts'

export interface TokenStreams extends StreamResult {
  streams: number
  /** Bytes of memory that the streams took, divided by their number. */
  bytesEach: number
}

/** The chat request whose tokens are counted. */
export const CHAT = {
  path: '/ai/openai/v1/chat/completions',
  headers: { 'Content-Type': 'application/json' },
  body: chat(true),
}

/**
 * Opens `streams` token streams within a second; `headers` set their pace. They run twice: the first run measures the
 * memory and warms up code and heap for the second.
 */
export async function tokenStreams(
  server: Measured,
  streams: number,
  headers: Record<string, string>,
  path = CHAT.path,
): Promise<TokenStreams> {
  const load = { port: server.port, path, headers: { ...CHAT.headers, ...headers }, body: CHAT.body }
  await sendStreams({ ...load, streams: 50 })
  const before = residentBytes(server)
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(server))
  }, 100)
  await sendStreams({ ...load, streams })
  clearInterval(timer)
  return { streams, ...(await sendStreams({ ...load, streams })), bytesEach: (peak - before) / streams }
}

/** Opens idle event streams; returns the memory that all of them use, in bytes. */
export async function idleStreams(server: Measured, streams: number): Promise<number> {
  await openAndLeave(server, 200)
  const before = residentBytes(server)
  const sockets = await open(server, streams)
  await wait(1000)
  const taken = residentBytes(server) - before
  await leave(server, sockets)
  return taken
}

async function openAndLeave(server: Measured, streams: number): Promise<void> {
  await leave(server, await open(server, streams))
}

/** Opens streams and waits for the first event of each, a hundred at a time, since the backlog is limited. */
async function open({ port }: Measured, streams: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < streams) {
    const batch = Array.from(
      { length: Math.min(100, streams - sockets.length) },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () =>
            socket.write('GET /sse?interval_ms=60000 HTTP/1.1\r\nHost: a\r\n\r\n'),
          )
          socket.on('error', reject)
          socket.on('data', chunk => {
            if (chunk.includes('data:')) resolve(socket)
          })
        }),
    )
    sockets.push(...(await Promise.all(batch)))
  }
  return sockets
}

async function leave({ port }: Measured, sockets: Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  for (;;) {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/_svc/metrics`)).text()
    if (/^svc_streams_open 0$/m.test(metrics)) return
    await wait(50)
  }
}
