/**
 * Connections, handshakes and HTTP/2 frames at rate: other clients are served meanwhile, and nothing of them stays.
 * Measures: memory and processor time of a process.
 */
import t from 'tap'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { attackedServer, type Cost } from '../../support/attacked-server.ts'
import { FRAME, frame, headersOf, PREFACE, SETTINGS } from '../../support/http2-frames.ts'

const server = await attackedServer(t)
const ports = {
  http: Number(new URL(server.url).port),
  https: await server.port('HTTPS'),
  grpc: await server.port('gRPC'),
}

const PING = 6
const PRIORITY = 2
const WINDOW_UPDATE = 8
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const call = {
  ':method': 'POST',
  ':path': '/svc.echo.v1.EchoService/Echo',
  ':scheme': 'http',
  ':authority': 'a',
  'content-type': 'application/grpc',
  te: 'trailers',
}
const open = headersOf(1, call)
const times = (count: number, make: (index: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)))
const pair = (index: number): Buffer =>
  Buffer.concat([headersOf(2 * index + 1, call), frame(FRAME.rstStream, 0, 2 * index + 1, number(8))])

/** What a client sends at once after the preface. */
const FLOODS: Record<string, Buffer> = {
  'PING frames': times(50_000, () => frame(PING, 0, 0, Buffer.alloc(8))),
  'SETTINGS frames': times(50_000, () => frame(FRAME.settings, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]))),
  'streams that are reset': times(10_000, pair),
  'PRIORITY frames': times(50_000, index => frame(PRIORITY, 0, 2 * index + 1, Buffer.from([0, 0, 0, 0, 1]))),
  'WINDOW_UPDATE frames': times(50_000, () => frame(WINDOW_UPDATE, 0, 0, number(1))),
  'empty DATA frames': Buffer.concat([open, times(50_000, () => frame(FRAME.data, 0, 1, Buffer.alloc(0)))]),
  'padded DATA frames': Buffer.concat([open, times(300, () => frame(FRAME.data, 0x8, 1, Buffer.alloc(200, 199)))]),
  'empty CONTINUATION frames': Buffer.concat([
    frame(FRAME.headers, 0, 1, Buffer.alloc(0)),
    times(50_000, () => frame(FRAME.continuation, 0, 1, Buffer.alloc(0))),
  ]),
}

type Check = Pick<typeof t, 'equal' | 'ok' | 'strictSame' | 'comment'>

function check(
  t: Check,
  { grownMib, slowestWaitMs, cpuMs, exit, ready }: Cost,
  { mostWaitMs = 250, mostMib = 64 } = {},
): void {
  t.comment(`+${grownMib} MiB, slowest wait ${slowestWaitMs} ms, ${cpuMs} ms of processor time`)
  t.equal(exit, null, 'the process lives')
  t.ok(grownMib < mostMib, `${grownMib} MiB`)
  t.ok(slowestWaitMs < mostWaitMs, `${slowestWaitMs} ms`)
  t.strictSame([...ready.keys()], [200], 'others are served')
}

/** Sends bytes; resolves when they are sent, or the other side has closed the connection. */
function send(socket: Socket, bytes: Buffer, { isReading = true, lingerMs = 200 } = {}): Promise<void> {
  return new Promise(resolve => {
    if (isReading) socket.resume()
    socket.on('error', () => {})
    socket.once('close', () => resolve())
    socket.write(bytes, () => setTimeout(() => socket.destroy(), lingerMs))
    // Of a client that reads nothing, the server may not read on.
    setTimeout(() => socket.destroy(), 5000).unref()
  })
}

for (const [name, bytes] of Object.entries(FLOODS)) {
  for (const isReading of [true, false]) {
    t.test(`${name}${isReading ? '' : ', of clients that read nothing'} [HARD-9]`, async t => {
      const cost = await server.attack(10, () =>
        send(connect(ports.grpc, '127.0.0.1'), Buffer.concat([PREFACE, SETTINGS, bytes]), { isReading }),
      )
      // Node itself makes an object for each stream, and up to a thousand of a connection in one turn.
      check(t, cost, name === 'streams that are reset' ? { mostWaitMs: 700, mostMib: 160 } : {})
    })
  }
}

for (const port of ['http', 'https', 'grpc'] as const) {
  t.test(`connections without a byte to ${port} [HARD-9]`, async t => {
    const cost = await server.attack(10, async () => {
      for (let count = 0; count < 200; count++)
        await new Promise<void>(resolve => {
          const socket = connect(ports[port], '127.0.0.1', () => socket.destroy())
          socket.once('close', () => resolve()).on('error', () => {})
        })
    })
    check(t, cost)
  })
}

t.test('handshakes of TLS, complete and broken off [HARD-9]', async t => {
  const complete = await server.attack(10, async () => {
    for (let count = 0; count < 20; count++)
      await new Promise<void>(resolve => {
        const socket = connectTls({ port: ports.https, host: '127.0.0.1', rejectUnauthorized: false }, () =>
          socket.destroy(),
        )
        socket.once('close', () => resolve()).on('error', () => {})
      })
  })
  check(t, complete)
  const hello = await helloOf()
  const brokenOff = await server.attack(10, async () => {
    const sockets = Array.from({ length: 30 }, () => connect(ports.https, '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => {}).write(hello)
    await new Promise(resolve => setTimeout(resolve, 500))
    for (const socket of sockets) socket.destroy()
  })
  check(t, brokenOff)
  const garbage = await server.attack(10, async () => {
    for (let count = 0; count < 50; count++)
      await send(connect(ports.https, '127.0.0.1'), Buffer.concat([hello.subarray(0, 100), Buffer.alloc(500, count)]), {
        lingerMs: 20,
      })
  })
  check(t, garbage)
})

/** The first bytes of a client of TLS. */
async function helloOf(): Promise<Buffer> {
  const listener = createServer()
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const received = new Promise<Buffer>(resolve =>
    listener.once('connection', socket =>
      socket.once('data', bytes => {
        resolve(bytes)
        socket.destroy()
      }),
    ),
  )
  const client = connectTls({ port: (listener.address() as AddressInfo).port, host: '127.0.0.1' })
  client.on('error', () => {})
  const hello = await received
  listener.close()
  return hello
}
