/** Logout: by the client, confirmed by the user, and notifications of clients. */
import t from 'tap'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/** A client outside of the instance, which records what it is sent. */
const received: { path: string; body: string }[] = []
const remote = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', chunk => (body += chunk))
  request.on('end', () => {
    received.push({ path: request.url ?? '', body })
    response.writeHead(request.url === '/redirect' ? 302 : 200, { Location: '/elsewhere' }).end()
  })
}).listen(0, '127.0.0.1')
await new Promise(resolve => remote.once('listening', resolve))
t.teardown(() => remote.close())
const remoteHost = `127.0.0.1:${(remote.address() as AddressInfo).port}`

const client =
  '{ client_secret: s, redirect_uris: ["http://localhost:3000/callback"], post_logout_redirect_uris: ["https://shop.test/bye"]'
const server = await serve(t, {
  yaml: `identity:
  fetch_allow: ["${remoteHost}"]
  issuers:
    - name: shop
      clients:
        - ${client}, client_id: listed, backchannel_logout_uri: "http://${remoteHost}/bye" }
        - ${client}, client_id: moved, backchannel_logout_uri: "http://${remoteHost}/redirect" }
        - ${client}, client_id: foreign, backchannel_logout_uri: "http://127.0.0.1:1/bye" }
`,
})
const full = `${server.url}/oauth/i/full`
const shop = `${server.url}/oauth/i/shop`
const bye = 'https://shop.test/bye'

/** Tokens of a session, by a login without a page. */
async function begin(base: string, fields: Fields = {}, secret = 'svc-secret'): Promise<Body> {
  const request = authorization({ scope: 'openid', svc_login: 'auto', ...fields })
  const code = locationOf(await call(`${base}/authorize?${encode(request)}`)).query.get('code')!
  const client = { client_id: request.client_id as string, client_secret: secret }
  return (
    await post(`${base}/token`, { grant_type: 'authorization_code', code, redirect_uri: callback, ...client }, {})
  ).body
}
const refresh = async (base: string, token: string | undefined, fields: Fields = {}): Promise<Body> =>
  (await post(`${base}/token`, { grant_type: 'refresh_token', refresh_token: token, ...fields })).body
const logOut = (base: string, fields: Fields): Promise<Answer> => call(`${base}/logout?${encode(fields)}`)
const stepOf = ({ text }: Answer): string => /name="step" value="([\w.-]+)"/.exec(text)![1]!

t.test('an ID token ends its session: refresh tokens and codes, not those of others [IDN-26]', async t => {
  const tokens = await begin(full)
  const other = await begin(full)
  const done = await logOut(full, {
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: `${callback}?a=1`,
    state: 'a b',
  })
  t.strictSame([done.status, done.headers.get('location')], [303, `${callback}?a=1&state=a+b`])
  t.equal(done.headers.get('cache-control'), 'no-store')
  t.equal((await refresh(full, tokens.refresh_token)).error, 'invalid_grant')
  t.strictSame((await post(`${full}/introspect`, { token: tokens.refresh_token! })).body, { active: false })
  t.ok((await refresh(full, other.refresh_token)).access_token)
  const again = await post(`${full}/logout`, { id_token_hint: tokens.id_token }, {})
  t.match(
    { status: again.status, text: again.text },
    { status: 200, text: /Signed out/ },
    'without a URI, and as a form',
  )
})

t.test('the hint can be expired, but it must be an ID token of the issuer [IDN-26]', async t => {
  const tokens = await begin(full)
  const { sid } = read(tokens.id_token!).claims
  const order = async (body: object, base = full): Promise<string> => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await call(`${base}/debug/token`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (typeof answer.body.token !== 'string') throw new Error(answer.text)
    return answer.body.token
  }
  const fields = { post_logout_redirect_uri: callback }
  for (const [what, id_token_hint] of [
    ['another issuer', await order({ kind: 'id', claims: { sid } }, `${server.url}/oauth/i/idp`)],
    ['wrong signature', await order({ kind: 'id', claims: { sid }, wrong_signature: true })],
    ['access token', await order({ claims: { sid } })],
    ['logout token', await order({ kind: 'logout', claims: { sid } })],
    ['none', await order({ kind: 'id', claims: { sid }, algorithm: 'none' })],
    ['no exp', await order({ kind: 'id', claims: { sid }, expires_in: null })],
    ['text', 'x'],
  ] as const) {
    const { status, headers } = await logOut(full, { ...fields, id_token_hint })
    t.strictSame([status, headers.get('location')], [400, null], what)
  }
  t.ok((await refresh(full, tokens.refresh_token)).access_token, 'the session has not ended')
  const expired = await order({ kind: 'id', claims: { sid }, expires_in: -86_400 })
  t.equal((await logOut(full, { ...fields, id_token_hint: expired })).status, 303)
  t.equal((await refresh(full, tokens.refresh_token)).error, 'invalid_grant')
})

t.test('an unregistered URI or an unknown client is a page without a redirect [IDN-26]', async t => {
  const { id_token } = await begin(shop, { client_id: 'listed' }, 's')
  const rows: Fields[] = [
    { id_token_hint: id_token, post_logout_redirect_uri: `${bye}/` },
    { client_id: 'listed', post_logout_redirect_uri: 'https://evil.test/' },
    { post_logout_redirect_uri: bye },
    { client_id: 'nobody' },
    { client_id: '__proto__', post_logout_redirect_uri: bye },
    { id_token_hint: id_token, client_id: 'svc', post_logout_redirect_uri: callback },
    { client_id: 'svc', post_logout_redirect_uri: 'javascript:alert(1)' },
    { client_id: ['svc', 'svc'] },
    { client_id: 'svc', post_logout_redirect_uri: callback, state: 'x'.repeat(2049) },
  ]
  for (const fields of rows) {
    const { status, headers, text } = await logOut(shop, fields)
    t.strictSame([status, headers.get('location')], [400, null], encode(fields).slice(0, 80))
    t.match(text, '<h1>Invalid request</h1>')
  }
})

t.test('without a hint the user decides, once [IDN-26]', async t => {
  const tokens = await begin(full)
  const sid = read(tokens.id_token!).claims.sid as string
  const fields = { client_id: 'svc', post_logout_redirect_uri: callback, state: 's', logout_hint: sid }
  const page = await logOut(full, fields)
  t.match({ status: page.status, text: page.text }, { status: 200, text: /Do you want to sign out/ })
  t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/)
  const kept = await post(`${full}/logout`, { step: stepOf(page), action: 'deny' }, {})
  t.match(kept.text, /Still signed in/)
  t.ok((await refresh(full, tokens.refresh_token)).access_token)

  const step = stepOf(await logOut(full, fields))
  t.equal((await post(`${full}/authorize`, { step, otp: '123456' }, {})).status, 400, 'not a step of a login')
  const second = stepOf(await logOut(full, fields))
  const done = await post(`${full}/logout`, { step: second, action: 'approve' }, {})
  t.strictSame([done.status, done.headers.get('location')], [303, `${callback}?state=s`])
  t.equal((await post(`${full}/logout`, { step: second, action: 'approve' }, {})).status, 400, 'used')
  t.equal((await refresh(full, tokens.refresh_token)).error, 'invalid_grant')
})

t.test('the client is notified with a logout token, in-process at an own path [IDN-26]', async t => {
  const bin = (await call(`${server.url}/bin`, { method: 'POST', body: '{}' })).body.id as string
  const metadata = {
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    post_logout_redirect_uris: [bye],
    backchannel_logout_uri: `${server.url}/bin/${bin}/bye`,
    id_token_signed_response_alg: 'EdDSA',
  }
  const registered = await call(`${full}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  })
  t.match(registered.body, {
    post_logout_redirect_uris: [bye],
    backchannel_logout_uri: metadata.backchannel_logout_uri,
  })
  const { client_id, client_secret } = registered.body as { client_id: string; client_secret: string }
  const tokens = await begin(full, { client_id }, client_secret)
  t.equal((await logOut(full, { id_token_hint: tokens.id_token, post_logout_redirect_uri: bye })).status, 303)
  await logOut(full, { id_token_hint: tokens.id_token })
  const requests = async () => (await call(`${server.url}/bin/${bin}/requests`)).body.requests as { body: string }[]
  await until(async () => (await requests()).length > 0, 'the notification')
  const [only, ...others] = await requests()
  t.same(others, [], 'once')
  const token = new URLSearchParams(only!.body).get('logout_token')!
  const { payload, protectedHeader } = await jwtVerify(token, createRemoteJWKSet(new URL(`${full}/jwks`)), {
    typ: 'logout+jwt',
    issuer: full,
    audience: client_id,
  })
  const { sid, sub } = read(tokens.id_token!).claims
  t.match(payload, { sid, sub, events: { 'http://schemas.openid.net/event/backchannel-logout': {} }, jti: /./ })
  t.equal(payload.exp! - payload.iat!, 120)
  t.notOk('nonce' in payload)
  t.equal(protectedHeader.alg, 'EdDSA')
})

t.test('other hosts are notified only if the operator allows them; redirects are not followed [IDN-26]', async t => {
  for (const client_id of ['foreign', 'moved', 'listed']) {
    const { id_token } = await begin(shop, { client_id }, 's')
    const done = await logOut(shop, { id_token_hint: id_token, post_logout_redirect_uri: bye })
    t.strictSame([done.status, done.headers.get('location')], [303, bye], client_id)
  }
  await until(() => received.some(({ path }) => path === '/bye') && received.some(({ path }) => path === '/redirect'))
  t.strictSame(received.map(({ path }) => path).sort(), ['/bye', '/redirect'])
  t.match(received[0]!.body, /^logout_token=[\w.-]+$/)
  for (const metadata of [
    { backchannel_logout_uri: 'http://127.0.0.1:1/bye' },
    { backchannel_logout_uri: 5 },
    { post_logout_redirect_uris: 'x' },
    { post_logout_redirect_uris: ['javascript:alert(1)'] },
    { post_logout_redirect_uris: Array.from({ length: 11 }, () => bye) },
  ]) {
    const body = JSON.stringify({ redirect_uris: [callback], ...metadata })
    const headers = { 'Content-Type': 'application/json' }
    const answer = await call(`${full}/register`, { method: 'POST', headers, body })
    t.equal(answer.body.error, 'invalid_client_metadata', body.slice(0, 100))
  }
})

t.test('the default issuer returns the browser to the client, but has no sessions [IDN-26]', async t => {
  const base = `${server.url}/oauth`
  const tokens = await begin(base)
  const done = await logOut(base, {
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: bye,
    state: 'a b',
  })
  t.equal(done.status, 303)
  t.equal(done.headers.get('location'), `${bye}?state=a+b`)
  t.notOk((await refresh(base, tokens.refresh_token)).error, 'nothing is revoked')
  const asked = await logOut(base, { client_id: 'svc-public', post_logout_redirect_uri: bye })
  t.equal(asked.status, 200)
  const confirmed = await post(`${base}/logout`, { step: stepOf(asked), action: 'approve' }, {})
  t.strictSame([confirmed.status, confirmed.headers.get('location')], [303, bye])
  for (const fields of [{ id_token_hint: (await begin(full)).id_token }, { client_id: 'nobody' }])
    t.equal((await logOut(base, fields)).status, 400, encode(fields).slice(0, 60))

  const register = (metadata: Record<string, unknown>): Promise<Answer> =>
    call(`${base}/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback], ...metadata }),
    })
  const { body } = await register({ post_logout_redirect_uris: [bye] })
  t.strictSame(body.post_logout_redirect_uris, [bye])
  const own = { client_id: body.client_id, post_logout_redirect_uri: bye }
  t.equal((await logOut(base, own)).status, 200)
  t.equal((await logOut(base, { ...own, post_logout_redirect_uri: 'https://evil.test/' })).status, 400)
  t.equal((await register({ post_logout_redirect_uris: ['x'] })).body.error, 'invalid_client_metadata')
})

t.test('the metadata of issuers by path announces the logout [IDN-26] [IDN-2]', async t => {
  t.match((await call(`${full}/.well-known/openid-configuration`)).body, {
    end_session_endpoint: `${full}/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  })
  const byDefault = (await call(`${server.url}/.well-known/openid-configuration`)).body
  t.equal(byDefault.end_session_endpoint, `${server.url}/oauth/logout`)
  for (const name of ['acr_values_supported', 'backchannel_logout_supported']) t.notOk(name in byDefault, name)
})
