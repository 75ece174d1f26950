/** Assertions of trusted issuers: users across issuers (ID-JAG) and workloads. */
import t from 'tap'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { basic, call, exchangeGrant, post, read, type Answer, type Fields } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const at = (name: string): string => `${server.url}/oauth/i/${name}`
const [full, idp] = [at('full'), at('idp')]
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const type = 'urn:ietf:params:oauth:token-type:'

const send = (url: string, method: string, value: unknown): Promise<Answer> =>
  call(url, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) })
const order = async (issuer: string, value: Record<string, unknown>): Promise<string> =>
  (await send(`${issuer}/debug/token`, 'POST', value)).body.token as string
const idToken = async (username = 'alice'): Promise<string> =>
  (await post(`${idp}/token`, { grant_type: 'password', username, password: username, scope: 'openid' })).body.id_token!

const exchange = async (fields: Fields = {}, headers?: Record<string, string>): Promise<Answer> =>
  post(
    `${idp}/token`,
    {
      grant_type: exchangeGrant,
      requested_token_type: `${type}id-jag`,
      subject_token: await idToken(),
      subject_token_type: `${type}id_token`,
      audience: full,
      ...fields,
    },
    headers,
  )
const redeem = (
  assertion: string,
  fields: Fields = {},
  headers?: Record<string, string>,
  base = full,
): Promise<Answer> => post(`${base}/token`, { grant_type: grant, assertion, ...fields }, headers)

t.test('a client takes a user from the sign-on to another issuer [IDN-21]', async t => {
  const { status, headers, body } = await exchange({ scope: 'chat.read chat.write', resource: 'https://chat.test/' })
  t.match(
    { status, body },
    {
      status: 200,
      body: { issued_token_type: `${type}id-jag`, token_type: 'N_A', expires_in: 300, scope: 'chat.read chat.write' },
    },
  )
  t.equal(headers.get('cache-control'), 'no-store')
  const { header, claims } = read(body.access_token!)
  t.match(header, { typ: 'oauth-id-jag+jwt', alg: 'ES256', kid: 'idp-es256-1' })
  t.match(claims, {
    iss: idp,
    sub: 'alice',
    aud: full,
    client_id: 'svc',
    resource: 'https://chat.test/',
    scope: 'chat.read chat.write',
    email: 'alice@svc.local',
    jti: String,
  })
  t.equal(Number(claims.exp) - Number(claims.iat), 300)

  const tokens = (await redeem(body.access_token!, { scope: 'chat.read' })).body
  t.match(read(tokens.access_token!).claims, {
    iss: full,
    sub: 'alice',
    aud: 'https://chat.test/',
    client_id: 'svc',
    scope: 'chat.read',
    groups: ['users', 'admins'],
  })
  t.notOk(tokens.refresh_token)
  t.notOk(tokens.id_token)
  t.match((await redeem(body.access_token!)).body, { error: 'invalid_grant', error_description: /used before/ })
})

t.test('the sign-on refuses what it cannot assert [IDN-21]', async t => {
  const access = (await post(`${idp}/token`, { grant_type: 'password', username: 'bob', password: 'bob' })).body
  const rows: [string, Fields, string][] = [
    ['no audience', { audience: undefined }, 'invalid_request'],
    ['an audience that is not a URL', { audience: 'shop' }, 'invalid_target'],
    ['an unknown issuer', { audience: at('nope') }, 'invalid_target'],
    ['two audiences', { audience: [full, idp] }, 'invalid_target'],
    ['an access token', { subject_token: access.access_token }, 'invalid_request'],
    ['the type of an access token', { subject_token_type: `${type}access_token` }, 'invalid_request'],
    ['a token of another issuer', { subject_token: await order(full, { kind: 'id' }) }, 'invalid_request'],
    [
      'an ID token of another client',
      { subject_token: await order(idp, { kind: 'id', client_id: 'other' }) },
      'invalid_request',
    ],
  ]
  for (const [name, fields, error] of rows) t.match(await exchange(fields), { status: 400, body: { error } }, name)
  t.equal((await exchange({ audience: 'https://chat.example/' })).status, 200)
  t.equal(
    (
      await post(`${full}/token`, {
        grant_type: exchangeGrant,
        requested_token_type: `${type}id-jag`,
        subject_token: 'x',
        subject_token_type: `${type}id_token`,
      })
    ).body.error,
    'invalid_request',
  )
})

t.test('an assertion for others, or a bad one, is invalid_grant [IDN-21]', async t => {
  const jag = (more: Record<string, unknown> = {}): Promise<string> => order(idp, { kind: 'id-jag', ...more })
  const rows: [string, string][] = [
    ['another audience', await jag({ audience: idp })],
    ['another client', await jag({ client_id: 'svc-jwt' })],
    ['expired', await jag({ expires_in: -60 })],
    ['too long', await jag({ expires_in: 7200 })],
    ['no exp', await jag({ expires_in: null })],
    ['typ JWT', await jag({ header: { typ: 'JWT' } })],
    ['foreign key', await jag({ key: 'foreign' })],
    ['alg none', await jag({ algorithm: 'none' })],
    ['not trusted', await order(at('hostile'), { kind: 'id-jag' })],
    ['not trusted for users', await order(at('workload'), { kind: 'id-jag' })],
    ['no subject', await jag({ claims: { sub: null } })],
    ['garbage', 'x'],
  ]
  for (const [name, assertion] of rows)
    t.match(await redeem(assertion), { status: 400, body: { error: 'invalid_grant' } }, name)
  t.equal((await redeem('')).body.error, 'invalid_request')
  t.equal((await redeem(await jag(), {}, { Authorization: basic('svc', 'x') })).body.error, 'invalid_client')
  t.equal((await redeem(await jag(), { client_id: 'svc-public' }, {})).body.error, 'unauthorized_client')
  t.equal((await redeem(await jag({ scope: 'a' }), { scope: 'a b' })).body.error, 'invalid_scope')
  t.equal(
    (await redeem(await jag({ claims: { resource: 'https://a.test/' } }), { resource: 'https://b.test/' })).body.error,
    'invalid_target',
  )
  t.equal((await redeem(await jag(), { resource: 'x' })).body.error, 'invalid_target')
  // A user that nobody knows here.
  const unknown = await redeem(await jag({ subject: 'zoe', claims: { email: 'zoe@shop.test' } }))
  t.match(read(unknown.body.access_token!).claims, { sub: 'zoe', email: 'zoe@shop.test' })
  t.equal(
    (await post(`${server.url}/oauth/token`, { grant_type: grant, assertion: await jag() })).body.error,
    'unsupported_grant_type',
  )
})

t.test('a workload gets a token without client authentication [IDN-21]', async t => {
  const assertion = await order(at('workload'), { kind: 'workload' })
  t.match(read(assertion).claims, { sub: 'spiffe://svc/ns/demo/sa/agent', aud: full })
  const { status, body } = await redeem(assertion, { scope: 'a', resource: 'https://api.test/' }, {})
  t.equal(status, 200)
  t.match(read(body.access_token!).claims, {
    sub: 'spiffe://svc/ns/demo/sa/agent',
    client_id: 'svc',
    scope: 'a',
    aud: 'https://api.test/',
  })
  t.notOk(body.refresh_token)
  t.match((await redeem(assertion, {}, {})).body, { error: 'invalid_grant' })
})

t.test('settings name trusted issuers, subjects and the client [IDN-21]', async t => {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwks = { keys: [await exportJWK(publicKey)] }
  const put = (trust: unknown): Promise<Answer> =>
    send(`${server.url}/_svc/identity/issuers/trusting`, 'PUT', { trust })
  t.match((await put([{ issuer: 'https://ci.test' }])).body, { at: 'trust[0]', details: /jwks/ })
  t.match((await put([{ issuer: 'Full' }])).body, { at: 'trust[0].issuer' })
  t.match((await put([{ issuer: 'idp', types: ['workloads'] }])).body, { did_you_mean: 'workload' })
  await put([
    { issuer: 'https://ci.test', jwks, types: ['workload'], subjects: ['repo:shop/*:main'], client: 'svc-jwt' },
  ])
  const base = at('trusting')
  const sign = (sub: string): Promise<string> =>
    new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuer('https://ci.test')
      .setSubject(sub)
      .setAudience(`${base}/token`)
      .setExpirationTime('5m')
      .sign(privateKey)
  const { body } = await redeem(await sign('repo:shop/web:main'), {}, {}, base)
  t.match(read(body.access_token!).claims, { sub: 'repo:shop/web:main', client_id: 'svc-jwt' })
  for (const sub of ['repo:other/web:main', 'repo:shop/web:dev', 'repo:shop/:mai'])
    t.match((await redeem(await sign(sub), {}, {}, base)).body, {
      error: 'invalid_grant',
      error_description: /not trusted/,
    })
})

t.test('a token exchange takes workloads as actors [IDN-21]', async t => {
  const subject = (await post(`${full}/token`, { grant_type: 'password', username: 'alice', password: 'alice' })).body
  const { body } = await post(`${full}/token`, {
    grant_type: exchangeGrant,
    subject_token: subject.access_token,
    subject_token_type: `${type}access_token`,
    actor_token: await order(at('workload'), { kind: 'workload' }),
    actor_token_type: `${type}jwt`,
  })
  t.match(read(body.access_token!).claims, { sub: 'alice', act: { sub: 'spiffe://svc/ns/demo/sa/agent' } })
  const untrusted = await post(`${full}/token`, {
    grant_type: exchangeGrant,
    subject_token: await order(at('hostile'), {}),
    subject_token_type: `${type}jwt`,
  })
  t.equal(untrusted.body.error, 'invalid_request')
})

t.test('the metadata says who gives and takes assertions [IDN-21] [IDN-2]', async t => {
  const metadata = async (base: string) => (await call(`${base}/.well-known/openid-configuration`)).body
  const profiles = ['urn:ietf:params:oauth:grant-profile:id-jag']
  t.strictSame((await metadata(full)).authorization_grant_profiles_supported, profiles)
  t.strictSame((await metadata(idp)).identity_chaining_requested_token_types_supported, [`${type}id-jag`])
  t.notOk('authorization_grant_profiles_supported' in (await metadata(idp)))
  t.strictSame((await metadata(at('workload'))).grant_types_supported, ['client_credentials'])
  t.notOk(((await metadata(server.url)).grant_types_supported as string[]).includes(grant))
})
