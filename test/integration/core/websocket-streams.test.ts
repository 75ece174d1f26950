/** The limits of the registry for WebSockets. */
import { once } from 'node:events'
import http from 'node:http'
import t, { type Test } from 'tap'
import { WebSocket, WebSocketServer } from 'ws'
import type { WebSocketOptions } from '../../../core/contract/plugin.ts'
import { StreamRegistry } from '../../../core/http/streams/stream-registry.ts'
import type { OpenWebSocket } from '../../../core/http/request/types.ts'
import { registerWebSocket, type WebSocketOpening } from '../../../core/http/streams/websocket-stream.ts'
import { listen, TurnedClock } from '../../support/stream-server.ts'
import { until } from '../../support/until.ts'

/** One WebSocket in a registry with a test clock: the client side, the server side, and how it closes. */
async function connect(t: Test, opening: Partial<WebSocketOpening> = {}) {
  const clock = new TurnedClock()
  const registry = new StreamRegistry({ clock })
  let closes = 0
  const server = http.createServer()
  const sockets = new WebSocketServer({ server })
  const accepted = new Promise<{ served: WebSocket; registered: OpenWebSocket }>(resolve => {
    sockets.on('connection', served => {
      resolve({
        served,
        registered: registerWebSocket(registry, served, {
          generation: 1,
          onClose: () => {
            closes += 1
          },
          ...opening,
        }),
      })
    })
  })
  const client = new WebSocket(`ws://127.0.0.1:${await listen(t, server)}`)
  t.teardown(() => {
    client.terminate()
    sockets.close()
  })
  const closed = once(client, 'close').then(([code, reason]) => `${code as number} ${String(reason)}`)
  await once(client, 'open')
  return { registry, clock, client, ...(await accepted), closed, closes: () => closes }
}

t.test('each forced end has its code and reason, and releases everything [STREAM-14] [STREAM-2]', async t => {
  const table = [
    ['stop', '1001 server shutting down'],
    ['reload', '1001 server reloaded'],
    ['lifetime', '1001 maximum connection lifetime reached'],
    ['plan', '1008 svc plan stream lifetime reached'],
  ] as const
  for (const [reason, expected] of table) {
    const { registry, closed, closes } = await connect(t)
    t.equal(registry.count({ kind: 'websocket' }), 1)
    registry.endAll({ reason })
    registry.endAll({ reason: 'stop' })
    t.equal(await closed, expected)
    await until(() => registry.count() === 0)
    t.equal(closes(), 1)
  }
})

t.test("lifetimes: the route's and the plan's, whichever is shorter [STREAM-14]", async t => {
  const table: [options: WebSocketOptions, planLifetimeMs: number | null, afterMs: number, expected: string][] = [
    [{ lifetimeMs: 100 }, null, 100, '1001 maximum connection lifetime reached'],
    [{ lifetimeMs: 50 }, 100, 50, '1001 maximum connection lifetime reached'],
    [{}, 100, 100, '1008 svc plan stream lifetime reached'],
    [{ lifetimeMs: 100 }, 50, 50, '1008 svc plan stream lifetime reached'],
    [{ lifetimeMs: 100, idleMs: 60 }, 100, 60, '1001 idle timeout'],
  ]
  for (const [options, planLifetimeMs, afterMs, expected] of table) {
    const { clock, closed, served } = await connect(t, { options, planLifetimeMs })
    clock.advance(afterMs - 1)
    t.equal(served.readyState, WebSocket.OPEN)
    clock.advance(1)
    t.equal(await closed, expected)
  }
})

t.test('idle time restarts with each frame of the client, not with frames of the server [STREAM-14]', async t => {
  const { registered, clock, client, served, closed } = await connect(t)
  registered.limit({ idleMs: 100 })
  for (const [event, send] of [
    ['message', () => client.send('text')],
    ['ping', () => client.ping()],
    ['pong', () => client.pong()],
  ] as const) {
    clock.advance(60)
    send()
    await once(served, event)
  }
  clock.advance(60)
  served.send('from the server')
  await once(client, 'message')
  clock.advance(39)
  t.equal(served.readyState, WebSocket.OPEN)
  clock.advance(1)
  t.equal(await closed, '1001 idle timeout')
})

t.test('limits can be added and replaced later, counted from then [STREAM-14]', async t => {
  const { registry, registered, clock, served, closed } = await connect(t, {
    options: { lifetimeMs: 100, idleMs: 1000 },
  })
  clock.advance(90)
  registered.limit({ lifetimeMs: 200, endless: true })
  clock.advance(199)
  t.equal(served.readyState, WebSocket.OPEN)
  t.equal(registry.count({ endless: true }), 1)
  clock.advance(1)
  t.equal(await closed, '1001 maximum connection lifetime reached')
})

t.test('without limits it stays open and sets no timer [STREAM-14]', async t => {
  const { clock, served } = await connect(t, { planLifetimeMs: null })
  clock.advance(1_000_000_000)
  t.equal(served.readyState, WebSocket.OPEN)
  t.equal(clock.alarms, 0)
})

t.test('a client that disconnects releases it with its deadlines [STREAM-8] [STREAM-14]', async t => {
  const { registry, registered, clock, client, closes } = await connect(t, {
    options: { lifetimeMs: 100, idleMs: 50 },
    planLifetimeMs: 100,
  })
  client.terminate()
  await until(() => registry.count() === 0)
  clock.advance(1000)
  t.equal(closes(), 1)
  registered.limit({ lifetimeMs: 100 })
  t.equal(clock.alarms, 0, 'limits that come now are for nobody')
})

t.test('endless ones close first when the process stops [STREAM-12] [STREAM-14]', async t => {
  const { registry, served, closed } = await connect(t, { options: { endless: true } })
  registry.endAll({ endless: false, reason: 'stop' })
  t.equal(served.readyState, WebSocket.OPEN)
  registry.endAll({ endless: true, reason: 'stop' })
  t.equal(await closed, '1001 server shutting down')
})

t.test('limits set too late do not reopen a closing WebSocket [STREAM-14]', async t => {
  const { registry, registered, clock, closed } = await connect(t, { options: { lifetimeMs: 10 } })
  clock.advance(10)
  registered.limit({ idleMs: 10 })
  clock.advance(1000)
  t.equal(await closed, '1001 maximum connection lifetime reached')
  await until(() => registry.count() === 0)
})
