/** Push notifications: allowed targets, content and delivery; and the sinks. */
import t from 'tap'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decideTarget } from '../../../plugins/a2a/push/target.ts'
import { Caller, COMBINATIONS, type Json, reasonOf } from '../../support/a2a.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Json
}
const received: Received[] = []
/** Responds by path: `/redirect` redirects, `/fail-<n>` sends 503 to the first n requests, `/refuse` 400, others 200. */
const target = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
    const failures = Number(/^\/fail-(\d+)/.exec(path)?.[1] ?? 0)
    const status = path.startsWith('/redirect')
      ? 307
      : path.startsWith('/refuse')
        ? 400
        : at(path).length <= failures
          ? 503
          : 200
    response.writeHead(status, status === 307 ? { Location: '/redirected' } : {}).end()
  })
})
const at = (path: string) => received.filter(entry => entry.path === path)
await new Promise<void>(resolve => void target.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  target.closeAllConnections()
  target.close()
})
const { port } = target.address() as AddressInfo
const hook = `http://127.0.0.1:${port}`

const { url } = await serve(t, { env: { SVC_A2A_PUSH_ALLOWLIST: `127.0.0.1:${port}` } })
const callers = COMBINATIONS.map(how => new Caller(url, how))
const fast = { stepDelayMs: 0 }

t.test('only the built-in sinks and listed hosts are targets [A2A-20]', async t => {
  const origin = { host: 'svc.example', port: 8080, prefix: '/svc' }
  const own = { allowlist: ['hooks.example', 'ports.example:8443', '127.0.0.1:9000', '[::1]:80'], allowAll: false }
  const rows: [url: string, outcome: 'refused' | 'sink' | 'url'][] = [
    ['/a2a/webhook-sink/s-1', 'sink'],
    ['/a2a/webhook-sink/', 'refused'],
    ['/a2a/webhook-sink/a/b', 'refused'],
    ['/a2a/webhook-sink/a?x=1', 'refused'],
    ['/a2a/webhook-sink/..', 'refused'],
    ['/a2a/webhook-sink/../echo', 'refused'],
    ['/a2a/webhook-sink/%2e', 'refused'],
    ['/echo', 'refused'],
    ['//hooks.evil/x', 'refused'],
    ['/\\hooks.evil', 'refused'],
    ['http://svc.example:8080/a2a/webhook-sink/s-1', 'sink'],
    ['http://svc.example:8080/svc/a2a/webhook-sink/s-1', 'sink'],
    ['/svc/a2a/webhook-sink/s-1', 'sink'],
    ['/svc/svc/a2a/webhook-sink/s-1', 'refused'],
    ['http://svc.example:8080/svcx/a2a/webhook-sink/s-1', 'refused'],
    ['http://SVC.example:8080/a2a/webhook-sink/s-1', 'sink'],
    ['http://svc.example:8080/echo', 'refused'],
    ['http://svc.example:8081/a2a/webhook-sink/s-1', 'refused'],
    ['http://svc.example/a2a/webhook-sink/s-1', 'refused'],
    ['http://svc.example.:8080/a2a/webhook-sink/s-1', 'refused'],
    ['http://hooks.example/x', 'url'],
    ['https://hooks.example:9/x', 'url'],
    ['https://HOOKS.example/x', 'url'],
    ['https://hooks.example./x', 'refused'],
    ['https://a.hooks.example/x', 'refused'],
    ['https://hooks.example.evil/x', 'refused'],
    ['https://xhooks.example/', 'refused'],
    ['https://ports.example:8443/', 'url'],
    ['https://ports.example/', 'refused'],
    ['http://[::1]/', 'url'],
    ['http://[0:0:0:0:0:0:0:1]:80/', 'url'],
    ['http://[::1]:81/', 'refused'],
    ['http://[::ffff:127.0.0.1]:9000/', 'refused'],
    ['http://[::ffff:7f00:1]/', 'refused'],
    ['http://127.0.0.1:9000/', 'url'],
    ['http://2130706433:9000/', 'url'],
    ['http://0x7f.1:9000/', 'url'],
    ['http://0177.0.0.1:9000/', 'url'],
    ['http://127.1/', 'refused'],
    ['http://2130706433/', 'refused'],
    ['http://0x7f000001/', 'refused'],
    ['http://017700000001/', 'refused'],
    ['http://0/', 'refused'],
    ['http://localhost:9000/', 'refused'],
    ['http://LOCALHOST/', 'refused'],
    ['http://169.254.169.254/latest', 'refused'],
    ['http://１２７.0.0.1/', 'refused'],
    ['http://user@hooks.example/', 'refused'],
    ['http://user:pw@hooks.example/', 'refused'],
    ['http://hooks.example@evil.example/', 'refused'],
    ['http://evil.example#@hooks.example/', 'refused'],
    ['http://evil.example\\@hooks.example/', 'refused'],
    ['ftp://hooks.example/', 'refused'],
    ['file:///etc/passwd', 'refused'],
    ['javascript:alert(1)', 'refused'],
    ['hooks.example', 'refused'],
    ['http://', 'refused'],
    ['http:/hooks.example/x', 'url'],
  ]
  for (const [text, outcome] of rows) {
    const decide = () => decideTarget(text, origin, own)
    if (outcome === 'refused') t.throws(decide, { reason: 'INVALID_PARAMS', message: /SVC_A2A_PUSH_ALLOWLIST/ }, text)
    else t.ok(outcome in decide(), text)
  }
  t.ok('url' in decideTarget('http://anything.example/', origin, { allowlist: [], allowAll: true }))
  t.throws(() => decideTarget('http://u@anything.example/', origin, { allowlist: [], allowAll: true }))
  t.throws(() => decideTarget('ftp://anything.example/', origin, { allowlist: [], allowAll: true }))
})

t.test('a rejected target creates neither a task nor a config [A2A-20]', async t => {
  for (const caller of callers) {
    const key = caller.isV1
      ? 'taskPushNotificationConfig'
      : caller.isRpc
        ? 'pushNotificationConfig'
        : 'pushNotification'
    const response = await caller.request('echo', 'x', { configuration: { [key]: { url: 'http://localhost:1/' } } })
    const body = (await response.json()) as Json
    t.equal(response.status, caller.isRpc ? 200 : 400)
    t.match(body.error.data ?? body.error.details, [
      { reason: 'INVALID_PARAMS' },
      { fieldViolations: [{ field: 'url', description: /SVC_A2A_PUSH_ALLOWLIST/ }] },
    ])
    if (caller.isV1) t.equal((await caller.http('GET', '/a2a/echo/v1/tasks')).body.totalSize, 0)
  }
})

t.test('every update is sent in order, in the shape and with the headers of the config [A2A-21]', async t => {
  for (const caller of callers) {
    const key = caller.isV1
      ? 'taskPushNotificationConfig'
      : caller.isRpc
        ? 'pushNotificationConfig'
        : 'pushNotification'
    const name = caller.session
    const send = (to: string) =>
      caller.send('weather', 'x', {
        metadata: fast,
        configuration: {
          [key]: {
            url: to,
            token: 't-1',
            authentication: caller.isV1
              ? { scheme: 'Basic', credentials: 'abc' }
              : { schemes: ['Basic'], credentials: 'abc' },
          },
        },
      })
    await send(`/a2a/webhook-sink/${name}`)
    await send(`${hook}/${name}`)
    await until(() => at(`/${name}`).length === 3)
    const sink = (await (await fetch(`${url}/a2a/webhook-sink/${name}`)).json()) as Json
    t.equal(sink.count, 3)
    t.match(sink.notifications[0], { source: 'in-process', receivedAt: /Z$/ })
    const headers = {
      'content-type': 'application/a2a+json',
      'a2a-version': caller.how.generation,
      'x-a2a-notification-token': 't-1',
      authorization: 'Basic abc',
      'user-agent': /^svc-a2a\//,
    }
    for (const bodies of [sink.notifications, at(`/${name}`)] as Json[]) {
      t.match(
        bodies.map(({ headers: sent }: Json) => sent),
        [headers, headers, headers],
      )
      t.match(
        bodies.map(({ body }: Json) => body),
        caller.isV1
          ? [
              { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } },
              { artifactUpdate: { artifact: { artifactId: 'forecast' } } },
              { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
            ]
          : [
              { kind: 'task', status: { state: 'working' } },
              { kind: 'task', artifacts: [{ artifactId: 'forecast' }] },
              { kind: 'task', status: { state: 'completed' } },
            ],
      )
    }
  }
})

t.test('redirects and client errors are final, other failures are retried twice [A2A-22]', async t => {
  const caller = callers[0]!
  const send = (path: string) =>
    caller.send('reject', 'x', { configuration: { taskPushNotificationConfig: { url: hook + path } } })
  for (const path of ['/redirect', '/refuse', '/fail-2', '/fail-9']) await send(path)
  await until(() => at('/fail-2').length === 3 && at('/fail-9').length === 3)
  t.same([at('/redirect').length, at('/refuse').length, at('/redirected').length], [1, 1, 0])
  const task = await caller.send('approval', 'x', {
    metadata: fast,
    configuration: { taskPushNotificationConfig: { id: 'c-1', url: `${hook}/deleted` } },
  })
  await until(() => at('/deleted').length === 2)
  await caller.rpc('approval', 'DeleteTaskPushNotificationConfig', { taskId: task.id, id: 'c-1' })
  await caller.rpc('approval', 'CreateTaskPushNotificationConfig', { taskId: task.id, url: `${hook}/kept` })
  await caller.cancel('approval', task.id)
  await until(() => at('/kept').length === 1)
  t.equal(at('/deleted').length, 2)
})

t.test('configs are created, replaced, read, listed and deleted [A2A-23]', async t => {
  const [rpc1, http1, rpc3, http3] = callers.map(({ how }) => new Caller(url, how, 'configs')) as [
    Caller,
    Caller,
    Caller,
    Caller,
  ]
  const task = await rpc1.send('approval', 'x', { metadata: fast })
  const path = `/a2a/approval/v1/tasks/${task.id}/pushNotificationConfigs`
  const sink = '/a2a/webhook-sink/c'
  t.match(
    (
      await rpc1.rpc('approval', 'CreateTaskPushNotificationConfig', {
        taskId: task.id,
        id: 'a',
        url: sink,
        authentication: { scheme: 'Bearer', credentials: 'x' },
      })
    ).body.result,
    { taskId: task.id, id: 'a', url: sink, authentication: { scheme: 'Bearer', credentials: 'x' } },
  )
  t.match((await http1.http('POST', path, { taskId: 'ignored', url: sink })).body, {
    taskId: task.id,
    id: /^[0-9a-f-]{36}$/,
  })
  t.match(
    (
      await rpc3.rpc('approval', 'tasks/pushNotificationConfig/set', {
        taskId: task.id,
        pushNotificationConfig: { id: 'c', url: sink },
      })
    ).body.result,
    { taskId: task.id, pushNotificationConfig: { id: 'c', url: sink } },
  )
  t.match(
    (await http3.http('POST', path, { parent: 'x', configId: 'd', config: { pushNotificationConfig: { url: sink } } }))
      .body,
    { name: `tasks/${task.id}/pushNotificationConfigs/d`, pushNotificationConfig: { id: 'd' } },
  )
  t.match(
    (
      await http3.http('POST', path, {
        name: `tasks/${task.id}/pushNotificationConfigs/e`,
        pushNotificationConfig: { url: sink },
      })
    ).body.pushNotificationConfig,
    { id: 'e' },
  )
  t.match((await http1.http('POST', path, { id: 'e', url: `${sink}2` })).body, { id: 'e', url: `${sink}2` })
  t.equal(
    (await rpc1.rpc('approval', 'ListTaskPushNotificationConfigs', { taskId: task.id })).body.result.configs.length,
    5,
  )
  t.equal(
    (await rpc1.rpc('approval', 'ListTaskPushNotificationConfig', { taskId: task.id })).body.result.nextPageToken,
    '',
  )
  t.equal((await rpc3.rpc('approval', 'tasks/pushNotificationConfig/list', { id: task.id })).body.result.length, 5)
  t.equal((await http3.http('GET', path)).body.configs.length, 5)
  t.match(
    (await rpc3.rpc('approval', 'tasks/pushNotificationConfig/get', { id: task.id })).body.result
      .pushNotificationConfig,
    { id: 'a' },
  )
  t.match((await http1.http('GET', `${path}/d`)).body, { id: 'd' })
  t.same((await http1.http('DELETE', `${path}/d`)).body, {})
  t.same((await http1.http('DELETE', `${path}/d`)).body, {})
  t.equal(
    (await rpc3.rpc('approval', 'tasks/pushNotificationConfig/delete', { id: task.id, pushNotificationConfigId: 'c' }))
      .body.result,
    null,
  )
  t.match((await http1.http('GET', `${path}/d`)).body.error, {
    status: 'NOT_FOUND',
    details: [{ metadata: { configId: 'd' } }],
  })
  for (let index = 0; index < 7; index++) await http1.http('POST', path, { url: sink })
  t.equal(reasonOf(await http1.http('POST', path, { url: sink })), 'INVALID_PARAMS')
  t.equal((await http1.http('POST', path, { id: 'a', url: sink })).status, 200)
  t.equal(
    reasonOf(
      await new Caller(url, rpc1.how, 'foreign').rpc('approval', 'GetTaskPushNotificationConfig', {
        taskId: task.id,
        id: 'a',
      }),
    ),
    'TASK_NOT_FOUND',
  )
  for (const bad of [
    {},
    { url: 5 },
    { url: `http://h/${'x'.repeat(2048)}` },
    { url: sink, token: 'ä' },
    { url: sink, token: 'x'.repeat(4097) },
    { url: sink, authentication: {} },
    { url: sink, authentication: { scheme: 'a b' } },
    { url: sink, authentication: { scheme: 'a', credentials: 'x\r\ny: z' } },
    { url: sink, id: 'x y' },
  ]) {
    t.equal(reasonOf(await http1.http('POST', path, bad)), 'INVALID_PARAMS', JSON.stringify(bad).slice(0, 60))
  }
})

t.test('a sink keeps fifty notifications with bodies up to 64 KiB until it is cleared [A2A-24]', async t => {
  const sink = `${url}/a2a/webhook-sink/own`
  const json = async (method: string, body?: string, to = sink) =>
    (await (
      await fetch(to, {
        method,
        ...(body === undefined
          ? {}
          : { body, headers: { 'Content-Type': 'text/x', Authorization: 'Bearer x', 'X-Other': 'y' } }),
      })
    ).json()) as Json
  t.same(await json('GET'), { id: 'own', count: 0, notifications: [] })
  t.same(await json('POST', '{"a":1}'), { received: true, id: 'own', count: 1 })
  await json('POST', 'text')
  await json('POST', 'x'.repeat(65_537))
  await json('POST', `${'['.repeat(60_00)}${']'.repeat(60_00)}`)
  const { notifications } = await json('GET')
  t.same(
    notifications.slice(0, 3).map(({ body }: Json) => body),
    [{ a: 1 }, 'text', { truncated: true, bytes: 65_537 }],
  )
  t.equal(typeof notifications[3].body, 'string')
  t.same(Object.keys(notifications[0].headers).sort(), ['authorization', 'content-type', 'user-agent'])
  t.equal(notifications[0].source, 'http')
  for (let index = 0; index < 55; index++) await json('POST', String(index))
  const full = await json('GET')
  t.same([full.count, full.notifications.at(-1).body], [50, 54])
  t.same(await json('DELETE'), { id: 'own', deleted: true })
  t.same(await json('DELETE'), { id: 'own', deleted: false })
  for (const id of ['a%20b', 'x'.repeat(65), '%2e%2e%2f', 'ä'])
    t.match(await json('GET', undefined, `${url}/a2a/webhook-sink/${id}`), { error: 'invalid_sink_id' }, id)
})
