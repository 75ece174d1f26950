/**
 * Clients that hold connections: slowly sent heads and bodies, unread responses, sockets with one side
 * closed, many connections, floods of header fields. `SVC_ATTACK_CONNECTIONS=10000` is for a long run.
 * Runs alone: it measures memory. Mostly waits: for timeouts of the server.
 */
import t from 'tap'
import { connect, type Socket } from 'node:net'
import { FRAME, PREFACE, SETTINGS, fieldBlock, frame, frameTypes, headersOf } from '../../support/http2-frames.ts'
import { usedBytes } from '../../support/heap.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

t.setTimeout(600_000)

const CONNECTIONS = Number(process.env.SVC_ATTACK_CONNECTIONS ?? 500)
const ALLOWED_GROWTH = 64 << 20
const server = await serve(t, {
  env: { SVC_LOG_FORMAT: 'json', SVC_REQUEST_TIMEOUT: '2', SVC_INSPECTOR_CAPACITY: '50' },
  oneProcess: 'it holds connections of a process and measures its memory',
})
const opened = new Set<Socket>()
t.teardown(() => opened.forEach(socket => socket.destroy()))

/** A client that ignores errors, and the bytes it has received so far. */
function client(
  port: number,
  first: string | Buffer,
): { socket: Socket; received: () => string; ended: Promise<void> } {
  const socket = connect(port, '127.0.0.1', () => socket.write(first))
  let text = ''
  opened.add(socket)
  socket
    .on('data', chunk => {
      text = (text + chunk.toString('latin1')).slice(-4000)
    })
    .on('error', () => {})
  return { socket, received: () => text, ended: new Promise(resolve => socket.once('close', () => resolve())) }
}

async function stillServes(t: Tap, what: string): Promise<void> {
  t.equal((await fetch(`${server.url}/uuid`)).status, 200, what)
}
type Tap = {
  equal(found: unknown, wanted: unknown, message: string): unknown
  ok(value: unknown, message: string): unknown
}

const http = server.ports.http!
const grpc = server.ports.grpc!

t.test('request heads sent byte by byte time out, on both ports [HARD-9]', async t => {
  // Sent continuously: the timeout is for the whole head, not for the time since the last byte.
  const clients = Array.from({ length: 100 }, (_, index) =>
    client(index % 2 === 0 ? http : grpc, 'GET /uuid HTTP/1.1\r\nHost: a\r\nX-Slow: '),
  )
  const timer = setInterval(() => clients.forEach(({ socket }) => socket.writable && socket.write('x')), 500)
  t.teardown(() => clearInterval(timer))
  await stillServes(t, 'meanwhile')
  await Promise.all(clients.map(({ ended }) => ended))
  t.ok(
    clients.every(({ received }) => received() === '' || /^HTTP\/1\.1 4\d\d /.test(received())),
    'closed, with a 4xx at most',
  )
})

t.test('bodies sent byte by byte end with the request timeout [HARD-9]', async t => {
  const clients = Array.from({ length: 100 }, () =>
    client(http, 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n'),
  )
  const timer = setInterval(() => clients.forEach(({ socket }) => socket.writable && socket.write('x')), 300)
  t.teardown(() => clearInterval(timer))
  await stillServes(t, 'meanwhile')
  await Promise.all(clients.map(({ ended }) => ended))
  t.ok(
    clients.every(({ received }) => received().startsWith('HTTP/1.1 503 ')),
    'each got its 503',
  )
})

t.test('unread responses are buffered within bounds [HARD-9]', async t => {
  const before = usedBytes()
  const asked = 'GET /bytes/100000 HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500)
  const clients = Array.from({ length: 40 }, () => client(http, asked))
  for (const { socket } of clients) socket.pause()
  for (let n = 0; n < 20; n++) await stillServes(t, 'meanwhile')
  // Of two gigabytes requested: eight responses of 100 KB per connection, and the received request heads.
  t.ok(usedBytes() - before < 160 << 20, 'only what fits on the way was made')
  for (const { socket } of clients) socket.destroy()
})

t.test('sockets with one side closed are closed [HARD-9]', async t => {
  const beginnings = [
    '',
    'GET /uuid HTTP/1.1\r\nHo',
    'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc',
    'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
    'GET /uuid HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    PREFACE.toString('latin1').slice(0, 10),
  ]
  const clients = Array.from({ length: 280 }, (_, index) =>
    client(index % 3 === 0 ? grpc : http, beginnings[index % beginnings.length]!),
  )
  for (const { socket } of clients) socket.end()
  await Promise.all(clients.map(({ ended }) => ended))
  t.pass('all ended')
})

t.test(`${CONNECTIONS} idle connections do not delay others [HARD-9]`, async t => {
  const clients: ReturnType<typeof client>[] = []
  // At most as many at once as the kernel queues for a listener: it would drop the others, and retry seconds later.
  while (clients.length < CONNECTIONS) {
    const batch = Array.from({ length: Math.min(500, CONNECTIONS - clients.length) }, () =>
      client(http, 'GET /uuid HTTP/1.1\r\nHost: a\r\n\r\n'),
    )
    clients.push(...batch)
    await until(() => batch.every(({ received }) => received().startsWith('HTTP/1.1 200 ')), 'all answers')
  }
  await stillServes(t, 'at the same time')
  for (const { socket } of clients) socket.destroy()
})

t.test('floods of header fields are cut off [HARD-9]', async t => {
  const before = usedBytes()
  const endless = client(http, `GET /uuid HTTP/1.1\r\nHost: a\r\n${'x: y\r\n'.repeat(100_000)}`)
  await endless.ended
  t.match(endless.received(), /^HTTP\/1\.1 431 /)
  const head = frame(
    FRAME.headers,
    0,
    1,
    fieldBlock({ ':method': 'POST', ':path': '/', ':scheme': 'http', ':authority': 'a' }),
  )
  const more = frame(
    FRAME.continuation,
    0,
    1,
    fieldBlock(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-${index}`, 'y'.repeat(20)]))),
  )
  const flood = client(grpc, Buffer.concat([PREFACE, SETTINGS, head, ...Array.from({ length: 200 }, () => more)]))
  await until(
    () => flood.socket.destroyed || frameTypes(Buffer.from(flood.received(), 'latin1')).includes(FRAME.goaway),
    'GOAWAY',
  )
  flood.socket.destroy()
  t.ok(usedBytes() - before < ALLOWED_GROWTH, 'nothing of it stays')
  await stillServes(t, 'afterwards')
})

t.test('calls that are reset immediately do not affect others [HARD-9]', async t => {
  const reset = (stream: number): Buffer => frame(FRAME.rstStream, 0, stream, Buffer.from([0, 0, 0, 8]))
  const call = {
    ':method': 'POST',
    ':path': '/svc.echo.v1.EchoService/Echo',
    ':scheme': 'http',
    ':authority': 'a',
    'content-type': 'application/grpc',
    te: 'trailers',
  }
  const before = usedBytes()
  const pairs = Array.from({ length: 5000 }, (_, index) =>
    Buffer.concat([headersOf(2 * index + 1, call), reset(2 * index + 1)]),
  )
  const { socket } = client(grpc, Buffer.concat([PREFACE, SETTINGS, ...pairs]))
  await until(() => socket.destroyed || (socket.bytesWritten > 0 && socket.writableLength === 0), 'all sent')
  await stillServes(t, 'meanwhile')
  socket.destroy()
  t.ok(usedBytes() - before < ALLOWED_GROWTH, 'nothing of it stays')
})

t.test('afterwards the log has no errors', async t => {
  t.strictSame(
    server.lines.filter(line => line.includes('"level":"error"')),
    [],
  )
})
