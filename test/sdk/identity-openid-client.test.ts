/** openid-client 6: discovery, code with PKCE, refresh, and all other supported requests. */
import t from 'tap'
import * as client from 'openid-client'
import { callback, encode, exchangeGrant } from '../support/oauth.ts'
import { startGateway } from '../support/gateway.ts'
import { serve } from '../support/server.ts'

const server = await serve(t)
const issuer = new URL(server.url)
const insecure = { execute: [client.allowInsecureRequests] }
const config = await client.discovery(issuer, 'svc', undefined, client.ClientSecretBasic('svc-secret'), insecure)

/** Acts as the browser: logs in and follows the redirect. */
async function browse(url: URL): Promise<URL> {
  const response = await fetch(url.origin + url.pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `${url.searchParams}&${encode({ username: 'alice', password: 'alice', action: 'approve' })}`,
  })
  return new URL(response.headers.get('location')!)
}

/** The OAuth error with which a call fails. */
function errorOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (failure: { error?: string }) => failure.error,
  )
}

t.test('discovers both documents [IDP-49] [IDP-10]', async t => {
  t.equal(config.serverMetadata().issuer, server.url)
  const oauth2 = await client.discovery(issuer, 'svc', undefined, client.ClientSecretPost('svc-secret'), {
    ...insecure,
    algorithm: 'oauth2',
  })
  t.equal(oauth2.serverMetadata().token_endpoint, `${server.url}/oauth/token`)
  t.ok(config.serverMetadata().supportsPKCE())
})

t.test('client credentials by both methods [IDP-49] [IDP-7]', async t => {
  for (const authentication of [client.ClientSecretBasic('svc-secret'), client.ClientSecretPost('svc-secret')]) {
    const tokens = await client.clientCredentialsGrant(
      await client.discovery(issuer, 'svc', undefined, authentication, insecure),
      { scope: 'a b', resource: 'https://api.example/' },
    )
    t.equal(tokens.scope, 'a b')
    t.ok(tokens.expiresIn())
  }
})

t.test('code with PKCE, state, nonce and max_age; user info; refresh [IDP-49]', async t => {
  const strict = await client.discovery(issuer, 'svc', undefined, client.ClientSecretBasic('svc-secret'), insecure)
  client.enableNonRepudiationChecks(strict)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const expectedNonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(strict, {
    redirect_uri: callback,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
    max_age: '60',
  })
  const tokens = await client.authorizationCodeGrant(strict, await browse(url), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    maxAge: 60,
    idTokenExpected: true,
  })
  t.match(tokens.claims(), { sub: 'alice', aud: 'svc', preferred_username: 'alice', groups: ['users', 'admins'] })
  t.match(await client.fetchUserInfo(strict, tokens.access_token, 'alice'), {
    name: 'Alice Admin',
    email: 'alice@svc.local',
  })
  const refreshed = await client.refreshTokenGrant(strict, tokens.refresh_token!)
  t.equal(refreshed.claims()?.sub, 'alice')
  t.equal(await errorOf(client.refreshTokenGrant(strict, tokens.refresh_token!)), 'invalid_grant')
})

t.test('a denied request results in a client error [IDP-49] [IDP-14]', async t => {
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid',
    prompt: 'none',
    state: 's',
  })
  const response = await fetch(url, { redirect: 'manual' })
  t.equal(
    await errorOf(
      client.authorizationCodeGrant(config, new URL(response.headers.get('location')!), { expectedState: 's' }),
    ),
    'login_required',
  )
})

t.test('password grant and token exchange as generic grants [IDP-49]', async t => {
  const tokens = await client.genericGrantRequest(config, 'password', { username: 'bob', password: 'bob' })
  t.equal(tokens.claims()?.sub, 'bob')
  const exchanged = await client.genericGrantRequest(config, exchangeGrant, {
    subject_token: tokens.access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: 'orders',
  })
  t.equal(exchanged.issued_token_type, 'urn:ietf:params:oauth:token-type:access_token')
})

t.test('introspection and revocation [IDP-49]', async t => {
  const { access_token: token } = await client.clientCredentialsGrant(config)
  t.match(await client.tokenIntrospection(config, token), { active: true, client_id: 'svc', sub: 'svc' })
  await client.tokenRevocation(config, token)
  t.strictSame({ ...(await client.tokenIntrospection(config, token)) }, { active: false })
})

t.test('registers itself and uses the registration [IDP-49]', async t => {
  const registered = await client.dynamicClientRegistration(
    issuer,
    {
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      scope: 'a',
    },
    client.ClientSecretBasic(),
    insecure,
  )
  t.match(registered.clientMetadata().client_id, /^dyn-/)
  t.equal((await client.clientCredentialsGrant(registered)).scope, 'a')
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(registered, {
    redirect_uri: callback,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  t.ok((await client.authorizationCodeGrant(registered, await browse(url), { pkceCodeVerifier })).refresh_token)
})

t.test('discovery, code flow and userinfo through a gateway with a path prefix [PREFIX-6]', async t => {
  const behind = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const gateway = await startGateway(t, behind.url, { isPrefixOnly: true })
  const own = await serve(t, { env: { SVC_BASE_PATH: '/demo' } })
  const rows: [base: string, algorithm: 'oidc' | 'oauth2'][] = [
    [gateway.url, 'oidc'],
    [`${own.url}/demo`, 'oidc'],
    [`${own.url}/demo`, 'oauth2'],
  ]
  for (const [base, algorithm] of rows) {
    const found = await client.discovery(new URL(base), 'svc', undefined, client.ClientSecretBasic('svc-secret'), {
      ...insecure,
      algorithm,
    })
    t.equal(found.serverMetadata().issuer, base)
    const verifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(found, {
      redirect_uri: callback,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 's',
    })
    t.ok(url.href.startsWith(`${base}/`), url.href)
    const tokens = await client.authorizationCodeGrant(found, await browse(url), {
      pkceCodeVerifier: verifier,
      expectedState: 's',
    })
    t.equal(tokens.claims()?.iss, base)
    t.match(await client.fetchUserInfo(found, tokens.access_token, tokens.claims()!.sub), { sub: tokens.claims()!.sub })
  }
})

t.test('a client without settings logs in and out, at every issuer with a login [IDP-49] [IDN-6]', async t => {
  for (const url of [issuer, new URL('/oauth/i/full', issuer), new URL('/oauth/i/idp', issuer)]) {
    // The default of openid-client, as of others, is RS256 for ID tokens.
    const plain = await client.discovery(url, 'svc', 'svc-secret', undefined, insecure)
    client.enableNonRepudiationChecks(plain)
    const expectedState = client.randomState()
    const asked = client.buildAuthorizationUrl(plain, {
      redirect_uri: callback,
      scope: 'openid',
      state: expectedState,
      svc_login: 'auto',
    })
    const { headers } = await fetch(asked, { redirect: 'manual' })
    const tokens = await client.authorizationCodeGrant(plain, new URL(headers.get('location')!), { expectedState })
    t.equal(tokens.claims()?.sub, 'demo', url.pathname)
    const end = client.buildEndSessionUrl(plain, {
      id_token_hint: tokens.id_token!,
      post_logout_redirect_uri: callback,
      state: 'bye',
    })
    const left = await fetch(end, { redirect: 'manual' })
    t.strictSame([left.status, left.headers.get('location')], [303, `${callback}?state=bye`], end.pathname)
  }
})
