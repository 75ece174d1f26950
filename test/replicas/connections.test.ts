/** Connections of layer 4 listeners, as replicas show them to each other. */
import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { openPorts } from '../support/layer4.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'

interface Listed {
  count: number
  connections: { id: string; end: string; replica: string; listener: string; received: { data: string } }[]
}

t.test('connections are listed, verified and removed at any replica [L4-6]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = (id: string) =>
    launch({
      plugins: ['echo', 'layer4'],
      settings: { layer4: { listeners: [{ name: 'echo', port: 0 }] } },
      env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000', SVC_INSTANCE_ID: id },
    })
  const [one, two] = [await start('one'), await start('two')]
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const ports = [(await openPorts(one as never)).echo!, (await openPorts(two as never)).echo!]
  t.not(ports[0], ports[1], 'each replica has its own port')
  const list = async ({ url }: { url: string }, query = ''): Promise<Listed> =>
    (await (await fetch(`${url}/_svc/connections${query}`)).json()) as Listed

  const socket = connect(ports[0]!, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('hello')
  await once(socket, 'data')
  await until(async () => (await list(two, '?listener=echo&end=open')).count === 1)
  const [open] = (await list(two)).connections
  t.match(open, { replica: 'one', listener: 'echo', end: 'open' })

  socket.end()
  await until(async () => (await list(two, '?end=client_fin')).count === 1)
  const { count, connections } = await list(two)
  t.equal(count, 1, 'once, as it ended')
  t.match(connections[0], { id: open!.id, replica: 'one', received: { data: 'hello' } })

  const verify = await fetch(`${two.url}/_svc/verify`, {
    method: 'POST',
    body: JSON.stringify({ connections: { listener: 'echo', data: { contains: 'hello' } } }),
  })
  t.match(await verify.json(), { verified: true })

  t.equal((await fetch(`${two.url}/_svc/connections`, { method: 'DELETE' })).ok, true)
  await until(async () => (await list(two)).count === 0)
  await until(async () => (await list(one)).count === 0)
  t.pass('removed at both')
})
