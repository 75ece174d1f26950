/** Variants of the login: pages with steps, and logins without a page. */
import t from 'tap'
import {
  authorization,
  basic,
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

const yaml = `identity:
  users:
    - { name: carol, password: carol, mfa: true }
  issuers:
    - { name: automatic, login: { variant: auto, user: bob } }
    - { name: consenting, login: { variant: consent } }
`
const server = await serve(t, { yaml })
const full = `${server.url}/oauth/i/full`
const mfa = 'urn:svc:acr:mfa'

const ask = (fields: Fields, base = full): Promise<Answer> => call(`${base}/authorize?${encode(authorization(fields))}`)
const enter = (fields: Fields, base = full): Promise<Answer> =>
  post(
    `${base}/authorize`,
    { ...authorization(), username: 'alice', password: 'alice', action: 'approve', ...fields },
    {},
  )
const next = (fields: Fields, base = full): Promise<Answer> => post(`${base}/authorize`, fields, {})
const stepOf = ({ text }: Answer): string => /name="step" value="([\w.-]+)"/.exec(text)![1]!

/** The tokens for the code of a redirect. */
async function redeem(answer: Answer, base = full): Promise<Body> {
  const code = locationOf(answer).query.get('code') ?? ''
  return (await post(`${base}/token`, { grant_type: 'authorization_code', code, redirect_uri: callback })).body
}
const idToken = (tokens: Body): Record<string, unknown> => read(tokens.id_token!).claims

t.test('an approval begins a session, and the ID token says how the user logged in [IDN-25]', async t => {
  const tokens = await redeem(await enter({}))
  const claims = idToken(tokens)
  t.match(claims, { amr: ['pwd'], acr: 'urn:svc:acr:pwd', sid: /^[\w-]{22}$/ })
  t.not(idToken(await redeem(await enter({}))).sid, claims.sid)
  const refreshed = await post(`${full}/token`, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token!,
  })
  t.match(idToken(refreshed.body), { sid: claims.sid, acr: 'urn:svc:acr:pwd' })
  const password = { grant_type: 'password', username: 'alice', password: 'alice' }
  const ofPassword = idToken((await post(`${full}/token`, password)).body)
  t.match(ofPassword, { acr: 'urn:svc:acr:pwd' })
  t.notOk('sid' in ofPassword, 'no approval')
  const { body } = await call(`${server.url}/_svc/identity`)
  const listed = (body.issuers as { name: string; sessions: number }[]).find(({ name }) => name === 'full')!
  t.ok(listed.sessions >= 2)
})

t.test('the default issuer takes svc_login, and its tokens stay as they are [IDN-2] [IDN-25]', async t => {
  const base = `${server.url}/oauth`
  const claims = idToken(await redeem(await enter({}, base), base))
  for (const name of ['sid', 'amr', 'acr']) t.notOk(name in claims, name)
  t.equal(locationOf(await ask({ svc_login: 'error' }, base)).query.get('error'), 'server_error')
  const page = await enter({ username: 'carol', password: 'carol' }, base)
  const done = await next({ step: stepOf(page), otp: '123456' }, base)
  t.match(idToken(await redeem(done, base)), { sub: 'carol', amr: ['pwd', 'otp'], acr: mfa })
})

t.test('auto: no page [IDN-25]', async t => {
  t.equal(idToken(await redeem(await ask({ svc_login: 'auto' }))).sub, 'demo')
  t.equal(idToken(await redeem(await ask({ svc_login: 'auto', login_hint: 'alice' }))).sub, 'alice')
  const automatic = `${server.url}/oauth/i/automatic`
  t.equal(idToken(await redeem(await ask({}, automatic), automatic)).sub, 'bob')
  const unknown = await ask({ svc_login: 'auto', login_hint: 'nobody', state: 's' })
  t.strictSame(
    [unknown.status, locationOf(unknown).query.get('error'), locationOf(unknown).query.get('state')],
    [303, 'login_required', 's'],
  )
  t.match(idToken(await redeem(await ask({ svc_login: 'auto', acr_values: `x ${mfa}` }))), { acr: mfa })
  const form = await ask({ svc_login: 'form' }, automatic)
  t.match(form.text, '<h1>Sign in</h1>', 'a request asks for another variant than the issuer')
})

t.test('consent: what is left unticked is not granted [IDN-25]', async t => {
  const page = await enter({ svc_login: 'consent', scope: 'openid profile email', state: 's' })
  t.equal(page.status, 200)
  t.match(page.text, /value="openid" checked disabled/)
  t.match(page.text, /value="email" checked>/)
  const done = await next({ step: stepOf(page), scope: ['email', 'admin'], action: 'approve' })
  t.equal(locationOf(done).query.get('state'), 's')
  t.equal((await redeem(done)).scope, 'openid email')

  const denied = await next({ step: stepOf(await enter({ svc_login: 'consent' })), action: 'deny' })
  t.equal(locationOf(denied).query.get('error'), 'access_denied')
  const none = await next({ step: stepOf(await enter({ svc_login: 'consent', scope: 'x y' })), action: 'approve' })
  t.equal(locationOf(none).query.get('error'), 'access_denied')
  const wrong = await enter({ svc_login: 'consent', password: 'x' })
  t.match({ status: wrong.status, text: wrong.text }, { status: 401, text: /name="svc_login" value="consent"/ })

  const consenting = `${server.url}/oauth/i/consenting`
  const both = await next({ step: stepOf(await enter({ acr_values: mfa }, consenting)), otp: '123456' }, consenting)
  t.match(both.text, /type="checkbox"/, 'a one-time code first')
  const all = await next({ step: stepOf(both), scope: ['profile', 'email'] }, consenting)
  t.match(idToken(await redeem(all, consenting)), { acr: mfa })
})

t.test('mfa: one right code, three wrong ones [IDN-25]', async t => {
  for (const fields of [{ svc_login: 'mfa' }, { acr_values: mfa }]) {
    const page = await enter({ ...fields, nonce: 'n' })
    t.match({ status: page.status, text: page.text }, { status: 200, text: /name="otp"/ })
    const done = await next({ step: stepOf(page), otp: '123456', action: 'approve' })
    t.match(idToken(await redeem(done)), { amr: ['pwd', 'otp'], acr: mfa, nonce: 'n' })
  }
  let page = await enter({ svc_login: 'mfa' })
  for (const otp of ['000000', '']) {
    page = await next({ step: stepOf(page), otp })
    t.match({ status: page.status, text: page.text }, { status: 401, text: /Wrong one-time code/ })
  }
  t.equal(locationOf(await next({ step: stepOf(page), otp: '1234567' })).query.get('error'), 'access_denied')
  const denied = await next({ step: stepOf(await enter({ svc_login: 'mfa' })), action: 'deny' })
  t.equal(locationOf(denied).query.get('error'), 'access_denied')
  const password = { grant_type: 'password', username: 'carol', password: 'carol' }
  t.equal((await post(`${server.url}/oauth/token`, password)).body.error, 'invalid_grant')
})

t.test('a step is used once, belongs to its issuer and page, and is signed [IDN-25]', async t => {
  const step = stepOf(await enter({ svc_login: 'mfa' }))
  const [payload, signature] = step.split('.') as [string, string]
  const forged = Buffer.from(payload, 'base64url').toString().replace('alice', 'carol')
  const rows: [string, Fields, string?][] = [
    ['another issuer', { step, otp: '123456' }, `${server.url}/oauth/i/idp`],
    ['forged', { step: `${Buffer.from(forged).toString('base64url')}.${signature}`, otp: '123456' }],
    ['no signature', { step: payload }],
    ['text', { step: 'x' }],
    ['prototype', { step: '__proto__.constructor' }],
  ]
  for (const [what, fields, base] of rows) {
    const { status, headers, text } = await next(fields, base)
    t.strictSame([status, headers.get('location')], [400, null], what)
    t.match(text, /invalid_request/)
  }
  const asDevice = await post(`${full}/device`, { step, otp: '123456' }, {})
  t.equal(asDevice.status, 400, 'the page of devices')
  const used = stepOf(await enter({ svc_login: 'mfa' }))
  t.equal((await next({ step: used, otp: '1' })).status, 401)
  t.equal((await next({ step: used, otp: '123456' })).status, 400, 'used')
  t.equal((await next({ ...authorization(), scope: ['a', 'b'] })).status, 400, 'only steps repeat the scope')
})

t.test('slow, error, unavailable, broken, locked [IDN-25]', async t => {
  for (const [svc_login, error] of [
    ['error', 'server_error'],
    ['unavailable', 'temporarily_unavailable'],
  ]) {
    const answer = await ask({ svc_login, state: 's' })
    t.strictSame([answer.status, locationOf(answer).query.get('error')], [303, error])
  }
  const broken = await ask({ svc_login: 'broken' })
  t.match(
    { status: broken.status, location: broken.headers.get('location'), type: broken.headers.get('content-type') },
    { status: 500, location: null, type: /^text\/html/ },
  )
  const locked = await enter({ svc_login: 'locked' })
  t.match({ status: locked.status, text: locked.text }, { status: 401, text: /account locked/ })
  const unknown = await ask({ svc_login: 'autoo' })
  t.match(locationOf(unknown).query.get('error_description'), /^svc_login must be one of form, auto/)
  t.equal(locationOf(unknown).query.get('error'), 'invalid_request')
  t.equal((await ask({ svc_login: 'broken', redirect_uri: '/x' })).status, 400, 'the request is checked first')

  const slow = await serve(t, {
    yaml: 'identity: { issuers: [{ name: tardy, login: { variant: slow, ms: 60000 } }] }',
  })
  const tardy = `${slow.url}/oauth/i/tardy/authorize?${encode(authorization())}`
  await t.rejects(fetch(tardy, { signal: AbortSignal.timeout(300) }), { name: 'TimeoutError' })
})

t.test('pushed requests and devices have the same pages [IDN-25]', async t => {
  const pushed = await post(`${full}/par`, { ...authorization(), svc_login: 'mfa', state: 's' })
  const form = { client_id: 'svc', request_uri: pushed.body.request_uri as string }
  const page = await post(`${full}/authorize`, { ...form, username: 'bob', password: 'bob' }, {})
  const done = await next({ step: stepOf(page), otp: '123456' })
  t.match(idToken(await redeem(done)), { sub: 'bob', acr: mfa })
  t.equal((await post(`${full}/par`, { ...authorization(), svc_login: 'x' })).body.error, 'invalid_request')

  const base = `${server.url}/oauth/i/consenting`
  const started = (await post(`${base}/device_authorization`, { client_id: 'svc-device', scope: 'openid a b' }, {}))
    .body
  const login = { user_code: String(started.user_code), username: 'alice', password: 'alice', action: 'approve' }
  const consent = await post(`${base}/device`, login, {})
  t.match(consent.text, /<form method="post" action="device">/)
  const approved = await post(`${base}/device`, { step: stepOf(consent), scope: 'b' }, {})
  t.match(approved.text, /Device connected/)
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const tokens = await post(
    `${base}/token`,
    { grant_type, device_code: String(started.device_code), client_id: 'svc-device' },
    {},
  )
  t.equal(tokens.body.scope, 'openid b')
  t.match(idToken(tokens.body), { sid: /^[\w-]{22}$/ })
})

t.test('metadata and settings name the login [IDN-25]', async t => {
  const { body } = await call(`${full}/.well-known/openid-configuration`)
  t.strictSame(body.acr_values_supported, ['urn:svc:acr:pwd', mfa])
  const put = await call(`${server.url}/_svc/identity/issuers/lg`, {
    method: 'PUT',
    body: JSON.stringify({ login: { variant: 'consnt' } }),
  })
  t.match(
    { status: put.status, body: put.body },
    { status: 400, body: { at: 'login.variant', did_you_mean: 'consent' } },
  )
  t.equal((await post(`${full}/token`, {}, { Authorization: basic('svc', 'x') })).body.error, 'invalid_request')
})
