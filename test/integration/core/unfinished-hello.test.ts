/** A ClientHello that never ends. Runs alone: it replaces the timers of the process. */
import t from 'tap'
import { once } from 'node:events'
import { connect } from 'node:net'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { serve } from '../../support/server.ts'

const HELLO_MS = 20_000

t.test('a ClientHello that does not arrive within 20 s ends the connection [TLS-2]', async t => {
  const server = await serve(t, { yaml: 'plugins: { enable: [tls] }\n' })
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const socket = connect(server.ports.https!, '127.0.0.1')
  let isClosed = false
  socket.on('error', () => {}).once('close', () => (isClosed = true))
  await once(socket, 'connect')
  // The beginning of a record, byte by byte: time goes on only when the test says so.
  for (const byte of [22, 3, 1, 2, 0, 1]) {
    socket.write(Buffer.from([byte]))
    for (let turns = 0; turns < 100; turns++) await turn()
  }
  mock.timers.tick(HELLO_MS - 1)
  for (let turns = 0; turns < 100; turns++) await turn()
  t.notOk(isClosed, 'not before')
  mock.timers.tick(1)
  await once(socket.resume(), 'close')
  t.pass('closed')
})
