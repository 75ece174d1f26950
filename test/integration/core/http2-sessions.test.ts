/** Idle or broken HTTP/2 connections end. */
import { connect as connectHttp2, createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import { connect, type AddressInfo } from 'node:net'
import t from 'tap'
import { closeWhenIdle } from '../../../core/http/sockets/http2-sessions.ts'
import { FRAME, PREFACE, SETTINGS, STRAY_DATA, frame, frameTypes, headersOf } from '../../support/http2-frames.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const IDLE_MS = 150
const callOf = (stream: number): Buffer =>
  headersOf(stream, {
    ':method': 'POST',
    ':path': '/svc.echo.v1.EchoService/Echo',
    ':scheme': 'http',
    ':authority': 'a',
    'content-type': 'application/grpc',
    te: 'trailers',
  })

/** A server that never responds, and its sessions. */
async function silentServer(t: Tap): Promise<{ port: number; session: Promise<ServerHttp2Session> }> {
  const server: Http2Server = createServer(() => {})
  server.on('sessionError', () => {})
  const session = new Promise<ServerHttp2Session>(resolve =>
    server.on('session', opened => {
      closeWhenIdle(opened, IDLE_MS)
      resolve(opened)
    }),
  )
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, session }
}
type Tap = { teardown(callback: () => unknown): unknown }

const closed = (session: ServerHttp2Session): Promise<void> =>
  new Promise(resolve => session.once('close', () => resolve()))

t.test('a connection without requests is closed after the idle timeout [HARD-2]', async t => {
  const { port, session } = await silentServer(t)
  const client = connectHttp2(`http://127.0.0.1:${port}`)
  await closed(await session)
  await new Promise(resolve => client.once('close', resolve))
  t.ok(client.closed)
})

t.test('a silent request stays open as long as its client answers PINGs [HARD-2]', async t => {
  const { port, session } = await silentServer(t)
  const client = connectHttp2(`http://127.0.0.1:${port}`)
  const stream = client.request({ ':path': '/' })
  let pings = 0
  await new Promise<void>(resolve =>
    client.on('ping', () => {
      if (++pings === 4) resolve()
    }),
  )
  t.equal((await session).destroyed, false)
  t.equal(stream.destroyed, false)
  client.destroy()
})

t.test('a connection with a protocol error does not keep its requests [HARD-2]', async t => {
  const { port, session } = await silentServer(t)
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(Buffer.concat([PREFACE, SETTINGS, callOf(1), STRAY_DATA])),
  )
  socket.on('error', () => {}).resume()
  await closed(await session)
  socket.destroy()
  t.pass('closed')
})

t.test('an HTTP/2 client that ends its side ends the connection [HARD-2]', async t => {
  const server = await serve(t)
  const socket = connect(server.ports.grpc!, '127.0.0.1', () => socket.end(Buffer.concat([PREFACE, SETTINGS])))
  await new Promise(resolve => socket.on('end', resolve).resume())
  t.pass('the other side ended too')
})

t.test('a call reset in the same packet as its headers reaches no plugin [HARD-1]', async t => {
  const server = await serve(t)
  const reset = frame(FRAME.rstStream, 0, 1, Buffer.from([0, 0, 0, 8]))
  // The connection continues: the next call is answered, and nothing was logged.
  const socket = connect(server.ports.grpc!, '127.0.0.1', () =>
    socket.write(
      Buffer.concat([PREFACE, SETTINGS, callOf(1), reset, callOf(3), frame(FRAME.data, 1, 3, Buffer.alloc(5))]),
    ),
  )
  socket.on('error', () => {})
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await until(() => frameTypes(Buffer.concat(chunks)).includes(FRAME.headers), 'the answer to the second call')
  socket.destroy()
  t.strictSame(
    server.lines.filter(line => line.includes('exception')),
    [],
  )
})
