/** The device grant: with a browser and without. */
import t from 'tap'
import { call, encode, post, read, type Answer, type Fields } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const full = `${server.url}/oauth/i/full`
const grant = 'urn:ietf:params:oauth:grant-type:device_code'
const device = { client_id: 'svc-device' }

const start = async (fields: Fields = {}, base = full): Promise<Answer> =>
  post(`${base}/device_authorization`, { ...device, ...fields }, {})
const poll = async (code: unknown, fields: Record<string, string> = device): Promise<Answer> =>
  post(`${full}/token`, { grant_type: grant, device_code: String(code), ...fields }, {})
const enter = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
  post(`${full}/device`, fields, headers)

t.test('a user approves on the page [IDN-17]', async t => {
  const { status, headers, body } = await start({ scope: 'openid profile', resource: 'https://tv.test/' })
  t.match(
    { status, body },
    {
      status: 200,
      body: {
        device_code: /^.{50,}$/,
        user_code: /^[B-DF-HJ-NP-TV-Z]{4}-[B-DF-HJ-NP-TV-Z]{4}$/,
        verification_uri: `${full}/device`,
        verification_uri_complete: `${full}/device?user_code=${String(body.user_code)}`,
        expires_in: 600,
        interval: 1,
      },
    },
  )
  t.equal(headers.get('cache-control'), 'no-store')
  t.match((await poll(body.device_code)).body, { error: 'authorization_pending' })

  const form = await call(body.verification_uri_complete as string)
  t.match(form.text, new RegExp(`name="user_code" value="${String(body.user_code)}"`))
  t.match(form.headers.get('content-security-policy'), /frame-ancestors 'none'/)
  // In any case, without the dash.
  const entered = String(body.user_code).toLowerCase().replace('-', ' ')
  const page = await enter({ user_code: entered })
  t.equal(page.status, 200)
  t.match(page.text, /svc demo device/)
  t.match(page.text, new RegExp(`type="hidden" name="user_code" value="${String(body.user_code)}"`))
  t.equal((await enter({ user_code: entered, username: 'alice', password: 'x' })).status, 401)
  const done = await enter({ user_code: entered, username: 'alice', password: 'alice', action: 'approve' })
  t.match({ status: done.status, text: done.text }, { status: 200, text: /Device connected/ })
  t.equal((await enter({ user_code: entered })).status, 400)

  const tokens = (await poll(body.device_code)).body
  t.match(read(tokens.access_token!).claims, { sub: 'alice', aud: 'https://tv.test/', scope: 'openid profile' })
  t.ok(tokens.id_token)
  t.ok(tokens.refresh_token)
  t.equal((await poll(body.device_code)).body.error, 'invalid_grant')
})

t.test('a user denies on the page [IDN-17]', async t => {
  const { body } = await start()
  const done = await enter({ user_code: String(body.user_code), action: 'deny' })
  t.match(done.text, /Request denied/)
  t.equal((await poll(body.device_code)).body.error, 'access_denied')
})

t.test('a device that polls too often must slow down [IDN-17]', async t => {
  const { body } = await start()
  t.equal((await poll(body.device_code)).body.error, 'authorization_pending')
  t.equal((await poll(body.device_code)).body.error, 'slow_down')
  t.equal((await poll(body.device_code)).body.error, 'slow_down')
})

t.test('without a browser, parameters decide [IDN-17]', async t => {
  const approved = (await start({ svc_outcome: 'approve', svc_user: 'bob' })).body
  t.equal(read((await poll(approved.device_code)).body.access_token!).claims.sub, 'bob')
  for (const [outcome, error] of [
    ['deny', 'access_denied'],
    ['expire', 'expired_token'],
  ] as const)
    t.equal((await poll((await start({ svc_outcome: outcome })).body.device_code)).body.error, error)
  const later = (await start({ svc_outcome: 'approve', svc_after_s: '600' })).body
  t.equal((await poll(later.device_code)).body.error, 'authorization_pending')
  for (const fields of [
    { svc_outcome: 'aprove' },
    { svc_outcome: 'approve', svc_after_s: '601' },
    { svc_outcome: 'approve', svc_after_s: 'x' },
    { svc_outcome: 'approve', svc_user: 'nobody' },
    { svc_user: 'bob' },
  ])
    t.match(await start(fields), { status: 400, body: { error: 'invalid_request' } }, JSON.stringify(fields))
})

t.test('clients: own codes, allowed clients, any authentication [IDN-17]', async t => {
  const { body } = await start({ svc_outcome: 'approve' })
  t.equal((await poll(body.device_code, { client_id: 'svc', client_secret: 'svc-secret' })).body.error, 'invalid_grant')
  t.equal((await poll(`${String(body.device_code).slice(0, 9)}x`)).body.error, 'invalid_grant')
  t.equal((await poll('nope')).body.error, 'invalid_grant')
  t.equal((await poll('__proto__')).body.error, 'invalid_grant')
  t.equal((await poll('')).body.error, 'invalid_request')
  t.equal((await poll(body.device_code)).status, 200)
  t.equal((await start({ client_id: 'svc-public' })).body.error, 'unauthorized_client')
  t.match(await start({ client_id: 'nope' }), { status: 401, body: { error: 'invalid_client' } })
  t.equal((await start({ scope: '"' })).body.error, 'invalid_scope')
  t.equal((await start({ resource: 'x' })).body.error, 'invalid_target')
  t.equal((await post(`${full}/device_authorization`, { svc_outcome: 'deny' })).status, 200)
})

t.test('other issuers: unknown codes, no grant, nothing at the default one [IDN-17] [IDN-2]', async t => {
  const { body } = await start({ svc_outcome: 'approve' })
  const idp = `${server.url}/oauth/i/idp`
  const fields = { grant_type: grant, device_code: String(body.device_code), ...device }
  t.equal((await post(`${idp}/token`, fields, {})).body.error, 'invalid_grant')
  t.equal((await post(`${server.url}/oauth/token`, fields)).body.error, 'unsupported_grant_type')
  t.equal((await post(`${server.url}/oauth/device_authorization`, device)).status, 404)
  t.notOk('device_authorization_endpoint' in (await call(`${server.url}/.well-known/openid-configuration`)).body)
  const metadata = (await call(`${full}/.well-known/openid-configuration`)).body
  t.equal(metadata.device_authorization_endpoint, `${full}/device_authorization`)
  t.ok((metadata.grant_types_supported as string[]).includes(grant))
})

t.test('wrong codes show the form again, the sixth in a minute does not count anymore [IDN-17]', async t => {
  const guesser = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const guess = (fields: Record<string, string>, address = '192.0.2.1'): Promise<Answer> =>
    post(`${guesser.url}/oauth/i/full/device`, fields, { 'X-Forwarded-For': address })
  for (let attempt = 0; attempt < 5; attempt++) {
    const { status, text } = await guess({ user_code: 'BBBB-BBBB' })
    t.match({ status, text }, { status: 400, text: /unknown or has expired/ })
  }
  const right = (
    await call(`${guesser.url}/oauth/i/full/device_authorization`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: encode(device),
    })
  ).body
  const blocked = await guess({ user_code: String(right.user_code) })
  t.equal(blocked.status, 429)
  t.equal(blocked.headers.get('retry-after'), '60')
  t.equal((await guess({ user_code: String(right.user_code) }, '192.0.2.2')).status, 200)
  t.match((await guess({ user_code: '"><b>' }, '192.0.2.3')).text, /&quot;&gt;&lt;b&gt;/)
})
