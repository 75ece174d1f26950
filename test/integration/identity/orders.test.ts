/** Custom tokens: presets, keys, signatures, forms, and what a correct verifier says about each. */
import t from 'tap'
import { createRemoteJWKSet, jwtVerify, type errors } from 'jose'
import { verify as verifySignature, createPublicKey } from 'node:crypto'
import { call, read, type Answer } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const issuers = { default: server.url, full: `${server.url}/oauth/i/full` }
const endpoints = { default: `${server.url}/oauth`, full: issuers.full }

const order = (value: unknown, endpoint = endpoints.full): Promise<Answer> =>
  call(`${endpoint}/debug/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  })

interface Listed {
  preset: string
  token: string
  accept: boolean
  why: string | null
  description: string
}

/** Why each preset is refused, here and by jose; null if it is accepted. */
const EXPECTED: [preset: string, why: string | null, byJose: string | null][] = [
  ['valid', null, null],
  ['expired', 'token expired', 'ERR_JWT_EXPIRED exp'],
  ['expired-leeway', null, null],
  ['not-yet-valid', 'token not yet valid', 'ERR_JWT_CLAIM_VALIDATION_FAILED nbf'],
  ['no-exp', 'claim exp missing', 'ERR_JWT_CLAIM_VALIDATION_FAILED exp'],
  ['text-exp', 'invalid token', 'ERR_JWT_CLAIM_VALIDATION_FAILED exp'],
  ['wrong-audience', 'audience mismatch', 'ERR_JWT_CLAIM_VALIDATION_FAILED aud'],
  ['no-audience', 'audience mismatch', 'ERR_JWT_CLAIM_VALIDATION_FAILED aud'],
  ['wrong-issuer', 'issuer mismatch', 'ERR_JWT_CLAIM_VALIDATION_FAILED iss'],
  ['no-issuer', 'issuer mismatch', 'ERR_JWT_CLAIM_VALIDATION_FAILED iss'],
  ['id-token', 'wrong type', 'ERR_JWT_CLAIM_VALIDATION_FAILED typ'],
  ['logout-token', 'wrong type', 'ERR_JWT_CLAIM_VALIDATION_FAILED typ'],
  ['wrong-typ', 'wrong type', 'ERR_JWT_CLAIM_VALIDATION_FAILED typ'],
  ['unscoped', null, null],
  ['groupless', null, null],
  ['wrong-signature', 'invalid signature', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
  ['empty-signature', 'invalid signature', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
  ['foreign-key', 'invalid signature', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
  ['unknown-kid', 'invalid signature', 'ERR_JWKS_NO_MATCHING_KEY'],
  ['other-issuer-key', 'invalid signature', 'ERR_JWKS_NO_MATCHING_KEY'],
  ['no-kid', null, null],
  ['none', 'alg none is refused', 'ERR_JOSE_NOT_SUPPORTED'],
  ['none-mixed-case', 'alg none is refused', 'ERR_JOSE_NOT_SUPPORTED'],
  ['hs-confusion', 'invalid signature', 'ERR_JOSE_NOT_SUPPORTED'],
  ['empty-secret', 'invalid signature', 'ERR_JOSE_NOT_SUPPORTED'],
  ['embedded-jwk', 'invalid signature', 'ERR_JWKS_NO_MATCHING_KEY'],
  ['jku', 'invalid signature', 'ERR_JWKS_NO_MATCHING_KEY'],
  ['x5c', 'invalid signature', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
  ['crit', 'invalid token', 'ERR_JOSE_NOT_SUPPORTED'],
  ['two-parts', 'malformed token', 'ERR_JWS_INVALID'],
  // jose reads JSON like `JSON.parse`: the last of two members counts, at any depth.
  ['duplicate-claims', 'malformed token', null],
  ['nested', 'malformed token', null],
  ['huge', null, null],
]

t.test('one request gives the whole matrix, with right decisions [IDN-10] [IDN-11]', async t => {
  for (const name of ['default', 'full'] as const) {
    const { status, body } = await call(`${endpoints[name]}/debug/tokens`)
    t.equal(status, 200)
    t.match(body, { issuer: issuers[name], jwks_uri: `${endpoints[name]}/jwks`, audience: 'svc' })
    const tokens = body.tokens as Listed[]
    t.strictSame(
      tokens.map(({ preset, why }) => [preset, why]),
      EXPECTED.map(([preset, why]) => [preset, why]),
      name,
    )
    const byJose = new Map(EXPECTED.map(([preset, , code]) => [preset, code]))
    const jwks = createRemoteJWKSet(new URL(String(body.jwks_uri)))
    for (const { preset, token, accept, why, description } of tokens) {
      t.equal(accept, why === null, preset)
      t.ok(description.length > 5)
      const query = new URLSearchParams({ issuer: name, iss: issuers[name], aud: 'svc', typ: 'at+jwt' })
      const checked = await call(`${server.url}/auth/jwt?${query}`, { headers: { Authorization: `Bearer ${token}` } })
      t.equal(checked.body.error, why === null ? undefined : `invalid_token: ${why}`, `${name} ${preset}`)
      const code = await jwtVerify(token, jwks, {
        issuer: issuers[name],
        audience: 'svc',
        typ: 'at+jwt',
        clockTolerance: 30,
        requiredClaims: ['exp'],
      }).then(
        () => null,
        (error: errors.JOSEError & { claim?: string }) => [error.code, error.claim].filter(Boolean).join(' '),
      )
      t.equal(code, byJose.get(preset), `jose: ${name} ${preset}`)
    }
  }
})

t.test('presets, audience and scope of the list can be chosen [IDN-10]', async t => {
  const { body } = await call(
    `${endpoints.full}/debug/tokens?presets=valid,wrong-audience&audience=https://api.test&scope=a%20b`,
  )
  const [valid, wrong, ...more] = body.tokens as Listed[]
  t.equal(more.length, 0)
  t.match(read(valid!.token).claims, { aud: 'https://api.test', scope: 'a b' })
  t.equal(valid!.accept, true)
  t.equal(wrong!.why, 'audience mismatch')
  const unknown = await call(`${endpoints.full}/debug/tokens?presets=valid,expird`)
  t.match(
    { status: unknown.status, body: unknown.body },
    { status: 400, body: { error: 'invalid_request', did_you_mean: 'expired' } },
  )
  const many = await Promise.all(
    Array.from({ length: 100 }, () => call(`${endpoints.full}/debug/tokens?presets=valid`)),
  )
  const limited = many.find(({ status }) => status === 429)
  t.equal(limited?.headers.get('retry-after'), '1')
})

t.test('members are short for claims, and are laid over the preset [IDN-9]', async t => {
  const { body } = await order({
    preset: 'expired',
    expires_in: 60,
    subject: 'zoe',
    client_id: 'app',
    audience: ['a', 'b'],
    scope: 'x y',
    issuer: 'https://i.test',
    dpop_jkt: 'thumb',
    mtls_x5t: 'print',
    kid: 'mine',
    header: { typ: null, custom: 1 },
    claims: { jti: null, ['__proto__']: { a: 1 } },
  })
  const { header, claims } = read(String(body.token))
  t.match(header, { alg: 'ES256', kid: 'mine', custom: 1 })
  t.notOk('typ' in header)
  t.match(claims, {
    sub: 'zoe',
    client_id: 'app',
    aud: ['a', 'b'],
    scope: 'x y',
    iss: 'https://i.test',
    cnf: { jkt: 'thumb', 'x5t#S256': 'print' },
  })
  t.notOk('jti' in claims)
  t.ok(Object.hasOwn(claims, '__proto__'))
  t.ok(Number(claims.exp) > Date.now() / 1000)
  t.strictSame({ header: body.header, claims: body.claims }, { header, claims })
  t.equal(read(String((await order({ kid: null })).body.token)).header.kid, undefined)
})

t.test('kinds have their usual claims and type [IDN-9]', async t => {
  const rows: [string, string, Record<string, unknown>, number][] = [
    ['access', 'at+jwt', { aud: 'svc', scope: 'openid', groups: ['users'] }, 3600],
    ['id', 'JWT', { aud: 'svc', azp: 'svc', preferred_username: 'demo' }, 3600],
    ['logout', 'logout+jwt', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, 120],
    ['id-jag', 'oauth-id-jag+jwt', { aud: issuers.full, client_id: 'svc', email: 'demo@svc.local' }, 300],
    ['workload', 'JWT', { aud: issuers.full, sub: 'spiffe://svc/ns/demo/sa/agent' }, 300],
  ]
  for (const [kind, typ, expected, life] of rows) {
    const { header, claims } = read(String((await order({ kind })).body.token))
    t.equal(header.typ, typ)
    t.match(claims, expected, kind)
    t.equal(Number(claims.exp) - Number(claims.iat), life, kind)
  }
})

t.test('every algorithm signs, with a key of the issuer or an unknown one [IDN-9]', async t => {
  for (const algorithm of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
    const { body } = await order({ algorithm })
    t.match(body, { accept: true, header: { alg: algorithm, kid: `full-${algorithm.toLowerCase()}-1` } }, algorithm)
  }
  for (const algorithm of ['RS384', 'RS512', 'PS384', 'PS512', 'ES384', 'ES512'])
    t.match(
      (await order({ algorithm })).body,
      { accept: false, why: 'alg not supported', header: { alg: algorithm } },
      algorithm,
    )
  for (const algorithm of ['HS256', 'HS384', 'HS512'])
    t.match((await order({ algorithm })).body, { accept: false, why: 'invalid signature' }, algorithm)
  t.match((await order({ algorithm: 'HS256' }, endpoints.default)).body, { accept: true })
  for (const algorithm of ['none', 'None', 'nOnE'])
    t.match((await order({ algorithm })).body, { why: 'alg none is refused', header: { alg: algorithm } })
})

t.test('keys that nobody should trust [IDN-9]', async t => {
  const embedded = (await order({ key: 'embedded' })).body
  const { header } = read(String(embedded.token))
  const [head, payload, signature] = String(embedded.token).split('.') as [string, string, string]
  const key = createPublicKey({ key: header.jwk as never, format: 'jwk' })
  t.ok(
    verifySignature(
      'sha256',
      Buffer.from(`${head}.${payload}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ),
    'a verifier that trusts jwk is deceived',
  )
  const jku = String((await order({ key: 'jku' })).body.token)
  t.equal(read(jku).header.jku, `${server.url}/oauth/debug/jwks`)
  await jwtVerify(jku, createRemoteJWKSet(new URL(`${server.url}/oauth/debug/jwks`)))
  t.ok(Array.isArray(read(String((await order({ key: 'x5c' })).body.token)).header.x5c))
  t.match((await order({ key: 'hs-confusion-jwk' })).body, { why: 'invalid signature', header: { alg: 'HS256' } })
  t.match((await order({ key: 'foreign' })).body, { header: { kid: 'full-es256-1' } })
  for (const name of ['previous', 'next'])
    t.match((await order({ key: name })).body, {
      error: 'invalid_request',
      error_description: `key: there is no ${name} key for ES256`,
    })
})

t.test('signatures and forms [IDN-9]', async t => {
  for (const wrong of [true, 'empty', 'truncated', 'swapped', 'der'])
    t.match((await order({ wrong_signature: wrong })).body, { accept: false, why: 'invalid signature' }, String(wrong))
  t.match((await order({ wrong_signature: 'padded' })).body, { why: 'malformed token' })
  t.match((await order({ wrong_signature: 'der', algorithm: 'RS256' })).body, { error: 'invalid_request' })
  const rows: [string, RegExp][] = [
    ['two-parts', /^[\w-]+\.[\w-]+$/],
    ['four-parts', /^[\w-]+(\.[\w-]+){3}$/],
    ['json', /^\{"protected":/],
    ['double', /^[\w-]+(\.[\w-]+){2}$/],
    ['base64', /=/],
    ['whitespace', / /],
    ['nested', /^[\w-]+(\.[\w-]+){2}$/],
  ]
  for (const [shape, pattern] of rows) {
    const { body } = await order({ shape })
    t.match(String(body.token), pattern, shape)
    t.match(body, { accept: false, why: 'malformed token' }, shape)
  }
  const { body } = await order({ bytes: 5000 })
  t.equal(Buffer.from(String(body.token).split('.')[1]!, 'base64url').length >= 5000, true)
  t.equal(body.accept, true)
})

t.test('bad orders are refused with a suggestion [IDN-9]', async t => {
  const deep = JSON.parse(`{"claims":{"a":${'['.repeat(65)}${']'.repeat(65)}}}`) as unknown
  const rows: [unknown, string | undefined, string | undefined][] = [
    [{ expires_on: -60 }, 'expires_in', 'expires_on'],
    [{ claim: {} }, 'claims', 'claim'],
    [{ preset: 'expird' }, 'expired', undefined],
    [{ quite_different_member: 1 }, undefined, 'quite_different_member'],
    [{ algorithm: 'ES265' }, 'ES256', undefined],
    [{ kind: 'acces' }, 'access', undefined],
    [{ bytes: 65_537 }, undefined, undefined],
    [{ bytes: 0 }, undefined, undefined],
    [{ key: 'curent' }, 'current', undefined],
    [{ key: 'empty', algorithm: 'ES256' }, undefined, undefined],
    [{ audience: 5 }, undefined, undefined],
    [[], undefined, undefined],
    [deep, undefined, undefined],
  ]
  for (const [value, guess, unknown] of rows) {
    const { status, body } = await order(value)
    t.strictSame(
      [status, body.error, body.did_you_mean, body.unknown],
      [400, 'invalid_request', guess, unknown],
      JSON.stringify(value).slice(0, 60),
    )
  }
  t.equal((await order({ expires_on: 1 })).body.error_description, 'unknown member; did you mean expires_in')
  t.equal((await order({ quite_different_member: 1 })).body.error_description, 'unknown member')
})

t.test('in public mode, orders are for admins and smaller [IDN-12]', async t => {
  const own = await serve(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'secret' } })
  const admin = { 'X-Svc-Admin-Token': 'secret', 'Content-Type': 'application/json' }
  for (const path of ['/oauth/debug/tokens', '/oauth/i/full/debug/tokens']) {
    t.equal((await call(own.url + path)).status, 401)
    t.equal((await call(`${own.url}${path}?presets=valid`, { headers: admin })).status, 200)
  }
  const post = (body: string, headers: Record<string, string>): Promise<Answer> =>
    call(`${own.url}/oauth/i/full/debug/token`, { method: 'POST', headers, body })
  t.equal((await post('{}', { 'Content-Type': 'application/json' })).status, 401)
  t.equal((await post('{}', admin)).status, 200)
  t.equal((await post('{"bytes":16385}', admin)).body.error, 'invalid_request')
  const huge = String((await post('{"preset":"huge"}', admin)).body.token)
  t.ok(Math.abs(Buffer.from(huge.split('.')[1]!, 'base64url').length - 16_384) < 100)
})
