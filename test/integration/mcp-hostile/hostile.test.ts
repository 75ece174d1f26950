/** Servers that attack their clients: each does what it says, in every revision that can express it, and within bounds. */
import t from 'tap'
import { call, callTool, items, openSession, post, routing, envelope, textOf, type Json } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

const CALM = ['poison', 'rugpull', 'shadow', 'unicode', 'result']
const OTHERS = ['schema', 'huge', 'cursor', 'duplicate', 'stream', 'session', 'storm', 'ask', 'skills', 'app']

const { url } = await serve(t)
const at = (name: string, query = ''): string => `${url}/mcp/servers/hostile-${name}${query}`
const toolsOf = async (name: string, query = ''): Promise<Json[]> =>
  items((await call(at(name, query), 'tools/list')).answer.result?.tools)

t.test('every server says that it is hostile, and lists its tools in both kinds of revisions [MCPX-23]', async t => {
  const { servers } = (await (await fetch(`${url}/mcp/servers`)).json()) as {
    servers: { name: string; hostile: boolean }[]
  }
  t.equal(servers.filter(({ name, hostile }) => name.startsWith('hostile-') && hostile).length, 17)
  for (const name of [...CALM, ...OTHERS]) {
    const listed = await call(at(name), 'tools/list')
    t.equal(listed.status, 200, name)
    t.equal(listed.headers.get('x-svc-mcp-hostile'), name)
    const discovered = await call(at(name), 'server/discover')
    t.match(discovered.answer.result?._meta?.['io.modelcontextprotocol/serverInfo'], {
      description: /^Hostile on purpose\. /,
    })
    const session = await openSession(at(name))
    const inSession = await session.request('tools/list')
    t.equal(Array.isArray(inSession.answer.result?.tools), true, `${name} in a session`)
    if (CALM.includes(name))
      t.ok(items(listed.answer.result?.tools).every(tool => String((tool.inputSchema as Json).type) === 'object'))
  }
  t.equal((await call(at('wire', '?kind=null-id'), 'tools/list')).answer.id as unknown, null)
  const unknown = await callTool(at('shadow'), 'no_such_tool')
  t.equal(unknown.answer.error?.code as unknown, -32602)
})

t.test('wrong query parameters are refused before anything else', async t => {
  for (const [name, query] of [
    ['rugpull', '?after=x'],
    ['rugpull', '?after=101'],
    ['huge', '?tools=0'],
    ['huge', '?bytes=5000'],
    ['cursor', '?kind=other'],
    ['wire', '?kind=503'],
    ['session', '?requests=0'],
    ['storm', '?rate=201'],
    ['auth', '?kind=x'],
  ] as const) {
    const refused = await post(at(name, query), '{')
    t.equal(refused.status, 400, `${name}${query}`)
    t.match(refused.answer, { error: 'invalid_parameter' })
    t.equal(refused.headers.get('x-svc-mcp-hostile'), name)
  }
})

t.test('poison, shadow, unicode', async t => {
  const [balance] = await toolsOf('poison')
  t.match(balance, { name: 'get_balance', title: /note/, description: /<IMPORTANT>[^]*system prompt/ })
  t.match((balance!.inputSchema as Json).required, ['account'])
  t.match(items((await call(at('poison'), 'prompts/list')).answer.result?.prompts)[0], { description: /IMPORTANT/ })
  t.match(items((await call(at('poison'), 'resources/list')).answer.result?.resources)[0], { name: /must read/ })
  t.match((await call(at('poison'), 'server/discover')).answer.result, { instructions: /IMPORTANT/ })
  t.strictSame((await toolsOf('shadow')).map(({ name }) => name) as unknown[], [
    'lookup_customer',
    'cancel_order',
    'get_weather',
    'helper',
  ])
  const unicode = JSON.stringify(await toolsOf('unicode'))
  for (const character of ['\u200b', '\u2060', '\u{e0043}', '\u202e', 'g\u0435t_weather', '\\u001b'])
    t.ok(unicode.includes(character), JSON.stringify(character))
  t.ok(textOf(await callTool(at('unicode'), 'show_log')).includes('\u001b'))
})

t.test('rugpull: lists of one session change after some, which is announced', async t => {
  const asA = { headers: { 'X-Svc-Session': 'rug-a' } }
  const list = async (options: typeof asA, query = '?after=2') =>
    items((await call(at('rugpull', query), 'tools/list', {}, options)).answer.result?.tools)[0]
  const session = await openSession(at('rugpull'))
  const stream = await session.stream()
  t.match(await list(asA), { description: 'Adds two numbers.' })
  t.match(await list(asA), { description: 'Adds two numbers.' })
  t.match(await stream.message(), { method: 'notifications/tools/list_changed' })
  stream.close()
  t.match(await list(asA), { annotations: { destructiveHint: true }, inputSchema: { required: ['a', 'b', 'context'] } })
  t.match(await list({ headers: { 'X-Svc-Session': 'rug-b' } }), { description: 'Adds two numbers.' })
  await fetch(`${url}/_svc/reset?session=rug-a`, { method: 'POST', body: '{"kinds":["mcp"]}' })
  t.match(await list(asA), { description: 'Adds two numbers.' }, 'a reset forgets the count')
  t.match(await list({ headers: { 'X-Svc-Session': 'rug-c' } }, '?after=0'), { annotations: { destructiveHint: true } })
  t.equal(textOf(await callTool(at('rugpull'), 'add', { a: 1, b: 2 })), '3')
})

t.test('schema, result, duplicate', async t => {
  const schemas = new Map((await toolsOf('schema')).map(tool => [String(tool.name), tool.inputSchema as Json]))
  t.match(schemas.get('remote_ref'), { $ref: 'https://attacker.example/s.json' })
  t.match(schemas.get('redos'), { properties: { text: { pattern: '^(a+)+$' } } })
  t.ok(Object.hasOwn(schemas.get('proto')!.properties as object, '__proto__'))
  t.match(schemas.get('not_object'), { type: 'string' })
  t.notSame(schemas.get('changing'), (await toolsOf('schema')).at(-1)!.inputSchema)
  let depth = 0
  for (let schema = schemas.get('deep'); schema; schema = (schema.properties as Json | undefined)?.next) depth++
  t.equal(depth, 201)
  t.equal((await toolsOf('result')).length, 8)
  t.match((await callTool(at('result'), 'inject_error')).answer.result, { isError: true })
  t.match((await callTool(at('result'), 'inject_structured')).answer.result, { structuredContent: { count: 'many' } })
  t.match(textOf(await callTool(at('result'), 'leak')), /sk-svc-demo-000000000000/)
  const names = (await toolsOf('duplicate')).map(({ name }) => String(name))
  t.strictSame(names, ['transfer', 'transfer', 'Transfer', 'transfer ', 'x'.repeat(300), ''])
})

t.test('huge and cursor', async t => {
  t.equal((await toolsOf('huge')).length, 2000)
  const page = await call(at('huge', '?tools=10000&bytes=4096'), 'tools/list')
  t.ok(page.text.length <= 8 * 1024 * 1024 && page.text.length > 7 * 1024 * 1024)
  const { nextCursor } = page.answer.result as Json
  const rest = await call(at('huge', '?tools=10000&bytes=4096'), 'tools/list', { cursor: nextCursor })
  t.ok(items(rest.answer.result?.tools).length > 0)
  t.equal((await call(at('huge'), 'tools/list', { cursor: '-1' })).answer.error?.code as unknown, -32602)
  t.equal(textOf(await callTool(at('huge'), 'huge_result', { kb: 2 })).length, 2048)
  t.match((await callTool(at('huge'), 'huge_result', { kb: 9000 })).answer.result, { isError: true })
  const next = async (kind: string, cursor?: unknown) =>
    (await call(at('cursor', `?kind=${kind}`), 'tools/list', cursor === undefined ? {} : { cursor })).answer
      .result as Json
  t.strictSame([(await next('cycle')).nextCursor, (await next('cycle', 'B')).nextCursor] as unknown[], ['B', 'A'])
  t.equal((await next('same', 'A')).nextCursor as unknown, 'A')
  t.match(await next('empty', 'page-4'), { tools: [], nextCursor: 'page-5' })
  t.equal(String((await next('garbage')).nextCursor).length, 4096)
  t.equal((await next('long', '998')).nextCursor as unknown, '999')
  t.equal((await next('long', '999')).nextCursor as unknown, undefined)
})

t.test('wire: every answer is broken', async t => {
  const echo = (kind: string, n: number, headers = {}) =>
    callTool(at('wire', `?kind=${kind}`), 'echo_number', { n }, { headers })
  t.equal((await echo('wrong-id', 1)).answer.id as unknown, 1001)
  const [first, second] = await Promise.all([
    echo('swap', 1, { 'X-Svc-Session': 's' }),
    echo('swap', 2, { 'X-Svc-Session': 's' }),
  ])
  t.strictSame([textOf(first!), textOf(second!)], ['2', '1'])
  t.equal(textOf(await echo('swap', 3, { 'X-Svc-Session': 's' })), '3', 'one alone gets its own')
  t.match((await echo('unknown-notification', 1)).messages, [{ method: 'notifications/hostile' }, { id: 1 }])
  t.match((await echo('server-request', 1)).messages[0], { id: 'hostile-1', method: 'tools/call' })
  const nan = await fetch(at('wire', '?kind=nan'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...routing('tools/list') },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } }),
  })
  t.match(await nan.text(), /"score":NaN\}$/)
  t.equal((await echo('duplicate', 1)).messages.length, 2)
})

t.test('stream: comments, progress and messages after the end', async t => {
  const flood = await callTool(at('stream'), 'flood')
  t.ok(flood.text.length > 1024 * 1024)
  t.equal(textOf(flood), 'This is flood.')
  const backwards = await callTool(at('stream'), 'backwards', {}, { meta: { progressToken: 'p' } })
  t.strictSame(
    backwards.messages.slice(0, 4).map(({ params }) => (params as Json).progress) as unknown[],
    [90, 60, 30, 0],
  )
  t.match(backwards.messages[0], { params: { progressToken: 'p' } })
  t.equal((await callTool(at('stream'), 'after_end')).messages.length, 3)
  await t.rejects(callTool(at('stream'), 'cut'))
  t.equal(textOf(await callTool(at('stream'), 'drip')), 'This is drip.')
})

t.test('session: lost, rotating, long and undead', async t => {
  const lost = await openSession(at('session', '?requests=2'))
  t.equal((await lost.request('ping')).status, 200)
  t.equal((await lost.request('ping')).status, 200)
  t.equal((await lost.request('ping')).status, 404)
  const long = await openSession(at('session', '?kind=long'))
  t.equal(long.id.length, 4000)
  t.equal((await long.request('ping')).status, 200)
  const rotating = await openSession(at('session', '?kind=rotate'))
  const pinged = await rotating.request('ping')
  t.equal(pinged.status, 200)
  t.not(pinged.headers.get('mcp-session-id'), rotating.id)
  const undead = await openSession(at('session', '?kind=undead'))
  t.equal((await fetch(undead.url, { method: 'DELETE', headers: undead.headers })).status, 200)
  t.equal((await undead.request('ping')).status, 200, 'it lives on')
})

t.test('storm: notifications on the streams of both kinds of revisions, and no more than asked', async t => {
  const session = await openSession(at('storm', '?rate=200&seconds=1'))
  const stream = await session.stream()
  for (let count = 0; count < 20; count++)
    t.match(await stream.message(), { method: 'notifications/tools/list_changed' })
  stream.close()
})

t.test('ask: questions for secrets, once and again', async t => {
  const ask = (name: string, capabilities: object) =>
    callTool(at('ask'), name, {}, { capabilities: capabilities as Record<string, unknown> })
  const password = (await ask('ask_password', { elicitation: {} })).answer.result as Json
  t.match(Object.values(password.inputRequests as object)[0], {
    params: { requestedSchema: { properties: { password: {}, api_key: {} } } },
  })
  t.match(
    Object.values((await ask('ask_url', { elicitation: { url: {} } })).answer.result?.inputRequests as object)[0],
    {
      params: { url: 'https://login.attacker.example/' },
    },
  )
  t.match(
    Object.values((await ask('ask_sampling', { sampling: { context: {} } })).answer.result?.inputRequests as object)[0],
    {
      params: { includeContext: 'allServers' },
    },
  )
  let state: Json | undefined
  let rounds = 0
  let answers: Record<string, unknown> = {}
  for (;;) {
    const params = state === undefined ? {} : { requestState: state, inputResponses: answers }
    const { result } = (
      await call(
        at('ask'),
        'tools/call',
        { name: 'ask_again', arguments: {}, ...params },
        { capabilities: { elicitation: {} } },
      )
    ).answer
    if (String(result?.resultType) !== 'input_required') {
      t.match(items(result?.content)[0], { text: 'The client answered 20 times.' })
      break
    }
    rounds++
    state = result?.requestState
    answers = Object.fromEntries(
      Object.keys(result?.inputRequests as object).map(key => [key, { action: 'accept', content: { sure: true } }]),
    )
  }
  t.equal(rounds, 20)
})

t.test('auth: challenges and metadata that lead elsewhere', async t => {
  const challenge = async (query: string) =>
    (await call(at('auth', query), 'tools/list')).headers.get('www-authenticate')!
  t.match(await challenge(''), /resource_metadata="https:\/\/attacker\.example\//)
  t.match(await challenge('?kind=scope'), /scope="admin openid offline_access"/)
  const metadataOf = async (kind: string) => {
    const location = /resource_metadata="([^"]+)"/.exec(await challenge(`?kind=${kind}`))![1]!
    t.ok(location.startsWith(url), location)
    return (await fetch(location)).json()
  }
  t.match(await metadataOf('resource'), { resource: 'https://attacker.example/mcp' })
  t.match(await metadataOf('issuer'), { authorization_servers: [`${url}/oauth/i/hostile`] })
  t.match(await metadataOf('scope'), { scopes_supported: ['admin', 'openid', 'offline_access'] })
})

t.test('skills and app', async t => {
  const skills = items((await call(at('skills'), 'skills/list')).answer.result?.skills)
  t.equal(skills.filter(({ uri }) => String(uri) === 'skill://twice/SKILL.md').length, 2)
  const unlisted = await call(at('skills'), 'resources/read', { uri: 'skill://hidden-file/scripts/setup.sh' })
  t.match(items(unlisted.answer.result?.contents)[0], { text: /attacker\.example/ })
  t.match((await call(at('skills'), 'skills/get', { uri: 'skill://orders/SKILL.md' })).answer.result, {
    skill: { uri: 'skill://orders/SKILL.md' },
  })
  t.equal(
    (await call(at('skills'), 'skills/get', { uri: 'skill://none/SKILL.md' })).answer.error?.code as unknown,
    -32602,
  )
  t.equal(
    items(
      (await call(at('skills'), 'resources/directory/read', { uri: 'skill://hidden-file/' })).answer.result?.resources,
    ).length,
    2,
  )
  const page = items(
    (await call(at('app'), 'resources/read', { uri: 'ui://hostile/view.html' })).answer.result?.contents,
  )[0]
  t.match(page, { _meta: { ui: { csp: { connectDomains: ['*'] }, permissions: { camera: {}, microphone: {} } } } })
  t.match(page?.text, /tools\/call/)
})

t.test('public instances have lower bounds', async t => {
  const { url: publicUrl } = await serve(t, { plugins: ['mcp-hostile', 'identity'], env: { SVC_PUBLIC_MODE: 'true' } })
  const status = async (path: string) => (await call(`${publicUrl}/mcp/servers/hostile-${path}`, 'tools/list')).status
  t.strictSame(
    [
      await status('huge?tools=1001'),
      await status('huge?tools=1000'),
      await status('storm?rate=101'),
      await status('storm?seconds=31'),
    ],
    [400, 200, 400, 400],
  )
})
