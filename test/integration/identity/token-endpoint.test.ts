/** The token endpoint: forms, client authentication, scope, resource, and grants without a code. */
import t from 'tap'
import { createHash } from 'node:crypto'
import {
  basic,
  call,
  demoClient,
  encode,
  exchangeGrant,
  logIn,
  post,
  read,
  register,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const token = `${server.url}/oauth/token`
const clientCredentials = { grant_type: 'client_credentials' }
const form = 'application/x-www-form-urlencoded'

t.test('client credentials result in an access token about the client [IDP-27] [IDP-34] [IDP-2]', async t => {
  const before = Math.floor(Date.now() / 1000)
  const { status, headers, body } = await post(token, clientCredentials)
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('pragma'), 'no-cache')
  t.strictSame(
    { ...body, access_token: '' },
    { access_token: '', token_type: 'Bearer', expires_in: 3600, scope: 'openid' },
  )
  const { header, claims } = read(body.access_token!)
  t.strictSame(header, { alg: 'RS256', typ: 'at+jwt', kid: 'svc-rs256-key' })
  const { iat, exp, jti, ...others } = claims
  t.strictSame(others, { iss: server.url, sub: 'svc', aud: 'svc', client_id: 'svc', scope: 'openid' })
  t.ok(Number(iat) >= before && Number(iat) <= before + 5)
  t.equal(Number(exp) - Number(iat), 3600)
  t.match(jti, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

t.test('the password grant issues an access token, an ID token and a refresh token [IDP-28] [IDP-34]', async t => {
  const { body } = await post(token, { grant_type: 'password', username: 'alice', password: 'alice' })
  t.strictSame(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'scope', 'id_token', 'refresh_token'])
  t.equal(body.scope, 'openid profile email')
  t.match(body.refresh_token, /^rt_[A-Za-z0-9_-]{43}$/)
  const person = { preferred_username: 'alice', groups: ['users', 'admins'] }
  const access = read(body.access_token!)
  const { iat, exp, jti: _, ...claims } = access.claims
  t.strictSame(claims, {
    iss: server.url,
    sub: 'alice',
    aud: 'svc',
    client_id: 'svc',
    scope: 'openid profile email',
    name: 'Alice Admin',
    email: 'alice@svc.local',
    ...person,
    auth_time: iat,
  })
  const id = read(body.id_token!)
  t.strictSame(id.header, { alg: 'RS256', typ: 'JWT', kid: 'svc-rs256-key' })
  const { at_hash: hash, jti, ...idClaims } = id.claims
  t.strictSame(idClaims, {
    iss: server.url,
    sub: 'alice',
    aud: 'svc',
    exp,
    iat,
    azp: 'svc',
    auth_time: iat,
    ...person,
    name: 'Alice Admin',
    email: 'alice@svc.local',
    email_verified: true,
  })
  t.equal(
    hash,
    createHash('sha256').update(body.access_token!).digest().subarray(0, 16).toString('base64url'),
    'the left half of the digest',
  )
  t.not(jti, access.claims.jti)
})

t.test('the scope determines ID token and profile claims, but not the access token [IDP-34]', async t => {
  const withoutOpenid = await logIn(server.url, { scope: 'mcp:tools' })
  t.notOk('id_token' in withoutOpenid)
  t.equal(read(withoutOpenid.access_token!).claims.email, 'alice@svc.local')
  const id = read((await logIn(server.url, { scope: 'openid' })).id_token!).claims
  t.notOk('name' in id || 'email' in id || 'nonce' in id)
  t.ok('preferred_username' in id && 'groups' in id)
})

t.test('each demo user logs in only with its own name as password [IDP-1] [IDP-48]', async t => {
  const grant = (username: string, password: string) => post(token, { grant_type: 'password', username, password })
  for (const [name, groups] of [
    ['demo', ['users']],
    ['alice', ['users', 'admins']],
    ['bob', ['users']],
  ] as const) {
    t.same(read((await grant(name, name)).body.access_token!).claims.groups, groups)
  }
  for (const [name, password] of [
    ['alice', 'bob'],
    ['Alice', 'alice'],
    ['alice', 'Alice'],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
    ['alice ', 'alice'],
    ['nobody', 'nobody'],
  ] as const) {
    const { status, body } = await grant(name, password)
    t.strictSame([status, body.error], [400, 'invalid_grant'], `${name}/${password}`)
  }
})

t.test('scopes are free-form, in order, without duplicates [IDP-25]', async t => {
  for (const [scope, granted] of [
    ['b a', 'b a'],
    ['a a b a', 'a b'],
    ['  x   y ', 'x y'],
    ['   ', 'openid'],
    ['', 'openid'],
    ["!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"],
    ['x'.repeat(1000), 'x'.repeat(1000)],
    ['__proto__', '__proto__'],
  ] as const) {
    const { body } = await post(token, { ...clientCredentials, scope })
    t.equal(body.scope, granted, JSON.stringify(scope.slice(0, 20)))
    t.equal(read(body.access_token!).claims.scope, granted)
  }
  for (const scope of ['a"b', 'a\\b', 'é', 'a\tb', 'a\nb', 'x'.repeat(1001)]) {
    const { status, body } = await post(token, { ...clientCredentials, scope })
    t.strictSame([status, body.error], [400, 'invalid_scope'], JSON.stringify(scope.slice(0, 20)))
  }
})

t.test('a registered scope is the default of every grant [IDP-25]', async t => {
  const { body: client } = await register(server.url, {
    scope: 'a b',
    grant_types: ['client_credentials', 'password'],
    redirect_uris: [],
  })
  const headers = { Authorization: basic(client.client_id!, client.client_secret!) }
  t.equal((await post(token, clientCredentials, headers)).body.scope, 'a b')
  t.equal((await post(token, { grant_type: 'password', username: 'bob', password: 'bob' }, headers)).body.scope, 'a b')
  t.equal(
    (await post(token, { ...clientCredentials, scope: 'c' }, headers)).body.scope,
    'c',
    'the registered scope is not a limit',
  )
})

t.test('resources become the audience [IDP-26]', async t => {
  const five = [1, 2, 3, 4, 5].map(n => `https://api${n}.example/`)
  const good: [readonly string[], unknown][] = [
    [[], 'svc'],
    [['https://a.example/x?y=1'], 'https://a.example/x?y=1'],
    [['urn:a:b'], 'urn:a:b'],
    [five, five],
    [
      ['urn:a', 'urn:b', 'urn:a'],
      ['urn:a', 'urn:b'],
    ],
    [[`urn:${'x'.repeat(2044)}`], `urn:${'x'.repeat(2044)}`],
  ]
  for (const [resource, aud] of good)
    t.same(read((await post(token, { ...clientCredentials, resource })).body.access_token!).claims.aud, aud)
  for (const resource of [
    ['/x'],
    ['https://h/#f'],
    ['x'],
    ['urn:'],
    ['https://h/ x'],
    ['https://h/\n'],
    ['1a:b'],
    [...five, 'urn:6'],
    [`urn:${'x'.repeat(2045)}`],
    ['urn:a', 'b'],
  ]) {
    const { status, body } = await post(token, { ...clientCredentials, resource })
    t.strictSame([status, body.error], [400, 'invalid_target'], resource[0]!.slice(0, 30))
  }
})

t.test('a body that is not a form is rejected; the query is ignored [IDP-4] [IDP-48]', async t => {
  const body = encode(clientCredentials)
  const send = (contentType: string | undefined, content: string, path = '') =>
    call(token + path, {
      method: 'POST',
      headers: { ...demoClient, ...(contentType !== undefined && { 'Content-Type': contentType }) },
      body: content,
    })
  for (const type of [form, `${form}; charset=utf-8`, `${form.toUpperCase()} ;x=y`])
    t.equal((await send(type, body)).status, 200, type)
  for (const [type, content] of [
    ['application/json', JSON.stringify(clientCredentials)],
    ['text/xml', '<a/>'],
    ['text/plain', body],
    ['multipart/form-data; boundary=x', body],
    [form, ''],
    ['x', body],
    ['', body],
  ] as const) {
    const { status, body: error } = await send(type, content)
    t.strictSame([status, error.error], [400, 'invalid_request'], type)
  }
  t.equal((await send(form, 'x=1', `?${body}`)).body.error, 'invalid_request')
  t.equal((await call(token, { method: 'POST', headers: demoClient })).body.error, 'invalid_request')
})

t.test('repeated parameters are rejected, and empty ones ignored [IDP-4] [IDP-5]', async t => {
  for (const fields of [
    { grant_type: ['client_credentials', 'client_credentials'] },
    { ...clientCredentials, scope: ['a', 'b'] },
    { ...clientCredentials, unknown: ['a', 'b'] },
  ]) {
    t.equal((await post(token, fields)).body.error, 'invalid_request', encode(fields))
  }
  for (const fields of [
    { ...clientCredentials, unknown: '1' },
    { ...clientCredentials, scope: ['', 'a'] },
    { ...clientCredentials, __proto__: 'x', constructor: 'y' },
  ]) {
    t.equal((await post(token, fields)).status, 200, encode(fields))
  }
  t.equal((await post(token, { grant_type: '' })).body.error, 'invalid_request')
})

t.test('clients authenticate by Basic or in the form [IDP-7] [IDP-9] [IDP-8]', async t => {
  const good: [Record<string, string>, Fields][] = [
    [{ Authorization: basic('svc', 'svc-secret') }, {}],
    [{ Authorization: basic('svc', 'svc%2Dsecret') }, {}],
    [{ Authorization: `bAsIc ${btoa('svc:svc-secret')}` }, {}],
    [{ Authorization: basic('svc', 'svc-secret') }, { client_id: 'svc' }],
    [{ Authorization: basic('svc', 'svc-secret') }, { client_secret: '' }],
    [{}, { client_id: 'svc', client_secret: 'svc-secret' }],
    [{ Authorization: 'Bearer x' }, { client_id: 'svc', client_secret: 'svc-secret' }],
  ]
  for (const [headers, fields] of good)
    t.equal(
      (await post(token, { ...clientCredentials, ...fields }, headers)).status,
      200,
      JSON.stringify([headers, fields]),
    )

  const refused: [Record<string, string>, Fields][] = [
    [{}, {}],
    [{ Authorization: 'Basic' }, {}],
    [{ Authorization: 'Basic %%%' }, {}],
    [{ Authorization: `Basic ${btoa('svc')}` }, {}],
    [{ Authorization: basic('svc', 'wrong') }, {}],
    [{ Authorization: basic('svc', '') }, {}],
    [{ Authorization: basic('svc', 'svc-secret%') }, {}],
    [{ Authorization: basic('SVC', 'svc-secret') }, {}],
    [{ Authorization: basic('__proto__', 'x') }, {}],
    [{ Authorization: basic('svc-public', 'x') }, {}],
    [{}, { client_id: 'svc' }],
    [{}, { client_secret: 'svc-secret' }],
    [{}, { client_id: '__proto__' }],
    [{}, { client_id: 'svc-public', client_secret: 'x' }],
    [{}, { client_id: 'svc', client_secret: 'svc%2Dsecret' }],
  ]
  for (const [headers, fields] of refused) {
    const { status, headers: got, body } = await post(token, { ...clientCredentials, ...fields }, headers)
    t.strictSame(
      [status, body.error, got.get('www-authenticate'), got.get('cache-control')],
      [401, 'invalid_client', 'Basic realm="svc"', 'no-store'],
      JSON.stringify([headers, fields]),
    )
  }
  for (const fields of [
    { client_secret: 'svc-secret' },
    { client_id: 'other' },
    { client_id: 'other', client_secret: 'x' },
  ]) {
    const { status, body } = await post(token, { ...clientCredentials, ...fields })
    t.strictSame([status, body.error], [400, 'invalid_request'], JSON.stringify(fields))
  }
})

t.test('a public client needs no secret [IDP-9]', async t => {
  for (const [headers, fields] of [
    [{}, { client_id: 'svc-public' }],
    [{}, { client_id: 'svc-public', client_secret: '' }],
    [{ Authorization: basic('svc-public', '') }, {}],
  ] as const) {
    t.equal(
      (await post(token, { grant_type: 'refresh_token', refresh_token: 'x', ...fields }, headers)).body.error,
      'invalid_grant',
      'authenticated',
    )
  }
})

t.test('the checks run in order [IDP-24]', async t => {
  const wrong = { Authorization: basic('svc', 'wrong') }
  const rows: [Fields, Record<string, string>, string][] = [
    [{}, wrong, 'invalid_request'],
    [{ x: '1' }, wrong, 'invalid_request'],
    [{ grant_type: 'implicit', resource: '/x' }, wrong, 'unsupported_grant_type'],
    [{ grant_type: 'toString' }, demoClient, 'unsupported_grant_type'],
    [{ grant_type: 'password', resource: '/x' }, wrong, 'invalid_client'],
    [{ grant_type: 'password', client_id: 'svc-public', resource: '/x' }, {}, 'unauthorized_client'],
    [{ grant_type: exchangeGrant, client_id: 'svc-public' }, {}, 'unauthorized_client'],
    [{ grant_type: 'password', resource: '/x', scope: '"' }, demoClient, 'invalid_target'],
    [{ grant_type: 'password', scope: '"' }, demoClient, 'invalid_request'],
    [{ grant_type: 'password', username: 'alice' }, demoClient, 'invalid_request'],
    [{ grant_type: 'password', username: 'alice', password: 'x', scope: '"' }, demoClient, 'invalid_scope'],
    [{ grant_type: 'authorization_code' }, demoClient, 'invalid_request'],
    [{ grant_type: 'refresh_token' }, demoClient, 'invalid_request'],
    [{ grant_type: exchangeGrant }, demoClient, 'invalid_request'],
  ]
  for (const [fields, headers, error] of rows)
    t.equal((await post(token, fields, headers)).body.error, error, encode(fields))
})

t.test('descriptions are plain ASCII and do not repeat input [IDP-6]', async t => {
  const poison = 'p0ison"\\<b>'
  for (const fields of [
    { grant_type: poison },
    { ...clientCredentials, scope: poison },
    { ...clientCredentials, resource: poison },
    { grant_type: 'password', username: poison, password: poison },
    { grant_type: 'refresh_token', refresh_token: poison },
    { grant_type: exchangeGrant, subject_token: poison, subject_token_type: poison },
    { [poison]: ['1', '2'] },
  ]) {
    const { body } = await post(token, fields)
    t.match(body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    t.notMatch(body.error_description, 'p0ison')
  }
})

t.test('large numbers of parameters and bytes get a response [IDP-48]', async t => {
  t.equal(
    (
      await post(token, {
        ...clientCredentials,
        ...Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, 'x'])),
      })
    ).status,
    200,
  )
  t.equal(
    (await post(token, { ...clientCredentials, resource: Array.from({ length: 20_000 }, (_, n) => `urn:${n}`) })).body
      .error,
    'invalid_target',
  )
  t.equal((await post(token, { ...clientCredentials, x: 'x'.repeat(1_100_000) })).status, 413)
  for (const Authorization of [
    `Basic ${'A'.repeat(60_000)}`,
    `Basic ${btoa('%'.repeat(40_000))}`,
    `Basic ${' '.repeat(60_000)}=`,
    'x '.repeat(30_000),
  ]) {
    t.equal(
      (await post(token, clientCredentials, { Authorization })).body.error,
      'invalid_client',
      `${Authorization.slice(0, 12)}...`,
    )
  }
  t.equal((await post(token, clientCredentials, { Authorization: `Basic ${'A'.repeat(80_000)}` })).status, 431)
})
