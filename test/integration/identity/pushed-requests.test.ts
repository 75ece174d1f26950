/** Pushed authorization requests and request objects. */
import t from 'tap'
import { importJWK, SignJWT, type JWK } from 'jose'
import {
  authorization,
  call,
  callback,
  encode,
  locationOf,
  post,
  type Answer,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const full = `${server.url}/oauth/i/full`
const urn = /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/
const demoKey = (await call(`${full}/debug/keys/svc-jwt`)).body as JWK

const push = (fields: Fields = {}, base = full): Promise<Answer> =>
  post(`${base}/par`, { ...authorization({ state: 'x' }), ...fields })
const show = (fields: Fields, base = full): Promise<Answer> => call(`${base}/authorize?${encode(fields)}`)
const logIn = (fields: Fields, base = full): Promise<Answer> =>
  post(`${base}/authorize`, { username: 'alice', password: 'alice', action: 'approve', ...fields }, {})

/** A request object of the demo client with a key. */
async function object(
  claims: Record<string, unknown> = {},
  typ: string | null = 'oauth-authz-req+jwt',
): Promise<string> {
  const defaults = {
    ...authorization({ client_id: 'svc-jwt', state: 'signed' }),
    iss: 'svc-jwt',
    aud: full,
    exp: Math.floor(Date.now() / 1000) + 60,
  }
  const kept = Object.entries({ ...defaults, ...claims }).filter(([, value]) => value !== null)
  return new SignJWT(Object.fromEntries(kept))
    .setProtectedHeader({ alg: 'ES256', kid: demoKey.kid!, ...(typ !== null && { typ }) })
    .sign(await importJWK(demoKey, 'ES256'))
}

t.test('a pushed request is used once, at the end of the login [IDN-18]', async t => {
  const { status, headers, body } = await push({ scope: 'a b' })
  t.match({ status, body }, { status: 201, body: { request_uri: urn, expires_in: 60 } })
  t.equal(headers.get('cache-control'), 'no-store')
  const request = { client_id: 'svc', request_uri: body.request_uri as string }
  // Other parameters are ignored.
  for (const more of [{}, { scope: 'c', redirect_uri: 'https://other.test/', state: 'y' }]) {
    const { status, text } = await show({ ...request, ...more })
    t.equal(status, 200)
    t.match(text, /<li>a<\/li><li>b<\/li>/)
    t.match(text, /name="request_uri" value="urn:/)
    t.notMatch(text, /name="redirect_uri"/)
  }
  t.equal((await logIn({ ...request, password: 'x' })).status, 401)
  const { uri, query } = locationOf(await logIn(request))
  t.equal(uri, callback)
  t.equal(query.get('state'), 'x')
  const tokens = await post(`${full}/token`, {
    grant_type: 'authorization_code',
    code: query.get('code')!,
    redirect_uri: callback,
  })
  t.equal(tokens.body.scope, 'a b')
  for (const again of [await logIn(request), await show(request)]) {
    t.match({ status: again.status, text: again.text }, { status: 400, text: /invalid_request_uri/ })
    t.notOk(again.headers.get('location'))
  }
})

t.test('a request URI belongs to its client and its issuer [IDN-18]', async t => {
  const { body } = await push()
  const uri = body.request_uri as string
  for (const [fields, base] of [
    [{ client_id: 'svc-public', request_uri: uri }, full],
    [{ client_id: 'svc', request_uri: uri }, `${server.url}/oauth/i/idp`],
    [{ client_id: 'svc', request_uri: 'https://shop.test/request' }, full],
    [{ client_id: 'svc', request_uri: '__proto__' }, full],
  ] as const) {
    const { status, text } = await show(fields, base)
    t.match({ status, text }, { status: 400, text: /invalid_request_uri/ }, JSON.stringify(fields))
  }
  t.match(await show({ request_uri: uri }), { status: 400, text: /client_id is missing/ })
})

t.test('errors of a pushed request are JSON [IDN-18]', async t => {
  const rows: [Fields, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ redirect_uri: 'javascript:x' }, 'invalid_request'],
    [{ scope: '"' }, 'invalid_scope'],
    [{ resource: 'x' }, 'invalid_target'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ prompt: 'none' }, 'login_required'],
    [{ request_uri: 'urn:x' }, 'invalid_request'],
    [{ client_id: 'svc-public' }, 'invalid_request'],
    [{ request: 'x' }, 'invalid_request_object'],
    [{ login_hint: 'x'.repeat(3000) }, 'invalid_request'],
  ]
  for (const [fields, error] of rows) {
    const { status, headers, body } = await push(fields)
    t.match(
      { status, body },
      { status: 400, body: { error, error_description: String } },
      JSON.stringify(fields).slice(0, 80),
    )
    t.match(headers.get('content-type'), /^application\/json/)
  }
  t.match(await post(`${full}/par`, authorization(), {}), { status: 401, body: { error: 'invalid_client' } })
  t.equal((await post(`${server.url}/oauth/par`, authorization())).status, 404)
})

t.test('only the parameters of a request object count [IDN-18]', async t => {
  const own = { client_id: 'svc-jwt' }
  for (const typ of ['oauth-authz-req+jwt', null]) {
    const request = await object(
      { scope: 'signed', max_age: 60, resource: ['https://a.test/', 'https://b.test/'] },
      typ,
    )
    const page = await show({ ...own, request, scope: 'c', state: 'outside' })
    t.equal(page.status, 200)
    t.match(page.text, /<li>signed<\/li>/)
    t.match(page.text, /name="request" value="ey/)
    t.equal(locationOf(await logIn({ ...own, request, state: 'outside' })).query.get('state'), 'signed')
  }
  const { query } = locationOf(await show({ ...own, request: await object({ response_type: 'token' }) }))
  t.equal(query.get('error'), 'unsupported_response_type')
})

t.test('a bad request object is refused on a page [IDN-18]', async t => {
  const none = `${btoa('{"alg":"none"}').replaceAll('=', '')}.${btoa('{"iss":"svc-jwt"}').replaceAll('=', '')}.`
  const rows: [string, string, string?][] = [
    ['alg none', none],
    ['garbage', 'x'],
    ['another audience', await object({ aud: server.url })],
    ['another issuer', await object({ iss: 'svc' })],
    ['another client_id', await object({ client_id: 'svc' })],
    ['no exp', await object({ exp: null })],
    ['expired', await object({ exp: 1 })],
    ['wrong typ', await object({}, 'at+jwt')],
    ['request in it', await object({ request: 'x' })],
    ['wrong signature', `${(await object()).slice(0, -8)}AAAAAAAA`],
    ['client without keys', await object({ iss: 'svc', client_id: 'svc' }), 'svc'],
  ]
  for (const [name, request, client = 'svc-jwt'] of rows) {
    const { status, headers, text } = await show({ ...authorization({ client_id: client }), request })
    t.match({ status, text }, { status: 400, text: /invalid_request_object/ }, name)
    t.notOk(headers.get('location'))
  }
})

t.test('an issuer or a client can require both [IDN-18]', async t => {
  await call(`${server.url}/_svc/identity/issuers/pushy`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ require: ['par', 'jar'] }),
  })
  const pushy = `${server.url}/oauth/i/pushy`
  const error = async (answer: Promise<Answer>): Promise<string | null> =>
    locationOf(await answer).query.get('error_description')
  t.equal(await error(show(authorization({ client_id: 'svc-jwt' }), pushy)), 'the request must be pushed')
  t.match((await push({}, pushy)).body, { error: 'invalid_request', error_description: /signed request object/ })
  const metadata = (await call(`${pushy}/.well-known/openid-configuration`)).body
  t.match(metadata, { require_pushed_authorization_requests: true, require_signed_request_object: true })
  const assertion = (
    await call(`${pushy}/debug/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'client-assertion' }),
    })
  ).body.token as string
  const pushed = await post(
    `${pushy}/par`,
    {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      request: await object({ aud: pushy }),
    },
    {},
  )
  t.equal(pushed.status, 201)
  const request = { client_id: 'svc-jwt', request_uri: pushed.body.request_uri as string }
  t.ok(locationOf(await logIn(request, pushy)).query.get('code'))

  const registered = await call(`${full}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback], require_pushed_authorization_requests: true }),
  })
  t.equal(registered.body.require_pushed_authorization_requests, true)
  t.equal(await error(show(authorization({ client_id: registered.body.client_id! }))), 'the request must be pushed')
})

t.test(
  'the metadata has the endpoint and the algorithms; the default issuer is as before [IDN-18] [IDN-2]',
  async t => {
    t.match((await call(`${full}/.well-known/openid-configuration`)).body, {
      pushed_authorization_request_endpoint: `${full}/par`,
      require_pushed_authorization_requests: false,
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
    })
    const own = (await call(`${server.url}/.well-known/openid-configuration`)).body
    t.notOk('pushed_authorization_request_endpoint' in own)
    t.equal(own.request_parameter_supported, false)
    const old = `${server.url}/oauth/authorize?${encode(authorization({ request: 'x' }))}`
    t.equal(locationOf(await call(old)).query.get('error'), 'request_not_supported')
  },
)
