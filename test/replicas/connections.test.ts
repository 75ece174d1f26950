/** Connections of layer 4 listeners, as replicas show them to each other. */
import { connect } from 'node:net'
import { once } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { exchange, openPorts } from '../support/layer4.ts'
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

t.test('faults of a listener hold at all replicas, which count connections together [L4-2]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = (id: string) =>
    launch({
      plugins: ['echo', 'layer4'],
      settings: { layer4: { listeners: [{ name: 'echo', port: 0 }] } },
      env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000', SVC_INSTANCE_ID: id },
    })
  const [one, two] = [await start('one'), await start('two')]
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const [first, second] = [(await openPorts(one as never)).echo!, (await openPorts(two as never)).echo!]
  const isAt = async ({ url }: { url: string }, override: object | null): Promise<boolean> => {
    const { listeners } = (await (await fetch(`${url}/_svc/layer4`)).json()) as { listeners: { override: unknown }[] }
    return isDeepStrictEqual(listeners[0]!.override, override)
  }
  const put = (body: object): Promise<Response> =>
    fetch(`${one.url}/_svc/layer4/echo`, { method: 'PUT', body: JSON.stringify(body) })

  await put({ abort: 'close', times: 3 })
  await until(() => isAt(two, { abort: 'close', times: 3 }))
  t.equal(await exchange(second, 'x'), '')
  t.equal(await exchange(first, 'x'), '')
  t.equal(await exchange(second, 'x'), '', 'the third of three')
  t.equal(await exchange(first, 'x'), 'x')
  t.equal(await exchange(second, 'x'), 'x')

  await put({ abort: 'close' })
  await until(() => isAt(two, { abort: 'close' }))
  t.equal((await fetch(`${two.url}/_svc/layer4/echo`, { method: 'DELETE' })).status, 200)
  await until(() => isAt(one, null))
  t.equal(await exchange(first, 'x'), 'x', 'removed by the other')

  await put({ abort: 'close' })
  await until(() => isAt(two, { abort: 'close' }))
  t.equal((await fetch(`${two.url}/_svc/reload?force=true`, { method: 'POST' })).status, 200)
  await until(() => isAt(one, null))
  t.equal(await exchange(first, 'x'), 'x', 'until the next reload')
})
