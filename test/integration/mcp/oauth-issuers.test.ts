/** Servers with OAuth that accept tokens of one issuer, with scopes, and bound to a key. */
import t from 'tap'
import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { call, callTool, items, openSession, type McpReply } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const YAML = `mcp:
  servers:
    - { name: full, auth: oauth, issuer: full, scopes: [mcp:tools], tools: [echo, cancel_order], filter_by_scope: true }
    - { name: bound, auth: oauth, issuer: full, dpop: required, tools: [echo] }
    - { name: either, auth: oauth, issuer: full, dpop: optional, scopes: [a, b], tools: [echo] }
    - { name: closed, auth: oauth, issuer: workload, tools: [echo] }
    - { name: later, auth: oauth, issuer: later, tools: [echo] }
    - { name: idle, issuer: full, scopes: [x], dpop: off, filter_by_scope: true, tools: [echo] }
`

const { publicKey, privateKey } = await generateKeyPair('ES256')
const jwk = await exportJWK(publicKey)

/** A DPoP proof (RFC 9449, 4.2). */
function proof(method: string, url: string, token?: string): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
  return new SignJWT({ htm: method, htu: url, jti: crypto.randomUUID(), ...ath })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .setIssuedAt()
    .sign(privateKey)
}

t.test('tokens of the issuer, with its scopes, are accepted [MCP-32, MCPX-26]', async t => {
  const { url, host } = await serve(t, { yaml: YAML })
  const at = (name: string) => `${url}/mcp/servers/${name}`
  const tokenOf = async (issuer: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/oauth/${issuer === 'default' ? '' : `i/${issuer}/`}token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'svc',
        client_secret: 'svc-secret',
        ...form,
      }),
    })
    return String(((await response.json()) as { access_token?: string }).access_token)
  }
  const list = (name: string, authorization?: string, headers: Record<string, string> = {}): Promise<McpReply> =>
    call(
      at(name),
      'tools/list',
      {},
      {
        headers: { ...(authorization === undefined ? {} : { Authorization: authorization }), ...headers },
      },
    )
  const names = (reply: McpReply) => items(reply.answer.result?.tools).map(({ name }) => String(name))

  const metadata = `${url}/.well-known/oauth-protected-resource/mcp/servers/full`
  const missing = await list('full')
  t.equal(missing.status, 401)
  t.equal(missing.headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}", scope="mcp:tools"`)
  t.match(await (await fetch(metadata)).json(), {
    resource: at('full'),
    authorization_servers: [`${url}/oauth/i/full`],
    scopes_supported: ['mcp:tools', 'mcp:tools:write'],
  })

  const resource = at('full')
  const good = await tokenOf('full', { resource, scope: 'mcp:tools' })
  const listed = await list('full', `Bearer ${good}`)
  t.equal(listed.status, 200)
  t.strictSame(names(listed), ['echo'], 'cancel_order needs another scope')
  t.equal(listed.answer.result?.cacheScope as unknown, 'private')
  const hidden = await callTool(
    resource,
    'cancel_order',
    { order_id: 'x' },
    { headers: { Authorization: `Bearer ${good}` } },
  )
  t.match(hidden, { status: 403, answer: { error: { code: 403, data: { requiredScope: 'mcp:tools:write' } } } })
  const writing = await tokenOf('full', { resource, scope: 'mcp:tools mcp:tools:write' })
  t.strictSame(names(await list('full', `Bearer ${writing}`)), ['echo', 'cancel_order'])
  const session = await openSession(resource, { headers: { Authorization: `Bearer ${good}` } })
  t.strictSame(names(await session.request('tools/list')), ['echo'], 'in sessions too')

  const other = await list('full', `Bearer ${await tokenOf('default', { resource, scope: 'mcp:tools' })}`)
  t.equal(other.status, 401)
  t.match(other.headers.get('www-authenticate'), /^Bearer realm="svc", error="invalid_token".*, resource_metadata="/)
  const unscoped = await list('full', `Bearer ${await tokenOf('full', { resource, scope: 'other' })}`)
  t.equal(unscoped.status, 403)
  t.match(unscoped.answer, { error: 'insufficient_scope', scope: 'mcp:tools' })
  t.match(unscoped.headers.get('www-authenticate'), /error="insufficient_scope", scope="mcp:tools", resource_metadata=/)

  const revoked = await tokenOf('full', { resource, scope: 'mcp:tools' })
  await fetch(`${url}/oauth/i/full/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: revoked, client_id: 'svc', client_secret: 'svc-secret' }),
  })
  t.match((await list('full', `Bearer ${revoked}`)).answer, { error_description: 'token revoked' })

  // Bound tokens.
  const dpopToken = async (audience: string, scope: string) =>
    tokenOf('full', { resource: audience, scope }, { DPoP: await proof('POST', `${url}/oauth/i/full/token`) })
  t.match((await list('bound')).headers.get('www-authenticate'), /^DPoP resource_metadata=/)
  t.match(await (await fetch(`${url}/.well-known/oauth-protected-resource/mcp/servers/bound`)).json(), {
    dpop_bound_access_tokens_required: true,
    dpop_signing_alg_values_supported: [
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
    ],
  })
  const bound = await dpopToken(at('bound'), 'x')
  t.equal((await list('bound', `DPoP ${bound}`, { DPoP: await proof('POST', at('bound'), bound) })).status, 200)
  t.equal((await list('bound', `DPoP ${bound}`)).status, 401, 'without a proof')
  t.equal((await list('bound', `Bearer ${bound}`)).status, 401, 'as a bearer token')
  t.match((await list('bound', `Bearer ${await tokenOf('full', { resource: at('bound') })}`)).answer, {
    error_description: 'token not bound',
  })
  const either = await dpopToken(at('either'), 'a b')
  t.equal((await list('either', `DPoP ${either}`, { DPoP: await proof('POST', at('either'), either) })).status, 200)
  t.equal(
    (await list('either', `Bearer ${await tokenOf('full', { resource: at('either'), scope: 'a b' })}`)).status,
    200,
  )
  t.equal((await list('either', `Bearer ${await tokenOf('full', { resource: at('either'), scope: 'a' })}`)).status, 403)
  const ofFull = await dpopToken(resource, 'mcp:tools')
  t.equal((await list('full', `DPoP ${ofFull}`, { DPoP: await proof('POST', resource, ofFull) })).status, 401, 'off')

  // Extensions that tell a client how to get a token.
  const extensions = async (name: string, authorization: string) =>
    Object.keys(
      ((await call(at(name), 'server/discover', {}, { headers: { Authorization: authorization } })).answer.result
        ?.capabilities?.extensions ?? {}) as object,
    )
  t.strictSame(await extensions('full', `Bearer ${good}`), [
    'io.modelcontextprotocol/oauth-client-credentials',
    'io.modelcontextprotocol/enterprise-managed-authorization',
  ])
  const ofWorkload = await tokenOf('workload', { resource: at('closed') })
  t.strictSame(await extensions('closed', `Bearer ${ofWorkload}`), ['io.modelcontextprotocol/oauth-client-credentials'])

  // An issuer that the control plane creates, and later changes.
  const ofServer = async () => {
    const { servers } = (await (await fetch(`${url}/mcp/servers`)).json()) as { servers: Record<string, unknown>[] }
    return servers.find(({ name }) => name === 'later')?.extensions
  }
  const put = (settings: object) =>
    fetch(`${url}/_svc/identity/issuers/later`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(settings),
    })
  t.strictSame(await ofServer(), [])
  t.ok((await put({ grants: ['client_credentials'] })).ok)
  t.strictSame(await ofServer(), ['io.modelcontextprotocol/oauth-client-credentials'])
  const ofLater = await tokenOf('later', { resource: at('later') })
  t.strictSame(await extensions('later', `Bearer ${ofLater}`), ['io.modelcontextprotocol/oauth-client-credentials'])
  const laterSession = await openSession(at('later'), { headers: { Authorization: `Bearer ${ofLater}` } })
  t.match(laterSession.opened.answer.result?.capabilities, {
    extensions: { 'io.modelcontextprotocol/oauth-client-credentials': {} },
  })
  t.ok((await put({ grants: ['authorization_code'] })).ok)
  t.strictSame(await ofServer(), [])

  t.strictSame(
    host.loadErrors.map(({ at: place }) => place),
    ['issuer', 'scopes', 'dpop', 'filter_by_scope'].map(member => `mcp.servers[5].${member}`),
    'without OAuth they have no effect',
  )
})
