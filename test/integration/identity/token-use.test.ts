/** UserInfo, introspection, revocation. */
import t from 'tap'
import {
  basic,
  call,
  demoClient,
  exchangeGrant,
  logIn,
  post,
  read,
  register,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = (name: string) => `${server.url}/oauth/${name}`
const bearer = (token: string | undefined) => ({ Authorization: `Bearer ${token}` })
const userInfo = (token: string | undefined) => call(url('userinfo'), { headers: bearer(token) })
const introspect = async (token: string | undefined) => (await post(url('introspect'), { token: token! })).body
const clientToken = async () => (await post(url('token'), { grant_type: 'client_credentials' })).body.access_token!

t.test('UserInfo returns the claims of the scope [IDP-42] [IDP-2]', async t => {
  const base = { sub: 'alice', preferred_username: 'alice', groups: ['users', 'admins'] }
  const name = { name: 'Alice Admin' }
  const email = { email: 'alice@svc.local', email_verified: true }
  for (const [scope, expected] of [
    ['openid', base],
    ['openid profile', { ...base, ...name }],
    ['email openid', { ...base, ...email }],
    ['openid profile email', { ...base, ...name, ...email }],
  ] as const) {
    const { status, headers, body } = await userInfo((await logIn(server.url, { scope })).access_token)
    t.equal(status, 200)
    t.strictSame(body, expected)
    t.equal(headers.get('cache-control'), 'no-store')
  }
  t.strictSame((await userInfo(await clientToken())).body, { sub: 'svc' }, 'a client is not a user')
})

t.test('UserInfo accepts the token in the header or a form [IDP-42]', async t => {
  const { access_token: token } = await logIn(server.url)
  t.equal((await call(url('userinfo'), { headers: { Authorization: `bEARER  ${token}` } })).status, 200)
  t.equal((await call(url('userinfo'), { method: 'POST', headers: bearer(token) })).status, 200)
  t.equal(
    (
      await call(url('userinfo'), {
        method: 'POST',
        headers: { ...bearer(token), 'Content-Type': 'application/json' },
        body: '{}',
      })
    ).status,
    200,
  )
  t.equal((await post(url('userinfo'), { access_token: token! }, {})).status, 200)
  const both = await post(url('userinfo'), { access_token: token! }, bearer(token))
  t.strictSame([both.status, both.body.error], [400, 'invalid_request'])
  t.equal((await post(url('userinfo'), { access_token: ['a', 'b'] }, {})).body.error, 'invalid_request')
})

t.test('UserInfo errors have the matching challenge [IDP-42] [IDP-2] [IDP-6]', async t => {
  const tokens = await logIn(server.url)
  const revoked = (await logIn(server.url)).access_token!
  await post(url('revoke'), { token: revoked })
  const hs256 = (await call(`${server.url}/auth/jwt/exchange`, { headers: bearer(tokens.access_token) })).body
    .exchanged_token!
  const invalid = (reason: string) => `Bearer realm="svc", error="invalid_token", error_description="${reason}"`
  const rows: [string, Record<string, string>, number, string, string][] = [
    ['no token', {}, 401, 'invalid_request', 'Bearer realm="svc"'],
    ['Basic', demoClient, 401, 'invalid_request', 'Bearer realm="svc"'],
    ['in the query', {}, 401, 'invalid_request', 'Bearer realm="svc"'],
    ['garbage', bearer('x'), 401, 'invalid_token', invalid('malformed token')],
    [
      'flipped signature',
      bearer(`${tokens.access_token!.slice(0, -6)}AAAAAA`),
      401,
      'invalid_token',
      invalid('invalid signature'),
    ],
    ['ID token', bearer(tokens.id_token), 401, 'invalid_token', invalid('invalid token')],
    ['refresh token', bearer(tokens.refresh_token), 401, 'invalid_token', invalid('malformed token')],
    ['HS256', bearer(hs256), 401, 'invalid_token', invalid('alg not supported')],
    ['revoked', bearer(revoked), 401, 'invalid_token', invalid('token revoked')],
    [
      'no openid',
      bearer((await logIn(server.url, { scope: 'x' })).access_token),
      403,
      'insufficient_scope',
      'Bearer realm="svc", error="insufficient_scope", error_description="the token needs the scope openid", scope="openid"',
    ],
  ]
  for (const [what, headers, status, error, challenge] of rows) {
    const answer = await call(`${url('userinfo')}?access_token=${tokens.access_token}`, { headers })
    t.strictSame(
      [answer.status, answer.body.error, answer.headers.get('www-authenticate'), answer.headers.get('cache-control')],
      [status, error, challenge, 'no-store'],
      what,
    )
  }
})

t.test('introspection describes each type of token [IDP-43]', async t => {
  const tokens = await logIn(server.url, { resource: 'urn:a' })
  const { iat, exp, jti } = read(tokens.access_token!).claims
  t.strictSame(await introspect(tokens.access_token), {
    active: true,
    token_type: 'Bearer',
    scope: 'openid profile email',
    client_id: 'svc',
    sub: 'alice',
    aud: 'urn:a',
    iss: server.url,
    exp,
    iat,
    jti,
    username: 'alice',
    name: 'Alice Admin',
    email: 'alice@svc.local',
    groups: ['users', 'admins'],
  })
  const id = read(tokens.id_token!).claims
  t.strictSame(await introspect(tokens.id_token), {
    active: true,
    token_type: 'id_token',
    client_id: 'svc',
    sub: 'alice',
    aud: 'svc',
    iss: server.url,
    exp: id.exp,
    iat: id.iat,
    jti: id.jti,
    username: 'alice',
  })
  const { iat: issuedAt, exp: end, ...refresh } = await introspect(tokens.refresh_token)
  t.strictSame(refresh, {
    active: true,
    token_type: 'refresh_token',
    scope: 'openid profile email',
    client_id: 'svc',
    sub: 'alice',
    aud: 'urn:a',
    iss: server.url,
    username: 'alice',
  })
  t.equal(Number(end) - Number(issuedAt), 86400)
  t.notOk('username' in (await introspect(await clientToken())))
  const hs256 = (await call(`${server.url}/auth/jwt/exchange`, { headers: bearer(tokens.access_token) })).body
    .exchanged_token
  t.match(await introspect(hs256), { active: true, token_type: 'Bearer', iss: 'svc' })
})

t.test('introspection shows act [IDP-43] [IDP-36]', async t => {
  const subject = (await logIn(server.url)).access_token!
  const actor = (await logIn(server.url, {}, 'bob')).access_token!
  const type = 'urn:ietf:params:oauth:token-type:access_token'
  const { body } = await post(url('token'), {
    grant_type: exchangeGrant,
    subject_token: subject,
    subject_token_type: type,
    actor_token: actor,
    actor_token_type: type,
  })
  t.strictSame((await introspect(body.access_token)).act, { sub: 'bob' })
})

t.test('introspection of other input returns exactly active false [IDP-43] [IDP-48]', async t => {
  const { access_token: revoked, refresh_token: used } = await logIn(server.url)
  await post(url('revoke'), { token: revoked! })
  await post(url('token'), { grant_type: 'refresh_token', refresh_token: used! })
  for (const token of [
    'x',
    'a.b.c',
    'rt_x',
    '__proto__',
    'constructor',
    revoked!,
    used!,
    `${revoked}x`,
    'x'.repeat(100_000),
  ]) {
    const { status, headers, body } = await post(url('introspect'), { token })
    t.strictSame([status, body, headers.get('cache-control')], [200, { active: false }, 'no-store'], token.slice(0, 20))
  }
})

t.test('confidential clients can introspect tokens of any client [IDP-43] [IDP-8]', async t => {
  const { access_token: token } = await logIn(server.url)
  const { body: other } = await register(server.url, { grant_types: ['client_credentials'] })
  t.equal(
    (await post(url('introspect'), { token: token! }, { Authorization: basic(other.client_id!, other.client_secret!) }))
      .body.active,
    true,
  )
  t.equal((await post(url('introspect'), { token: token!, token_type_hint: 'refresh_token' })).body.active, true)
  const rows: [Fields, Record<string, string>, number, string][] = [
    [{ token: token!, client_id: 'svc-public' }, {}, 401, 'invalid_client'],
    [{ token: token! }, {}, 401, 'invalid_client'],
    [{ token: token! }, bearer(token), 401, 'invalid_client'],
    [{}, demoClient, 400, 'invalid_request'],
    [{ token: '' }, demoClient, 400, 'invalid_request'],
    [{ token: ['a', 'b'] }, demoClient, 400, 'invalid_request'],
  ]
  for (const [fields, headers, status, error] of rows) {
    const answer = await post(url('introspect'), { x: '1', ...fields }, headers)
    t.strictSame([answer.status, answer.body.error], [status, error])
  }
})

t.test('a client revokes its own tokens individually [IDP-44] [IDP-2]', async t => {
  for (const kind of ['access_token', 'refresh_token', 'id_token'] as const) {
    const tokens = await logIn(server.url)
    const { status, headers, body } = await post(url('revoke'), { token: tokens[kind]!, token_type_hint: 'nonsense' })
    t.strictSame([status, body, headers.get('cache-control')], [200, {}, 'no-store'])
    for (const other of ['access_token', 'refresh_token', 'id_token'] as const)
      t.equal((await introspect(tokens[other])).active, other !== kind, `${other} after ${kind}`)
  }
  const { refresh_token: token } = await logIn(server.url)
  await post(url('revoke'), { token: token! })
  t.equal(
    (await post(url('token'), { grant_type: 'refresh_token', refresh_token: token! })).body.error,
    'invalid_grant',
  )
})

t.test('tokens of other clients are not revoked, without an error [IDP-44] [IDP-9]', async t => {
  const tokens = await logIn(server.url)
  for (const token of [tokens.access_token!, tokens.refresh_token!, tokens.id_token!, 'x', 'a.b.c', '__proto__']) {
    const { status, body } = await post(url('revoke'), { token, client_id: 'svc-public' }, {})
    t.strictSame([status, body], [200, {}])
  }
  for (const kind of ['access_token', 'refresh_token', 'id_token'] as const)
    t.equal((await introspect(tokens[kind])).active, true, kind)
  t.strictSame((await post(url('revoke'), { x: '1' })).body.error, 'invalid_request')
  t.equal((await post(url('revoke'), { token: 'x' }, {})).status, 401)
})
