/** The authorization endpoint: errors, and responses at the redirect URI. */
import t, { type Test } from 'tap'
import {
  authorization,
  call,
  callback,
  challenge,
  encode,
  getCode,
  locationOf,
  post,
  register,
  type Answer,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = `${server.url}/oauth/authorize`
const ask = (fields: Fields) => call(`${url}?${encode(authorization(fields))}`)
const approve = (fields: Fields) =>
  post(url, { ...authorization(fields), username: 'demo', password: 'demo', action: 'approve' }, {})

function isPage(t: Test, { status, headers, text }: Answer, message: string): void {
  t.strictSame(
    [status, headers.get('content-type'), headers.get('location')],
    [400, 'text/html; charset=utf-8', null],
    message,
  )
  t.match(text, '<h1>Invalid request</h1>')
}

function isRedirectedError(t: Test, answer: Answer, error: string, message: string, state: string | null = 's'): void {
  t.equal(answer.status, 303, message)
  const { uri, query } = locationOf(answer)
  t.strictSame(
    [uri, query.get('error'), query.get('state'), query.get('iss'), query.has('code')],
    [callback, error, state, server.url, false],
    message,
  )
  t.match(query.get('error_description'), /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  t.equal(answer.headers.get('cache-control'), 'no-store')
}

const registered = (
  await register(server.url, { redirect_uris: [callback, 'cursor://anysphere/cb', 'http://127.0.0.1/cb'] })
).body.client_id!
const single = (await register(server.url, { redirect_uris: [callback] })).body.client_id!
const noCode = (await register(server.url, { grant_types: ['client_credentials'], redirect_uris: [callback] })).body
  .client_id!

t.test('errors of the form, client or redirect URI are shown on a page [IDP-13] [IDP-15] [IDP-48]', async t => {
  const rows: Fields[] = [
    { client_id: undefined },
    { client_id: 'nobody' },
    { client_id: '__proto__' },
    { client_id: 'constructor' },
    { client_id: ['svc', 'svc'] },
    { state: ['a', 'b'] },
    { redirect_uri: undefined },
    { client_id: registered, redirect_uri: undefined },
    ...[
      '/cb',
      'localhost:3000',
      '//evil.example/',
      'http:/x',
      'http:///x',
      'http://',
      'http://?x',
      'http:\\\\evil.example',
      'javascript:alert(1)',
      'JavaScript://x/%0aalert(1)',
      'data:text/html,x',
      'ftp://h/',
      'cursor://x/cb',
      'http://h/#f',
      'http://h/#',
      'http://h/ x',
      'http://h/\n',
      'http://h/\r\nSet-Cookie: a=b',
      'http://h/é',
      'http://[::1',
      `http://h/${'x'.repeat(2048)}`,
      'http://h/\u0000',
    ].map(redirect_uri => ({ redirect_uri })),
    ...[
      `${callback}/`,
      `${callback}?x=1`,
      'http://localhost:3001/callback',
      'http://localhost:3000/callback/../evil',
      'https://localhost:3000/callback',
      'http://LOCALHOST:3000/callback',
      'http://127.0.0.1:8080/cb',
      'cursor://anysphere/cb/x',
      'http://localhost:3000/callback@evil.example',
    ].map(redirect_uri => ({ client_id: registered, redirect_uri })),
  ]
  for (const fields of rows) {
    isPage(t, await ask(fields), JSON.stringify(fields).slice(0, 100))
    isPage(t, await approve(fields), `POST ${JSON.stringify(fields).slice(0, 100)}`)
  }
  for (const [type, body] of [
    ['application/json', '{}'],
    ['text/plain', encode(authorization())],
    ['application/x-www-form-urlencoded', ''],
  ]) {
    isPage(t, await call(url, { method: 'POST', headers: { 'Content-Type': type! }, body }), type!)
  }
})

t.test('valid redirect URIs get the code, with parameters appended [IDP-15] [IDP-16]', async t => {
  const rows: [uri: string, prefix: string, client?: string][] = [
    ['http://localhost:3000/callback', 'http://localhost:3000/callback?'],
    ['https://a.example', 'https://a.example?'],
    ['HTTPS://A.example/%2e%2e/x//y', 'HTTPS://A.example/%2e%2e/x//y?'],
    ['http://a.example/?', 'http://a.example/?'],
    ['http://a.example/?x=1', 'http://a.example/?x=1&'],
    ['http://a.example/?x=1&', 'http://a.example/?x=1&'],
    ['http://user@a.example/"<>', 'http://user@a.example/"<>?'],
    ['http://[::1]:8080/cb', 'http://[::1]:8080/cb?'],
    [`http://h/${'x'.repeat(2039)}`, `http://h/${'x'.repeat(2039)}?`],
    ['cursor://anysphere/cb', 'cursor://anysphere/cb?', registered],
    ['http://127.0.0.1/cb', 'http://127.0.0.1/cb?', registered],
  ]
  for (const [redirect_uri, prefix, client_id = 'svc'] of rows) {
    const { status, headers } = await approve({ redirect_uri, client_id })
    t.equal(status, 303, redirect_uri.slice(0, 60))
    t.ok(headers.get('location')?.startsWith(`${prefix}code=`), `${headers.get('location')}`.slice(0, 80))
  }
  t.equal(
    locationOf(await approve({ client_id: single, redirect_uri: undefined })).uri,
    callback,
    'the only one registered',
  )
})

t.test('other errors are redirected; the first failed check gives the error [IDP-14] [IDP-26]', async t => {
  // Each row also has the errors of the rows below, so that the earlier check gives the error.
  const wrong: [error: string, fields: Fields][] = [
    ['invalid_request', { response_mode: 'fragment' }],
    ['request_not_supported', { request: 'x' }],
    ['request_uri_not_supported', { request_uri: 'x' }],
    ['registration_not_supported', { registration: 'x' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['unauthorized_client', { client_id: noCode }],
    ['invalid_scope', { scope: '"' }],
    ['invalid_target', { resource: '/x' }],
    ['invalid_request', { nonce: 'x'.repeat(513) }],
    ['login_required', { prompt: 'none' }],
  ]
  for (const [index, [error]] of wrong.entries()) {
    const fields: Fields = { state: 's' }
    for (const [, more] of wrong.slice(index)) Object.assign(fields, more)
    isRedirectedError(t, await ask(fields), error, `from ${index}`)
    isRedirectedError(t, await approve(fields), error, `POST from ${index}`)
  }
})

t.test('malformed parameters are invalid_request [IDP-14] [IDP-48]', async t => {
  const rows: Fields[] = [
    { response_type: undefined },
    { response_type: '' },
    { nonce: 'x'.repeat(513) },
    { code_challenge: 'a'.repeat(42) },
    { code_challenge: 'a'.repeat(129) },
    { code_challenge: `${'a'.repeat(43)}=` },
    { code_challenge: challenge, code_challenge_method: 's256' },
    { code_challenge: challenge, code_challenge_method: 'none' },
    { code_challenge_method: 'S256' },
    { code_challenge_method: 'plain' },
    { client_id: 'svc-public' },
    { client_id: 'svc-public', code_challenge: '' },
    { max_age: '-1' },
    { max_age: '1.5' },
    { max_age: 'x' },
    { max_age: '9'.repeat(16) },
    { prompt: 'none login' },
    { prompt: 'login none' },
  ]
  for (const fields of rows)
    isRedirectedError(t, await ask({ state: 's', ...fields }), 'invalid_request', JSON.stringify(fields).slice(0, 80))
  isRedirectedError(t, await ask({ state: 's', response_type: 'code token' }), 'unsupported_response_type', 'hybrid')
  isRedirectedError(
    t,
    await ask({ state: 'x'.repeat(2049) }),
    'invalid_request',
    'a state that is too long is not sent back',
    null,
  )
})

t.test('valid requests show the form [IDP-23] [IDP-17]', async t => {
  const rows: Fields[] = [
    {},
    { state: 'x'.repeat(2048) },
    { nonce: 'x'.repeat(512) },
    { client_id: 'svc-public', code_challenge: challenge, code_challenge_method: 'S256' },
    { max_age: '0' },
    { prompt: 'login' },
    { prompt: 'consent select_account' },
    { prompt: 'create' },
    { display: 'popup', ui_locales: 'de', acr_values: '1', id_token_hint: 'x', claims: '{' },
    { unknown: 'x' },
    { response_mode: 'form_post' },
    { client_id: registered, redirect_uri: 'cursor://anysphere/cb' },
  ]
  for (const fields of rows) {
    const { status, text } = await ask(fields)
    t.equal(status, 200, JSON.stringify(fields).slice(0, 80))
    t.match(text, '<form method="post" action="authorize">')
  }
})

t.test('a POST without login fields acts like a GET [IDP-22]', async t => {
  const { status, text } = await post(url, authorization({ state: 's' }), {})
  t.equal(status, 200)
  t.match(text, '<form method="post" action="authorize">')
  isRedirectedError(t, await post(url, authorization({ state: 's', prompt: 'none' }), {}), 'login_required', 'POST')
})

t.test('approving redirects with code, state and issuer [IDP-20]', async t => {
  const state = 'a b&c=d%20"<>\'é\u{1f600}'
  for (const action of ['approve', undefined, 'whatever']) {
    const answer = await post(url, { ...authorization({ state }), username: 'bob', password: 'bob', action }, {})
    t.equal(answer.status, 303)
    const { uri, query } = locationOf(answer)
    t.equal(uri, callback)
    t.strictSame([...query.keys()], ['code', 'state', 'iss'])
    t.equal(query.get('state'), state)
    t.equal(query.get('iss'), server.url)
  }
  t.notOk(locationOf(await approve({})).query.has('state'), 'no state without one in the request')
})

t.test('denying needs no credentials [IDP-20]', async t => {
  isRedirectedError(
    t,
    await post(url, { ...authorization({ state: 's' }), action: 'deny' }, {}),
    'access_denied',
    'nothing typed',
  )
  isRedirectedError(
    t,
    await post(url, { ...authorization({ state: 's' }), action: 'deny', username: 'demo', password: 'demo' }, {}),
    'access_denied',
    'right credentials',
  )
})

t.test('form_post responds with a form that submits itself [IDP-21] [IDP-19]', async t => {
  const rows: [Answer, RegExp][] = [
    [
      await approve({ response_mode: 'form_post', state: '<s>', redirect_uri: 'http://h/cb?a=1&b="2"' }),
      /name="code" value="[\w-]{43}"/,
    ],
    [
      await post(
        url,
        {
          ...authorization({ response_mode: 'form_post', state: '<s>', redirect_uri: 'http://h/cb?a=1&b="2"' }),
          action: 'deny',
        },
        {},
      ),
      /name="error" value="access_denied"/,
    ],
    [
      await ask({ response_mode: 'form_post', state: '<s>', prompt: 'none', redirect_uri: 'http://h/cb?a=1&b="2"' }),
      /name="error" value="login_required"/,
    ],
  ]
  for (const [{ status, headers, text }, expected] of rows) {
    t.equal(status, 200)
    t.equal(headers.get('location'), null)
    t.equal(headers.get('cache-control'), 'no-store')
    t.match(headers.get('content-security-policy'), /^default-src 'none'; .*; script-src 'sha256-[\w+/]{43}='$/)
    t.match(text, '<form method="post" action="http://h/cb?a=1&amp;b=&quot;2&quot;">')
    t.match(text, expected)
    t.match(text, 'name="state" value="&lt;s&gt;"')
    t.match(text, `name="iss" value="${server.url}"`)
    t.match(text, '<button type="submit">')
  }
})

t.test('a code is only sent to the validated redirect URI [IDP-15]', async t => {
  t.ok(await getCode(server.url, { client_id: registered }))
  const { status, headers } = await post(
    `${url}?redirect_uri=http://evil.example/`,
    { ...authorization({ client_id: registered }), username: 'demo', password: 'demo' },
    {},
  )
  t.equal(status, 303)
  t.ok(headers.get('location')?.startsWith(callback), 'the query of a POST is ignored')
})
