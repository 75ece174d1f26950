/** The control plane as an MCP server: its tools are operations, with the rights of the caller. */
import t from 'tap'
import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { call, callTool, items, openSession, type Json } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

const structured = (reply: { answer: Json }): Json => reply.answer.result?.structuredContent as Json

t.test('tools are operations of the control plane, in both kinds of revisions [MCPX-24]', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/_svc/mcp`
  const listed = await call(mcp, 'tools/list')
  const tools = items(listed.answer.result?.tools)
  const names = tools.map(({ name }) => String(name))
  t.strictSame(names.slice(0, 17), [
    'get_status',
    'get_config',
    'get_catalog',
    'get_usage',
    'get_metrics',
    'list_requests',
    'get_request',
    'clear_requests',
    'verify_requests',
    'reset',
    'list_rules',
    'put_rule',
    'delete_rule',
    'list_plugins',
    'set_plugin',
    'reload',
    'set_health',
  ])
  for (const name of [
    'list_mcp_servers',
    'restart_mcp_server',
    'list_mocks',
    'put_mock',
    'list_issuers',
    'order_token',
    'list_tls',
  ])
    t.ok(names.includes(name), name)
  const of = (name: string): Json => tools.find(tool => String(tool.name) === name)!
  for (const name of ['clear_requests', 'delete_rule', 'delete_mock', 'reset', 'set_plugin', 'set_health'])
    t.match(of(name).annotations, { destructiveHint: true, openWorldHint: false, readOnlyHint: false }, name)
  t.match(of('list_requests').annotations, { readOnlyHint: true, destructiveHint: false })
  t.match(of('list_requests').inputSchema, {
    properties: { session: { type: 'string' }, wait_for: { type: 'integer' } },
    patternProperties: { '^header\\..+$': { type: 'string' } },
    additionalProperties: false,
  })
  t.match(of('put_rule').inputSchema, { required: ['name', 'then'], properties: { match: { type: 'object' } } })
  t.equal(listed.answer.result?.cacheScope as unknown, 'private')
  t.equal(listed.headers.get('x-svc-mcp-server'), 'control')

  const session = await openSession(mcp)
  t.match(session.opened.answer.result, { serverInfo: { name: 'svc-mcp-control' }, instructions: /test upstream/ })
  const status = await session.request('tools/call', { name: 'get_status', arguments: {} })
  t.match(structured(status), { status: 200, body: { name: 'svc', healthy: true } })
  t.equal((await fetch(mcp, { method: 'DELETE', headers: session.headers })).status, 200)

  const served = (await (await fetch(`${url}/mcp/servers`)).json()) as { servers: { name: string }[] }
  t.notOk(served.servers.some(({ name }) => name === 'control'))
  t.equal((await call(`${url}/mcp/servers/control`, 'tools/list')).status, 404)
  const captured = (await (await fetch(`${url}/_svc/requests`)).json()) as { requests: { path: string }[] }
  t.notOk(captured.requests.some(({ path }) => path.startsWith('/_svc')))
  const faulty = await call(mcp, 'tools/list', {}, { headers: { 'X-Svc-Mcp-Fail': '503', 'X-Svc-Fail': '503' } })
  t.equal(faulty.status, 200, 'no faults')
})

t.test('wrong arguments, unknown tools and errors of operations', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/_svc/mcp`
  t.equal((await callTool(mcp, 'get_stats')).answer.error?.code as unknown, -32602)
  const wrong = await callTool(mcp, 'list_requests', { sesion: 'a' })
  t.match(wrong.answer.result, {
    isError: true,
    content: [{ text: /unknown argument "sesion" \(did you mean "session"\?\)/ }],
  })
  t.match((await callTool(mcp, 'put_rule', { name: 'r' })).answer.result, {
    isError: true,
    content: [{ text: /missing argument "then"/ }],
  })
  const unknown = await callTool(mcp, 'get_request', { id: '../config' })
  t.match(unknown.answer.result, {
    isError: true,
    structuredContent: { status: 404, body: { error: 'unknown_request' } },
  })
  const verification = await callTool(mcp, 'verify_requests', { session: 'a', match: { path: '/x' } })
  t.match(verification.answer.result, { isError: true, structuredContent: { status: 409, body: { verified: false } } })
  const metrics = structured(await callTool(mcp, 'get_metrics'))
  t.match(metrics, { status: 200, body: /svc_/ })
  const catalog = await callTool(mcp, 'get_catalog')
  t.match(items(catalog.answer.result?.content)[0]?.text, /\[Cut after 65536 of \d+ characters/)
  const few = structured(await callTool(mcp, 'get_catalog', { plugin: 'tls', category: 'TLS' }))
  const endpoints = items((few.body as Json).endpoints)
  t.ok(endpoints.length > 0 && endpoints.every(({ plugin }) => String(plugin) === 'tls'))
  t.equal((few.body as Json).count as unknown, endpoints.length)
  t.match(structured(await callTool(mcp, 'get_catalog', { plugin: 'core', category: 'Testing' })), {
    body: { endpoints: [{ plugin: null }] },
  })
})

t.test('plugins: tools exist while their operations do', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/_svc/mcp`
  const names = async () => items((await call(mcp, 'tools/list')).answer.result?.tools).map(({ name }) => String(name))
  const session = await openSession(mcp)
  const stream = await session.stream()
  t.ok((await names()).includes('list_tls'))
  t.match(structured(await callTool(mcp, 'set_plugin', { name: 'tls', enabled: false })), {
    status: 200,
    body: { state: 'disabled' },
  })
  t.notOk((await names()).includes('list_tls'))
  t.match(await stream.message(), { method: 'notifications/tools/list_changed' })
  stream.close()
  t.match(structured(await callTool(mcp, 'set_plugin', { name: 'tls', enabled: true })), {
    status: 200,
    body: { state: 'enabled' },
  })
  t.ok((await names()).includes('list_tls'))
  t.match(structured(await callTool(mcp, 'set_plugin', { name: 'no/such', enabled: true })), { status: 404 })
  t.match(structured(await callTool(mcp, 'set_health', { healthy: false })), { status: 200, body: { healthy: false } })
  t.equal((await fetch(`${url}/health`)).status, 503)
  t.match(structured(await callTool(mcp, 'set_health', { healthy: true })), { body: { healthy: true } })
  t.match(structured(await callTool(mcp, 'reload')), { status: 200 })
})

t.test('tools of other plugins: mocks, issuers, tokens, MCP servers', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/_svc/mcp`
  const document = {
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    paths: { '/a': { get: { responses: { 200: { description: 'ok' } } } } },
  }
  t.match(structured(await callTool(mcp, 'put_mock', { name: 'shop', body: document })), { status: 201 })
  t.match(structured(await callTool(mcp, 'get_mock', { name: 'shop' })), { status: 200, body: { name: 'shop' } })
  t.match(structured(await callTool(mcp, 'delete_mock', { name: 'shop' })), { status: 200, body: { deleted: 'shop' } })
  t.match(structured(await callTool(mcp, 'put_issuer', { issuer: 'short', access_token: { ttl: 60 } })), {
    status: 201,
  })
  t.match(structured(await callTool(mcp, 'rotate_keys', { issuer: 'short', mode: 'hard' })), {
    status: 200,
    body: { retires_at: null },
  })
  t.match(structured(await callTool(mcp, 'order_token', { issuer_name: 'short', expires_in: -60 })), {
    status: 200,
    body: { accept: false },
  })
  t.match(structured(await callTool(mcp, 'order_token')), { status: 200, body: { accept: true } })
  t.match(structured(await callTool(mcp, 'set_issuer_faults', { issuer: 'short', jwks: 'slow', ms: 1 })), {
    status: 200,
  })
  t.match(structured(await callTool(mcp, 'delete_issuer', { issuer: 'short' })), { status: 204, body: '' })
  t.match(structured(await callTool(mcp, 'list_issuers')), { status: 200, body: { issuers: [{ name: 'default' }] } })
  t.match(structured(await callTool(mcp, 'restart_mcp_server', { name: 'weather' })), { status: 409 })
})

t.test('resources and the prompt', async t => {
  const { url } = await serve(t)
  const mcp = `${url}/_svc/mcp`
  const read = async (uri: string) => call(mcp, 'resources/read', { uri })
  const text = async (uri: string) => JSON.parse(String(items((await read(uri)).answer.result?.contents)[0]?.text))
  t.match(await text('svc://control/openapi.json'), { openapi: '3.1.0' })
  t.match(await text('svc://control/config'), { public_mode: false })
  const requestId = (await fetch(`${url}/health`)).headers.get('x-request-id')!
  await fetch(`${url}/echo`, { headers: { 'X-Request-Id': 'one' } })
  t.ok(requestId)
  t.match(await text('svc://control/requests/one'), { request_id: 'one' })
  t.equal((await read('svc://control/requests/none')).answer.error?.code as unknown, -32602)
  const prompt = await call(mcp, 'prompts/get', {
    name: 'diagnose_gateway',
    arguments: { session: 's1', question: 'Does it retry?' },
  })
  t.match(items(prompt.answer.result?.messages)[0], { content: { text: /Does it retry\?[^]*"s1"/ } })
  t.match(await call(mcp, 'prompts/get', { name: 'diagnose_gateway' }), { status: 200 })
})

t.test('a control token sees and calls the tools of its scopes [MCPX-24]', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { url } = await serve(t, {
    env: {
      SVC_CONTROL_AUTH: 'jwt',
      SVC_CONTROL_JWT_PUBLIC_KEY: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
  })
  const mcp = `${url}/_svc/mcp`
  const as = async (scope: string) => {
    const token = new SignJWT({ scope })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setAudience('test-1')
      .setExpirationTime('5m')
    return { headers: { Authorization: `Bearer ${await token.sign(privateKey)}` } }
  }
  const names = async (scope: string) =>
    items((await call(mcp, 'tools/list', {}, await as(scope))).answer.result?.tools).map(({ name }) => String(name))

  const refused = await call(mcp, 'no/such/method')
  t.equal(refused.status, 401)
  t.equal(refused.headers.get('www-authenticate'), 'Bearer realm="svc-control"')

  t.strictSame(await names('inspector'), ['list_requests', 'get_request', 'verify_requests'])
  const reading = await names('console')
  t.ok(['get_status', 'list_rules', 'list_mocks', 'list_requests'].every(name => reading.includes(name)))
  t.notOk(['reset', 'put_rule', 'set_health', 'order_token', 'clear_requests'].some(name => reading.includes(name)))
  t.ok((await names('admin')).includes('put_rule'))

  const hidden = await callTool(mcp, 'get_status', {}, await as('inspector'))
  t.equal(hidden.status, 403)
  t.match(hidden.answer.error, { code: 403, data: { requiredScope: 'console' } })
  t.equal((await callTool(mcp, 'set_health', { healthy: false }, await as('console'))).status, 403)
  t.equal((await fetch(`${url}/health`)).status, 200)
  t.match(structured(await callTool(mcp, 'list_requests', {}, await as('inspector'))), { status: 200 })
  t.match(structured(await callTool(mcp, 'set_health', { healthy: true }, await as('admin'))), { status: 200 })
  const config = await call(mcp, 'resources/read', { uri: 'svc://control/config' }, await as('inspector'))
  t.equal(config.answer.error?.code as unknown, 403)

  const session = await openSession(mcp, await as('inspector'))
  t.match((await session.request('tools/call', { name: 'reload' })).answer.error, { code: 403 })
})

t.test('instance-wide changes need the admin token, and web pages of other origins are refused', async t => {
  const { url } = await serve(t, { env: { SVC_ADMIN_TOKEN: 'secret' } })
  const mcp = `${url}/_svc/mcp`
  const unhealthy = (headers: Record<string, string>) => callTool(mcp, 'set_health', { healthy: true }, { headers })
  t.match((await unhealthy({})).answer.result, { isError: true, structuredContent: { status: 401 } })
  t.match(structured(await unhealthy({ Authorization: 'Bearer secret' })), { status: 200 })
  t.match(structured(await unhealthy({ 'X-Svc-Admin-Token': 'secret' })), { status: 200 })
  t.equal((await unhealthy({ Origin: 'https://attacker.example', 'X-Svc-Admin-Token': 'secret' })).status, 403)
  // A rule of a session needs no admin token; one of the instance does.
  const rule = { name: 'slow', then: [{ delay: 1 }] }
  t.match(structured(await callTool(mcp, 'put_rule', { ...rule, session: 'a' })), { status: 201 })
  t.match(structured(await callTool(mcp, 'put_rule', rule)), { status: 401 })
  t.match(structured(await callTool(mcp, 'put_rule', rule, { headers: { 'X-Svc-Session': 'b' } })), { status: 201 })
})

t.test('the number of sessions is limited', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  const mcp = `${url}/_svc/mcp`
  const sessions = []
  for (let count = 0; count < 11; count++) sessions.push(await openSession(mcp))
  t.equal((await sessions[0]!.request('ping')).status, 404, 'the first one ended')
  t.equal((await sessions[1]!.request('ping')).status, 200)
  t.equal((await sessions[10]!.request('ping')).status, 200)
})
