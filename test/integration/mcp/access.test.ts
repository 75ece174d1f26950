/** Access: origins, API keys, media types, the order of the checks, the five headers of errors. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { call, openSession, post, type McpReply } from '../../support/mcp.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }
const facts = (reply: McpReply) =>
  ['server', 'session', 'method', 'request-id', 'protocol-version'].map(name => reply.headers.get(`x-svc-mcp-${name}`))

t.test('a foreign Origin gets 403 on every route, before anything else [MCP-30]', async t => {
  const { url } = await serve(t, { env: { SVC_MCP_ALLOWED_ORIGINS: 'https://App.example/, http://localhost:3000' } })
  for (const path of ['/mcp', '/mcp/protected', '/mcp/apikey', '/mcp/servers/weather', '/mcp/messages']) {
    const reply = await post(url + path, '{"broken', { Origin: 'https://evil.example', Accept: 'text/html' })
    t.strictSame([reply.status, reply.answer.error?.code] as unknown[], [403, -32600], path)
    t.equal(reply.headers.get('x-svc-mcp-method'), 'none')
  }
  for (const method of ['GET', 'DELETE'])
    t.equal((await fetch(`${url}/mcp`, { method, headers: { Origin: 'null' } })).status, 403)
  t.equal(
    (await fetch(`${url}/mcp/sse`, { headers: { Origin: 'https://evil.example', Accept: 'text/event-stream' } }))
      .status,
    403,
  )
  for (const origin of ['https://app.example', 'HTTPS://APP.EXAMPLE/', 'http://localhost:3000', undefined]) {
    t.equal(
      (await call(`${url}/mcp`, 'server/discover', {}, { headers: origin === undefined ? {} : { Origin: origin } }))
        .status,
      200,
      String(origin),
    )
  }
  t.equal(
    (await fetch(`${url}/.well-known/oauth-protected-resource`, { headers: { Origin: 'https://evil.example' } }))
      .status,
    200,
    'metadata is for all',
  )
  t.equal(
    (await post(`${(await serve(t)).url}/mcp`, ping, { Origin: 'https://evil.example' })).status,
    400,
    'by default every origin passes',
  )
})

t.test('API-key servers accept any key, or exactly the configured one [MCP-31]', async t => {
  const open = await serve(t)
  const keyed = await serve(t, { env: { SVC_MCP_API_KEY: 'right key' } })
  const get = (url: string, key?: string) =>
    call(`${url}/mcp/apikey`, 'server/discover', {}, { headers: key === undefined ? {} : { 'X-API-Key': key } })
  for (const [url, key, status] of [
    [open.url, 'anything', 200],
    [open.url, undefined, 401],
    [open.url, '  ', 401],
    [keyed.url, 'right key', 200],
    [keyed.url, ' right key ', 200],
    [keyed.url, 'wrong', 401],
    [keyed.url, 'right key!', 401],
    [keyed.url, undefined, 401],
  ] as const) {
    const reply = await get(url, key)
    t.equal(reply.status, status, String(key))
    if (status === 401) {
      t.strictSame(reply.answer as unknown, {
        error: 'unauthorized',
        error_description: key?.trim() ? 'invalid X-API-Key' : 'X-API-Key header required',
      })
      t.equal(reply.headers.get('www-authenticate'), 'ApiKey realm="svc-mcp", header="X-API-Key"')
      t.strictSame(facts(reply), ['apikey', 'none', 'none', 'none', 'none'])
    }
  }
  const session = await openSession(`${open.url}/mcp/apikey`, { headers: { 'X-API-Key': 'k' } })
  const inspected = await session.request('tools/call', { name: 'inspect_request', arguments: {} })
  t.strictSame(inspected.answer.result?.structuredContent?.tokenClaims as unknown, {
    sub: 'api-key-client',
    auth: 'x-api-key',
  })
  for (const method of ['GET', 'DELETE', 'POST'])
    t.equal(
      (await fetch(`${open.url}/mcp/apikey`, { method, headers: { 'Mcp-Session-Id': session.id } })).status,
      401,
      method,
    )
})

t.test('checks are made in the documented order [MCP-3]', async t => {
  const { url } = await serve(t, { env: { SVC_MCP_ALLOWED_ORIGINS: 'https://app.example' } })
  const evil = { Origin: 'https://evil.example' }
  const table: [string, RequestInit, number][] = [
    ['/mcp/servers/nope', { method: 'POST', headers: evil }, 404],
    ['/mcp/apikey', { method: 'GET', headers: { ...evil, 'MCP-Protocol-Version': '2026-07-28' } }, 403],
    ['/mcp/apikey', { method: 'GET', headers: { 'MCP-Protocol-Version': '2026-07-28' } }, 405],
    ['/mcp/apikey', { method: 'POST', headers: { Accept: 'text/html' } }, 401],
    ['/mcp', { method: 'POST', headers: { Accept: 'text/html', 'Content-Type': 'text/plain' }, body: '{' }, 406],
    ['/mcp', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{' }, 415],
    [
      '/mcp',
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28' },
        body: '{',
      },
      400,
    ],
  ]
  for (const [path, init, status] of table)
    t.equal((await fetch(url + path, init)).status, status, `${init.method} ${path} ${JSON.stringify(init.headers)}`)
})

t.test('one of the two media types is sufficient, and parameters are allowed [MCP-2]', async t => {
  const { url } = await serve(t)
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  })
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${url}/mcp`, { method: 'POST', headers, body: Buffer.from(body) })).status
  const json = { 'Content-Type': 'application/json' }
  for (const accept of [
    'application/json',
    'text/event-stream',
    '*/*',
    'application/*, text/html',
    'text/event-stream;q=0',
  ])
    t.equal(await status({ ...json, Accept: accept }), 200, accept)
  for (const accept of ['text/html', 'application/xml']) t.equal(await status({ ...json, Accept: accept }), 406, accept)
  t.equal(await status({ 'Content-Type': 'Application/JSON; charset=utf-8' }), 200)
  for (const type of ['text/plain', 'application/json-rpc', 'application/jsonx', ''])
    t.equal(await status(type === '' ? {} : { 'Content-Type': type }), 415, type)
})

t.test('errors have the five headers; unknown values are sent as none [MCP-4]', async t => {
  const { url } = await serve(t)
  t.strictSame(facts(await post(`${url}/mcp/servers/weather`, ping)), ['weather', 'none', 'ping', '5', 'none'])
  t.strictSame(facts(await post(`${url}/mcp`, '{')), ['default', 'none', 'none', 'none', 'none'])
  t.strictSame(facts(await post(`${url}/mcp/servers/nope`, ping)), ['none', 'none', 'none', 'none', 'none'])
  for (const id of ['x'.repeat(201), 'naïve', 'a\nb', ''])
    t.strictSame(facts(await post(`${url}/mcp`, { ...ping, id, method: id }))[3], 'none', id.slice(0, 5))
  t.equal(facts(await post(`${url}/mcp`, { ...ping, id: 'x'.repeat(200) }))[3], 'x'.repeat(200))
  const faulty = await post(`${url}/mcp/servers/crm`, ping, { 'X-Svc-Fail': '503' })
  t.strictSame([faulty.status, ...facts(faulty)], [503, 'crm', 'none', 'none', 'none', 'none'])
  const large = await post(`${url}/mcp`, JSON.stringify({ ...ping, params: { text: 'x'.repeat(1024 * 1024) } }))
  t.strictSame([large.status, ...facts(large)], [413, 'default', 'none', 'none', 'none', 'none'])
  const small = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal(
    (await post(`${small.url}/mcp`, JSON.stringify({ ...ping, params: { text: 'x'.repeat(256 * 1024) } }))).status,
    413,
    'in public mode less is taken',
  )
})

t.test('an unknown server is 404 with the available names [MCP-25]', async t => {
  const { url } = await serve(t)
  for (const name of ['nope', 'default', 'protected', '__proto__', 'constructor', 'weather%2F', 'WEATHER']) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const reply = await fetch(`${url}/mcp/servers/${name}`, { method })
      t.strictSame(
        [reply.status, await reply.json()],
        [
          404,
          {
            error: 'unknown MCP server',
            name: decodeURIComponent(name),
            available: ['weather', 'crm', 'devtools', 'conformance'],
          },
        ],
        `${method} ${name}`,
      )
    }
  }
})
