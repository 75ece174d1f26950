/** `/auth/jwt`, `/auth/jwt/decode`, `/auth/jwt/exchange`. */
import t from 'tap'
import { createHmac } from 'node:crypto'
import { XMLValidator } from 'fast-xml-parser'
import { call, logIn, post, read } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = (path = '') => `${server.url}/auth/jwt${path}`
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } })
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const end = 4102444800

function sign(claims: unknown, header: unknown = { alg: 'HS256' }): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${createHmac('sha256', 'svc-demo-secret-do-not-use-in-production').update(input).digest('base64url')}`
}

t.test('returns header and claims of a valid token [AUTH-5]', async t => {
  const claims = { sub: 'carol', iss: 'i', aud: ['a', 'b'], exp: end, nested: { x: [1] } }
  const { status, body } = await call(url(), bearer(sign(claims, { alg: 'HS256', typ: 'JWT', kid: 'x' })))
  t.strictSame(
    [status, body],
    [
      200,
      {
        authenticated: true,
        auth_type: 'jwt',
        username: 'carol',
        claims,
        jwt_header: { alg: 'HS256', typ: 'JWT', kid: 'x' },
      },
    ],
  )
  t.strictSame(
    (await call(url(), bearer(sign({ exp: end })))).body,
    { authenticated: true, auth_type: 'jwt', claims: { exp: end }, jwt_header: { alg: 'HS256' } },
    'no user without a subject',
  )
})

t.test('accepts access and ID tokens of the provider, including revoked ones [AUTH-5] [AUTH-18]', async t => {
  const tokens = await logIn(server.url)
  await post(`${server.url}/oauth/revoke`, { token: tokens.access_token })
  for (const token of [tokens.access_token!, tokens.id_token!]) {
    const { status, body } = await call(url(), bearer(token))
    t.strictSame([status, body.username], [200, 'alice'])
  }
})

t.test('issuer and audience are checked on request [AUTH-5]', async t => {
  const token = sign({ sub: 's', iss: 'i', aud: ['a', 'b'], exp: end })
  for (const path of ['', '?iss=i', '?aud=a', '?aud=b&iss=i', '?iss=&aud='])
    t.equal((await call(url(path), bearer(token))).status, 200, path)
  for (const [path, reason] of [
    ['?iss=x', 'issuer mismatch'],
    ['?aud=x', 'audience mismatch'],
    ['?iss=I', 'issuer mismatch'],
    ['?iss=i&aud=x', 'audience mismatch'],
  ] as const) {
    for (const route of ['', '/exchange'])
      t.equal((await call(url(route + path), bearer(token))).body.error, `invalid_token: ${reason}`, path)
  }
})

t.test('without a token the challenge has no error [AUTH-4] [AUTH-5]', async t => {
  for (const route of ['', '/decode', '/exchange']) {
    for (const headers of [
      {},
      { Authorization: 'Basic eDp5' },
      { Authorization: 'Bearer' },
      { Authorization: 'Bearer   ' },
    ] as Record<string, string>[]) {
      const { status, headers: got, body } = await call(url(route), { headers })
      t.strictSame(
        [status, body, got.get('www-authenticate')],
        [401, { authenticated: false, error: 'unauthorized: no Bearer token' }, 'Bearer realm="svc"'],
        route,
      )
    }
  }
})

t.test('an invalid token is rejected with the reason [AUTH-4] [AUTH-5]', async t => {
  const rows: [string, string][] = [
    ['x', 'malformed token'],
    ['a.b', 'malformed token'],
    ['a.b.c.d', 'malformed token'],
    [sign('null'), 'malformed token'],
    [sign('[]'), 'malformed token'],
    [sign({ exp: end }, { alg: 'none' }), 'alg none is refused'],
    [sign({ exp: end }, {}), 'alg missing'],
    [sign({ exp: end }, { alg: 'ES256' }), 'alg not supported'],
    [sign({ exp: end }, { alg: 'RS256' }), 'invalid signature'],
    [sign({ exp: 1 }), 'token expired'],
    [sign({ exp: end, nbf: end }), 'token not yet valid'],
    [sign({}), 'claim exp missing'],
    [sign({ exp: 'x' }), 'invalid token'],
  ]
  rows.push([sign(`{"a":${'['.repeat(15_000)}${']'.repeat(15_000)}}`), 'malformed token'])
  for (const [token, reason] of rows) {
    for (const route of ['', '/exchange']) {
      const { status, headers, body } = await call(url(route), bearer(token))
      t.strictSame(
        [status, body, headers.get('www-authenticate')],
        [
          401,
          { authenticated: false, error: `invalid_token: ${reason}` },
          `Bearer realm="svc", error="invalid_token", error_description="${reason}"`,
        ],
        reason,
      )
    }
  }
})

t.test('decode accepts any token with a valid structure [AUTH-6]', async t => {
  const foreign = `${encode({ alg: 'ES512', typ: 'x' })}.${encode({ a: 1, exp: 5 })}.AAAA`
  const { status, body } = await call(url('/decode'), bearer(foreign))
  t.equal(status, 200)
  t.match(body, {
    verified: false,
    jwt_header: { alg: 'ES512', typ: 'x' },
    claims: { a: 1, exp: 5 },
    expired: true,
    note: String,
  })
  t.equal((await call(url('/decode'), bearer(sign({ exp: end })))).body.expired, false)
  for (const claims of [{}, { exp: 'x' }]) t.notOk('expired' in (await call(url('/decode'), bearer(sign(claims)))).body)
  t.equal((await call(url('/decode'), bearer(`${encode({})}.${encode({})}.`))).status, 200, 'an empty signature')
})

t.test('decode explains why a token is not a JWT [AUTH-6]', async t => {
  const deep = `${encode({})}.${encode(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)}.x`
  for (const [token, why] of [
    ['x', 'expected three parts'],
    ['a.b', 'expected three parts'],
    ['a.b.c.d', 'expected three parts'],
    ['!.e30.', 'the header is not base64url'],
    ['e30.bnVsbA.', 'the payload is not a JSON object'],
    ['W10.e30.', 'the header is not a JSON object'],
    ['e30.e30.=', 'the signature is not base64url'],
    [deep, 'the payload is nested deeper than 64 levels'],
  ] as const) {
    const { status, body } = await call(url('/decode'), bearer(token))
    t.equal(status, 400, why)
    t.equal(body.authenticated, false)
    t.ok(body.error?.startsWith(`malformed_token: ${why}`), `${body.error}`)
  }
})

t.test('exchange keeps the claims and changes issuer and key [AUTH-7]', async t => {
  const claims = { sub: 's', iss: 'i', aud: 'a', exp: end, iat: 1, nbf: 1, jti: 'old', roles: ['x'] }
  const { status, body } = await call(url('/exchange'), bearer(sign(claims)))
  t.equal(status, 200)
  const { header, claims: exchanged } = read(body.exchanged_token!)
  t.strictSame(header, { alg: 'HS256', typ: 'JWT' })
  t.strictSame(body.claims, exchanged)
  const { iat, exp, jti, ...others } = exchanged
  t.strictSame(others, { sub: 's', iss: 'svc', aud: 'a', roles: ['x'] })
  t.equal(Number(exp) - Number(iat), 3600)
  t.not(jti, 'old')
  t.equal((await call(url('?iss=svc'), bearer(body.exchanged_token!))).status, 200, 'and is valid here')
})

t.test('claims with any name are well-formed XML [AUTH-1]', async t => {
  const token = sign(
    '{"https://x/roles":["a","<b>"],"9lives":1,"":2,"__proto__":{"x":1},"a b":"\\u0000\\ud800","exp":4102444800}',
  )
  for (const route of ['', '/decode', '/exchange']) {
    const { status, text } = await call(url(route), { headers: { ...bearer(token).headers, Accept: 'text/xml' } })
    t.equal(status, 200)
    t.equal(XMLValidator.validate(text), true)
    t.match(text, '<entry key="https://x/roles"><item>a</item><item>&lt;b&gt;</item></entry>')
    t.match(text, 'key="9lives"')
    t.match(text, '__proto__')
  }
})
