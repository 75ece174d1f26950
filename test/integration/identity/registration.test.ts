/** Dynamic client registration. */
import t from 'tap'
import {
  basic,
  call,
  callback,
  challenge,
  encode,
  exchangeGrant,
  getCode,
  post,
  register,
  verifier,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = `${server.url}/oauth/register`

t.test('defaults are filled in [IDP-45] [IDP-2]', async t => {
  const { status, headers, body } = await register(server.url, { redirect_uris: [callback] })
  t.equal(status, 201)
  t.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  t.equal(headers.get('cache-control'), 'no-store')
  const {
    client_id: id,
    client_secret: secret,
    client_id_issued_at: issuedAt,
    client_secret_expires_at: end,
    ...others
  } = body
  t.match(id, /^dyn-[0-9a-f]{32}$/)
  t.match(secret, /^[A-Za-z0-9_-]{32,}$/)
  t.equal(Number(end) - Number(issuedAt), 86400)
  t.strictSame(others, {
    client_name: 'Registered client',
    redirect_uris: [callback],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_basic',
  })
})

t.test('metadata is echoed, and unknown members are omitted [IDP-45]', async t => {
  const sent = {
    client_name: 'x'.repeat(200),
    redirect_uris: [callback, 'https://h/cb?x=1', 'cursor://cb', 'com.example.app:/cb', 'http://[::1]/cb'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
    scope: 'a b',
    client_uri: 'not checked',
    logo_uri: 5,
    tos_uri: 'x',
    policy_uri: 'x',
    software_id: 'x',
    software_version: '1',
    application_type: 'native',
    contacts: ['a@b'],
  }
  const { status, body } = await register(server.url, {
    ...sent,
    jwks: {},
    software_statement: 'x',
    unknown: 1,
    __proto__: { x: 1 },
  })
  t.equal(status, 201)
  const {
    client_id: _id,
    client_secret: _secret,
    client_id_issued_at: _from,
    client_secret_expires_at: _to,
    ...others
  } = body
  t.strictSame(others, sent)
})

t.test('null counts as absent [IDP-45]', async t => {
  const { status, body } = await register(server.url, {
    redirect_uris: [callback],
    client_name: null,
    scope: null,
    grant_types: null,
    token_endpoint_auth_method: null,
    response_types: null,
    client_uri: null,
    contacts: null,
  })
  t.equal(status, 201)
  t.equal(body.client_name, 'Registered client')
  t.notOk('scope' in body || 'client_uri' in body || 'contacts' in body)
  t.notOk(
    'scope' in (await register(server.url, { redirect_uris: [callback], scope: '  ' })).body,
    'nor do spaces name a scope',
  )
})

t.test('a public client has no secret [IDP-45]', async t => {
  const { body } = await register(server.url, { redirect_uris: [callback], token_endpoint_auth_method: 'none' })
  t.notOk('client_secret' in body || 'client_secret_expires_at' in body)
  t.ok(body.client_id_issued_at)
})

t.test('response types follow the grants [IDP-45]', async t => {
  t.strictSame((await register(server.url, { grant_types: ['client_credentials'] })).body.response_types, [])
  t.strictSame((await register(server.url, { grant_types: ['password', 'password'] })).body.grant_types, ['password'])
})

t.test('each invalid member has its own error [IDP-45] [IDP-48] [IDP-6]', async t => {
  const good = { redirect_uris: [callback] }
  const metadata: unknown[] = [
    { ...good, token_endpoint_auth_method: 'private_key_jwt' },
    { ...good, token_endpoint_auth_method: 5 },
    { ...good, grant_types: [] },
    { ...good, grant_types: ['implicit'] },
    { ...good, grant_types: 'authorization_code' },
    { ...good, grant_types: [null] },
    { ...good, grant_types: ['toString'] },
    { ...good, token_endpoint_auth_method: 'none', grant_types: ['client_credentials'] },
    { ...good, token_endpoint_auth_method: 'none', grant_types: [exchangeGrant] },
    { ...good, response_types: ['token'] },
    { ...good, response_types: 'code' },
    { ...good, response_types: ['code', 'id_token'] },
    { ...good, client_name: 5 },
    { ...good, client_name: 'x'.repeat(201) },
    { ...good, client_name: {} },
    { ...good, scope: ['a'] },
    { ...good, scope: 'a"' },
    { ...good, scope: 'é' },
    { ...good, scope: 'x'.repeat(1001) },
  ]
  const redirects: unknown[] = [
    {},
    { redirect_uris: [] },
    { redirect_uris: null },
    { redirect_uris: callback },
    { redirect_uris: [5] },
    { redirect_uris: {} },
    { redirect_uris: Array.from({ length: 11 }, () => callback) },
    ...[
      '/cb',
      'x',
      'http:cb',
      'http://',
      `${callback}#f`,
      'http://h/ x',
      'http://h/é',
      'javascript:/alert(1)',
      'JAVASCRIPT://x/%0aalert(1)',
      'data:/x',
      'vbscript:/x',
      'file:///etc/passwd',
      'filesystem:/x',
      'blob:/x',
      'about:/blank',
      'ftp://h/',
      'ftps://h/',
      'ws://h/',
      'wss://h/',
      'mailto:/x',
      'tel:/1',
      'view-source:/x',
      'https:/h',
      'cursor:x',
      '1a:/x',
      `http://h/${'x'.repeat(2048)}`,
    ].map(uri => ({ redirect_uris: [callback, uri] })),
  ]
  for (const [error, rows] of [
    ['invalid_client_metadata', metadata],
    ['invalid_redirect_uri', redirects],
  ] as const) {
    for (const row of rows) {
      const { status, headers, body } = await register(server.url, row)
      t.strictSame(
        [status, body.error, headers.get('cache-control')],
        [400, error, 'no-store'],
        JSON.stringify(row).slice(0, 90),
      )
      t.match(body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    }
  }
})

t.test('a body that is not a JSON object is rejected [IDP-45] [IDP-48]', async t => {
  const good = JSON.stringify({ redirect_uris: [callback] })
  const send = (type: string, body: string) => call(url, { method: 'POST', headers: { 'Content-Type': type }, body })
  for (const type of ['application/json', 'Application/JSON; charset=utf-8'])
    t.equal((await send(type, good)).status, 201, type)
  const deep = `{"redirect_uris":["${callback}"],"contacts":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  for (const [type, body] of [
    ['application/json', '{'],
    ['application/json', ''],
    ['application/json', '[]'],
    ['application/json', '"x"'],
    ['application/json', 'null'],
    ['application/json', deep],
    ['text/plain', good],
    ['application/x-www-form-urlencoded', encode({ redirect_uris: callback })],
  ] as const) {
    const answer = await send(type, body)
    t.strictSame([answer.status, answer.body.error], [400, 'invalid_client_metadata'], `${type} ${body.slice(0, 20)}`)
  }
  t.equal((await send('application/json', `{"x":"${'x'.repeat(1_100_000)}"}`)).status, 413)
})

t.test('a registered client can use only its registered grants [IDP-24] [IDP-45]', async t => {
  const { body: client } = await register(server.url, { redirect_uris: [callback], token_endpoint_auth_method: 'none' })
  const id = { client_id: client.client_id! }
  const code = await getCode(server.url, { ...id, code_challenge: challenge, code_challenge_method: 'S256' })
  const { status, body } = await post(
    `${server.url}/oauth/token`,
    { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier, ...id },
    {},
  )
  t.equal(status, 200)
  t.notOk('refresh_token' in body)
  for (const grant_type of ['refresh_token', 'password', 'client_credentials'])
    t.equal(
      (await post(`${server.url}/oauth/token`, { grant_type, ...id }, {})).body.error,
      'unauthorized_client',
      grant_type,
    )

  const { body: confidential } = await register(server.url, {
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'client_secret_post',
  })
  t.equal(
    (
      await post(
        `${server.url}/oauth/token`,
        { grant_type: 'client_credentials' },
        { Authorization: basic(confidential.client_id!, confidential.client_secret!) },
      )
    ).status,
    200,
    'either method works',
  )
})
