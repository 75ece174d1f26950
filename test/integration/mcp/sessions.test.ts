/** Legacy revisions over Streamable HTTP: sessions, requests, canceling, batches. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { HANDSHAKE_VERSIONS, items, openSession, post, textOf, type TestSession } from '../../support/mcp.ts'
import { until } from '../../support/until.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

t.test('initialize negotiates a revision and creates a session [MCP-12, MCP-17]', async t => {
  const { url } = await serve(t)
  for (const version of HANDSHAKE_VERSIONS) {
    const { opened, id } = await openSession(`${url}/mcp`, { version })
    t.match(id, /^[0-9a-f]{32}$/)
    t.notOk(opened.isStream)
    t.strictSame(
      ['server', 'session', 'method', 'request-id', 'protocol-version'].map(name =>
        opened.headers.get(`x-svc-mcp-${name}`),
      ),
      ['default', id, 'initialize', 'init', version],
    )
    const result = opened.answer.result ?? {}
    t.strictSame(Object.keys(result), ['protocolVersion', 'capabilities', 'serverInfo', 'instructions'])
    t.equal(result.protocolVersion as unknown, version)
    t.strictSame(
      Object.keys(result.serverInfo ?? {}),
      version >= '2025-11-25'
        ? ['name', 'title', 'version', 'description']
        : version >= '2025-06-18'
          ? ['name', 'title', 'version']
          : ['name', 'version'],
    )
    t.equal(result.capabilities?.completions !== undefined, version >= '2025-03-26')
  }
  const client = { capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  for (const protocolVersion of ['2026-07-28', '1999-01-01', '']) {
    const params = { ...client, protocolVersion }
    t.equal(
      (await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'initialize', params })).answer.result
        ?.protocolVersion as unknown,
      '2025-11-25',
      JSON.stringify(params),
    )
  }
  const version = { protocolVersion: '2025-11-25' }
  const rows: [params: unknown, message: RegExp][] = [
    [undefined, /"protocolVersion" must be a string/],
    [{}, /"protocolVersion" must be a string/],
    [{ ...client, protocolVersion: 7 }, /"protocolVersion"/],
    [{ ...version, clientInfo: client.clientInfo }, /"capabilities" must be an object/],
    [{ ...client, ...version, capabilities: 'x' }, /"capabilities"/],
    [{ ...version, capabilities: {} }, /"clientInfo" must be an object/],
    [{ ...client, ...version, clientInfo: { name: 'c' } }, /"clientInfo"/],
  ]
  for (const [params, message] of rows) {
    const refused = await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    t.match(refused.answer, { id: 1, error: { code: -32602, message } }, JSON.stringify(params))
    t.strictSame([refused.status, refused.headers.get('mcp-session-id')], [200, null])
  }
  const only = await post(
    `${url}/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: { ...client, ...version } },
    { Accept: 'text/event-stream', 'Mcp-Session-Id': 'ignored' },
  )
  t.ok(only.isStream)
  t.match(only.headers.get('mcp-session-id'), /^[0-9a-f]{32}$/)
})

t.test('later requests need a session of this server [MCP-12]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  t.strictSame(
    (await session.request('ping')).answer,
    { jsonrpc: '2.0', id: 1, result: {} },
    'served before notifications/initialized',
  )
  const initialized = await session.notify('notifications/initialized')
  t.strictSame(
    [initialized.status, initialized.text, initialized.headers.get('x-svc-mcp-session')],
    [202, '', session.id],
  )
  for (const version of HANDSHAKE_VERSIONS)
    t.equal((await session.request('ping', {}, { headers: { 'MCP-Protocol-Version': version } })).status, 200, version)
  const wrong = await session.request('ping', {}, { headers: { 'MCP-Protocol-Version': '2020-02-02' } })
  t.strictSame([wrong.status, wrong.answer.error?.code, wrong.answer.error?.data?.requested] as unknown[], [
    400,
    -32022,
    '2020-02-02',
  ])
  const nowhere = await post(`${url}/mcp`, { jsonrpc: '2.0', id: 'x', method: 'ping' })
  t.strictSame(
    [
      nowhere.status,
      nowhere.answer.id,
      nowhere.answer.error?.code,
      nowhere.headers.get('x-svc-mcp-session'),
    ] as unknown[],
    [400, 'x', -32600, 'none'],
  )
  for (const [path, id] of [
    ['/mcp', 'f'.repeat(32)],
    ['/mcp', '__proto__'],
    ['/mcp/servers/weather', session.id],
  ] as const) {
    const reply = await post(url + path, { jsonrpc: '2.0', id: 9, method: 'ping' }, { 'Mcp-Session-Id': id })
    t.strictSame([reply.status, reply.answer.id, reply.answer.error?.code] as unknown[], [404, 9, -32001], path)
  }
})

t.test('DELETE ends the session and its streams [MCP-12]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  const stream = await session.stream()
  t.equal(stream.headers.get('mcp-session-id'), session.id)
  await session.request('logging/setLevel', { level: 'info' })
  const running = await session.begin(
    'tools/call',
    { name: 'slow_task', arguments: { duration_ms: 60_000, steps: 1 } },
    'slow',
  )
  t.match(await running.message(), { params: { data: { event: 'started' } } })
  const ended = await fetch(`${url}/mcp`, { method: 'DELETE', headers: session.headers })
  t.strictSame([ended.status, await ended.json()], [200, { terminated: session.id }])
  t.strictSame(
    [await stream.message(), await running.message()],
    [null, null],
    'streams end, what is in flight is aborted',
  )
  t.equal((await session.request('ping')).status, 404)
  t.equal((await fetch(`${url}/mcp`, { method: 'DELETE', headers: session.headers })).status, 404)
  t.equal((await fetch(`${url}/mcp`, { method: 'DELETE' })).status, 400)
})

t.test('GET opens one stream per session [MCP-12]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  const get = (headers: Record<string, string>) =>
    fetch(`${url}/mcp`, { headers }).then(async response => ({
      status: response.status,
      body: (await response.json()) as { error: { code: number } },
    }))
  t.equal((await get({ Accept: 'text/event-stream' })).status, 400, 'no session')
  t.equal((await get({ Accept: 'text/event-stream', 'Mcp-Session-Id': 'x' })).status, 404)
  t.equal((await get({ ...session.headers, Accept: 'application/json' })).status, 406)
  const stream = await session.stream()
  t.strictSame([stream.status, stream.headers.get('content-type')?.split(';')[0]], [200, 'text/event-stream'])
  t.equal((await get({ ...session.headers, Accept: 'text/event-stream' })).status, 409)
  stream.close()
  const head = await fetch(`${url}/mcp`, {
    method: 'HEAD',
    headers: { ...session.headers, Accept: 'text/event-stream' },
  })
  t.equal(head.status, 405, 'HEAD opens nothing')
})

t.test('methods of the stateless revision are not found, with status 200 [MCP-6]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  for (const method of ['server/discover', 'subscriptions/listen', 'nothing', '__proto__']) {
    const reply = await session.request(method)
    t.strictSame([reply.status, reply.answer.error?.code] as unknown[], [200, -32601], method)
  }
  const old = await openSession(`${url}/mcp`, { version: '2024-11-05' })
  t.equal((await old.request('completion/complete', {})).answer.error?.code as unknown, -32601, 'completion came later')
  const missing = await session.request('resources/read', { uri: 'svc://nope' })
  t.strictSame([missing.status, missing.answer.error?.code, missing.answer.error?.data] as unknown[], [
    200,
    -32002,
    { uri: 'svc://nope' },
  ])
  const result = (await session.request('tools/list')).answer.result ?? {}
  t.strictSame(Object.keys(result), ['tools'], 'no resultType, no cache members')
})

t.test('log messages are sent from the configured level [MCP-9]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  const slow = () => session.request('tools/call', { name: 'slow_task', arguments: { duration_ms: 1, steps: 1 } })
  t.notOk((await slow()).isStream, 'no level, no logs')
  t.equal((await session.request('logging/setLevel', { level: 'loud' })).answer.error?.code as unknown, -32602)
  t.strictSame((await session.request('logging/setLevel', { level: 'info' })).answer.result as unknown, {})
  const streamed = await slow()
  t.strictSame(
    streamed.messages.map(message => message.params?.data?.event ?? message.result?.isError),
    ['started', 'step', false],
  )
  t.notOk(
    (
      await session.request(
        'tools/call',
        { name: 'slow_task', arguments: { duration_ms: 1 } },
        { headers: { Accept: 'application/json' } },
      )
    ).isStream,
  )
})

t.test('canceling ends the stream without a response [MCP-13]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  const slow = { name: 'slow_task', arguments: { duration_ms: 60_000, steps: 1 } }
  await session.request('logging/setLevel', { level: 'info' })
  const begun = await session.begin('tools/call', slow, 'a')
  t.match(await begun.message(), { params: { data: { event: 'started' } } })
  for (const params of [undefined, {}, { requestId: 'unknown' }, { requestId: ['a'] }])
    t.equal((await session.notify('notifications/cancelled', params)).status, 202)
  t.equal((await session.notify('notifications/cancelled', { requestId: 'a' })).status, 202)
  t.strictSame(await begun.rest(), [])
  await session.request('logging/setLevel', { level: 'error' })
  const empty = await cancelled(session, 'b', session.begin('tools/call', slow, 'b'))
  t.strictSame([empty.headers.get('content-type')?.split(';')[0], await empty.rest()], ['text/event-stream', []])
  const onlyJson = await cancelled(
    session,
    'c',
    session.request('tools/call', slow, { id: 'c', headers: { Accept: 'application/json' } }),
  )
  t.match(onlyJson.answer, { id: 'c', error: { code: 499 } })
})

/** Cancels until the response arrives, because a cancellation that arrives before its request has no effect. */
async function cancelled<Reply>(session: TestSession, requestId: string, reply: Promise<Reply>): Promise<Reply> {
  let isThere = false
  void reply.then(() => {
    isThere = true
  })
  await until(async () => {
    await session.notify('notifications/cancelled', { requestId })
    return isThere
  }, 'the reply')
  return reply
}

t.test('batches exist only in 2025-03-26 [MCP-14]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`, { version: '2025-03-26' })
  const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const batch = (messages: unknown[], headers: Record<string, string> = {}) =>
    post(`${url}/mcp`, messages, { ...session.headers, ...headers })
  const reply = await batch([
    ping(1),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    7,
    { jsonrpc: '2.0', id: 'x', method: 'initialize' },
    { jsonrpc: '2.0', id: 'e', method: 'tools/call', params: { name: 'echo', arguments: { message: 'hi' } } },
  ])
  t.equal(reply.headers.get('x-svc-mcp-method'), 'batch')
  const answers = items(reply.answer)
  t.strictSame(
    answers.map(answer => [answer.id, answer.error?.code ?? 'ok']),
    [
      [1, 'ok'],
      [null, -32600],
      ['x', -32600],
      ['e', 'ok'],
    ],
  )
  const nothing = await batch([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ])
  t.strictSame([nothing.status, nothing.text], [202, ''])
  t.equal(items((await batch(Array.from({ length: 50 }, (_, id) => ping(id)))).answer).length, 50)
  t.equal((await batch(Array.from({ length: 51 }, (_, id) => ping(id)))).status, 400)
  t.equal((await batch([])).status, 400)
  const streamed = await batch([ping(1), ping(2)], { Accept: 'text/event-stream' })
  t.strictSame([streamed.isStream, streamed.messages.length], [true, 2])
  for (const version of ['2025-11-25', '2025-06-18', '2024-11-05']) {
    const other = await openSession(`${url}/mcp`, { version })
    t.equal((await post(`${url}/mcp`, [ping(1)], other.headers)).status, 400, version)
  }
  t.equal((await post(`${url}/mcp`, [ping(1)])).status, 400, 'no session')
})

t.test('questions are sent on the stream of the call, and the client responds with POST [MCP-10]', async t => {
  const { url } = await serve(t)
  for (const version of ['2025-11-25', '2025-06-18']) {
    const session = await openSession(`${url}/mcp`, { version, capabilities: { elicitation: {}, sampling: {} } })
    const ask = async (name: string, args: Record<string, unknown>, answer: Record<string, unknown>) => {
      const stream = await session.begin('tools/call', { name, arguments: args })
      const question = await stream.message()
      const taken = await post(`${url}/mcp`, { jsonrpc: '2.0', id: question?.id, ...answer }, session.headers)
      t.equal(taken.status, 202)
      return { question, result: (await stream.message())?.result }
    }
    const confirmed = await ask('elicit_confirmation', {}, { result: { action: 'accept', content: { confirm: true } } })
    t.match(confirmed.question, { method: 'elicitation/create', id: /^svc-(?:[0-9a-f]{12}-)?1$/ })
    t.equal(confirmed.question?.params?.mode as unknown, version === '2025-11-25' ? 'form' : undefined)
    t.equal(confirmed.result?.content?.[0]?.text as unknown, 'User confirmed: deploy to production.')
    const refused = await ask('sample_llm', { prompt: 'hi' }, { error: { code: -1, message: 'no model here' } })
    t.match(refused.result, { isError: true, content: [{ text: 'Sampling failed: no model here' }] })
    const odd = await ask('elicit_confirmation', {}, { result: { action: 'perhaps' } })
    t.match(odd.result, { isError: true, content: [{ text: /^Elicitation failed: / }] })
    const onlyJson = await session.request(
      'tools/call',
      { name: 'elicit_confirmation', arguments: {} },
      { headers: { Accept: 'application/json' } },
    )
    t.match(textOf(onlyJson), /^Elicitation failed: /)
  }
  const old = await openSession(`${url}/mcp`, { version: '2025-03-26', capabilities: { elicitation: {} } })
  const before = await old.request('tools/call', { name: 'elicit_confirmation', arguments: { require: true } })
  t.match(
    before.answer.result,
    { isError: true, content: [{ text: /elicitation/ }] },
    'before 2025-06-18 there was no elicitation',
  )
})

t.test('subscribers are notified of updates on the GET stream, at most 32 subscriptions [MCP-12, MCP-36]', async t => {
  const { url } = await serve(t, { env: { SVC_MCP_CLOCK_TICK_SECS: '1' } })
  const session = await openSession(`${url}/mcp`)
  const stream = await session.stream()
  t.strictSame((await session.request('resources/subscribe', { uri: 'svc://clock' })).answer.result as unknown, {})
  t.strictSame(await stream.message(), {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'svc://clock' },
  })
  t.strictSame((await session.request('resources/unsubscribe', { uri: 'svc://clock' })).answer.result as unknown, {})
  for (const method of ['resources/subscribe', 'resources/unsubscribe'])
    t.equal((await session.request(method, { uri: 'svc://nope' })).answer.error?.code as unknown, -32002)
  t.equal((await session.request('resources/subscribe', {})).answer.error?.code as unknown, -32602)
  for (let index = 0; index < 32; index++)
    await session.request('resources/subscribe', { uri: `svc://weather/c${index}` })
  t.equal(
    (await session.request('resources/subscribe', { uri: 'svc://weather/one-more' })).answer.error?.code as unknown,
    -32602,
  )
  t.strictSame(
    (await session.request('resources/subscribe', { uri: 'svc://weather/c0' })).answer.result as unknown,
    {},
    'one that it has already',
  )
  stream.close()
})
