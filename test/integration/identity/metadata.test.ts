/** Metadata documents, keys, issuer. */
import t from 'tap'
import { call, demoClient, logIn, post, read } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const documents = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

t.test('both documents list endpoints below the issuer and capabilities [IDP-10] [IDP-2]', async t => {
  const issuer = server.url
  const shared = {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/oauth/jwks`,
    registration_endpoint: `${issuer}/oauth/register`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    end_session_endpoint: `${issuer}/oauth/logout`,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'password',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ],
    code_challenge_methods_supported: ['S256', 'plain'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: ['openid', 'profile', 'email'],
    authorization_response_iss_parameter_supported: true,
  }
  const openid = {
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'jti',
      'azp',
      'auth_time',
      'nonce',
      'at_hash',
      'name',
      'preferred_username',
      'email',
      'email_verified',
      'groups',
    ],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  }
  for (const [index, expected] of [{ ...shared, ...openid }, shared].entries()) {
    const { status, headers, body } = await call(server.url + documents[index]!, {
      headers: { Accept: 'application/xml' },
    })
    t.equal(status, 200)
    t.strictSame(body, expected)
    t.equal(headers.get('content-type'), 'application/json; charset=utf-8', 'never XML')
    t.equal(headers.get('cache-control'), 'no-cache')
  }
})

t.test('paths below the documents do not exist, and the documents are read-only [IDP-10]', async t => {
  for (const path of [...documents.map(path => `${path}/oauth`), '/oauth/token/x', '/.well-known/jwks.json'])
    t.equal((await call(server.url + path)).status, 404, path)
  for (const path of [...documents, '/oauth/jwks']) {
    const { status, headers } = await call(server.url + path, { method: 'POST' })
    t.strictSame([status, headers.get('allow')], [405, 'GET, HEAD'], path)
  }
})

t.test('the JWK Set contains one public key [IDP-11] [IDP-2]', async t => {
  const { headers, body } = await call(`${server.url}/oauth/jwks`)
  t.equal(headers.get('cache-control'), 'no-cache')
  t.strictSame(Object.keys(body), ['keys'])
  const [key, ...others] = body.keys as Record<string, string>[]
  t.same(others, [])
  t.strictSame(
    { ...key, n: typeof key!.n },
    { kty: 'RSA', alg: 'RS256', use: 'sig', kid: 'svc-rs256-key', n: 'string', e: 'AQAB' },
  )
  t.equal(Buffer.from(key!.n!, 'base64url').length, 256)
})

t.test('the issuer follows the request [IDP-3]', async t => {
  const trusting = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const rows: [base: string, headers: Record<string, string>, issuer: string][] = [
    [server.url, {}, server.url],
    [server.url.replace('127.0.0.1', 'localhost'), {}, server.url.replace('127.0.0.1', 'localhost')],
    [server.url, { 'X-Forwarded-Host': 'idp.example', 'X-Forwarded-Prefix': '/x' }, server.url],
    [trusting.url, { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'idp.example' }, 'https://idp.example'],
    [
      trusting.url,
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'idp.example', 'X-Forwarded-Prefix': '/gw/idp/' },
      'https://idp.example/gw/idp',
    ],
    [trusting.url, { 'X-Forwarded-Host': 'idp.example:8443', 'X-Forwarded-Prefix': 'bad' }, 'http://idp.example:8443'],
  ]
  for (const [base, headers, issuer] of rows) {
    for (const document of documents) t.equal((await call(base + document, { headers })).body.issuer, issuer)
    const { body } = await post(
      `${base}/oauth/token`,
      { grant_type: 'client_credentials' },
      { ...demoClient, ...headers },
    )
    t.equal(read(body.access_token!).claims.iss, issuer)
  }
})

t.test('a token issued under one host name works under another [IDP-3]', async t => {
  const { access_token: token } = await logIn(server.url.replace('127.0.0.1', 'localhost'))
  t.equal((await call(`${server.url}/oauth/userinfo`, { headers: { Authorization: `Bearer ${token}` } })).status, 200)
  t.equal((await post(`${server.url}/oauth/introspect`, { token: token! })).body.active, true)
})

t.test('key and stores survive a reload [IDP-12]', async t => {
  const { access_token: token, refresh_token: refreshToken } = await logIn(server.url)
  const before = (await call(`${server.url}/oauth/jwks`)).text
  const { body } = await call(`${server.url}/_svc/reload?force=true`, { method: 'POST' })
  t.equal(body.generation, 2)
  t.equal((await call(`${server.url}/oauth/jwks`)).text, before)
  t.equal((await call(`${server.url}/oauth/userinfo`, { headers: { Authorization: `Bearer ${token}` } })).status, 200)
  t.equal(
    (await post(`${server.url}/oauth/token`, { grant_type: 'refresh_token', refresh_token: refreshToken! })).status,
    200,
  )
})
