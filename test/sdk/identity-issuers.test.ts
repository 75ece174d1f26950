/** openid-client, oauth4webapi and the official MCP client, unmodified, at issuers by path. */
import t from 'tap'
import {
  CrossAppAccessProvider,
  exchangeJwtAuthGrant,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client'
import { createRemoteJWKSet, errors, importJWK, jwtVerify, type CryptoKey, type JWK } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { call, callback, post, read } from '../support/oauth.ts'
import { serve } from '../support/server.ts'

const server = await serve(t)
const full = `${server.url}/oauth/i/full`
const insecure = { execute: [client.allowInsecureRequests] }

/** The configuration of a client, which checks the signatures of ID tokens, too. */
async function configure(id: string, authentication: client.ClientAuth, issuer = full): Promise<client.Configuration> {
  const config = await client.discovery(
    new URL(issuer),
    id,
    { id_token_signed_response_alg: undefined },
    authentication,
    insecure,
  )
  client.enableNonRepudiationChecks(config)
  return config
}
const withSecret = (issuer = full): Promise<client.Configuration> =>
  configure('svc', client.ClientSecretPost('svc-secret'), issuer)

/** The private key of the demo client with one. */
async function demoKey(): Promise<{ key: CryptoKey; jwk: JWK; kid: string }> {
  const jwk = (await call(`${full}/debug/keys/svc-jwt`)).body as unknown as JWK
  return { key: (await importJWK(jwk, 'ES256')) as CryptoKey, jwk, kid: jwk.kid! }
}

/** The redirect of a login without a page. */
async function browse(url: URL): Promise<URL> {
  return new URL((await fetch(url, { redirect: 'manual' })).headers.get('location')!)
}

t.test('openid-client: assertions signed with a key and with a secret [IDN-16]', async t => {
  for (const config of [
    await configure('svc-jwt', client.PrivateKeyJwt(await demoKey())),
    await configure('svc', client.ClientSecretJwt('svc-secret')),
  ])
    t.ok((await client.clientCredentialsGrant(config)).access_token)
})

t.test('openid-client: the device flow [IDN-17]', async t => {
  const config = await withSecret()
  const started = await client.initiateDeviceAuthorization(config, {
    scope: 'openid',
    svc_outcome: 'approve',
    svc_user: 'bob',
  })
  const tokens = await client.pollDeviceAuthorizationGrant(config, started)
  t.equal(tokens.claims()!.sub, 'bob')
})

t.test('openid-client: pushed requests, request objects and logout [IDN-18] [IDN-25] [IDN-26]', async t => {
  const config = await configure('svc-jwt', client.PrivateKeyJwt(await demoKey()))
  const parameters = {
    redirect_uri: callback,
    scope: 'openid',
    svc_login: 'auto',
    login_hint: 'alice',
    nonce: 'n',
    state: 's',
  }
  for (const url of [
    await client.buildAuthorizationUrlWithPAR(config, parameters),
    await client.buildAuthorizationUrlWithJAR(config, parameters, await demoKey()),
  ]) {
    const tokens = await client.authorizationCodeGrant(config, await browse(url), {
      expectedNonce: 'n',
      expectedState: 's',
    })
    t.match(tokens.claims(), { sub: 'alice', acr: 'urn:svc:acr:pwd', sid: /./ })
    const out = client.buildEndSessionUrl(config, {
      post_logout_redirect_uri: callback,
      id_token_hint: tokens.id_token!,
      state: 'bye',
    })
    t.equal((await browse(out)).href, `${callback}?state=bye`)
    await t.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), client.ResponseBodyError)
  }
})

t.test('openid-client: ID tokens of other algorithms [IDN-6]', async t => {
  for (const algorithm of ['PS256', 'EdDSA']) {
    const name = `sdk-${algorithm.toLowerCase()}`
    await call(`${server.url}/_svc/identity/issuers/${name}`, {
      method: 'PUT',
      body: JSON.stringify({ algorithms: [algorithm] }),
    })
    const config = await withSecret(`${server.url}/oauth/i/${name}`)
    const url = client.buildAuthorizationUrl(config, { redirect_uri: callback, scope: 'openid', svc_login: 'auto' })
    const tokens = await client.authorizationCodeGrant(config, await browse(url))
    t.equal(read(tokens.id_token!).header.alg, algorithm)
  }
})

t.test('openid-client and oauth4webapi: DPoP, and introspection as a JWT [IDN-19] [IDN-23]', async t => {
  const config = await withSecret()
  const pair = await client.randomDPoPKeyPair()
  const DPoP = client.getDPoPHandle(config, pair)
  const url = client.buildAuthorizationUrl(config, { redirect_uri: callback, scope: 'openid', svc_login: 'auto' })
  const tokens = await client.authorizationCodeGrant(config, await browse(url), {}, undefined, { DPoP })
  t.equal(tokens.token_type, 'dpop')
  t.equal((await client.fetchUserInfo(config, tokens.access_token, 'demo', { DPoP })).sub, 'demo')

  const as = await oauth
    .discoveryRequest(new URL(full), { [oauth.allowInsecureRequests]: true })
    .then(response => oauth.processDiscoveryResponse(new URL(full), response))
  const resource = `${server.url}/anything`
  const handle = oauth.DPoP({}, pair)
  const sent = await new Promise<Request>((resolve, reject) => {
    oauth
      .protectedResourceRequest(tokens.access_token, 'GET', new URL(resource), undefined, undefined, {
        DPoP: handle,
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: async (target, { method, headers }) => {
          resolve(new Request(target, { method, headers }))
          return fetch(target, { method, headers })
        },
      })
      .catch(reject)
  })
  const claims = await oauth.validateJwtAccessToken(as, sent, 'svc', {
    requireDPoP: true,
    [oauth.allowInsecureRequests]: true,
  })
  t.equal(claims.sub, 'demo')

  const own = { client_id: 'svc', introspection_signed_response_alg: 'ES256' }
  const asked = await oauth.introspectionRequest(as, own, oauth.ClientSecretPost('svc-secret'), tokens.access_token, {
    requestJwtResponse: true,
    [oauth.allowInsecureRequests]: true,
  })
  t.match(asked.headers.get('content-type'), /^application\/token-introspection\+jwt/)
  const state = await oauth.processIntrospectionResponse(as, own, asked)
  t.match(state, { active: true, token_type: 'DPoP', cnf: { jkt: /./ } })
})

t.test('openid-client: everything that strict requires [IDN-22]', async t => {
  const strict = `${server.url}/oauth/i/strict`
  const config = await configure('svc-jwt', client.PrivateKeyJwt(await demoKey()), strict)
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair())
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const parameters = {
    redirect_uri: callback,
    scope: 'openid',
    svc_login: 'auto',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  const url = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
  const tokens = await client.authorizationCodeGrant(config, await browse(url), { pkceCodeVerifier }, undefined, {
    DPoP,
  })
  t.equal(tokens.token_type, 'dpop')
  t.equal((await client.fetchUserInfo(config, tokens.access_token, 'demo', { DPoP })).sub, 'demo')
  t.equal((await client.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP })).token_type, 'dpop')
  const plain = client.buildAuthorizationUrl(config, parameters)
  t.equal((await browse(plain)).searchParams.get('error'), 'invalid_request', 'not pushed')
  await t.rejects(client.clientCredentialsGrant(config), client.ResponseBodyError, 'no proof')
})

t.test('openid-client refuses each wrong answer of the hostile issuer [IDN-15]', async t => {
  const logIn = async (ask: string): Promise<client.Configuration> => {
    const metadata = `${server.url}/oauth/i/hostile/.well-known/openid-configuration?ask=${ask}`
    const config = await client.discovery(new URL(metadata), 'svc', 'svc-secret', undefined, insecure)
    client.enableNonRepudiationChecks(config)
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid',
      svc_login: 'auto',
      nonce: 'n',
      state: 's',
    })
    const tokens = await client.authorizationCodeGrant(config, await browse(url), {
      expectedNonce: 'n',
      expectedState: 's',
    })
    await client.fetchUserInfo(config, tokens.access_token, tokens.claims()!.sub)
    return config
  }
  for (const [ask, reason] of [
    ['issuer', /"iss"/],
    ['iss', /"iss"/],
    ['state', /"state"/],
    ['nonce', /"nonce"/],
    ['aud', /"aud"/],
    ['alg', /"alg"/],
    ['sub', /"sub"/],
  ] as const)
    await t.rejects(logIn(ask), { cause: { message: reason } }, ask)
  t.notOk((await logIn('downgrade')).serverMetadata().supportsPKCE())
  t.ok(await logIn('at_hash'), 'optional for clients of this flow (OpenID Connect Core, 3.1.3.8)')
})

t.test('jose: a remote key set across rotations and faults [IDN-13] [IDN-14]', async t => {
  const control = (path: string, body: object, method = 'POST') =>
    call(`${server.url}/_svc/identity/issuers/jose${path}`, { method, body: JSON.stringify(body) })
  const rotate = (mode: string, more: object = {}) => control('/rotate', { mode, ...more })
  await control('', { algorithms: ['ES256'] }, 'PUT')
  const issuer = `${server.url}/oauth/i/jose`
  const token = async (): Promise<string> =>
    (await post(`${issuer}/token`, { grant_type: 'client_credentials' })).body.access_token!
  const uri = (query = ''): URL => new URL(`${issuer}/jwks${query}`)
  const options = { issuer, audience: 'svc', typ: 'at+jwt' }
  const patient = createRemoteJWKSet(uri())
  const eager = createRemoteJWKSet(uri(), { cooldownDuration: 0 })
  const accepts = async (text: string, keys = eager): Promise<string> =>
    (await jwtVerify(text, keys, options)).protectedHeader.kid!

  const before = await token()
  t.equal(await accepts(before, patient), 'jose-es256-1')
  await rotate('graceful')
  const after = await token()
  t.equal(await accepts(after), 'jose-es256-2', 'fetched again for an unknown key id')
  t.equal(await accepts(before), 'jose-es256-1', 'the old one is still published')
  await t.rejects(accepts(after, patient), errors.JWKSNoMatchingKey, 'not again within the cooldown')

  await rotate('late', { delay_s: 3600 })
  await t.rejects(
    token().then(late => accepts(late)),
    errors.JWKSNoMatchingKey,
    'not published yet',
  )
  await rotate('hard')
  t.equal(await accepts(await token()), 'jose-es256-4')
  await t.rejects(accepts(after), errors.JWKSNoMatchingKey, 'gone')
  t.equal(await accepts(before, patient), 'jose-es256-1', 'a client that keeps the old set')

  const current = await token()
  for (const [fault, error] of [
    ['slow', errors.JWKSTimeout],
    ['500', errors.JOSEError],
    ['empty', errors.JWKSNoMatchingKey],
    ['unknown', errors.JWKSNoMatchingKey],
    ['stale', errors.JWKSNoMatchingKey],
    ['no-kid', errors.JWKSNoMatchingKey],
    ['duplicate-kid', errors.JWKSMultipleMatchingKeys],
  ] as const)
    await t.rejects(
      accepts(current, createRemoteJWKSet(uri(`?fault=${fault}&ms=2000`), { timeoutDuration: 200 })),
      error,
      fault,
    )
  for (const fault of ['no-alg', 'huge', 'private', 'mixed'])
    t.equal(await accepts(current, createRemoteJWKSet(uri(`?fault=${fault}`))), 'jose-es256-4', fault)
})

t.test('the MCP client: a key, and access across applications [IDN-16] [IDN-21]', async t => {
  const { jwk } = await demoKey()
  const provider = new PrivateKeyJwtProvider({
    clientId: 'svc-jwt',
    privateKey: jwk as Record<string, unknown>,
    algorithm: 'ES256',
    expectedIssuer: full,
  })
  const parameters = provider.prepareTokenRequest('a')
  await provider.addClientAuthentication(new Headers(), parameters, full)
  const response = await post(`${full}/token`, Object.fromEntries(parameters), {})
  t.equal(response.body.scope, 'a')

  const idp = `${server.url}/oauth/i/idp`
  const login = { grant_type: 'password', username: 'alice', password: 'alice', scope: 'openid' }
  const { id_token } = (await post(`${idp}/token`, login)).body
  const grant = await requestJwtAuthorizationGrant({
    tokenEndpoint: `${idp}/token`,
    audience: full,
    resource: 'https://mcp.test/',
    idToken: id_token!,
    clientId: 'svc',
    clientSecret: 'svc-secret',
  })
  const own = { clientId: 'svc', clientSecret: 'svc-secret' }
  const exchanged = await exchangeJwtAuthGrant({
    tokenEndpoint: `${full}/token`,
    jwtAuthGrant: grant.jwtAuthGrant,
    ...own,
  })
  t.match(read(exchanged.access_token).claims, { sub: 'alice', aud: 'https://mcp.test/', client_id: 'svc' })

  const across = new CrossAppAccessProvider({
    ...own,
    expectedIssuer: full,
    assertion: async ({ authorizationServerUrl, resourceUrl }) =>
      (
        await requestJwtAuthorizationGrant({
          tokenEndpoint: `${idp}/token`,
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: id_token!,
          ...own,
        })
      ).jwtAuthGrant,
  })
  across.saveAuthorizationServerUrl(full)
  across.saveResourceUrl?.('https://mcp.test/tools')
  const request = await across.prepareTokenRequest()
  const granted = await post(`${full}/token`, Object.fromEntries(request))
  t.match(read(granted.body.access_token!).claims, { sub: 'alice', aud: 'https://mcp.test/tools' })
})
