/** Clients that send to `/ws` and never read an echo. */
import t from 'tap'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { usedBytes } from '../../support/heap.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

t.setTimeout(600_000)

const CLIENTS = 300
const MIB = 2 ** 20
/** One masked binary frame of 128 KiB (RFC 6455, 5.2), the same memory for all clients. */
const FRAME = Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]), Buffer.alloc(128 * 1024)])

async function openUnread(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    'GET /ws HTTP/1.1\r\nHost: svc.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  await once(socket, 'data')
  socket.pause()
  return socket
}

t.test('300 WebSockets that read nothing hold a bounded total [HARD-13]', async t => {
  const server = await serve(t, {
    env: { SVC_LOG_LEVEL: 'error' },
    oneProcess: 'it holds connections of a process and measures its memory',
  })
  const port = Number(new URL(server.url).port)
  const before = usedBytes()
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openUnread(port)))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  // Each sends while it is read from, at most 8 MiB.
  let sent = 0
  const isDone = sockets.map(() => 0)
  for (let quiet = 0; quiet < 10; quiet++) {
    for (const [index, socket] of sockets.entries()) {
      while (isDone[index]! < 64 && socket.writableLength === 0 && !socket.destroyed) {
        socket.write(FRAME)
        isDone[index]!++
        sent++
        quiet = 0
      }
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  const held = usedBytes() - before
  t.comment(`${sent} frames of 128 KiB taken, ${(held / MIB).toFixed(0)} MiB held`)
  // Unsent data, and the same amount for partially received frames.
  t.ok(held < 2 * 64 * MIB, `${(held / MIB).toFixed(0)} MiB held`)
  const reader = await openUnread(port)
  reader.write(Buffer.from([0x81, 0x80, 0, 0, 0, 0]))
  await until(() => {
    reader.resume()
    return reader.bytesRead > 130
  }, 'others are served')
  reader.destroy()
})
