/** Reloads, metrics and public mode. */
import t from 'tap'
import { Caller, COMBINATIONS, eventsOf, type Json, nameOf, reasonOf } from '../../support/a2a.ts'
import { serve } from '../../support/server.ts'

const caller = (url: string) => new Caller(url, COMBINATIONS[0]!)

t.test('a reload stops neither tasks nor streams nor pushes [A2A-28]', async t => {
  const { url } = await serve(t)
  const client = caller(url)
  const task = await client.send('approval', 'x', {
    metadata: { stepDelayMs: 0 },
    configuration: { taskPushNotificationConfig: { url: '/a2a/webhook-sink/reloaded' } },
  })
  const stream = await client.subscribe('approval', task.id)
  const reload = (await (await fetch(`${url}/_svc/reload?force=true`, { method: 'POST' })).json()) as {
    applied: boolean
  }
  t.ok(reload.applied)
  await client.send('approval', 'approve', { metadata: { stepDelayMs: 0 }, taskId: task.id })
  t.same(eventsOf(await stream.text()).map(nameOf), ['task', 'WORKING', 'decision', 'COMPLETED'])
  const sink = (await (await fetch(`${url}/a2a/webhook-sink/reloaded`)).json()) as Json
  t.match(
    sink.notifications.map(({ body }: Json) => nameOf(body)),
    ['WORKING', 'INPUT_REQUIRED', 'WORKING', 'decision', 'COMPLETED'],
  )
})

t.test('requests are counted, and streams have their headers [A2A-29]', async t => {
  const { url } = await serve(t, { oneProcess: 'metrics are those of one process' })
  const client = caller(url)
  const stream = await client.request('echo', 'x', {}, true)
  for (const [name, value] of [
    ['content-type', 'text/event-stream'],
    ['cache-control', 'no-cache'],
    ['x-accel-buffering', 'no'],
    ['a2a-version', '1.0'],
  ] as const)
    t.equal(stream.headers.get(name), value)
  t.notMatch(await stream.text(), /^(event|id):/m)
  await client.http('GET', '/a2a/echo/v1/tasks')
  const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
  t.match(metrics, /svc_protocol_requests_total\{[^}]*protocol="a2a"[^}]*\} 2/)
})

t.test('public mode keeps fifty tasks per session and pushes only to listed hosts [A2A-20, A2A-25]', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_A2A_PUSH_ALLOW_ALL: 'true' } })
  const client = caller(url)
  for (let index = 0; index < 55; index++) await client.send('echo', 'x')
  t.equal((await client.rpc('echo', 'ListTasks', {})).body.result.totalSize, 50)
  t.equal(
    reasonOf(
      await client.rpc(
        'echo',
        'SendMessage',
        client.params('x', { configuration: { taskPushNotificationConfig: { url: 'http://anything.example/' } } }),
      ),
    ),
    'INVALID_PARAMS',
  )
})
