/** The stateless revision over HTTP: envelope and headers, results, streams, rounds of questions, listening. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import {
  call,
  callTool,
  envelope,
  items,
  openSession,
  openStream,
  post,
  routing,
  textOf,
  type Json,
  type McpReply,
} from '../../support/mcp.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const FACTS = ['server', 'session', 'method', 'request-id', 'protocol-version']
const facts = (reply: McpReply) => FACTS.map(name => reply.headers.get(`x-svc-mcp-${name}`))

t.test('the first failed check of envelope and headers determines the error [MCP-6, MCP-7]', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/mcp`
  const meta = envelope()
  const [versionKey, capabilitiesKey] = Object.keys(meta) as [string, string]
  const echo = { name: 'echo', arguments: { message: 'hi' } }
  const good = routing('tools/call', echo)
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
  const table: [string, Record<string, unknown>, Record<string, string>, number, number, RegExp][] = [
    ['no _meta', echo, good, 400, -32602, /protocolVersion.*clientCapabilities/],
    ['one key', { ...echo, _meta: { [versionKey]: '2026-07-28' } }, good, 400, -32602, /clientCapabilities/],
    [
      'capabilities as array',
      { ...echo, _meta: { ...meta, [capabilitiesKey]: [] } },
      good,
      400,
      -32602,
      /clientCapabilities/,
    ],
    [
      'unknown log level',
      { ...echo, _meta: { ...meta, 'io.modelcontextprotocol/logLevel': 'loud' } },
      good,
      400,
      -32602,
      /logLevel/,
    ],
    [
      'no version header',
      { ...echo, _meta: meta },
      without('MCP-Protocol-Version'),
      400,
      -32020,
      /MCP-Protocol-Version header is required/,
    ],
    [
      'versions differ',
      { ...echo, _meta: meta },
      { ...good, 'MCP-Protocol-Version': '2025-11-25' },
      400,
      -32020,
      /MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'/,
    ],
    [
      'unknown version',
      { ...echo, _meta: { ...meta, [versionKey]: 'v999.0.0' } },
      { ...good, 'MCP-Protocol-Version': 'v999.0.0' },
      400,
      -32022,
      /Unsupported protocol version/,
    ],
    [
      'legacy revision',
      { ...echo, _meta: { ...meta, [versionKey]: '2025-11-25' } },
      { ...good, 'MCP-Protocol-Version': '2025-11-25' },
      400,
      -32022,
      /Unsupported protocol version/,
    ],
    [
      'no method header',
      { ...echo, _meta: meta },
      without('Mcp-Method'),
      400,
      -32020,
      /^Header mismatch: Mcp-Method header is required$/,
    ],
    [
      'method in capitals',
      { ...echo, _meta: meta },
      { ...good, 'Mcp-Method': 'TOOLS/CALL' },
      400,
      -32020,
      /Mcp-Method/,
    ],
    ['no name header', { ...echo, _meta: meta }, without('Mcp-Name'), 400, -32020, /Mcp-Name header is required/],
    [
      'another name',
      { ...echo, _meta: meta },
      { ...good, 'Mcp-Name': 'calculate' },
      400,
      -32020,
      /^Header mismatch: Mcp-Name header value 'calculate' does not match body value 'echo'$/,
    ],
    ['broken base64', { ...echo, _meta: meta }, { ...good, 'Mcp-Name': '=?base64?ZWNobw?=' }, 400, -32020, /base64/],
    [
      'one marker only is literal',
      { ...echo, _meta: meta },
      { ...good, 'Mcp-Name': '=?base64?ZWNobw==' },
      400,
      -32020,
      /does not match/,
    ],
    [
      'markers in capitals are literal',
      { ...echo, _meta: meta },
      { ...good, 'Mcp-Name': '=?BASE64?ZWNobw==?=' },
      400,
      -32020,
      /does not match/,
    ],
  ]
  for (const [name, params, headers, status, code, message] of table) {
    const reply = await post(mcp, { jsonrpc: '2.0', id: 'q', method: 'tools/call', params }, headers)
    t.equal(reply.status, status, name)
    t.match(reply.answer, { id: 'q', error: { code, message } }, name)
  }
  const refused = await post(
    mcp,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...echo, _meta: { ...meta, [versionKey]: 'v999' } } },
    { ...good, 'MCP-Protocol-Version': 'v999' },
  )
  t.strictSame(refused.answer.error?.data, {
    supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    requested: 'v999',
  })
  t.equal(
    (
      await post(
        mcp,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...echo, _meta: meta } },
        { ...good, 'Mcp-Name': ' =?base64?ZWNobw==?= ' },
      )
    ).status,
    200,
    'decoded, spaces aside',
  )
})

t.test('arguments that a header repeats must be the same [MCP-7, MCP-27]', async t => {
  const { url } = await serve(t)
  const weather = (args: Record<string, unknown>, header?: string) =>
    call(
      `${url}/mcp`,
      'tools/call',
      { name: 'get_weather', arguments: args },
      { headers: header === undefined ? {} : { 'Mcp-Param-City': header } },
    )
  t.equal((await weather({ city: 'Lisbon' }, 'Lisbon')).answer.result?.structuredContent?.city, 'Lisbon')
  t.equal(
    (await weather({ city: '東京' }, `=?base64?${Buffer.from('東京').toString('base64')}?=`)).answer.result
      ?.structuredContent?.city,
    '東京',
  )
  for (const [args, header] of [
    [{ city: 'Lisbon' }, undefined],
    [{ city: 'Lisbon' }, 'Porto'],
    [{}, 'Lisbon'],
    [{ city: null }, 'Lisbon'],
    [{ city: ['Lisbon'] }, 'Lisbon'],
  ] as const) {
    const reply = await weather(args, header)
    t.equal(reply.status, 400, JSON.stringify(args))
    t.match(reply.answer.error, { code: -32020, message: /Mcp-Param-City/ })
  }
  t.match((await weather({})).answer.result, { isError: true }, 'neither is the tool’s own matter')
  const repeated = await fetchRepeated(`${url}/mcp`)
  t.equal(repeated, 400, 'a repeated header is a mismatch')
})

/** Sends a raw request, because `fetch` joins repeated headers. */
async function fetchRepeated(url: string): Promise<number> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const params = { name: 'get_weather', arguments: { city: 'a, b' } }
    const outgoing = request(
      url,
      {
        method: 'POST',
        headers: { ...routing('tools/call', params), 'Content-Type': 'application/json', 'Mcp-Param-City': ['a', 'b'] },
      },
      response => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    outgoing
      .on('error', reject)
      .end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: envelope() } }))
  })
}

t.test('every result has resultType, serverInfo and its cache members [MCP-8]', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/mcp`
  const table: [string, Record<string, unknown>, number | undefined, string | undefined][] = [
    ['server/discover', {}, 3_600_000, 'public'],
    ['tools/list', {}, 300_000, 'public'],
    ['prompts/list', {}, 300_000, 'public'],
    ['resources/list', {}, 60_000, 'public'],
    ['resources/templates/list', {}, 300_000, 'public'],
    ['resources/read', { uri: 'svc://docs/readme' }, 60_000, 'public'],
    ['resources/read', { uri: 'svc://clock' }, 0, 'public'],
    ['resources/read', { uri: 'svc://customers/u1' }, 60_000, 'public'],
    ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }, undefined, undefined],
    ['prompts/get', { name: 'summarize', arguments: { text: 'x' } }, undefined, undefined],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'summarize' }, argument: { name: 'style', value: '' } },
      undefined,
      undefined,
    ],
  ]
  for (const [method, params, ttlMs, cacheScope] of table) {
    const reply = await call(mcp, method, params)
    t.equal(reply.status, 200, method)
    t.notOk(reply.isStream, method)
    const result = reply.answer.result ?? {}
    t.strictSame(
      [
        result.resultType,
        result.ttlMs,
        result.cacheScope,
        result._meta?.['io.modelcontextprotocol/serverInfo']?.name,
      ] as unknown[],
      ['complete', ttlMs, cacheScope, 'svc-mcp'],
      method,
    )
    t.strictSame(facts(reply), ['default', 'stateless', method, '1', '2026-07-28'], method)
    t.equal(reply.headers.get('mcp-session-id'), null)
  }
  const discovered = (await call(mcp, 'server/discover')).answer.result
  t.strictSame(discovered?.supportedVersions, ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
  t.strictSame(discovered?.capabilities, {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  })
  t.equal(
    (
      await call(
        `${url}/mcp/apikey`,
        'resources/read',
        { uri: 'svc://customers/u1' },
        { headers: { 'X-API-Key': 'k' } },
      )
    ).answer.result?.cacheScope,
    'private',
  )
})

t.test('unknown methods are 404, errors of handlers have status 200 [MCP-6, MCP-8]', async t => {
  const { url } = await serve(t)
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
    'nothing',
    '__proto__',
  ]) {
    const reply = await call(`${url}/mcp`, method)
    t.strictSame([reply.status, reply.answer.error?.code] as unknown[], [404, -32601], method)
  }
  t.strictSame(
    (await call(`${url}/mcp/servers/weather`, 'prompts/list')).answer.error?.code as unknown,
    -32601,
    'a list without its capability',
  )
  const table: [string, Record<string, unknown>][] = [
    ['tools/call', {}],
    ['tools/call', { name: 'nope' }],
    ['tools/call', { name: '__proto__' }],
    ['tools/call', { name: 'echo', arguments: [1] }],
    ['prompts/get', { name: 'nope' }],
    ['prompts/get', { name: 'summarize' }],
    ['resources/read', { uri: 'file:///etc/passwd' }],
    ['resources/read', {}],
    ['tools/list', { cursor: 'garbage' }],
    ['tools/call', { name: 'echo', arguments: { message: 'x' }, requestState: 7 }],
    ['tools/call', { name: 'echo', arguments: { message: 'x' }, inputResponses: { a: 1 } }],
  ]
  for (const [method, params] of table) {
    const reply = await call(`${url}/mcp`, method, params)
    t.strictSame(
      [reply.status, reply.answer.error?.code] as unknown[],
      [200, -32602],
      `${method} ${JSON.stringify(params)}`,
    )
  }
  t.strictSame((await call(`${url}/mcp`, 'resources/read', { uri: 'svc://nope' })).answer.error?.data, {
    uri: 'svc://nope',
  })
})

t.test('notifications are accepted; responses, arrays, GET and DELETE are rejected [MCP-5]', async t => {
  const { url } = await serve(t)
  const header = { 'MCP-Protocol-Version': '2026-07-28' }
  const notified = await post(`${url}/mcp`, { jsonrpc: '2.0', method: 'notifications/whatever' }, header)
  t.strictSame([notified.status, notified.text], [202, ''])
  t.equal((await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, result: {} }, header)).status, 400)
  t.equal((await post(`${url}/mcp`, [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], header)).status, 400)
  for (const method of ['GET', 'DELETE']) {
    const reply = await fetch(`${url}/mcp`, {
      method,
      headers: { ...header, Accept: 'text/event-stream', 'Mcp-Session-Id': 'x', 'Last-Event-ID': '1-1' },
    })
    t.strictSame([reply.status, reply.headers.get('allow')], [405, 'POST'], method)
  }
  t.equal(
    (await call(`${url}/mcp`, 'tools/list', {}, { headers: { 'Mcp-Session-Id': 'unknown' } })).status,
    200,
    'a session id is ignored',
  )
  t.equal(
    (await post(`${url}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } })).answer
      .error?.code as unknown,
    -32020,
    'an envelope without the header is stateless',
  )
})

t.test('a response is JSON unless other messages come first [MCP-9]', async t => {
  const { url } = await serve(t)
  const slow = (options: Parameters<typeof callTool>[3]) =>
    callTool(`${url}/mcp`, 'slow_task', { duration_ms: 20, steps: 2 }, options)
  t.notOk((await slow({})).isStream, 'nobody asked for progress')
  const streamed = await slow({ meta: { progressToken: 'p1', 'io.modelcontextprotocol/logLevel': 'info' } })
  t.ok(streamed.isStream)
  t.equal(streamed.headers.get('cache-control'), 'no-cache, no-transform')
  t.equal(streamed.headers.get('x-accel-buffering'), 'no')
  t.strictSame(facts(streamed), ['default', 'stateless', 'tools/call', '1', '2026-07-28'])
  t.notMatch(streamed.text, /^id:/m, 'stateless streams have no event ids')
  t.strictSame(
    streamed.messages
      .slice(0, -1)
      .map(message => [
        message.method,
        message.params?.progress ?? message.params?.data?.event,
        message.params?.progressToken ?? message.params?.logger,
        message.params?.message,
      ]),
    [
      ['notifications/message', 'started', 'default', undefined],
      ['notifications/progress', 1, 'p1', 'step 1/2'],
      ['notifications/message', 'step', 'default', undefined],
      ['notifications/progress', 2, 'p1', 'step 2/2'],
      ['notifications/message', 'step', 'default', undefined],
    ],
  )
  t.match(streamed.answer, {
    id: 1,
    result: { isError: false, structuredContent: { steps: 2, durationMs: 20, completed: true } },
  })
  t.strictSame(
    (await slow({ meta: { progressToken: 0 } })).messages[0]?.params?.progressToken as unknown,
    0,
    'the token comes back as it went',
  )
  for (const progressToken of [1.5, true, {}])
    t.notOk((await slow({ meta: { progressToken } })).isStream, JSON.stringify(progressToken))
  t.notOk(
    (await slow({ meta: { progressToken: 1 }, headers: { Accept: 'application/json' } })).isStream,
    'a client that takes JSON only gets no stream',
  )
  const debug = await callTool(
    `${url}/mcp`,
    'echo',
    { message: 'x' },
    { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } },
  )
  t.match(debug.messages[0], {
    method: 'notifications/message',
    params: { level: 'debug', logger: 'default', data: { event: 'tools/call', tool: 'echo' } },
  })
  t.notOk(
    (
      await callTool(
        `${url}/mcp`,
        'slow_task',
        { duration_ms: 1 },
        { meta: { 'io.modelcontextprotocol/logLevel': 'notice' } },
      )
    ).isStream,
    'below the level',
  )
  const only = await callTool(`${url}/mcp`, 'echo', { message: 'x' }, { headers: { Accept: 'text/event-stream' } })
  t.ok(only.isStream)
  t.equal(textOf(only), 'x')
})

t.test(
  'after ten seconds without a result the response becomes a stream, in stateless and legacy revisions [MCP-9]',
  async t => {
    const { url } = await serve(t)
    const quiet = { duration_ms: 10_200, steps: 1 }
    const session = await openSession(`${url}/mcp`, { version: '2025-06-18' })
    const replies = await Promise.all([
      callTool(`${url}/mcp`, 'slow_task', quiet),
      session.request('tools/call', { name: 'slow_task', arguments: quiet }, { id: 1 }),
      callTool(`${url}/mcp`, 'slow_task', quiet, { headers: { Accept: 'application/json' } }),
    ])
    t.strictSame(
      replies.map(reply => [reply.status, reply.isStream, reply.messages.length]),
      [
        [200, true, 1],
        [200, true, 1],
        [200, false, 1],
      ],
    )
    for (const reply of replies) t.match(reply.answer, { id: 1, result: { structuredContent: { completed: true } } })
  },
)

t.test('a client cancels by disconnecting [MCP-13]', async t => {
  const server = await serve(t, { env: { SVC_LOG_LEVEL: 'debug' } })
  const params = { name: 'slow_task', arguments: { duration_ms: 60_000, steps: 1 } }
  const stream = await openStream(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...routing('tools/call', params) },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...params, _meta: envelope({}, { 'io.modelcontextprotocol/logLevel': 'info' }) },
    }),
  })
  t.match(await stream.message(), { params: { data: { event: 'started' } } })
  stream.close()
  t.equal((await callTool(`${server.url}/mcp`, 'echo', { message: 'still there' })).status, 200)
  // Otherwise, stopping the server would wait for a tool that runs for a minute.
  await server.stop()
  t.notOk(server.lines.some(line => / ERROR /.test(line)))
})

t.test('questions use rounds [MCP-10]', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/mcp`
  const capabilities = { elicitation: {}, sampling: {} }
  const ask = (more: Record<string, unknown> = {}, args: Record<string, unknown> = { action: 'ship it' }) =>
    call(mcp, 'tools/call', { name: 'elicit_confirmation', arguments: args, ...more }, { capabilities })
  const first = (await ask()).answer.result ?? {}
  t.equal(first.resultType as unknown, 'input_required')
  t.strictSame(first.inputRequests?.confirm as unknown, {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Please confirm: ship it?',
      requestedSchema: {
        type: 'object',
        properties: {
          confirm: { type: 'boolean', title: 'Confirm' },
          comment: { type: 'string', title: 'Comment', maxLength: 200 },
        },
        required: ['confirm'],
      },
    },
  })
  const state = String(first.requestState)
  const confirm = (answer: unknown) =>
    ask({ requestState: state, inputResponses: { confirm: answer, unknown: { ignored: true } } })
  const table: [unknown, string][] = [
    [{ action: 'accept', content: { confirm: true } }, 'User confirmed: ship it.'],
    [
      { action: 'accept', content: { confirm: false, comment: 'later' } },
      'User did not tick confirm for: ship it. Comment: later',
    ],
    [{ action: 'decline' }, 'User declined: ship it.'],
    [{ action: 'cancel' }, 'User cancelled the confirmation for: ship it.'],
  ]
  for (const [answer, text] of table) t.equal(textOf(await confirm(answer)), text)
  t.equal(
    (await confirm({ action: 'perhaps' })).answer.result?.resultType as unknown,
    'input_required',
    'an unusable answer is requested again',
  )
  t.equal(
    textOf(await ask({ inputResponses: { confirm: { action: 'decline' } } })),
    'User declined: ship it.',
    'answers without a state are taken',
  )
  const tampered = [
    `${state}x`,
    state.replace(/.$/, last => (last === 'A' ? 'B' : 'A')),
    `e30.${state.split('.')[1]}`,
    'garbage',
    '',
    '.',
    'x'.repeat(70_000),
  ]
  for (const requestState of tampered)
    t.match(
      (await ask({ requestState, inputResponses: {} })).answer.error,
      { code: -32602, message: 'Invalid or expired requestState' },
      requestState.slice(0, 10),
    )
  t.match(
    (await ask({ requestState: state, inputResponses: {} }, { action: 'other' })).answer.error,
    { code: -32602 },
    'bound to the arguments',
  )
  t.match(
    (
      await call(
        mcp,
        'tools/call',
        { name: 'sample_llm', arguments: { prompt: 'x' }, requestState: state },
        { capabilities },
      )
    ).answer.error,
    { code: -32602 },
    'bound to the tool',
  )
  t.match((await ask({ inputResponses: [] })).answer.error, { code: -32602 })
  const sampled = await call(
    mcp,
    'tools/call',
    {
      name: 'sample_llm',
      arguments: { prompt: 'x' },
      inputResponses: { sample: { role: 'assistant', model: 'm1', content: [{ type: 'text', text: 'four' }] } },
    },
    { capabilities },
  )
  t.equal(textOf(sampled), 'Client LLM (m1) answered: four')
})

t.test('an invalid state of a prompt or a resource is refused too [MCP-10]', async t => {
  const { url } = await serve(t)
  const requests = [
    ['prompts/get', { name: 'summarize', arguments: { text: 'x' } }],
    ['resources/read', { uri: 'svc://docs/readme' }],
  ] as const
  for (const [method, params] of requests)
    t.match(
      (await call(`${url}/mcp`, method, { ...params, requestState: 'garbage' })).answer.error,
      { code: -32602, message: 'Invalid or expired requestState' },
      method,
    )
})

t.test('the state contains the answers of earlier rounds [MCP-10]', async t => {
  const { url } = await serve(t)
  const round = (more: Record<string, unknown>) =>
    call(
      `${url}/mcp/servers/conformance`,
      'tools/call',
      { name: 'test_input_required_result_multi_round', arguments: {}, ...more },
      { capabilities: { elicitation: {} } },
    )
  const first = (await round({})).answer.result
  const second = (
    await round({
      requestState: first?.requestState,
      inputResponses: { step1: { action: 'accept', content: { name: 'Ada' } } },
    })
  ).answer.result
  t.strictSame(Object.keys(second?.inputRequests ?? {}), ['step2'])
  t.not(second?.requestState, first?.requestState)
  const third = await round({
    requestState: second?.requestState,
    inputResponses: { step2: { action: 'accept', content: { color: 'green' } } },
  })
  t.equal(textOf(third), 'Ada likes green.')
})

t.test('a question needs the capability [MCP-6, MCP-10]', async t => {
  const { url } = await serve(t)
  const tool = (name: string, args: Record<string, unknown>) => callTool(`${url}/mcp`, name, args)
  const missing = await tool('sample_llm', { prompt: 'x', require: true })
  t.equal(missing.status, 400)
  t.match(missing.answer.error, { code: -32021, data: { requiredCapabilities: { sampling: {} } } })
  t.match((await tool('elicit_confirmation', { require: true })).answer.error, {
    code: -32021,
    data: { requiredCapabilities: { elicitation: {} } },
  })
  const soft = await tool('elicit_confirmation', {})
  t.strictSame([soft.status, soft.answer.result?.isError] as unknown[], [200, false])
  t.match(textOf(soft), /elicitation/)
})

function listen(url: string, notifications: unknown, id: string | number = 'sub-1') {
  return openStream(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...routing('subscriptions/listen'),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications, _meta: envelope() },
    }),
  })
}

t.test('listening acknowledges the supported changes and sends only those [MCP-11]', async t => {
  const { url } = await serve(t, { env: { SVC_MCP_CLOCK_TICK_SECS: '1' } })
  const requested = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: 'yes',
    nonsense: true,
    resourceSubscriptions: ['svc://clock', 'svc://nope', 7, 'svc://clock'],
  }
  const stream = await listen(`${url}/mcp`, requested, 7)
  t.strictSame(await stream.message(), {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: {
      notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['svc://clock'] },
      _meta: { 'io.modelcontextprotocol/subscriptionId': 7 },
    },
  })
  t.strictSame(await stream.message(), {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'svc://clock', _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } },
  })
  stream.close()
  const weather = await listen(`${url}/mcp/servers/weather`, { promptsListChanged: true })
  t.strictSame((await weather.message())?.params?.notifications, {}, 'a server without prompts has none to announce')
  weather.close()
  const many = Array.from({ length: 40 }, (_, index) => `svc://weather/city${index}`)
  const bounded = await listen(`${url}/mcp`, { resourceSubscriptions: many })
  t.equal(items((await bounded.message())?.params?.notifications?.resourceSubscriptions).length, 32)
  bounded.close()
  const refused = await call(
    `${url}/mcp`,
    'subscriptions/listen',
    { notifications: {} },
    { headers: { Accept: 'application/json' } },
  )
  t.equal(refused.status, 406)
  t.match((await call(`${url}/mcp`, 'subscriptions/listen', {})).answer.error, { code: -32602 })
})

t.test(
  'an announced change reaches the listeners of that server, and listening ends with a result [MCP-11]',
  async t => {
    const server = await serve(t)
    const url = `${server.url}/mcp/servers/conformance`
    const stream = await listen(url, { toolsListChanged: true })
    const other = await listen(`${server.url}/mcp`, { toolsListChanged: true })
    await stream.message()
    await other.message()
    await callTool(url, 'test_trigger_prompt_change')
    await callTool(url, 'test_trigger_tool_change')
    t.equal((await stream.message())?.method as unknown, 'notifications/tools/list_changed')
    const ended: Promise<Json[]>[] = [stream.rest(), other.rest()]
    await server.stop()
    for (const rest of await Promise.all(ended))
      t.match(rest, [
        {
          id: 'sub-1',
          result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub-1' } },
        },
      ])
  },
)
