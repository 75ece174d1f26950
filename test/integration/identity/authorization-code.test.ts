/** Redemption of codes and refresh tokens. */
import t from 'tap'
import {
  basic,
  callback,
  challenge,
  demoClient,
  getCode,
  logIn,
  post,
  read,
  register,
  verifier,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = `${server.url}/oauth/token`
const redeem = (fields: Fields, headers: Record<string, string> = demoClient) =>
  post(url, { grant_type: 'authorization_code', redirect_uri: callback, ...fields }, headers)
const refresh = (token: string, fields: Fields = {}, headers: Record<string, string> = demoClient) =>
  post(url, { grant_type: 'refresh_token', refresh_token: token, ...fields }, headers)
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
const asPublic = { client_id: 'svc-public' }

t.test('a code is exchanged for tokens with the authorized scope [IDP-30] [IDP-34]', async t => {
  const code = await getCode(server.url, { scope: 'openid x', nonce: 'n-1', resource: ['urn:a', 'urn:b'], state: 's' })
  t.match(code, /^[A-Za-z0-9_-]{43}$/)
  const { status, body } = await redeem({ code })
  t.equal(status, 200)
  t.equal(body.scope, 'openid x')
  t.same(read(body.access_token!).claims.aud, ['urn:a', 'urn:b'])
  t.equal(read(body.id_token!).claims.nonce, 'n-1')
  t.equal(read(body.id_token!).claims.aud, 'svc')
})

t.test('a resource in the token request replaces the authorized resources [IDP-26]', async t => {
  const code = await getCode(server.url, { resource: 'urn:a' })
  t.equal(read((await redeem({ code, resource: 'urn:c' })).body.access_token!).claims.aud, 'urn:c')
})

t.test('PKCE: only the verifier of the challenge redeems the code [IDP-30]', async t => {
  const good: [Fields, string][] = [
    [pkce, verifier],
    [{ code_challenge: verifier, code_challenge_method: 'plain' }, verifier],
    [{ code_challenge: verifier }, verifier],
    [{ code_challenge: `${'~'.repeat(127)}.` }, `${'~'.repeat(127)}.`],
  ]
  for (const [asked, sent] of good) {
    const code = await getCode(server.url, { ...asked, ...asPublic })
    t.equal((await redeem({ code, code_verifier: sent, ...asPublic }, {})).status, 200, JSON.stringify(asked))
  }
  const bad: [Fields, string | undefined][] = [
    [pkce, undefined],
    [pkce, ''],
    [pkce, `${verifier}a`],
    [pkce, challenge],
    [pkce, 'a'.repeat(42)],
    [pkce, 'a'.repeat(129)],
    [pkce, `${'a'.repeat(42)}!`],
    [{ code_challenge: verifier }, 'b'.repeat(43)],
    [{}, verifier],
  ]
  for (const [asked, sent] of bad) {
    const code = await getCode(server.url, asked)
    const { status, body } = await redeem({ code, code_verifier: sent })
    t.strictSame([status, body.error], [400, 'invalid_grant'], JSON.stringify([asked, sent]))
    t.equal((await redeem({ code, code_verifier: verifier })).body.error, 'invalid_grant', 'and the code is consumed')
  }
})

t.test('the redirect URI must match the authorization request [IDP-30]', async t => {
  for (const redirect_uri of [
    undefined,
    'http://localhost:3000/callbac',
    `${callback}/`,
    'http://LOCALHOST:3000/callback',
    `${callback}?`,
  ]) {
    t.equal(
      (await redeem({ code: await getCode(server.url), redirect_uri })).body.error,
      'invalid_grant',
      `${redirect_uri}`,
    )
  }
  const { body: client } = await register(server.url, { redirect_uris: [callback] })
  const as = { Authorization: basic(client.client_id!, client.client_secret!) }
  const unnamed = { client_id: client.client_id!, redirect_uri: undefined }
  for (const [redirect_uri, status] of [
    [undefined, 200],
    [callback, 200],
    ['http://other/', 400],
  ] as const) {
    t.equal(
      (await redeem({ code: await getCode(server.url, unnamed), redirect_uri }, as)).status,
      status,
      `${redirect_uri} after none`,
    )
  }
})

t.test('a code is used once; tokens of the first use stay valid [IDP-29]', async t => {
  const code = await getCode(server.url)
  const { body } = await redeem({ code })
  t.equal((await redeem({ code })).body.error, 'invalid_grant')
  t.equal((await post(`${server.url}/oauth/introspect`, { token: body.access_token! })).body.active, true)
  t.equal((await refresh(body.refresh_token!)).status, 200)
  for (const unknown of ['x', '__proto__', 'constructor'])
    t.equal((await redeem({ code: unknown })).body.error, 'invalid_grant', unknown)
})

t.test('another client and failed authentication do not consume the code [IDP-29]', async t => {
  const code = await getCode(server.url)
  t.equal((await redeem({ code }, { Authorization: basic('svc', 'wrong') })).body.error, 'invalid_client')
  t.equal((await redeem({ code, ...asPublic }, {})).body.error, 'invalid_grant')
  t.equal((await redeem({ code, resource: '/x' })).body.error, 'invalid_target')
  t.equal((await redeem({ code })).status, 200)
})

t.test('of concurrent redemptions exactly one succeeds [IDP-33]', async t => {
  const code = await getCode(server.url)
  const { refresh_token: token } = await logIn(server.url)
  for (const attempt of [() => redeem({ code }), () => refresh(token!)]) {
    const answers = await Promise.all(Array.from({ length: 8 }, attempt))
    t.equal(answers.filter(answer => answer.status === 200).length, 1)
    t.equal(answers.filter(answer => answer.body.error === 'invalid_grant').length, 7)
  }
})

t.test('a refresh token is replaced; reuse of the old one revokes nothing [IDP-31]', async t => {
  const first = await logIn(server.url)
  const { body: second } = await refresh(first.refresh_token!)
  t.not(second.refresh_token, first.refresh_token)
  t.equal((await refresh(first.refresh_token!)).body.error, 'invalid_grant')
  const { status, body: third } = await refresh(second.refresh_token!)
  t.equal(status, 200)
  const id = [first, second, third].map(tokens => read(tokens.id_token!).claims)
  t.equal(id[2]!.auth_time, id[0]!.auth_time)
  t.equal(id[2]!.sub, 'alice')
  t.equal((await post(`${server.url}/oauth/introspect`, { token: first.access_token! })).body.active, true)
})

t.test('no nonce after a refresh [IDP-34]', async t => {
  const { body } = await redeem({ code: await getCode(server.url, { nonce: 'n-1' }) })
  t.notOk('nonce' in read((await refresh(body.refresh_token!)).body.id_token!).claims)
})

t.test('a refresh can narrow the scope but not widen it [IDP-32] [IDP-31]', async t => {
  let token = (await logIn(server.url, { scope: 'a b openid' })).refresh_token!
  for (const scope of ['c', 'a c', '"']) t.equal((await refresh(token, { scope })).body.error, 'invalid_scope', scope)
  const narrowed = (await refresh(token, { scope: 'a' })).body
  t.equal(narrowed.scope, 'a')
  t.notOk('id_token' in narrowed, 'the scope has no openid')
  token = narrowed.refresh_token!
  t.equal((await refresh(token)).body.scope, 'a b openid')
})

t.test('the audience stays unless a resource replaces it [IDP-26] [IDP-31]', async t => {
  const first = await logIn(server.url, { resource: 'urn:a' })
  const second = (await refresh(first.refresh_token!)).body
  t.equal(read(second.access_token!).claims.aud, 'urn:a')
  t.equal(read((await refresh(second.refresh_token!, { resource: 'urn:b' })).body.access_token!).claims.aud, 'urn:b')
})

t.test('a refresh token belongs to its client [IDP-31]', async t => {
  const { refresh_token: token } = await logIn(server.url)
  t.equal((await refresh(token!, asPublic, {})).body.error, 'invalid_grant')
  t.equal((await refresh(token!)).status, 200)
  const { body: client } = await register(server.url, { grant_types: ['password'] })
  const { body } = await post(
    url,
    { grant_type: 'password', username: 'bob', password: 'bob' },
    { Authorization: basic(client.client_id!, client.client_secret!) },
  )
  t.notOk('refresh_token' in body, 'a client without the grant gets no refresh token')
})
