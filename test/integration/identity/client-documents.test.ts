/** Clients whose id is the URL of their metadata, and key sets at URLs. */
import t from 'tap'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose'
import {
  authorization,
  call,
  challenge,
  encode,
  locationOf,
  post,
  read,
  verifier,
  type Answer,
  type Fields,
} from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const seen: string[] = []
const remote = createServer((request, response) => {
  seen.push(request.url ?? '')
  if (request.url === '/silent') response.on('close', () => seen.push('/silent closed'))
  else if (request.url === '/redirect') response.writeHead(302, { Location: '/jwks' }).end()
  else if (request.url === '/large') response.end(`{"keys":[],"padding":"${'x'.repeat(70_000)}"}`)
  else void exportJWK(publicKey).then(jwk => response.end(JSON.stringify({ keys: [jwk] })))
})
await new Promise<void>(resolve => remote.listen(0, '127.0.0.1', resolve))
t.teardown(() => remote.close())
const host = `127.0.0.1:${(remote.address() as AddressInfo).port}`

const server = await serve(t, {
  plugins: ['identity'],
  settings: { identity: { fetch_allow: [host, 'allowed.test'] } },
})
const full = `${server.url}/oauth/i/full`
const id = (name: string): string => `${full}/clients/${name}.json`
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
const show = (fields: Fields, base = full): Promise<Answer> =>
  call(`${base}/authorize?${encode({ ...authorization(), ...pkce, ...fields })}`)

t.test('a client without registration, with any loopback port [IDN-24]', async t => {
  const document = await call(id('cli'))
  t.match(document.body, { client_id: id('cli'), token_endpoint_auth_method: 'none' })
  for (const redirect_uri of ['http://127.0.0.1:33418/callback', 'http://localhost:1/callback']) {
    const request = { ...authorization(), ...pkce, client_id: id('cli'), redirect_uri }
    const page = await show(request)
    t.equal(page.status, 200)
    t.match(page.text, new RegExp(`It comes from <strong>${new URL(server.url).host}</strong>`))
    const { uri, query } = locationOf(
      await post(`${full}/authorize`, { ...request, username: 'bob', password: 'bob' }, {}),
    )
    t.equal(uri, redirect_uri)
    const { body } = await post(
      `${full}/token`,
      {
        grant_type: 'authorization_code',
        client_id: id('cli'),
        code: query.get('code')!,
        redirect_uri,
        code_verifier: verifier,
      },
      {},
    )
    t.equal(read(body.access_token!).claims.client_id, id('cli'))
    t.ok(body.refresh_token)
  }
  for (const redirect_uri of [
    'http://127.0.0.1:1/other',
    'http://localhost:1@evil.test/callback',
    'https://evil.test/callback',
  ])
    t.match(await show({ client_id: id('cli'), redirect_uri }), { status: 400, text: /not registered/ }, redirect_uri)
  t.match(
    await show({
      client_id: id('cli'),
      redirect_uri: 'http://localhost/callback',
      code_challenge: undefined,
      code_challenge_method: undefined,
    }),
    { status: 303 },
  )
})

t.test('a client with a key in its document [IDN-24]', async t => {
  const key = (await call(`${full}/debug/keys/svc-jwt`)).body as JWK
  const assertion = async (kid: string): Promise<string> =>
    new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer(id('web'))
      .setSubject(id('web'))
      .setAudience(full)
      .setExpirationTime('1m')
      .sign(await importJWK(key, 'ES256'))
  const push = async (kid: string): Promise<Answer> =>
    post(
      `${full}/par`,
      {
        ...authorization({ client_id: id('web') }),
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await assertion(kid),
      },
      {},
    )
  t.equal((await push(key.kid!)).status, 201)
  t.equal((await push('other')).body.error, 'invalid_client')
  t.equal((await post(`${full}/par`, authorization({ client_id: id('web') }), {})).body.error, 'invalid_client')
})

t.test('a document that is not usable is an error page, at the token endpoint 401 [IDN-24]', async t => {
  const rows: [string, RegExp][] = [
    ['mismatch', /client_id is not its URL/],
    ['secret', /has a secret/],
    ['huge', /more than 5120 bytes/],
    ['html', /not JSON/],
    ['missing', /status 404/],
    ['redirect', /status 302/],
    ['slow', /did not answer within 3000 ms/],
    ['no-redirects', /redirect_uris/],
  ]
  await Promise.all(
    rows.map(async ([name, reason]) => {
      const { status, headers, text } = await show({ client_id: id(name) })
      t.match({ status, text }, { status: 400, text: reason }, name)
      t.match(text, /invalid_client/)
      t.notOk(headers.get('location'))
    }),
  )
  const fields = { grant_type: 'authorization_code', code: 'x', client_id: id('mismatch') }
  t.match(await post(`${full}/token`, fields, {}), { status: 401, body: { error: 'invalid_client' } })
  t.match((await call(id('nope'))).body, { error: 'unknown_document' })
  t.equal((await call(`${server.url}/oauth/clients/cli.json`)).status, 404)
})

t.test('nothing is sent to ids that are not allowed [IDN-24]', async t => {
  for (const client_id of [
    'http://127.0.0.1:1/x',
    'https://169.254.169.254/a',
    'https://other.test/client',
    `http://${host}/client`,
    'https://allowed.test/',
    'https://allowed.test/a/../b',
    'https://allowed.test/a#b',
    'https://user@allowed.test/a',
    'https://ALLOWED.test/a',
    `https://allowed.test/${'x'.repeat(2048)}`,
    'https://',
  ])
    t.match(await show({ client_id }), { status: 400, text: /invalid_client/ }, client_id.slice(0, 60))
  t.strictSame(seen, [])
  t.match(await show({ client_id: id('cli') }, `${server.url}/oauth`), { status: 400, text: /client_id is unknown/ })
  await call(`${server.url}/_svc/identity/issuers/limited`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ cimd: { allow: ['other.test'] } }),
  })
  t.match(await show({ client_id: 'https://allowed.test/a' }, `${server.url}/oauth/i/limited`), {
    text: /host is not allowed/,
  })
  for (const [allow, reason] of [
    [host, /no usable response/],
    ['127.0.0.1', /no usable response/],
    ['127.0.0.1:1', /host is not allowed/],
  ] as const) {
    await call(`${server.url}/_svc/identity/issuers/limited`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ cimd: { allow: [allow] } }),
    })
    // The host speaks HTTP only, so a request fails.
    t.match(await show({ client_id: `https://${host}/a` }, `${server.url}/oauth/i/limited`), { text: reason }, allow)
  }
})

t.test('keys of registered clients and trusted issuers can be at an allowed URL [IDN-24]', async t => {
  const register = (jwks_uri: string): Promise<Answer> =>
    call(`${full}/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        token_endpoint_auth_method: 'private_key_jwt',
        grant_types: ['client_credentials'],
        jwks_uri,
      }),
    })
  t.match((await register('https://other.test/jwks')).body, {
    error: 'invalid_client_metadata',
    error_description: /fetch_allow/,
  })
  const sign = async (issuer: string, audience: string): Promise<string> =>
    new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setSubject(issuer)
      .setAudience(audience)
      .setExpirationTime('1m')
      .sign(privateKey)
  for (const [path, status] of [
    ['/jwks', 200],
    ['/jwks', 200],
    ['/redirect', 401],
    ['/large', 401],
    ['/silent', 401],
  ] as const) {
    const { body } = await register(`http://${host}${path}`)
    const answer = await post(
      `${full}/token`,
      {
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await sign(body.client_id!, full),
      },
      {},
    )
    t.equal(answer.status, status, path)
  }
  t.equal(seen.filter(path => path === '/jwks').length, 1, 'the key set is kept')
  await until(() => seen.includes('/silent closed'), 'the end of a request without an answer')
  await call(`${server.url}/_svc/identity/issuers/remote`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      trust: [{ issuer: 'https://ci.test', jwks_uri: `http://${host}/jwks`, types: ['workload'] }],
    }),
  })
  const base = `${server.url}/oauth/i/remote`
  const assertion = await sign('https://ci.test', base)
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  t.equal((await post(`${base}/token`, { grant_type, assertion }, {})).status, 200)
})

t.test('the metadata announces documents at issuers by path [IDN-24] [IDN-2]', async t => {
  const member = async (base: string): Promise<unknown> =>
    (await call(`${base}/.well-known/openid-configuration`)).body.client_id_metadata_document_supported
  t.equal(await member(full), true)
  t.equal(await member(server.url), undefined)
})
