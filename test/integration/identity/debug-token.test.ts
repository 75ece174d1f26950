/** Debug tokens. */
import t from 'tap'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { call, read, type Answer } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const createToken = (value: unknown, headers: Record<string, string> = {}, base = server.url): Promise<Answer> =>
  call(`${base}/oauth/debug/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  })
const check = async (value: unknown) =>
  await call(`${server.url}/auth/jwt`, {
    headers: { Authorization: `Bearer ${(await createToken(value)).body.token}` },
  })

t.test('an empty request results in a normal access token [IDP-50] [IDP-2]', async t => {
  const { status, headers, body } = await createToken({})
  t.equal(status, 200)
  t.equal(headers.get('cache-control'), 'no-store')
  t.strictSame({ header: body.header, claims: body.claims }, read(String(body.token)))
  t.match(body.claims, { iss: server.url, sub: 'demo', aud: 'svc', client_id: 'svc', scope: 'openid' })
  await jwtVerify(String(body.token), createRemoteJWKSet(new URL(`${server.url}/oauth/jwks`)), {
    typ: 'at+jwt',
    audience: 'svc',
    issuer: server.url,
  })
  t.equal(
    (await call(`${server.url}/oauth/userinfo`, { headers: { Authorization: `Bearer ${body.token}` } })).body.sub,
    'demo',
  )
})

t.test('claims and header are merged over the defaults, and null removes members [IDP-50]', async t => {
  const { body } = await createToken({
    claims: { sub: 'carol', roles: ['a'], scope: null, __proto__: 1 },
    header: { kid: 'x', typ: null, jku: 'http://h/' },
  })
  const { header, claims } = read(String(body.token))
  t.strictSame(header, { alg: 'RS256', kid: 'x', jku: 'http://h/' })
  t.match(claims, { sub: 'carol', roles: ['a'], iss: server.url })
  t.notOk('scope' in claims)
})

t.test('the verification reports the requested fault [IDP-50]', async t => {
  const rows: [order: object, error: string | undefined][] = [
    [{ algorithm: 'HS256' }, undefined],
    [{ header: { kid: 'unknown' } }, undefined],
    [{ expires_in: -60 }, 'invalid_token: token expired'],
    [{ not_before_in: 60 }, 'invalid_token: token not yet valid'],
    [{ claims: { exp: null } }, 'invalid_token: claim exp missing'],
    [{ wrong_signature: true }, 'invalid_token: invalid signature'],
    [{ wrong_signature: true, algorithm: 'HS256' }, 'invalid_token: invalid signature'],
    [{ algorithm: 'none' }, 'invalid_token: alg none is refused'],
    [{ algorithm: 'HS256', header: { alg: 'RS256' } }, 'invalid_token: invalid signature'],
    [{ header: { alg: null } }, 'invalid_token: alg missing'],
    [{ header: { crit: ['x'] } }, 'invalid_token: invalid token'],
  ]
  for (const [value, error] of rows) t.equal((await check(value)).body.error, error, JSON.stringify(value))
})

t.test('an invalid request is invalid_request [IDP-50] [IDP-48]', async t => {
  const rows = [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    `{"claims":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    { claims: [] },
    { claims: 'x' },
    { header: 5 },
    { algorithm: 'ES257' },
    { algorithm: 5 },
    { expires_in: '60' },
    { expires_in: 1.5 },
    { expires_in: 1e10 },
    { not_before_in: {} },
    { wrong_signature: 'yes' },
  ]
  for (const row of rows) {
    const { status, body } = await createToken(row)
    t.strictSame([status, body.error], [400, 'invalid_request'], JSON.stringify(row).slice(0, 60))
  }
  t.equal((await createToken({}, { 'Content-Type': 'text/plain' })).body.error, 'invalid_request')
})

t.test('a misspelled member is rejected with a suggestion [IDP-50]', async t => {
  const rows: [object, Record<string, string>][] = [
    [{ wrong_sig: true }, { error_description: 'unknown member', unknown: 'wrong_sig' }],
    [{ resource: 'other' }, { error_description: 'unknown member', unknown: 'resource' }],
    [
      { expires_on: 5 },
      {
        error_description: 'unknown member; did you mean expires_in',
        unknown: 'expires_on',
        did_you_mean: 'expires_in',
      },
    ],
  ]
  for (const [row, details] of rows) {
    const { status, body } = await createToken(row)
    t.strictSame([status, body], [400, { error: 'invalid_request', ...details }])
  }
  t.equal(
    (await createToken({ claims: { wrong_sig: true }, header: { expires_on: 1 } })).status,
    200,
    'claims and header take any name',
  )
})

t.test('in public mode only admins can create tokens [IDP-50]', async t => {
  const open = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal((await createToken({}, {}, open.url)).status, 403)
  const guarded = await serve(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'admin-token-1' } })
  t.equal((await createToken({}, {}, guarded.url)).status, 401)
  t.equal((await createToken({}, { 'X-Svc-Admin-Token': 'admin-token-1' }, guarded.url)).status, 200)
})

t.test('examples of orders say what they show [IDP-50]', async t => {
  const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as {
    endpoints: { path: string; examples: { name: string; body?: string }[] }[]
  }
  const examples = endpoints.find(({ path }) => path === '/oauth/debug/token')!.examples
  const why = async (name: string): Promise<unknown> =>
    (await createToken(examples.find(example => example.name === name)!.body)).body.why
  t.equal(await why('Expired'), 'token expired')
  t.equal(await why('Custom claims, unknown key'), 'invalid signature')
})
