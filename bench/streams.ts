/** Many streams at once: token streams at their pace, and idle event streams that only cost memory. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { chat } from './cases.ts'
import { residentBytes } from './contest.ts'
import type { Measured } from './process.ts'
import { sendStreams } from './stream-load.ts'
import type { StreamResult } from './stream-load.ts'

export interface TokenStreams extends StreamResult {
  streams: number
  /** Bytes of memory that the streams took, divided by their number. */
  bytesEach: number
}

/** The chat whose tokens are counted; headers say its pace. */
export const CHAT = {
  path: '/ai/openai/v1/chat/completions',
  headers: { 'Content-Type': 'application/json' },
  body: chat(true),
}

/**
 * So many token streams, all opened within a second, at the pace that `headers` say; `path` where it is not the mock LLM's.
 * They run twice: the first time tells the memory, and makes code and heap ready for the second.
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

/** Opens so many event streams that stay silent; answers the memory they take altogether, in bytes. */
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

/** Each is open once its first event is there. They are opened a hundred at a time, as the backlog is bounded. */
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
