/** Bad input gets an error of the protocol, never a 500, and the server continues. */
import t from 'tap'
import { connect } from 'node:net'
import { serve } from '../../support/server.ts'
import { call, callTool, envelope, openSession, openStream, post, routing, textOf } from '../../support/mcp.ts'
import { until } from '../../support/until.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

t.test('bodies that are not messages, in stateless and legacy revisions [MCP-1, MCP-35]', async t => {
  const { url } = await serve(t)
  const session = await openSession(`${url}/mcp`)
  const stateless = { 'MCP-Protocol-Version': '2026-07-28' }
  const table: [string, number][] = [
    ['', -32700],
    ['{"broken', -32700],
    ['\u0000', -32700],
    ['7', -32600],
    ['"text"', -32600],
    ['null', -32600],
    ['{}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['[]', -32600],
    [`${'['.repeat(100_000)}`, -32600],
    [`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, -32600],
  ]
  for (const [body, code] of table) {
    for (const headers of [session.headers, stateless]) {
      const reply = await post(`${url}/mcp`, body, headers)
      t.strictSame([reply.status, reply.answer.error?.code] as unknown[], [400, code], body.slice(0, 50))
    }
  }
  t.strictSame(
    (await post(`${url}/mcp`, '{"jsonrpc":"1.0","id":"kept","method":"ping"}', stateless)).answer.id as unknown,
    'kept',
    'an id that can be read comes back',
  )
  t.strictSame((await post(`${url}/mcp`, '[]', stateless)).answer.id as unknown, null)
})

t.test('names and keys with a meaning in JavaScript are ordinary [MCP-35]', async t => {
  const { url } = await serve(t)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    t.equal((await callTool(`${url}/mcp`, name)).answer.error?.code as unknown, -32602, name)
    t.equal((await call(`${url}/mcp`, 'prompts/get', { name })).answer.error?.code as unknown, -32602, name)
    t.equal((await call(`${url}/mcp`, 'resources/read', { uri: name })).answer.error?.code as unknown, -32602, name)
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"x","${name}":1},"_meta":${JSON.stringify(envelope())}}}`
    const extra = await post(`${url}/mcp`, body, routing('tools/call', { name: 'echo' }))
    t.match(extra.answer.result, { isError: true, content: [{ text: new RegExp(`unknown argument "${name}"`) }] }, name)
  }
  t.equal(textOf(await callTool(`${url}/mcp`, 'echo', { message: 'fine' })), 'fine')
  t.equal(({} as Record<string, unknown>).a, undefined)
})

t.test('odd values everywhere get a response of the protocol [MCP-35]', async t => {
  const server = await serve(t)
  const { url } = server
  const session = await openSession(`${url}/mcp`, { capabilities: { elicitation: {}, sampling: {}, roots: {} } })
  const odd: unknown[] = [null, 0, -1, 1e300, '', ' ', 'x'.repeat(5000), [], {}, true, { a: { b: [1] } }, '\ud800']
  const methods = [
    'tools/call',
    'tools/list',
    'prompts/get',
    'resources/read',
    'resources/subscribe',
    'completion/complete',
    'logging/setLevel',
    'initialize',
  ]
  for (const method of methods) {
    for (const value of odd) {
      const params = {
        name: value,
        uri: value,
        cursor: value,
        arguments: value,
        ref: value,
        argument: value,
        level: value,
        protocolVersion: value,
        _meta: value,
        inputResponses: value,
        requestState: value,
      }
      const inSession = await post(
        url + '/mcp',
        { jsonrpc: '2.0', id: 1, method, params },
        { ...session.headers, Accept: 'application/json' },
      )
      t.ok(
        inSession.status < 500 && (inSession.answer.result ?? inSession.answer.error),
        `session ${method} ${JSON.stringify(value)?.slice(0, 20)}`,
      )
      const alone = await call(`${url}/mcp`, method, { ...params, _meta: undefined })
      t.ok(
        alone.status < 500 && (alone.answer.result ?? alone.answer.error),
        `stateless ${method} ${JSON.stringify(value)?.slice(0, 20)}`,
      )
    }
  }
  t.notOk(
    server.lines.some(line => / ERROR /.test(line)),
    'nothing was unexpected',
  )
})

t.test('clients that disconnect leave nothing behind [MCP-13, MCP-35]', async t => {
  const server = await serve(t)
  const { url } = server
  const port = Number(new URL(url).port)
  const session = await openSession(`${url}/mcp`)
  const slow = JSON.stringify({
    jsonrpc: '2.0',
    id: 's',
    method: 'tools/call',
    params: { name: 'slow_task', arguments: { duration_ms: 300, steps: 30 }, _meta: { progressToken: 1 } },
  })
  const half = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'slow_task',
      arguments: { duration_ms: 60_000 },
      _meta: envelope({}, { 'io.modelcontextprotocol/logLevel': 'info' }),
    },
  })
  for (const [body, headers] of [
    [slow, session.headers],
    [half, routing('tools/call', { name: 'slow_task' })],
  ] as const) {
    const head = Object.entries({
      Host: 'x',
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      ...headers,
    })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`))
      socket.once('data', () => {
        socket.resetAndDestroy()
        resolve()
      })
    })
  }
  const stream = await session.stream()
  stream.close()
  const listening = await openStream(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...routing('subscriptions/listen') },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: envelope() },
    }),
  })
  listening.close()
  // The call in the session completed and its messages were kept: priming, 30 progress messages, the response.
  const again = await until(async () => {
    const next = await session.stream({ 'Last-Event-ID': '1-1' })
    return next.status === 200 ? next : null
  }, 'the broken stream can be resumed')
  const rest = await again.rest()
  t.match(rest.at(-1), { id: 's', result: { structuredContent: { completed: true } } })
  t.equal(rest.length, 30)
  await server.stop()
  t.notOk(
    server.lines.some(line => / ERROR | WARN /.test(line)),
    server.lines.join('\n'),
  )
})

t.test('a session allows 64 requests in flight [MCP-36]', async t => {
  const { url } = await serve(t, { oneProcess: 'each replica counts the requests that it handles' })
  const session = await openSession(`${url}/mcp`, { version: '2025-03-26' })
  const slow = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'slow_task', arguments: { duration_ms: 300, steps: 1 } },
  })
  const first = post(
    `${url}/mcp`,
    Array.from({ length: 50 }, (_, id) => slow(id)),
    session.headers,
  )
  const second = await post(
    `${url}/mcp`,
    Array.from({ length: 50 }, (_, id) => slow(100 + id)),
    session.headers,
  )
  const answers = [(await first).answer, second.answer].flatMap(
    answer => answer as unknown as { error?: { code: number } }[],
  )
  t.equal(answers.filter(answer => answer.error === undefined).length, 64)
  t.equal(answers.filter(answer => answer.error?.code === -32603).length, 36)
})

t.test('the limit of streams applies to MCP too, and a rejected call stops [MCP-36]', async t => {
  const { url } = await serve(t, { env: { SVC_LIMIT_STREAMS: '1' }, oneProcess: 'each replica limits its streams' })
  const session = await openSession(`${url}/mcp`)
  const stream = await session.stream()
  t.equal(stream.status, 200)
  const slow = {
    name: 'slow_task',
    arguments: { duration_ms: 60_000, steps: 60_000 / 600 },
    _meta: { progressToken: 1 },
  }
  const refused = await session.request('tools/call', slow)
  t.strictSame([refused.status, refused.headers.get('x-svc-limit')], [429, 'streams'])
  t.equal(
    (
      await call(
        `${url}/mcp`,
        'tools/call',
        { name: 'slow_task', arguments: { duration_ms: 1000 } },
        { meta: { progressToken: 1 } },
      )
    ).status,
    429,
  )
  stream.close()
  await until(async () => {
    const again = await session.stream()
    again.close()
    return again.status === 200
  }, 'the slot is free again')
})
