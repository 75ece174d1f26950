/** What relying parties expect of an issuer without further settings. */
import t from 'tap'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import {
  authorization,
  call,
  callback,
  encode,
  locationOf,
  post,
  read,
  type Answer,
  type Body,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  yaml: `identity:
  issuers:
    - name: pss
      algorithms: [PS256, ES256]
    - name: opaque
      access_token: { format: opaque }
    - name: shop
      clients:
        - { client_id: es, client_secret: s, redirect_uris: ["${callback}"], id_token_alg: ES256 }
`,
})
const at = (name: string): string => `${server.url}/oauth/i/${name}`

/** Tokens of alice, by a login without a page. */
async function logIn(base: string, client = { client_id: 'svc', client_secret: 'svc-secret' }): Promise<Body> {
  const { client_id } = client
  const request = authorization({ scope: 'openid', svc_login: 'auto', login_hint: 'alice', client_id })
  const code = locationOf(await call(`${base}/authorize?${encode(request)}`)).query.get('code')!
  const fields = { grant_type: 'authorization_code', code, redirect_uri: callback, ...client }
  return (await post(`${base}/token`, fields, {})).body
}
const algorithmOf = (token: string | undefined): unknown => read(token!).header.alg

t.test('ID tokens of clients that asked for nothing are RS256 where the issuer has it [IDN-6]', async t => {
  for (const name of ['full', 'idp', 'shop']) {
    const { id_token, access_token } = await logIn(at(name))
    t.equal(algorithmOf(id_token), 'RS256', name)
    t.equal(algorithmOf(access_token), 'ES256', `${name}: access tokens by the first algorithm`)
    await jwtVerify(id_token!, createRemoteJWKSet(new URL(`${at(name)}/jwks`)), { issuer: at(name), audience: 'svc' })
  }
  t.equal(algorithmOf((await logIn(at('pss'))).id_token), 'PS256', 'else the first')
  const es = { client_id: 'es', client_secret: 's' }
  t.equal(algorithmOf((await logIn(at('shop'), es)).id_token), 'ES256', 'as the client asked')
  t.match((await call(`${at('shop')}/.well-known/openid-configuration`)).body, {
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  })
})

t.test('an ID token by token exchange and the hostile one have the same algorithm [IDN-6]', async t => {
  const subject = await logIn(at('full'))
  const exchanged = await post(`${at('full')}/token`, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: subject.access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  })
  t.equal(algorithmOf(exchanged.body.access_token), 'RS256')
  const request = authorization({ scope: 'openid', svc_login: 'auto' })
  const code = locationOf(await call(`${at('hostile')}/authorize?${encode(request)}`)).query.get('code')!
  const fields = { grant_type: 'authorization_code', code, redirect_uri: callback }
  const { body } = await post(`${at('hostile')}/token?ask=nonce`, fields)
  t.equal(algorithmOf(body.id_token), 'RS256')
})

t.test('a signing key with another algorithm signs ID tokens too, once RS256 retires [IDN-13]', async t => {
  const rotate = (body: object): Promise<Answer> =>
    call(`${server.url}/_svc/identity/issuers/default/rotate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  t.equal((await rotate({ algorithm: 'ES256', grace_s: 600 })).status, 200)
  t.equal(algorithmOf((await logIn(`${server.url}/oauth`)).id_token), 'ES256')
  await rotate({ mode: 'revert' })
})

t.test('introspection has groups, email and name of the user [IDP-43]', async t => {
  const alice = { name: 'Alice Admin', email: 'alice@svc.local', groups: ['users', 'admins'] }
  for (const base of [`${server.url}/oauth`, at('full'), at('opaque')]) {
    const { access_token } = await logIn(base)
    t.match((await post(`${base}/introspect`, { token: access_token })).body, { active: true, ...alice }, base)
  }
  const order = { subject: 'alice', claims: { groups: null } }
  const ordered = await call(`${server.url}/oauth/debug/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(order),
  })
  const bare = await post(`${server.url}/oauth/introspect`, { token: String(ordered.body.token) })
  t.match(bare.body, alice, 'as UserInfo has them, if the token does not')
  const { body } = await post(`${server.url}/oauth/token`, { grant_type: 'client_credentials' })
  const ofClient = (await post(`${server.url}/oauth/introspect`, { token: body.access_token })).body
  for (const name of Object.keys(alice)) t.notOk(name in ofClient, `a client has no ${name}`)
})

t.test('an issuer by path can write typ JWT into access tokens [IDN-6]', async t => {
  await call(`${server.url}/_svc/identity/issuers/spring`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: '{"algorithms":["RS256"],"access_token":{"typ":"JWT"}}',
  })
  const { access_token } = await logIn(at('spring'))
  t.match(read(access_token!).header, { alg: 'RS256', typ: 'JWT' })
})
