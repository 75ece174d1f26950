/** Tenants, extensions, slashes at the end of paths, and the agents for tests. */
import t from 'tap'
import { Caller, COMBINATIONS, type Json, reasonOf, stateOf } from '../../support/a2a.ts'
import { GrpcCaller, grpcMessage } from '../../support/a2a-grpc-client.ts'
import { serve } from '../../support/server.ts'

const { url, ports } = await serve(t, { plugins: ['a2a', 'a2a-grpc', 'grpc', 'identity', 'echo'] })
const callers = COMBINATIONS.map(how => new Caller(url, how, 'tenants'))
const [rpc, http] = callers as [Caller, Caller]
const grpc = new GrpcCaller(`127.0.0.1:${ports.grpc}`, { 'x-svc-session': 'tenants' })
t.teardown(() => grpc.close())
const TRACE = 'urn:svc:a2a:extension:trace:v1'
const DIRECTORY = 'urn:svc:a2a:agent-directory:v1'

t.test('the tasks of a tenant are seen in that tenant alone [A2A-36]', async t => {
  const sent = (await rpc.rpc('echo', 'SendMessage', { ...rpc.params('one'), tenant: 'acme' })).body.result.task
  t.match(sent.status.message.parts[0].text, /, tenant acme$/)
  const seen = {
    plain: () => rpc.rpc('echo', 'GetTask', { id: sent.id }),
    acme: () => rpc.rpc('echo', 'GetTask', { id: sent.id, tenant: 'acme' }),
    globex: () => http.http('GET', `/a2a/echo/v1/globex/tasks/${sent.id}`),
    path: () => http.http('GET', `/a2a/echo/v1/acme/tasks/${sent.id}`),
  }
  t.equal(reasonOf(await seen.plain()), 'TASK_NOT_FOUND')
  t.equal((await seen.acme()).body.result.id, sent.id)
  t.equal((await seen.path()).body.id, sent.id)
  const foreign = await seen.globex()
  t.match(foreign, {
    status: 404,
    body: { error: { details: [{ reason: 'TASK_NOT_FOUND', metadata: { tenant: 'globex' } }] } },
  })
  t.equal((await grpc.call('GetTask', { tenant: 'acme/echo', id: sent.id })).message.id, sent.id)
  t.equal((await grpc.call('GetTask', { tenant: 'acme', id: sent.id })).message.id, sent.id)
  t.match(await grpc.call('GetTask', { tenant: 'globex/echo', id: sent.id }).catch((error: unknown) => error), {
    code: 5,
  })
  const count = async (caller: Promise<{ body: Json }>) => (await caller).body.totalSize
  t.equal(await count(http.http('GET', '/a2a/echo/v1/acme/tasks')), 1)
  t.equal(await count(http.http('GET', '/a2a/echo/v1/globex/tasks')), 0)
  t.equal(await count(http.http('GET', '/a2a/echo/v1/tasks')), 0)
  const config = { taskId: sent.id, url: '/a2a/webhook-sink/t' }
  t.equal(reasonOf(await rpc.rpc('echo', 'CreateTaskPushNotificationConfig', config)), 'TASK_NOT_FOUND')
  t.ok((await rpc.rpc('echo', 'CreateTaskPushNotificationConfig', { ...config, tenant: 'acme' })).body.result.id)
  t.match(await http.http('GET', '/a2a/echo/v1/nobody/tasks'), {
    status: 404,
    body: { error: { details: [{ reason: 'METHOD_NOT_FOUND' }] } },
  })
  const ignored = (await rpc.rpc('echo', 'SendMessage', { ...rpc.params('x'), tenant: 'nobody' })).body.result.task
  t.notMatch(ignored.status.message.parts[0].text, 'tenant')
  t.equal((await rpc.rpc('echo', 'GetTask', { id: ignored.id })).body.result.id, ignored.id)
})

t.test('a reset of a session removes its tasks of all tenants [A2A-36]', async t => {
  const own = new Caller(url, COMBINATIONS[0]!, 'reset')
  const sent = (await own.rpc('echo', 'SendMessage', { ...own.params('x'), tenant: 'acme' })).body.result.task
  const kept = (await rpc.rpc('echo', 'SendMessage', { ...rpc.params('x'), tenant: 'acme' })).body.result.task
  const reset = await fetch(`${url}/_svc/reset?kinds=a2a&scope=session`, {
    method: 'POST',
    headers: { 'X-Svc-Session': 'reset' },
  })
  t.equal(reset.status, 200)
  t.equal(reasonOf(await own.rpc('echo', 'GetTask', { id: sent.id, tenant: 'acme' })), 'TASK_NOT_FOUND')
  t.equal((await rpc.rpc('echo', 'GetTask', { id: kept.id, tenant: 'acme' })).body.result.id, kept.id)
})

t.test('extensions that a card declares are activated, others are ignored [A2A-37]', async t => {
  const headers = { 'A2A-Extensions': `urn:unknown, ${DIRECTORY}` }
  for (const caller of callers) {
    const response = await caller.request('echo', 'x', { headers })
    t.equal(response.headers.get('a2a-extensions'), DIRECTORY)
    t.equal((await caller.request('weather', 'x', { headers })).headers.get('a2a-extensions'), null)
    t.equal((await caller.request('echo', 'x')).headers.get('a2a-extensions'), null)
  }
  const { initial } = await grpc.call('SendMessage', { message: grpcMessage('x') }, { 'a2a-extensions': DIRECTORY })
  t.same(initial.get('a2a-extensions'), [DIRECTORY])
  t.match(
    (await fetch(`${url}/a2a/echo`, { headers: { Origin: 'https://app.example' } })).headers.get(
      'access-control-expose-headers',
    ),
    /A2A-Extensions/,
  )
})

t.test('a required extension is checked in every binding [A2A-37]', async t => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  for (const caller of callers) {
    const refused = await caller.request('needs-extension', 'x')
    const body = (await refused.json()) as Json
    t.equal(refused.status, caller.isRpc ? 200 : 400)
    t.match(body.error.data ?? body.error.details, [
      { reason: 'EXTENSION_SUPPORT_REQUIRED', metadata: { extensions: TRACE } },
    ])
    t.equal(caller.isRpc ? body.error.code : -32008, -32008)
    const accepted = await caller.request('needs-extension', 'x', { headers: { 'A2A-Extensions': TRACE, traceparent } })
    t.equal(accepted.headers.get('a2a-extensions'), TRACE)
    t.match(caller.taskOf((await accepted.json()) as Json).metadata, { [TRACE]: { traceparent } })
  }
  const call = { tenant: 'needs-extension', message: grpcMessage('x') }
  t.match(await grpc.call('SendMessage', call).catch((error: unknown) => error), { code: 9 })
  t.ok((await grpc.call('SendMessage', call, { 'a2a-extensions': TRACE })).message.message)
  const card = (await (await fetch(`${url}/a2a/needs-extension`)).json()) as Json
  t.match(card.capabilities.extensions, [{ uri: TRACE, required: true }])
})

t.test('test agents lack what their cards say, and are in no list [A2A-38]', async t => {
  const directory = async (query: string) => ((await (await fetch(`${url}/a2a${query}`)).json()) as Json).agents
  t.equal((await directory('')).length, 7)
  const all = await directory('?all=true')
  t.same(
    all.filter(({ test }: Json) => test).map(({ id }: Json) => id),
    ['no-stream', 'card-missing', 'needs-extension', 'invalid-response'],
  )
  t.match((await (await fetch(`${url}/a2a/no-stream`)).json()) as Json, {
    capabilities: { streaming: false, pushNotifications: false },
  })
  for (const caller of callers) {
    const task = await caller.send('no-stream', 'hello')
    t.equal(stateOf(task), 'COMPLETED')
    for (const response of [
      await caller.request('no-stream', 'x', {}, true),
      await caller.subscribe('no-stream', task.id),
    ]) {
      const body = (await response.json()) as Json
      t.match(body.error.data ?? body.error.details, [{ reason: 'UNSUPPORTED_OPERATION' }])
    }
    const key = caller.isV1
      ? 'taskPushNotificationConfig'
      : caller.isRpc
        ? 'pushNotificationConfig'
        : 'pushNotification'
    const push = await caller.request('no-stream', 'x', { configuration: { [key]: { url: '/a2a/webhook-sink/x' } } })
    const refused = (await push.json()) as Json
    t.match(refused.error.data ?? refused.error.details, [{ reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' }])
    t.equal(push.status, caller.isRpc ? 200 : 400)
    const invalid = (await (await caller.request('invalid-response', 'x')).json()) as Json
    t.same(invalid.result ?? invalid, { unexpected: true })
  }
  const config = { taskId: 'x', url: '/a2a/webhook-sink/x' }
  t.match((await rpc.rpc('no-stream', 'CreateTaskPushNotificationConfig', config)).body.error, { code: -32003 })
  t.match((await rpc.rpc('card-missing', 'GetExtendedAgentCard', {})).body.error, {
    code: -32007,
    data: [{ reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED' }],
  })
  t.match(await http.http('GET', '/a2a/card-missing/v1/extendedAgentCard'), { status: 400 })
  t.match(await grpc.call('GetExtendedAgentCard', { tenant: 'card-missing' }).catch((error: unknown) => error), {
    code: 9,
  })
  t.match(await grpc.call('SendMessage', { tenant: 'invalid-response', message: grpcMessage('x') }), {
    message: { payload: undefined },
  })
  const unknown = (await (await fetch(`${url}/a2a/nobody`)).json()) as Json
  t.equal(unknown.agents.length, 7)
})

t.test('a slash at the end changes nothing [A2A-39]', async t => {
  const rpcBody = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: rpc.params('x') }
  t.equal(stateOf(((await (await rpc.post('/a2a/', rpcBody)).json()) as Json).result.task), 'COMPLETED')
  const sent = await http.http('POST', '/a2a/echo/v1/message:send/', http.params('x'))
  t.equal(stateOf(sent.body.task), 'COMPLETED')
  t.equal((await http.http('GET', `/a2a/echo/v1/tasks/${sent.body.task.id}/`)).body.id, sent.body.task.id)
  t.equal((await http.http('GET', '/a2a/echo/v1/tasks/')).status, 200)
  const same = async (path: string) =>
    t.same(await (await fetch(`${url}${path}/`)).json(), await (await fetch(url + path)).json(), path)
  await same('/a2a')
  await same('/a2a/weather')
  const ofAgent = (await (await rpc.post('/a2a/approval/', rpcBody)).json()) as Json
  t.equal(stateOf(ofAgent.result.task), 'INPUT_REQUIRED')
  t.equal((await fetch(`${url}/a2a/nobody/`)).status, 404)
})
