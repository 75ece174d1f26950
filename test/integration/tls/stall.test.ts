/** Many connections that never finish the handshake. */
import t from 'tap'
import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const CONNECTIONS = 1000
const STALLED = 100

/** The first record of a client that asks for a server name. */
function clientHello(servername: string): Promise<Buffer> {
  return new Promise(resolve => {
    const transport = new Duplex({ read() {}, write: (chunk: Buffer, _encoding, done) => (resolve(chunk), done()) })
    connect({ socket: transport, servername }).on('error', () => {})
  })
}

t.test('1,000 connections to stall: most are closed at once, others are unaffected [TLSZ-12]', async t => {
  const server = await serve(t, { yaml: 'plugins: { enable: [tls] }\n' })
  const hello = await clientHello('stall.tls.localhost')
  const sockets: Socket[] = []
  let closed = 0
  t.teardown(() => sockets.forEach(socket => socket.destroy()))
  const open = async (): Promise<void> => {
    const socket = connectPlain(server.ports.https!, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {}).once('close', () => closed++)
    await once(socket, 'connect')
    socket.write(hello)
  }
  for (let count = 0; count < CONNECTIONS; count += 50) await Promise.all(Array.from({ length: 50 }, open))
  await until(() => closed >= CONNECTIONS - STALLED, 'the excess connections are closed')

  const ca = await (await fetch(`${server.url}/tls/ca.pem`)).text()
  const good = connect({ port: server.ports.https!, servername: 'good.tls.localhost', ca })
  await once(good, 'secureConnect')
  t.ok(good.authorized, 'another endpoint')
  good.destroy()
  t.equal(closed, CONNECTIONS - STALLED)

  sockets.find(socket => !socket.destroyed)!.destroy()
  await until(() => closed > CONNECTIONS - STALLED)
  const before = closed
  await Promise.all([open(), open()])
  await until(() => closed > before, 'one of two connections is closed')
  t.equal(sockets.filter(socket => !socket.destroyed).length, STALLED, 'the other took the place that became free')
})
