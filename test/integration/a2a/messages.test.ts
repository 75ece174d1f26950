/** Cards, versions, bad input, history, lists and scope. */
import t from 'tap'
import { Caller, COMBINATIONS, type Json, reasonOf, stateOf } from '../../support/a2a.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const [rpc1, http1, rpc3, http3] = COMBINATIONS.map(how => new Caller(url, how, 'one')) as [
  Caller,
  Caller,
  Caller,
  Caller,
]
const AGENTS = ['echo', 'weather', 'travel-planner', 'approval', 'flaky', 'secure', 'reject']
const fast = { metadata: { stepDelayMs: 0 } }

t.test('cards can be cached and compared, per host [A2A-1]', async t => {
  for (const path of [
    '/.well-known/agent-card.json',
    '/.well-known/agent.json',
    '/a2a/.well-known/agent-card.json',
    '/a2a/.well-known/agent.json',
    '/a2a/weather',
    '/a2a/weather/.well-known/agent-card.json',
    '/a2a/weather/.well-known/agent.json',
  ]) {
    const card = await fetch(url + path)
    const etag = card.headers.get('etag')!
    t.equal(card.headers.get('content-type'), 'application/json')
    t.equal(card.headers.get('cache-control'), 'public, max-age=300')
    t.match(card.headers.get('vary'), /\bHost\b/)
    t.match(etag, /^"/)
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await fetch(url + path, { headers: { 'If-None-Match': value } })
      t.same([again.status, again.headers.get('etag'), await again.text()], [304, etag, ''], `${path} ${value}`)
    }
    t.equal((await fetch(url + path, { headers: { 'If-None-Match': '"other"' } })).status, 200)
    t.not((await fetch((url + path).replace('127.0.0.1', 'localhost'))).headers.get('etag'), etag)
  }
})

t.test('the combined card serves both versions, and the default one lists the agents [A2A-2, A2A-3]', async t => {
  for (const agent of AGENTS) {
    const combined = (await http1.http('GET', `/a2a/${agent}`)).body
    const legacy = (await http1.http('GET', `/a2a/${agent}/.well-known/agent.json`)).body
    const plain = (await http1.http('GET', `/a2a/${agent}/v1/card`)).body
    t.notOk('supportedInterfaces' in legacy)
    t.same(Object.keys(combined).sort(), [...new Set([...Object.keys(plain), ...Object.keys(legacy)])].sort())
    t.match(combined, { ...plain, url: `${url}/a2a/${agent}`, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' })
    t.equal(combined.capabilities.extensions?.[0].params.agents.length, agent === 'echo' ? 7 : undefined)
    t.equal('securitySchemes' in combined, agent === 'secure')
  }
  t.match((await http1.http('GET', '/a2a/secure')).body.securitySchemes.bearer, {
    type: 'http',
    httpAuthSecurityScheme: { scheme: 'Bearer' },
  })
  t.match((await http3.http('GET', '/a2a/secure/v1/card')).body, {
    protocolVersion: '0.3.0',
    security: [{ schemes: { bearer: { list: [] } } }],
    securitySchemes: { bearer: { httpAuthSecurityScheme: {} } },
  })
  const directory = (await http1.http('GET', '/a2a')).body
  t.same(
    directory.agents.map(({ id }: Json) => id),
    AGENTS,
  )
  t.same(
    directory.agents.filter(({ requiresAuth }: Json) => requiresAuth).map(({ id }: Json) => id),
    ['secure'],
  )
  t.equal(directory.webhookSink, `${url}/a2a/webhook-sink/{id}`)
})

t.test('an unknown agent is 404 everywhere [A2A-4]', async t => {
  for (const [method, path] of [
    ['GET', '/a2a/nope'],
    ['POST', '/a2a/nope'],
    ['POST', '/a2a/__proto__'],
    ['GET', '/a2a/nope/.well-known/agent.json'],
    ['POST', '/a2a/nope/v1/message:send'],
    ['GET', `/a2a/${'x'.repeat(4000)}`],
    ['GET', '/a2a/v1'],
  ] as const) {
    const { status, body } = await http1.http(method, path, method === 'POST' ? {} : undefined)
    t.equal(status, 404)
    t.match(body, { error: 'unknown_agent', agents: AGENTS, path, hint: /openapi/ })
  }
})

t.test('the extended card requires an access token [A2A-5]', async t => {
  const login = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'alice', password: 'alice', scope: 'openid' }),
  })
  const { access_token, id_token } = (await login.json()) as Record<string, string>
  for (const caller of [rpc1, rpc3]) {
    const method = caller.isV1 ? 'GetExtendedAgentCard' : 'agent/getAuthenticatedExtendedCard'
    t.equal(reasonOf(await caller.rpc('echo', method, {})), 'UNSUPPORTED_OPERATION')
    const bare = await caller.rpc('secure', method, {})
    t.same(
      [bare.status, bare.body.error.code, bare.headers.get('www-authenticate')],
      [401, -32000, 'Bearer realm="svc-a2a"'],
    )
    const wrong = await caller.rpc('secure', method, {}, { Authorization: `Bearer ${id_token}` })
    t.same(
      [wrong.status, wrong.headers.get('www-authenticate')],
      [401, 'Bearer realm="svc-a2a", error="invalid_token"'],
    )
    const card = await caller.rpc('secure', method, {}, { Authorization: `bearer ${access_token}` })
    t.equal(card.headers.get('cache-control'), 'private, no-store')
    t.same(
      card.body.result.skills.map(({ id }: Json) => id),
      ['whoami', 'audit-log'],
    )
    t.equal('supportedInterfaces' in card.body.result, caller.isV1)
  }
  for (const caller of [http1, http3]) {
    t.match(await caller.http('GET', '/a2a/secure/v1/extendedAgentCard'), {
      status: 401,
      body: { error: { status: 'UNAUTHENTICATED' } },
    })
    t.equal(
      (await caller.http('GET', '/a2a/secure/v1/card', undefined, { Authorization: `Bearer ${access_token}` })).body
        .skills.length,
      2,
    )
    t.equal((await caller.http('GET', '/a2a/secure/v1/card')).body.skills.length, 1)
  }
})

t.test('the version determines the methods [A2A-17]', async t => {
  const rows: [header: string, method: string, code: number | undefined, version: string][] = [
    ['1.0', 'GetTask', -32602, '1.0'],
    ['1', 'GetTask', -32602, '1.0'],
    [' 1.0.3 ', 'GetTask', -32602, '1.0'],
    ['0.3.1', 'tasks/get', -32602, '0.3'],
    ['', 'tasks/get', -32602, '0.3'],
    ['1.0', 'tasks/get', -32009, '0.3'],
    ['', 'GetTask', -32009, '1.0'],
    ['2.0', 'GetTask', -32009, '1.0'],
    ['1.1', 'tasks/get', -32009, '0.3'],
    ['2.0', 'nothing', -32601, '1.0'],
    ['0.3', 'tasks/list', -32601, '0.3'],
  ]
  for (const [header, method, code, version] of rows) {
    const reply = await rpc1.rpc('echo', method, {}, { 'A2A-Version': header })
    t.same([reply.body.error.code, reply.headers.get('a2a-version')], [code, version], `${header} ${method}`)
  }
  t.match(await http1.http('GET', '/a2a/echo/v1/tasks', undefined, { 'A2A-Version': '9' }), {
    status: 400,
    body: {
      error: {
        details: [
          { reason: 'VERSION_NOT_SUPPORTED', metadata: { requestedVersion: '9', supportedVersions: '1.0,0.3' } },
        ],
      },
    },
  })
  t.equal((await http1.http('GET', '/a2a/echo/v1/tasks?a2a-VERSION=1.0', undefined, { 'A2A-Version': '' })).status, 200)
  t.equal(reasonOf(await http3.http('GET', '/a2a/echo/v1/tasks')), 'UNSUPPORTED_OPERATION')
})

t.test('bad envelopes and paths are rejected [A2A-18]', async t => {
  const send = async (text: string) =>
    (await (
      await fetch(`${url}/a2a/echo`, { method: 'POST', headers: { 'A2A-Version': '1.0' }, body: text })
    ).json()) as Json
  const rows: [text: string, code: number][] = [
    ['{not json', -32700],
    ['', -32700],
    ['[]', -32600],
    ['"x"', -32600],
    ['1', -32600],
    ['null', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","id":true,"method":"GetTask"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600],
    ['{"id":1,"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","id":1}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}', -32602],
    [`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"__proto__"}}`, -32001],
    [`${'['.repeat(200)}${']'.repeat(200)}`, -32600],
    [`${'['.repeat(100_000)}`, -32700],
  ]
  for (const [text, code] of rows) t.equal((await send(text)).error.code, code, text.slice(0, 60))
  t.equal((await send('{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}')).id, null)
  for (const [text, reason] of [
    ['{not', 'JSON_PARSE'],
    ['[]', 'INVALID_REQUEST'],
    ['', 'INVALID_PARAMS'],
  ]) {
    const response = await fetch(`${url}/a2a/echo/v1/message:send`, {
      method: 'POST',
      headers: { 'A2A-Version': '1.0', 'Content-Type': 'text/plain' },
      body: text!,
    })
    t.match(await response.json(), { error: { code: 400, details: [{ reason }] } })
    t.match(response.headers.get('content-type'), 'application/a2a+json')
  }
  t.match(await http3.http('GET', '/a2a/echo/v1/tasks/nobody'), {
    status: 404,
    body: { code: -32001, type: 'TaskNotFoundError', message: String, error: { code: 404, status: 'NOT_FOUND' } },
  })
  for (const path of ['', 'x', 'tasks/a/b', 'tasks/a/pushNotificationConfigs/b/c', 'message:sent'])
    t.equal((await http1.http('GET', `/a2a/echo/v1/${path}`)).status, 404, path)
  const wrong = await http1.http('DELETE', '/a2a/echo/v1/tasks/x')
  t.match(wrong, {
    status: 405,
    body: { error: { code: 405, status: 'UNIMPLEMENTED', details: [{ reason: 'METHOD_NOT_FOUND' }] } },
  })
  t.equal(wrong.headers.get('allow'), 'GET')
  t.equal((await http1.http('GET', `/a2a/echo/v1/tasks/${'x'.repeat(4000)}`)).status, 404)
})

t.test('bad messages are rejected in every wire format and create no task [A2A-18]', async t => {
  for (const how of COMBINATIONS) {
    const caller = new Caller(url, how, 'bad')
    const { message } = caller.params('x')
    const parts = 'parts' in message ? 'parts' : 'content'
    const part = message[parts][0] as Json
    const changes: Json[] = [
      { message: undefined },
      { message: 'x' },
      { message: { ...message, messageId: undefined } },
      { message: { ...message, messageId: 'ä' } },
      { message: { ...message, messageId: 'x'.repeat(129) } },
      { message: { ...message, role: 'ROLE_AGENT' } },
      { message: { ...message, role: undefined } },
      { message: { ...message, metadata: [] } },
      { message: { ...message, taskId: 5 } },
      ...[
        undefined,
        [],
        'x',
        {},
        Array(101).fill(part),
        [{}],
        ['x'],
        [{ ...part, text: 5 }],
        [{ text: 'x', data: { a: 1 }, file: {} }],
      ].map(value => ({ message: { ...message, [parts]: value } })),
      { configuration: [] },
      { configuration: { [how.generation === '1.0' ? 'returnImmediately' : 'blocking']: 'maybe' } },
      { configuration: { historyLength: -1 } },
      { configuration: { historyLength: 1.5 } },
      { configuration: { historyLength: 'x' } },
      { configuration: { acceptedOutputModes: 'x' } },
      ...(caller.isV1
        ? [{ message: { ...message, parts: [{ raw: '*' }] } }, { message: { ...message, parts: [{ raw: 'A' }] } }]
        : []),
      ...(caller.isV1
        ? []
        : [
            { message: { ...message, kind: 'task' } },
            { message: { ...message, [parts]: [{ ...part, kind: 'file' }] } },
          ]),
    ]
    for (const change of changes) {
      const body = { ...caller.params('x'), ...change }
      const reply = caller.isRpc
        ? await caller.rpc('echo', caller.isV1 ? 'SendMessage' : 'message/send', body)
        : await caller.http('POST', '/a2a/echo/v1/message:send', body)
      t.same(
        [reasonOf(reply), reply.status],
        ['INVALID_PARAMS', caller.isRpc ? 200 : 400],
        `${how.name} ${JSON.stringify(change).slice(0, 80)}`,
      )
    }
    t.equal(
      reasonOf(
        caller.isRpc
          ? await caller.rpc('echo', caller.isV1 ? 'CancelTask' : 'tasks/cancel', { id: 5 })
          : await caller.cancel('echo', 'x'),
      ),
      caller.isRpc ? 'INVALID_PARAMS' : 'TASK_NOT_FOUND',
    )
  }
  t.equal((await new Caller(url, COMBINATIONS[0]!, 'bad').rpc('echo', 'ListTasks', {})).body.result.totalSize, 0)
})

t.test('media types are checked first [A2A-8]', async t => {
  const rows: [agent: string, change: Json, reason: string | undefined][] = [
    ['flaky', { message: { parts: [{ data: {} }] } }, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['flaky', { message: { parts: [{ text: 'x', mediaType: 'Text/Plain; charset=utf-8' }] } }, undefined],
    ['weather', { message: { parts: [{ raw: 'AA==' }] } }, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['echo', { message: { parts: [{ url: 'x:y', mediaType: 'image/png' }] } }, undefined],
    ['weather', { configuration: { acceptedOutputModes: ['image/png'] } }, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['weather', { configuration: { acceptedOutputModes: ['image/png', 'text/*'] } }, undefined],
    ['weather', { configuration: { acceptedOutputModes: ['*/*'] } }, undefined],
    ['weather', { message: { taskId: 'nobody', parts: [{ raw: 'AA==' }] } }, 'CONTENT_TYPE_NOT_SUPPORTED'],
  ]
  for (const [agent, change, reason] of rows) {
    const params = rpc1.params('x', fast)
    t.equal(
      reasonOf(
        await rpc1.rpc(agent, 'SendMessage', {
          ...params,
          ...change,
          message: { ...params.message, ...change.message },
        }),
      ),
      reason,
      JSON.stringify(change),
    )
  }
})

t.test('follow-ups are checked in order, and tasks belong to their owner [A2A-9, A2A-16]', async t => {
  for (const how of COMBINATIONS) {
    const caller = new Caller(url, how, 'owner')
    const stranger = new Caller(url, how, 'stranger')
    const task = await caller.send('approval', 'x', fast)
    const reason = async (who: Caller, agent: string, sending: Json) =>
      reasonOf({
        status: 0,
        headers: new Headers(),
        body: (await (await who.request(agent, 'approve', { ...fast, ...sending })).json()) as Json,
      })
    t.equal(await reason(stranger, 'approval', { taskId: task.id }), 'TASK_NOT_FOUND')
    t.equal(await reason(caller, 'flaky', { taskId: task.id }), 'TASK_NOT_FOUND')
    t.equal(await reason(caller, 'approval', { taskId: task.id, contextId: 'other' }), 'INVALID_PARAMS')
    t.equal(reasonOf(await stranger.get('approval', task.id)), 'TASK_NOT_FOUND')
    t.equal(reasonOf(await stranger.cancel('approval', task.id)), 'TASK_NOT_FOUND')
    const done = await caller.send('approval', 'approve', { ...fast, taskId: task.id, contextId: task.contextId })
    t.match(JSON.stringify(done.artifacts), /"request":"x","approved":true.*"turns":2/)
    t.equal(await reason(caller, 'approval', { taskId: task.id }), 'UNSUPPORTED_OPERATION')
  }
})

t.test('history has each message once, in order, up to historyLength [A2A-11]', async t => {
  const task = await rpc1.send('approval', 'one', fast)
  const done = await rpc1.send('approval', 'approve', { ...fast, taskId: task.id })
  t.same(
    done.history.map(({ role }: Json) => role.slice(5)),
    ['USER', 'AGENT', 'AGENT', 'USER', 'AGENT'],
  )
  const ids = [...done.history, done.status.message].map(({ messageId }: Json) => messageId)
  t.equal(new Set(ids.filter((id: string) => id !== 'm-1')).size, 4)
  const lengths = async (caller: Caller, query: unknown) =>
    caller.isRpc
      ? await caller.rpc('approval', caller.isV1 ? 'GetTask' : 'tasks/get', { id: done.id, historyLength: query })
      : await caller.http('GET', `/a2a/approval/v1/tasks/${done.id}?historyLength=${query}`)
  for (const caller of [rpc1, http1, rpc3, http3]) {
    t.equal(caller.taskOf((await lengths(caller, 2)).body).history.length, 2)
    t.equal(caller.taskOf((await lengths(caller, 0)).body).history?.length, caller === http3 ? 5 : undefined)
    for (const bad of [-1, 1.5, 'x']) t.equal(reasonOf(await lengths(caller, bad)), 'INVALID_PARAMS')
  }
})

t.test('ListTasks filters, orders and pages [A2A-15]', async t => {
  const caller = new Caller(url, COMBINATIONS[0]!, 'lister')
  const first = await caller.send('echo', '1', { contextId: 'c-1' })
  const others = []
  for (const text of ['2', '3', '4']) others.push(await caller.send('echo', text))
  const list = async (params: Json) => (await caller.rpc('echo', 'ListTasks', params)).body
  const page = (await list({ pageSize: 2 })).result
  t.match(page, { pageSize: 2, totalSize: 4 })
  t.same(
    page.tasks.map(({ id }: Json) => id),
    [others[2]!.id, others[1]!.id],
  )
  t.notOk('artifacts' in page.tasks[0])
  await caller.send('echo', '5')
  const rest = (await list({ pageSize: 2, pageToken: page.nextPageToken, includeArtifacts: true })).result
  t.same(
    rest.tasks.map(({ id }: Json) => id),
    [others[0]!.id, first.id],
  )
  t.equal(rest.nextPageToken, '')
  t.ok(rest.tasks[0].artifacts)
  t.equal((await list({ contextId: 'c-1' })).result.totalSize, 1)
  t.equal((await list({ status: 'TASK_STATE_FAILED' })).result.totalSize, 0)
  t.equal(
    (await list({ status: 'TASK_STATE_UNSPECIFIED', statusTimestampAfter: first.status.timestamp })).result.totalSize,
    5,
  )
  t.equal((await list({ statusTimestampAfter: '2100-01-01T00:00:00Z' })).result.totalSize, 0)
  t.equal((await new Caller(url, COMBINATIONS[0]!, 'lister').rpc('weather', 'ListTasks', {})).body.result.totalSize, 0)
  const http = new Caller(url, COMBINATIONS[1]!, 'lister')
  t.equal(
    (await http.http('GET', '/a2a/echo/v1/tasks?includeArtifacts=true&pageSize=1')).body.tasks[0].artifacts.length,
    1,
  )
  for (const bad of [
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: 'x' },
    { status: 'TASK_STATE_RUNNING' },
    { pageToken: '%%%' },
    { statusTimestampAfter: 'yesterday' },
  ]) {
    t.equal((await list(bad)).error.code, -32602, JSON.stringify(bad))
    t.equal((await http.http('GET', `/a2a/echo/v1/tasks?${new URLSearchParams(bad as never)}`)).status, 400)
  }
})

t.test('parts of every kind are returned in every wire format [A2A-7, A2A-19]', async t => {
  const parts = [
    { text: 'hi', metadata: { a: 1 } },
    { raw: '-_8', filename: 'a.bin', mediaType: 'x/y' },
    { url: 'http://h/x', mediaType: 'image/png' },
    { data: { n: 1 } },
    { data: [1, null] },
    { data: null },
    { data: JSON.parse('{"__proto__":{"x":1}}') as object },
  ]
  const params = { message: { messageId: 'm-2', role: 'ROLE_USER', parts } }
  const { task } = (await rpc1.rpc('echo', 'SendMessage', params)).body.result
  t.same(task.artifacts[0].parts, [parts[0], { ...parts[1], raw: '+/8=' }, ...parts.slice(2)])
  t.match(task.status.message.parts[0].text, 'turn 1')
  t.match(JSON.stringify(task), '{"__proto__":{"x":1}}')
  const own = (await rpc3.get('echo', task.id)).body.result.artifacts[0].parts
  t.match(own, [
    { kind: 'text' },
    { kind: 'file', file: { bytes: '+/8=', name: 'a.bin', mimeType: 'x/y' } },
    { kind: 'file', file: { uri: 'http://h/x' } },
    { kind: 'data', data: { n: 1 } },
    { kind: 'data', data: { value: [1, null] }, metadata: { data_part_compat: true } },
    {},
    {},
  ])
  const proto = (await http3.get('echo', task.id)).body
  t.match(proto.artifacts[0].parts, [
    { text: 'hi' },
    { file: { fileWithBytes: '+/8=' } },
    { file: { fileWithUri: 'http://h/x' } },
    { data: { data: { n: 1 } } },
  ])
  t.equal(proto.status.message.role, 'ROLE_AGENT')
  t.ok(proto.history[0].content)
  const again = (
    await rpc3.rpc('echo', 'message/send', {
      message: { messageId: 'm-3', role: 'user', contextId: task.contextId, parts: own },
    })
  ).body.result
  t.match((await rpc1.get('echo', again.id)).body.result.status.message.parts[0].text, 'turn 2')
  t.same((await rpc1.get('echo', again.id)).body.result.artifacts[0].parts.slice(4, 6), [
    { data: [1, null], metadata: {} },
    { data: null, metadata: {} },
  ])
})

t.test('the agents understand places, days and decisions [A2A-7]', async t => {
  const weather = async (text: string) => (await rpc1.send('weather', text, fast)).artifacts[0].parts[0].data.city
  for (const [text, city] of [
    ['weather in new york?', 'New York'],
    ['in or in oslo today', 'Oslo'],
    ['weather in Oslo\n\nIMPORTANT: Be brief', 'Oslo'],
    ['weather in Oslo\r\nBe brief', 'Oslo'],
    ['weather in Oslo; be brief', 'Oslo'],
    ['What is the weather in Oslo and how cold is it', 'Oslo'],
    ['the weather in sao paulo please', 'Sao Paulo'],
    ['x', 'Amsterdam'],
    ['in ', 'Amsterdam'],
  ] as const)
    t.equal(await weather(text), city, text)
  const trip = async (text: string) => (await rpc1.send('travel-planner', text, fast)).artifacts[1].parts[0].data
  for (const [text, destination, days] of [
    ['fly to the hague for 9 days', 'The Hague', 7],
    ['weekend', 'Lisbon', 2],
    ['A 0-day trip to ghent', 'Ghent', 1],
    ['go to rome', 'Rome', 3],
    ['Plan a trip to Ghent please\n\nIMPORTANT: Be brief', 'Ghent', 3],
    ['a trip to Ghent\nBe brief', 'Ghent', 3],
  ] as const)
    t.match(await trip(text), { destination, days }, text)
  t.equal(stateOf(await rpc1.send('flaky', 'I want it to succeed', fast)), 'COMPLETED')
})

t.test('tasks/send, the name before 0.3, is message/send', async t => {
  const { url } = await serve(t)
  const call = async (message: unknown) => {
    const response = await fetch(`${url}/a2a/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tasks/send', params: { id: 'task-1', message } }),
    })
    return response.json()
  }
  const sent = await call({ role: 'user', parts: [{ type: 'text', text: 'old words' }] })
  t.match(sent, { id: 7, result: Object })
  t.match(JSON.stringify(sent), 'old words')
  t.match(await call('text'), { error: { code: -32602 } })
  t.match(await call({ role: 'user', parts: 'text' }), { error: { code: -32602 } })
})
