/** Servers with OAuth: challenges, accepted tokens, scopes, metadata documents. */
import t from 'tap'
import { serve, type TestServer } from '../../support/server.ts'
import { call, callTool, openSession, post, type Json, type McpReply } from '../../support/mcp.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

/** An access token from the identity provider. */
async function token({ url }: Pick<TestServer, 'url'>, form: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'svc',
      client_secret: 'svc-secret',
      ...form,
    }),
  })
  return String(((await response.json()) as { access_token?: string }).access_token)
}

const discover = (url: string, authorization?: string): Promise<McpReply> =>
  call(url, 'server/discover', {}, { headers: authorization === undefined ? {} : { Authorization: authorization } })

t.test('without a token, the challenge names the metadata [MCP-32]', async t => {
  const { url } = await serve(t)
  const metadata = `${url}/.well-known/oauth-protected-resource/mcp/protected`
  for (const authorization of [undefined, 'Basic YTpi', 'Bearer', 'Bearer   ', 'Bearer a b']) {
    const reply = await discover(`${url}/mcp/protected`, authorization)
    t.equal(reply.status, 401, String(authorization))
    t.equal(reply.headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}", scope="mcp:tools"`)
    t.strictSame(reply.answer as unknown, {
      error: 'unauthorized',
      error_description: 'Bearer token required',
      resource_metadata: metadata,
    })
    t.equal(reply.headers.get('x-svc-mcp-server'), 'protected')
  }
  for (const method of ['GET', 'DELETE']) t.equal((await fetch(`${url}/mcp/protected`, { method })).status, 401, method)
})

t.test('valid tokens for the resource are accepted [MCP-32]', async t => {
  const server = await serve(t)
  const { url } = server
  const resource = `${url}/mcp/protected`
  const good = [
    await token(server),
    await token(server, { resource }),
    await token(server, { resource: `${resource}/` }),
    await token(server, { scope: 'anything' }),
  ]
  for (const value of good) t.equal((await discover(resource, `bearer ${value}`)).status, 200)
  const own = await token(server)
  const bad: [string, RegExp][] = [
    ['garbage', /malformed/],
    [`${own.slice(0, -4)}AAAA`, /signature/],
    [await token(server, { resource: 'https://elsewhere.example/mcp' }), /audience/],
    [await idToken(server), /wrong type/],
    [
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"x"}').toString('base64url')}.`,
      /none/,
    ],
  ]
  for (const [value, reason] of bad) {
    const reply = await discover(resource, `Bearer ${value}`)
    t.equal(reply.status, 401)
    const challenge = reply.headers.get('www-authenticate') ?? ''
    t.match(
      challenge,
      /^Bearer error="invalid_token", resource_metadata="[^"]+", scope="mcp:tools", error_description="[^"]+"$/,
    )
    t.match(reply.answer, { error: 'invalid_token', error_description: reason })
  }
  const strict = await serve(t, { env: { SVC_MCP_ACCEPTED_AUDIENCES: 'none' } })
  t.equal(
    (await discover(`${strict.url}/mcp/protected`, `Bearer ${await token(strict)}`)).status,
    401,
    'strict: svc alone is not enough',
  )
  t.equal(
    (
      await discover(
        `${strict.url}/mcp/protected`,
        `Bearer ${await token(strict, { resource: `${strict.url}/mcp/protected` })}`,
      )
    ).status,
    200,
  )
  const fronted = await serve(t, {
    env: { SVC_MCP_RESOURCE_URL: 'https://api.example/mcp', SVC_MCP_ACCEPTED_AUDIENCES: 'shop' },
  })
  t.equal(
    (
      await discover(
        `${fronted.url}/mcp/protected`,
        `Bearer ${await token(fronted, { resource: 'https://api.example/mcp' })}`,
      )
    ).status,
    200,
  )
  t.equal((await discover(`${fronted.url}/mcp/protected`, `Bearer ${await token(fronted)}`)).status, 401)
})

/** A token that is issued for the client, not for a resource. */
async function idToken({ url }: TestServer): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      username: 'demo',
      password: 'demo',
      client_id: 'svc',
      client_secret: 'svc-secret',
      scope: 'openid',
    }),
  })
  return ((await response.json()) as { id_token?: string }).id_token ?? 'none'
}

t.test('cancel_order needs its scope, in stateless and legacy revisions [MCP-32]', async t => {
  const server = await serve(t)
  const { url } = server
  const resource = `${url}/mcp/protected`
  const reader = { Authorization: `Bearer ${await token(server, { resource, scope: 'mcp:tools' })}` }
  const writer = { Authorization: `Bearer ${await token(server, { resource, scope: 'mcp:tools mcp:tools:write' })}` }
  const session = await openSession(resource, { headers: reader })
  for (const reply of [
    await callTool(resource, 'cancel_order', { order_id: 'o5' }, { headers: reader }),
    await session.request('tools/call', { name: 'cancel_order', arguments: { order_id: 'o5' } }, { id: 1 }),
  ]) {
    t.equal(reply.status, 403)
    t.match(reply.answer, { id: 1, error: { code: 403, data: { requiredScope: 'mcp:tools:write' } } })
    t.match(
      reply.headers.get('www-authenticate'),
      /^Bearer error="insufficient_scope", scope="mcp:tools:write", resource_metadata="[^"]+", error_description="[^"]+"$/,
    )
  }
  t.equal(
    (await callTool(resource, 'cancel_order', { order_id: 'o5' }, { headers: writer })).answer.result?.structuredContent
      ?.status as unknown,
    'cancelled',
  )
  t.match((await callTool(resource, 'inspect_request', {}, { headers: reader })).answer.result?.structuredContent, {
    tokenClaims: { scope: 'mcp:tools' },
    server: 'protected',
  })
  t.equal((await callTool(`${url}/mcp`, 'cancel_order', { order_id: 'o5' })).status, 200, 'open servers need none')
  const batched = await openSession(resource, { version: '2025-03-26', headers: reader })
  const batch = await post(
    resource,
    [{ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'cancel_order', arguments: { order_id: 'o5' } } }],
    batched.headers,
  )
  t.match(batch.answer, [{ id: 7, error: { code: 403 } }])
})

t.test('a session belongs to the subject of its token [MCP-12, MCP-32]', async t => {
  const server = await serve(t)
  const resource = `${server.url}/mcp/protected`
  const mine = await openSession(resource, { headers: { Authorization: `Bearer ${await token(server)}` } })
  t.equal((await mine.request('ping')).status, 200)
  const other = await token(server, { grant_type: 'password', username: 'demo', password: 'demo' })
  t.equal(
    (
      await post(
        resource,
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { ...mine.headers, Authorization: `Bearer ${other}` },
      )
    ).status,
    404,
  )
})

t.test('metadata documents name resource, issuer and scopes [MCP-33]', async t => {
  const { url } = await serve(t, {
    yaml: 'mcp:\n  servers:\n    - { name: vault, auth: oauth, tools: [cancel_order] }\n    - { name: open-one, tools: [echo] }\n',
  })
  const get = async (path: string) => {
    const response = await fetch(url + path)
    return {
      status: response.status,
      body: (await response.json()) as Json,
      cors: response.headers.get('access-control-allow-origin'),
    }
  }
  const root = '/.well-known/oauth-protected-resource'
  const expected = {
    resource: `${url}/mcp/protected`,
    authorization_servers: [url],
    scopes_supported: ['mcp:tools', 'mcp:tools:write'],
    bearer_methods_supported: ['header'],
    resource_name: 'svc MCP (protected)',
    resource_documentation: `${url}/`,
  }
  for (const path of [root, `${root}/mcp/protected`])
    t.strictSame(await get(path), { status: 200, body: expected, cors: '*' } as unknown, path)
  t.match((await get(`${root}/mcp/servers/vault`)).body, {
    resource: `${url}/mcp/servers/vault`,
    resource_name: 'svc MCP (vault)',
  })
  for (const path of [
    `${root}/mcp/servers/weather`,
    `${root}/mcp/servers/open-one`,
    `${root}/mcp/servers/nope`,
    `${root}/mcp/servers/protected`,
    `${root}/mcp`,
  ])
    t.equal((await get(path)).status, 404, path)
  t.match(
    (await discover(`${url}/mcp/servers/vault`)).headers.get('www-authenticate'),
    `resource_metadata="${url}${root}/mcp/servers/vault"`,
  )
  t.equal(
    (
      await discover(
        `${url}/mcp/servers/vault`,
        `Bearer ${await token({ url }, { resource: `${url}/mcp/servers/vault` })}`,
      )
    ).status,
    200,
  )
})

t.test('with trusted proxy headers, all URLs use the outer address [MCP-33]', async t => {
  const { url } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const outer = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'api.example', 'X-Forwarded-Prefix': '/demo' }
  const metadata = await (await fetch(`${url}/.well-known/oauth-protected-resource`, { headers: outer })).json()
  t.match(metadata, {
    resource: 'https://api.example/demo/mcp/protected',
    authorization_servers: ['https://api.example/demo'],
  })
})

t.test('without the identity plugin every token is invalid [MCP-32]', async t => {
  const server = await serve(t)
  const value = await token(server)
  const bare = await serve(t, { yaml: 'plugins: { disable: [identity, auth] }\n' })
  const reply = await discover(`${bare.url}/mcp/protected`, `Bearer ${value}`)
  t.equal(reply.status, 401)
  t.match(reply.answer, { error: 'invalid_token' })
  t.strictSame(
    (
      (await (await fetch(`${bare.url}/.well-known/oauth-protected-resource`)).json()) as {
        authorization_servers: string[]
      }
    ).authorization_servers,
    [bare.url],
  )
})
