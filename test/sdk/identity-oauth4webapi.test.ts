/** oauth4webapi and jose, which validate every response against the RFCs. */
import t from 'tap'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { authorization, call, callback, encode, locationOf, logIn, post } from '../support/oauth.ts'
import { serve } from '../support/server.ts'

const server = await serve(t)
const issuer = new URL(server.url)
const insecure = { [oauth.allowInsecureRequests]: true }
const client: oauth.Client = { client_id: 'svc' }
const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))

/** The OAuth error in a validated authorization response. */
function errorOf(parameters: URLSearchParams): string | undefined {
  try {
    oauth.validateAuthResponse(as, client, parameters, 's')
    return undefined
  } catch (failure) {
    return (failure as oauth.AuthorizationResponseError).error
  }
}

t.test('accepts both metadata documents [IDP-49] [IDP-10]', async t => {
  t.equal(as.issuer, server.url)
  const oauth2 = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }),
  )
  t.equal(oauth2.authorization_response_iss_parameter_supported, true)
})

t.test('encodes the secret in Basic and is authenticated [IDP-49] [IDP-7]', async t => {
  for (const authentication of [oauth.ClientSecretBasic('svc-secret'), oauth.ClientSecretPost('svc-secret')]) {
    const response = await oauth.clientCredentialsGrantRequest(as, client, authentication, {}, insecure)
    t.ok((await oauth.processClientCredentialsResponse(as, client, response)).access_token)
  }
})

t.test('validates authorization responses, including errors [IDP-49] [IDP-14]', async t => {
  const url = `${server.url}/oauth/authorize`
  const approved = await post(url, { ...authorization({ state: 's' }), username: 'bob', password: 'bob' }, {})
  t.ok(oauth.validateAuthResponse(as, client, locationOf(approved).query, 's').get('code'))
  const denied = await post(url, { ...authorization({ state: 's' }), action: 'deny' }, {})
  t.equal(errorOf(locationOf(denied).query), 'access_denied')
})

t.test('the complete code flow of a public client [IDP-49] [IDP-9]', async t => {
  const verifier = oauth.generateRandomCodeVerifier()
  const id = { client_id: 'svc-public' }
  const request = authorization({
    ...id,
    scope: 'openid',
    state: 's',
    nonce: 'n',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const back = await post(`${server.url}/oauth/authorize`, { ...request, username: 'demo', password: 'demo' }, {})
  const parameters = oauth.validateAuthResponse(as, id, locationOf(back).query, 's')
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    id,
    oauth.None(),
    parameters,
    callback,
    verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, id, response, {
    expectedNonce: 'n',
    requireIdToken: true,
  })
  const info = await oauth.userInfoRequest(as, id, tokens.access_token, insecure)
  t.match(await oauth.processUserInfoResponse(as, id, 'demo', info), { sub: 'demo', groups: ['users'] })
})

t.test('access tokens follow the profile for JWTs [IDP-49] [IDP-34]', async t => {
  const { access_token: token } = await logIn(server.url, { resource: 'https://api.example/' })
  const request = new Request('https://api.example/x', { headers: { Authorization: `Bearer ${token}` } })
  const claims = await oauth.validateJwtAccessToken(as, request, 'https://api.example/', insecure)
  t.match(claims, { sub: 'alice', client_id: 'svc', scope: 'openid profile email' })
})

t.test('a 401 with a challenge is parsed [IDP-49] [IDP-42]', async t => {
  const response = await oauth.userInfoRequest(as, client, 'x', insecure)
  await t.rejects(oauth.processUserInfoResponse(as, client, oauth.skipSubjectCheck, response), {
    cause: [{ scheme: 'bearer', parameters: { realm: 'svc', error: 'invalid_token' } }],
  })
})

t.test('jose verifies with the remote keys [IDP-49] [IDP-11]', async t => {
  const keys = createRemoteJWKSet(new URL(as.jwks_uri!))
  const { access_token: access, id_token: id } = await logIn(server.url)
  const { payload, protectedHeader } = await jwtVerify(access!, keys, {
    issuer: server.url,
    audience: 'svc',
    typ: 'at+jwt',
    requiredClaims: ['jti', 'client_id'],
  })
  t.match([payload.sub, protectedHeader.kid], ['alice', 'svc-rs256-key'])
  await jwtVerify(id!, keys, { issuer: server.url, audience: 'svc', typ: 'JWT' })
  await t.rejects(jwtVerify(id!, keys, { typ: 'at+jwt' }))
  await t.rejects(jwtVerify(access!, keys, { audience: 'other' }), { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' })
})

t.test('a form_post response is parsed as a form [IDP-49] [IDP-21]', async t => {
  const { text } = await call(
    `${server.url}/oauth/authorize?${encode(authorization({ response_mode: 'form_post', prompt: 'none', state: 's' }))}`,
  )
  const fields = new URLSearchParams(
    [...text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]): [string, string] => [name!, value!]),
  )
  t.equal(errorOf(fields), 'login_required')
})
