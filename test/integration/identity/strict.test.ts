/** The issuer `strict`, and introspection responses as JWTs. */
import t from 'tap'
import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  type JWTPayload,
} from 'jose'
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
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const strict = `${server.url}/oauth/i/strict`
const full = `${server.url}/oauth/i/full`
const { privateKey, publicKey } = await generateKeyPair('PS256', { extractable: true })
const jwk = await exportJWK(publicKey)

const proof = (endpoint: string): Promise<string> =>
  new SignJWT({ htm: 'POST', htu: `${strict}/${endpoint}`, jti: crypto.randomUUID() })
    .setIssuedAt()
    .setProtectedHeader({ alg: 'PS256', typ: 'dpop+jwt', jwk })
    .sign(privateKey)
const assertion = async (): Promise<Fields> => {
  const { body } = await call(`${strict}/debug/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'client-assertion' }),
  })
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: body.token as string,
  }
}
const send = async (endpoint: string, fields: Fields): Promise<Answer> =>
  post(`${strict}/${endpoint}`, { ...(await assertion()), ...fields }, { DPoP: await proof(endpoint) })
const request = authorization({ client_id: 'svc-jwt', code_challenge: challenge, code_challenge_method: 'S256' })

t.test('strict gives a code and bound tokens to a client that does everything [IDN-22]', async t => {
  const pushed = await send('par', request)
  t.equal(pushed.status, 201)
  const form = { client_id: 'svc-jwt', request_uri: pushed.body.request_uri as string }
  const login = await post(`${strict}/authorize`, { ...form, username: 'bob', password: 'bob' }, {})
  const code = locationOf(login).query.get('code')!
  const { body } = await send('token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  })
  t.equal(body.token_type, 'DPoP')
  t.strictSame(read(body.access_token!).claims.cnf, { jkt: await calculateJwkThumbprint(jwk) })
})

t.test('strict refuses what is missing [IDN-22]', async t => {
  const plain = { ...request, code_challenge: verifier, code_challenge_method: 'plain' }
  for (const fields of [plain, { ...request, code_challenge: undefined, code_challenge_method: undefined }])
    t.match(await send('par', fields), { status: 400, body: { error: 'invalid_request' } })
  t.equal(locationOf(await call(`${strict}/authorize?${encode(request)}`)).query.get('error'), 'invalid_request')
  const bySecret = { Authorization: basic('svc', 'svc-secret') }
  t.match(await post(`${strict}/token`, { grant_type: 'client_credentials' }, bySecret), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  const unbound = await post(`${strict}/token`, { grant_type: 'client_credentials', ...(await assertion()) }, {})
  t.equal(unbound.body.error, 'invalid_dpop_proof')
  t.match((await call(`${strict}/.well-known/openid-configuration`)).body, {
    require_pushed_authorization_requests: true,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'tls_client_auth'],
    id_token_signing_alg_values_supported: ['ES256', 'PS256'],
  })
})

t.test('introspection answers with a JWT to who asks for it [IDN-23]', async t => {
  const { body } = await post(`${full}/token`, { grant_type: 'password', username: 'alice', password: 'alice' })
  const ask = (token: string, accept: string, base = full, secret = 'svc-secret'): Promise<Answer> =>
    post(`${base}/introspect`, { token }, { Authorization: basic('svc', secret), Accept: accept })
  const type = 'application/token-introspection+jwt'
  const keys = createRemoteJWKSet(new URL(`${full}/jwks`))
  const introspected = async (token: string): Promise<JWTPayload> => {
    const answer = await ask(token, `application/json;q=0.5, ${type}`)
    t.match({ status: answer.status, type: answer.headers.get('content-type') }, { status: 200, type })
    const options = { issuer: full, audience: 'svc', typ: 'token-introspection+jwt' }
    return (await jwtVerify(answer.text, keys, options)).payload
  }
  t.match(await introspected(body.access_token!), {
    iat: Number,
    token_introspection: { active: true, sub: 'alice', client_id: 'svc' },
  })
  t.strictSame((await introspected('x')).token_introspection, { active: false })
  for (const accept of ['application/json', '*/*', `application/json, ${type};q=0.5`])
    t.equal((await ask('x', accept)).body.active, false, accept)
  const refused = await ask('x', type, full, 'wrong')
  t.match({ status: refused.status, error: refused.body.error }, { status: 401, error: 'invalid_client' })
  t.equal((await ask('x', type, `${server.url}/oauth`)).body.active, false)
  const metadata = (await call(`${full}/.well-known/openid-configuration`)).body
  t.strictSame(metadata.introspection_signing_alg_values_supported, ['ES256', 'RS256', 'PS256', 'EdDSA'])
})
