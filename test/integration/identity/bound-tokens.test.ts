/** Tokens that are bound to a key (DPoP) or a certificate. */
import t from 'tap'
import { createHash, X509Certificate } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWTHeaderParameters } from 'jose'
import {
  authorization,
  basic,
  call,
  callback,
  challenge,
  encode,
  locationOf,
  post,
  read,
  verifier,
  type Answer,
  type Body,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { plugins: ['identity', 'auth'], env: { SVC_MTLS_IN_HEADER: 'X-Client-Cert' } })
const full = `${server.url}/oauth/i/full`
const jwt = `${server.url}/auth/jwt`

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = await exportJWK(publicKey)
const jkt = await calculateJwkThumbprint(jwk)

/** A proof with the key of the test. */
async function proof(
  url: string,
  claims: Record<string, unknown> = {},
  { header = {}, key = privateKey }: { header?: Partial<JWTHeaderParameters> & { jwk?: object }; key?: CryptoKey } = {},
): Promise<string> {
  const defaults = { htm: 'POST', htu: url, iat: Math.floor(Date.now() / 1000), jti: crypto.randomUUID() }
  const kept = Object.entries({ ...defaults, ...claims }).filter(([, value]) => value !== null)
  return new SignJWT(Object.fromEntries(kept))
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header } as JWTHeaderParameters)
    .sign(key)
}
const hash = (token: string): string => createHash('sha256').update(token).digest('base64url')

const ask = (fields: Fields, dpop: string | null, headers: Record<string, string> = {}, base = full): Promise<Answer> =>
  post(`${base}/token`, fields, { ...headers, ...(dpop !== null && { DPoP: dpop }) })
const password = { grant_type: 'password', username: 'alice', password: 'alice', scope: 'openid' }
const own = { Authorization: basic('svc', 'svc-secret') }
const bound = async (): Promise<Body> => (await ask(password, await proof(`${full}/token`), own)).body

/** Uses a token at a resource. */
const present = async (
  url: string,
  token: string,
  {
    scheme = 'DPoP',
    claims = {},
    key,
    dpop,
  }: { scheme?: string; claims?: object; key?: CryptoKey; dpop?: string | null } = {},
): Promise<Answer> => {
  const made =
    dpop === undefined ? await proof(url.split('?')[0]!, { htm: 'GET', ath: hash(token), ...claims }, { key }) : dpop
  return call(url, { headers: { Authorization: `${scheme} ${token}`, ...(made !== null && { DPoP: made }) } })
}

t.test('a proof binds the tokens [IDN-19]', async t => {
  const tokens = await bound()
  t.equal(tokens.token_type, 'DPoP')
  t.strictSame(read(tokens.access_token!).claims.cnf, { jkt })
  t.notOk('cnf' in read(tokens.id_token!).claims)
  const seen = (await post(`${full}/introspect`, { token: tokens.access_token })).body
  t.match(seen, { active: true, token_type: 'DPoP', cnf: { jkt } })
  t.equal((await ask(password, null, own)).body.token_type, 'Bearer')
  // The default issuer ignores the header.
  t.equal((await ask(password, 'x', own, `${server.url}/oauth`)).body.token_type, 'Bearer')
})

t.test('a bad proof is invalid_dpop_proof with the reason [IDN-19]', async t => {
  const url = `${full}/token`
  const now = Math.floor(Date.now() / 1000)
  const hs = Buffer.from('{"alg":"HS256","typ":"dpop+jwt"}').toString('base64url')
  const rows: [string, string, RegExp][] = [
    ['garbage', 'x', /not a JWT/],
    ['typ', await proof(url, {}, { header: { typ: 'JWT' } }), /typ/],
    ['htm', await proof(url, { htm: 'GET' }), /htm/],
    ['htu', await proof(`${full}/par`), /htu/],
    ['htu of another host', await proof('https://shop.test/oauth/i/full/token'), /htu/],
    ['no htu', await proof(url, { htu: null }), /htu/],
    ['old', await proof(url, { iat: now - 90 }), /60 seconds/],
    ['future', await proof(url, { iat: now + 90 }), /60 seconds/],
    ['no jti', await proof(url, { jti: null }), /jti/],
    ['long jti', await proof(url, { jti: 'x'.repeat(257) }), /jti/],
    ['symmetric alg', `${hs}.${Buffer.from('{}').toString('base64url')}.AAAA`, /alg/],
    ['private key', await proof(url, {}, { header: { jwk: await exportJWK(privateKey) } }), /private/],
    ['no key', await proof(url, {}, { header: { jwk: 'x' as unknown as object } }), /not an object/],
    ['another key', await proof(url, {}, { key: (await generateKeyPair('ES256')).privateKey }), /signature/],
    ['two', `${await proof(url)}, ${await proof(url)}`, /JWT/],
  ]
  for (const [name, dpop, reason] of rows) {
    const { status, body } = await ask(password, dpop, own)
    t.match({ status, body }, { status: 400, body: { error: 'invalid_dpop_proof', error_description: reason } }, name)
  }
  const once = await proof(`${url}?a=b#c`)
  t.equal((await ask(password, once, own)).status, 200)
  t.match((await ask(password, once, own)).body, { error: 'invalid_dpop_proof', error_description: /used before/ })
  const twice = await fetch(url, {
    method: 'POST',
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Authorization', own.Authorization],
      ['DPoP', await proof(url)],
      ['DPoP', await proof(url)],
    ],
    body: encode(password),
  })
  t.match(await twice.json(), { error: 'invalid_dpop_proof' })
})

t.test('a resource takes a bound token with its proof only [IDN-19]', async t => {
  const token = (await bound()).access_token!
  const url = `${jwt}?issuer=full`
  const { status, body } = await present(url, token)
  t.match({ status, body }, { status: 200, body: { issuer: 'full', binding: { type: 'dpop', jkt } } })
  t.equal((await present(`${full}/userinfo`, token)).body.sub, 'alice')
  const other = (await generateKeyPair('ES256', { extractable: true })) as CryptoKeyPair
  const foreign = await proof(
    jwt,
    { htm: 'GET', ath: hash(token) },
    { key: other.privateKey, header: { jwk: await exportJWK(other.publicKey) } },
  )
  const rows: [string, Parameters<typeof present>[2], string, RegExp][] = [
    ['Bearer', { scheme: 'Bearer' }, 'invalid_token', /DPoP/],
    ['no proof', { dpop: null }, 'invalid_dpop_proof', /missing/],
    ['another key', { dpop: foreign }, 'invalid_token', /another key/],
    ['method', { claims: { htm: 'POST' } }, 'invalid_dpop_proof', /htm/],
    ['URL', { claims: { htu: `${server.url}/other` } }, 'invalid_dpop_proof', /htu/],
    ['ath', { claims: { ath: hash('x') } }, 'invalid_dpop_proof', /ath/],
    ['no ath', { claims: { ath: null } }, 'invalid_dpop_proof', /ath/],
  ]
  for (const [name, options, error, reason] of rows) {
    const refused = await present(url, token, options)
    t.equal(refused.status, 401, name)
    t.match(
      refused.headers.get('www-authenticate'),
      new RegExp(`^DPoP realm="svc", error="${error}".* algs="RS256`),
      name,
    )
    t.match(refused.body.error, reason, name)
  }
  t.equal((await present(`${full}/userinfo`, token, { scheme: 'Bearer' })).status, 401)
  const replayed = await proof(jwt, { htm: 'GET', ath: hash(token) })
  t.equal((await present(url, token, { dpop: replayed })).status, 200)
  t.match((await present(url, token, { dpop: replayed })).body.error, /used before/)
})

t.test('binding can be required, and an unbound token has no proof [IDN-19]', async t => {
  const free = (await ask(password, null, own)).body.access_token!
  const bearer = { scheme: 'Bearer', dpop: null }
  t.equal((await present(`${jwt}?issuer=full`, free, bearer)).status, 200)
  t.equal(
    (await present(`${jwt}?issuer=full&binding=required`, free, bearer)).body.error,
    'invalid_token: token not bound',
  )
  t.equal((await present(`${jwt}?issuer=full`, free)).body.error, 'invalid_token: token not bound')
  t.equal((await present(`${jwt}?issuer=full&binding=maybe`, free, bearer)).status, 400)
  t.equal((await present(`${jwt}?issuer=full&binding=required`, (await bound()).access_token!)).status, 200)
})

t.test('refresh tokens of public clients and codes are bound to the key [IDN-19]', async t => {
  const url = `${full}/token`
  const request = authorization({
    client_id: 'svc-public',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    dpop_jkt: jkt,
  })
  const login = async (fields: Fields): Promise<string> =>
    locationOf(
      await post(`${full}/authorize`, { ...request, ...fields, username: 'bob', password: 'bob' }, {}),
    ).query.get('code')!
  const redeem = (code: string, dpop: string | null): Promise<Answer> =>
    ask(
      {
        grant_type: 'authorization_code',
        client_id: 'svc-public',
        code,
        redirect_uri: callback,
        code_verifier: verifier,
      },
      dpop,
    )
  const other = await generateKeyPair('EdDSA', { extractable: true })
  const foreign = async (): Promise<string> =>
    proof(
      url,
      {},
      { key: other.privateKey as CryptoKey, header: { alg: 'EdDSA', jwk: await exportJWK(other.publicKey) } },
    )
  t.equal((await redeem(await login({}), null)).body.error, 'invalid_grant')
  t.equal((await redeem(await login({}), await foreign())).body.error, 'invalid_grant')
  const { body } = await redeem(await login({}), await proof(url))
  t.equal(body.token_type, 'DPoP')
  const refresh = (token: string, dpop: string | null): Promise<Answer> =>
    ask({ grant_type: 'refresh_token', client_id: 'svc-public', refresh_token: token }, dpop)
  for (const dpop of [null, await foreign()])
    t.equal((await refresh(body.refresh_token!, dpop)).body.error, 'invalid_grant')
  const next = await refresh(body.refresh_token!, await proof(url))
  t.equal(next.body.token_type, 'DPoP')
  t.equal((await refresh(next.body.refresh_token!, null)).body.error, 'invalid_grant')
  t.equal(
    locationOf(await call(`${full}/authorize?${encode({ ...request, dpop_jkt: 'x' })}`)).query.get('error'),
    'invalid_request',
  )
})

t.test('a pushed request binds the code to the key of its proof [IDN-19]', async t => {
  const push = async (fields: Fields, dpop: string): Promise<Answer> =>
    post(`${full}/par`, { ...authorization(), ...fields }, { ...own, DPoP: dpop })
  t.match((await push({ dpop_jkt: 'x'.repeat(43) }, await proof(`${full}/par`))).body, { error: 'invalid_dpop_proof' })
  t.match((await push({}, await proof(`${full}/token`))).body, { error: 'invalid_dpop_proof' })
  const { body } = await push({}, await proof(`${full}/par`))
  const form = { client_id: 'svc', request_uri: body.request_uri as string, username: 'bob', password: 'bob' }
  const code = locationOf(await post(`${full}/authorize`, form, {})).query.get('code')!
  const fields = { grant_type: 'authorization_code', code, redirect_uri: callback }
  t.equal((await ask(fields, null, own)).body.error, 'invalid_grant')
})

t.test('an issuer can ask for a nonce [IDN-19]', async t => {
  await call(`${server.url}/_svc/identity/issuers/nonces`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ dpop: { nonce: true, ttl_s: 10 }, require: ['dpop'] }),
  })
  const base = `${server.url}/oauth/i/nonces`
  const url = `${base}/token`
  t.match((await ask(password, null, own, base)).body, { error: 'invalid_dpop_proof', error_description: /needs/ })
  const first = await ask(password, await proof(url), own, base)
  t.match({ status: first.status, error: first.body.error }, { status: 400, error: 'use_dpop_nonce' })
  const nonce = first.headers.get('dpop-nonce')!
  const second = await ask(password, await proof(url, { nonce }), { ...own, Origin: 'http://a' }, base)
  t.equal(second.body.token_type, 'DPoP')
  t.ok(second.headers.get('dpop-nonce'))
  t.match(second.headers.get('access-control-expose-headers'), 'DPoP-Nonce', 'for clients in browsers')
  for (const wrong of ['x', `9999999999.${nonce.split('.')[1]}`, nonce.slice(0, -2)])
    t.equal((await ask(password, await proof(url, { nonce: wrong }), own, base)).body.error, 'use_dpop_nonce')
})

t.test('a certificate binds the tokens of clients that ask for it [IDN-20]', async t => {
  const certificate = (await call(`${server.url}/auth/mtls/get-client-cert`)).body.cert_pem as string
  const forwarded = { 'X-Client-Cert': encodeURIComponent(certificate) }
  const x5t = createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url')
  const fields = { ...password, client_id: 'svc-mtls' }
  const { body } = await ask(fields, null, forwarded)
  const token = body.access_token!
  t.equal(body.token_type, 'Bearer')
  t.strictSame(read(token).claims.cnf, { 'x5t#S256': x5t })
  const use = (headers: Record<string, string>, url = `${jwt}?issuer=full`): Promise<Answer> =>
    call(url, { headers: { Authorization: `Bearer ${token}`, ...headers } })
  t.match((await use(forwarded)).body, { binding: { type: 'mtls', 'x5t#S256': x5t } })
  t.match(await use({}), { status: 401, body: { error: /certificate, which is missing/ } })
  t.match((await use({})).headers.get('www-authenticate'), /^Bearer .*error="invalid_token"/)
  t.equal((await use({}, `${full}/userinfo`)).status, 401)
  t.equal((await use(forwarded, `${full}/userinfo`)).body.sub, 'alice')
  const order = await call(`${full}/debug/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ mtls_x5t: hash('another') }),
  })
  const other = await call(`${jwt}?issuer=full`, {
    headers: { Authorization: `Bearer ${String(order.body.token)}`, ...forwarded },
  })
  t.match(other.body.error, /another certificate/)
})

t.test('an issuer that requires both is satisfied by either [IDN-19] [IDN-20]', async t => {
  await call(`${server.url}/_svc/identity/issuers/either`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ require: ['dpop', 'mtls'] }),
  })
  const base = `${server.url}/oauth/i/either`
  const certificate = (await call(`${server.url}/auth/mtls/get-client-cert`)).body.cert_pem as string
  const forwarded = { ...own, 'X-Client-Cert': encodeURIComponent(certificate) }
  t.equal((await ask(password, null, own, base)).body.error, 'invalid_dpop_proof')
  t.match(read((await ask(password, null, forwarded, base)).body.access_token!).claims.cnf, { 'x5t#S256': String })
  t.strictSame(read((await ask(password, await proof(`${base}/token`), own, base)).body.access_token!).claims.cnf, {
    jkt,
  })
})

t.test('the metadata of issuers by path has algorithms and aliases [IDN-19] [IDN-20] [IDN-2]', async t => {
  const one = await serve(t, { plugins: ['identity'], oneProcess: 'the metadata contains its HTTPS port' })
  const { body } = await call(`${one.url}/oauth/i/full/.well-known/openid-configuration`)
  t.match(body, {
    dpop_signing_alg_values_supported: ['RS256'],
    tls_client_certificate_bound_access_tokens: true,
    mtls_endpoint_aliases: {
      token_endpoint: `${one.httpsUrl.replace('localhost', '127.0.0.1')}/oauth/i/full/token?svc_issuer=${encodeURIComponent(`${one.url}/oauth/i/full`)}`,
    },
  })
  for (const wrong of [
    'x',
    `${one.url}/oauth/i/idp`,
    'https://evil.test/oauth/i/full',
    `${one.url}/oauth/i/full?a=b`,
    'ftp://127.0.0.1/oauth/i/full',
  ])
    t.match(
      await post(`${one.url}/oauth/i/full/token?${encode({ svc_issuer: wrong })}`, {
        grant_type: 'client_credentials',
      }),
      { status: 400, body: { error: 'invalid_request', error_description: /svc_issuer/ } },
      wrong,
    )
  t.notOk('dpop_signing_alg_values_supported' in (await call(`${one.url}/.well-known/openid-configuration`)).body)
})
