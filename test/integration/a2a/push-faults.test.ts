/** Faults of push notifications, to a sink and to another server. */
import t from 'tap'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Caller, COMBINATIONS, type Json, nameOf } from '../../support/a2a.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

t.setTimeout(600_000)

interface Received {
  path: string | undefined
  token: string | undefined
  authorization: string | undefined
  name: string
}
const received: Received[] = []
const target = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { 'x-a2a-notification-token': token, authorization } = request.headers
    received.push({
      path: request.url,
      token: token as string | undefined,
      authorization,
      name: nameOf(JSON.parse(Buffer.concat(chunks).toString()) as Json),
    })
    response.end()
  })
})
await new Promise<void>(resolve => void target.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  target.closeAllConnections()
  target.close()
})
const { port } = target.address() as AddressInfo

const { url } = await serve(t, { plugins: ['a2a', 'identity'], env: { SVC_A2A_PUSH_ALLOWLIST: `127.0.0.1:${port}` } })
const caller = new Caller(url, COMBINATIONS[0]!)

/** Sends a message whose task notifies both the sink and the server. */
async function notify(
  list: string,
  agent = 'weather',
): Promise<{ sink: () => Promise<Json[]>; http: () => Received[] }> {
  const id = list.replace(/[^a-z0-9]/g, '-')
  const task = await caller.send(agent, 'x', {
    headers: { 'X-Svc-A2A-Fail': list },
    metadata: { stepDelayMs: 300 },
    immediately: true,
    configuration: {
      taskPushNotificationConfig: {
        url: `http://127.0.0.1:${port}/${id}`,
        token: 'real',
        authentication: { scheme: 'Bearer', credentials: 'secret' },
      },
    },
  })
  const sink = { taskId: task.id, url: `/a2a/webhook-sink/${id}`, token: 'real' }
  await caller.rpc(agent, 'CreateTaskPushNotificationConfig', sink)
  return {
    sink: async () =>
      ((await (await fetch(`${url}/a2a/webhook-sink/${id}`)).json()) as Json).notifications.map((one: Json) => ({
        name: nameOf(one.body),
        attempt: one.attempt,
        fault: one.fault,
        token: one.headers['x-a2a-notification-token'],
      })),
    http: () => received.filter(({ path }) => path === `/${id}`),
  }
}

const ALL = ['WORKING', 'forecast', 'COMPLETED']
const namesOf = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name)

t.test('the first deliveries count as failed and are retried [A2A-46]', async t => {
  const { sink, http } = await notify('push-fail@2')
  await until(async () => (await sink()).length === 5 && http().length === 5)
  t.match(await sink(), [
    { name: 'WORKING', attempt: 1, fault: 'push-fail' },
    { name: 'WORKING', attempt: 2, fault: 'push-fail' },
    { name: 'WORKING', attempt: 3, fault: undefined },
    { name: 'forecast', attempt: 1, fault: undefined },
    { name: 'COMPLETED', attempt: 1 },
  ])
  t.same(namesOf(http()), ['WORKING', 'WORKING', ...ALL])
})

t.test('after three attempts, a notification is given up [A2A-46]', async t => {
  const { sink } = await notify('push-fail@4')
  await until(async () => (await sink()).length === 6)
  t.same(
    (await sink()).map(({ name, attempt }) => `${name} ${attempt}`),
    ['WORKING 1', 'WORKING 2', 'WORKING 3', 'forecast 1', 'forecast 2', 'COMPLETED 1'],
  )
})

t.test('notifications arrive twice, or the last one first [A2A-46]', async t => {
  const twice = await notify('push-twice')
  await until(async () => (await twice.sink()).length === 6 && twice.http().length === 6)
  const doubled = ALL.flatMap(name => [name, name])
  t.same(namesOf(await twice.sink()), doubled)
  t.same(namesOf(twice.http()), doubled)
  t.match(await twice.sink(), [{ attempt: 1, fault: 'push-twice' }])
  const reordered = await notify('push-reorder')
  await until(async () => (await reordered.sink()).length === 3 && reordered.http().length === 3)
  t.same(namesOf(await reordered.sink()), ['COMPLETED', 'WORKING', 'forecast'])
  t.same(namesOf(reordered.http()), ['COMPLETED', 'WORKING', 'forecast'])
})

t.test('notifications have a wrong token and wrong credentials [A2A-46]', async t => {
  const { sink, http } = await notify('push-forged')
  await until(async () => (await sink()).length === 3 && http().length === 3)
  t.same(
    (await sink()).map(({ token }) => token),
    ['forged', 'forged', 'forged'],
  )
  t.match(http(), [{ token: 'forged', authorization: 'Bearer forged' }])
})

t.test('notifications never arrive, or 3 s late [A2A-46]', async t => {
  const dropped = await notify('push-drop')
  const since = Date.now()
  const slow = await notify('push-slow')
  await until(async () => (await slow.sink()).length === 1 && slow.http().length === 1)
  t.ok(Date.now() - since >= 3000, 'at least three seconds')
  t.match(await slow.sink(), [{ name: 'WORKING', attempt: 1, fault: 'push-slow' }])
  t.same(await dropped.sink(), [])
})

t.test('without a fault, notifications in the sink say nothing about their delivery [A2A-46]', async t => {
  await caller.send('echo', 'x', { configuration: { taskPushNotificationConfig: { url: '/a2a/webhook-sink/plain' } } })
  const first = await until(async () => {
    const { notifications } = (await (await fetch(`${url}/a2a/webhook-sink/plain`)).json()) as Json
    return notifications[0] as Json | undefined
  }, 'the notification')
  t.same(Object.keys(first), ['receivedAt', 'source', 'headers', 'body'])
})
