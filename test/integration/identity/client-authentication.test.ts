/** Client authentication with keys, secrets in JWTs, and certificates. */
import t from 'tap'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTHeaderParameters } from 'jose'
import { basic, call, post, read, type Answer } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['identity', 'auth'],
  env: { SVC_MTLS_IN_HEADER: 'X-Client-Cert' },
  settings: {
    identity: {
      clients: [
        {
          client_id: 'keyed',
          auth: 'client_secret_jwt',
          client_secret: 'keyed-secret',
          grants: ['client_credentials'],
        },
      ],
    },
  },
})
const full = `${server.url}/oauth/i/full`
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const demoKey = (await call(`${full}/debug/keys/svc-jwt`)).body as JWK

/** Makes an assertion of the demo client with a key. */
async function assertion(
  claims: Record<string, unknown> = {},
  { key = demoKey, header = {} }: { key?: JWK; header?: Partial<JWTHeaderParameters> } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const defaults = { iss: 'svc-jwt', sub: 'svc-jwt', aud: full, exp: now + 60, jti: crypto.randomUUID() }
  const kept = Object.entries({ ...defaults, ...claims }).filter(([, value]) => value !== null)
  return new SignJWT(Object.fromEntries(kept))
    .setProtectedHeader({ alg: 'ES256', ...header })
    .sign(await importJWK(key, 'ES256'))
}

const present = (client_assertion: string, fields: Record<string, string> = {}, base = full): Promise<Answer> =>
  post(
    `${base}/token`,
    { grant_type: 'client_credentials', client_assertion_type: type, client_assertion, ...fields },
    {},
  )

const register = (metadata: Record<string, unknown>): Promise<Answer> =>
  call(`${full}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ grant_types: ['client_credentials'], ...metadata }),
  })

t.test('the demo client authenticates with its public private key [IDN-16]', async t => {
  t.match(demoKey, { kty: 'EC', crv: 'P-256', d: String, kid: String, alg: 'ES256' })
  for (const aud of [full, `${full}/token`, ['other', full]]) {
    const { status, body } = await present(await assertion({ aud }))
    t.equal(status, 200)
    t.equal(read(body.access_token!).claims.client_id, 'svc-jwt')
  }
  for (const endpoint of ['introspect', 'revoke']) {
    const fields = { token: 'x', client_assertion_type: type, client_assertion: await assertion() }
    t.equal((await post(`${full}/${endpoint}`, fields, {})).status, 200, endpoint)
  }
  t.equal((await call(`${full}/debug/keys/svc`)).status, 404)
  t.equal((await call(`${server.url}/oauth/debug/keys/svc-jwt`)).status, 404)
})

t.test('a bad assertion is invalid_client with the reason [IDN-16]', async t => {
  const now = Math.floor(Date.now() / 1000)
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const foreign = await exportJWK(privateKey)
  const rows: [string, string, RegExp][] = [
    ['aud of another issuer', await assertion({ aud: `${server.url}/oauth/i/idp` }), /another aud/],
    ['exp a day ahead', await assertion({ exp: now + 86_400 }), /more than 600 seconds/],
    ['expired', await assertion({ exp: now - 60 }), /expired/],
    ['no exp', await assertion({ exp: null }), /no exp/],
    ['no jti', await assertion({ jti: null }), /no jti/],
    ['another sub', await assertion({ sub: 'svc' }), /iss and sub/],
    ['unknown client', await assertion({ iss: 'nobody', sub: 'nobody' }), /unknown client/],
    ['client without keys', await assertion({ iss: 'svc', sub: 'svc' }), /no key/],
    ['foreign key', await assertion({}, { key: foreign }), /invalid signature/],
    ['unknown kid', await assertion({}, { header: { kid: 'nope' } }), /no key/],
    ['not yet valid', await assertion({ nbf: now + 300 }), /not valid yet/],
    ['alg none', `${btoa('{"alg":"none"}')}.${btoa('{"iss":"svc-jwt","sub":"svc-jwt"}')}.`, /not a JWT|alg/],
    ['garbage', 'x', /not a JWT/],
  ]
  for (const [name, token, reason] of rows) {
    const { status, body, headers } = await present(token)
    t.match({ status, body }, { status: 401, body: { error: 'invalid_client', error_description: reason } }, name)
    t.equal(headers.get('www-authenticate'), 'Basic realm="svc"')
  }
  const once = await assertion()
  t.equal((await present(once)).status, 200)
  t.match((await present(once)).body, { error: 'invalid_client', error_description: /used before/ })
  t.equal((await present(await assertion(), { client_assertion_type: 'other' })).body.error, 'invalid_client')
  t.equal((await present(await assertion(), { client_id: 'svc' })).body.error, 'invalid_client')
})

t.test('a second method in the request is invalid_request [IDN-16]', async t => {
  const fields = { grant_type: 'client_credentials', client_assertion_type: type, client_assertion: await assertion() }
  for (const answer of [
    await post(`${full}/token`, fields),
    await post(`${full}/token`, { ...fields, client_secret: 'x' }, {}),
  ])
    t.match({ status: answer.status, error: answer.body.error }, { status: 400, error: 'invalid_request' })
})

t.test('a registered client must use its method [IDN-16]', async t => {
  const { privateKey, publicKey } = await generateKeyPair('PS256', { extractable: true })
  const [own, shown] = [await exportJWK(privateKey), await exportJWK(publicKey)]
  const { status, body } = await register({
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [{ ...shown, kid: 'a', use: 'sig' }] },
    id_token_signed_response_alg: 'PS256',
  })
  t.equal(status, 201)
  t.match(body, { jwks: { keys: [{ kid: 'a', kty: 'RSA' }] }, id_token_signed_response_alg: 'PS256' })
  t.notOk('client_secret' in body)
  const id = body.client_id!
  const sign = async (alg: string): Promise<string> =>
    new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg, kid: 'a' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(full)
      .setExpirationTime('1m')
      .sign(await importJWK(own, alg))
  for (const alg of ['PS256', 'RS512']) t.equal((await present(await sign(alg))).status, 200, alg)
  const withId = { grant_type: 'client_credentials', client_id: id }
  t.equal((await post(`${full}/token`, withId, {})).body.error, 'invalid_client')

  const bySecret = (
    await register({ token_endpoint_auth_method: 'client_secret_jwt', grant_types: ['client_credentials'] })
  ).body
  const withSecret = { Authorization: basic(bySecret.client_id!, bySecret.client_secret!) }
  t.equal((await post(`${full}/token`, { grant_type: 'client_credentials' }, withSecret)).body.error, 'invalid_client')
  const mac = async (id: string, secret: string, aud: string): Promise<string> =>
    new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'HS384' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(aud)
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(secret))
  t.equal((await present(await mac(bySecret.client_id!, bySecret.client_secret!, full))).status, 200)
  // Also for a client that may use its secret in any form.
  t.equal((await present(await mac('svc', 'svc-secret', full))).status, 200)
  t.equal((await present(await mac('svc', 'wrong', full))).body.error, 'invalid_client')
  t.equal((await present(await mac('svc-jwt', 'x', full))).body.error, 'invalid_client')
  // A client of svc.yaml at the default issuer.
  t.equal((await present(await mac('keyed', 'keyed-secret', server.url), {}, `${server.url}/oauth`)).status, 200)
})

t.test('registration refuses keys that cannot be used [IDN-16]', async t => {
  const { publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  const rows: [Record<string, unknown>, RegExp][] = [
    [{ token_endpoint_auth_method: 'private_key_jwt' }, /needs jwks/],
    [{ jwks: { keys: [demoKey] } }, /private or symmetric/],
    [{ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, /private or symmetric/],
    [{ jwks: { keys: Array.from({ length: 11 }, () => jwk) } }, /at most 10/],
    [{ jwks: [] }, /JWK Set/],
    [{ jwks: { keys: [{ ...jwk, x: 'AAAA' }] } }, /fits no supported/],
    [{ jwks: { keys: ['x'] } }, /not an object/],
    [{ jwks_uri: 'https://shop.test/jwks' }, /jwks_uri.*fetch_allow/],
    [{ jwks_uri: 'not a url' }, /^jwks_uri must be an http or https URL/],
    [{ backchannel_logout_uri: 'not a url' }, /^backchannel_logout_uri must be an http or https URL/],
    [{ backchannel_logout_uri: 'ftp://shop.test/bye' }, /^backchannel_logout_uri must be an http or https URL/],
    [{ backchannel_logout_uri: 7 }, /^backchannel_logout_uri must be an http or https URL/],
    [{ backchannel_logout_uri: 'https://shop.test/bye' }, /fetch_allow/],
    [{ token_endpoint_auth_method: 'tls_client_auth' }, /needs tls_client_auth_subject_dn/],
    [{ tls_client_auth_subject_dn: 'demo' }, /distinguished name/],
    [{ token_endpoint_auth_method: 'magic' }, /private_key_jwt/],
    [{ id_token_signed_response_alg: 'HS256' }, /ES256/],
  ]
  for (const [metadata, reason] of rows) {
    const { status, body } = await register(metadata)
    t.match(
      { status, body },
      { status: 400, body: { error: 'invalid_client_metadata', error_description: reason } },
      JSON.stringify(metadata),
    )
  }
})

t.test('a certificate with the registered subject authenticates [IDN-16]', async t => {
  const certificate = (await call(`${server.url}/auth/mtls/get-client-cert`)).body.cert_pem as string
  const forwarded = { 'X-Client-Cert': encodeURIComponent(certificate) }
  const fields = { grant_type: 'client_credentials', client_id: 'svc-mtls' }
  t.equal((await post(`${full}/token`, fields, forwarded)).status, 200)
  t.match((await post(`${full}/token`, fields, {})).body, { error: 'invalid_client', error_description: /present/ })
  t.match((await post(`${full}/token`, fields, { 'X-Client-Cert': 'x' })).body, { error_description: /refused/ })
  for (const [subject, status] of [
    ['O=svc Demo,CN=demo-client', 200],
    ['cn=demo\\-client , o=svc\\20Demo', 200],
    ['CN=demo-client', 401],
    ['CN=demo-client, O=Other', 401],
  ] as const) {
    const { body } = await register({
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_subject_dn: subject,
    })
    const own = { grant_type: 'client_credentials', client_id: body.client_id! }
    t.equal((await post(`${full}/token`, own, forwarded)).status, status, subject)
  }
})

t.test('settings need what their method needs, and an issuer can require keys [IDN-16] [IDN-4]', async t => {
  const put = (settings: unknown): Promise<Answer> =>
    call(`${server.url}/_svc/identity/issuers/keyed`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(settings),
    })
  for (const auth of ['private_key_jwt', 'client_secret_jwt', 'tls_client_auth'])
    t.match((await put({ clients: [{ client_id: 'a', auth }] })).body, { at: 'clients[0].auth', details: /needs/ })
  const { d: _, ...shown } = demoKey
  t.equal(
    (
      await put({
        require: ['private_key_jwt'],
        clients: [
          { client_id: 'shop', auth: 'private_key_jwt', jwks: { keys: [shown] }, grants: ['client_credentials'] },
        ],
      })
    ).status,
    201,
  )
  const keyed = `${server.url}/oauth/i/keyed`
  const token = await assertion({ iss: 'shop', sub: 'shop', aud: keyed })
  t.equal((await present(token, {}, keyed)).status, 200)
  t.match((await post(`${keyed}/token`, { grant_type: 'client_credentials' })).body, {
    error: 'invalid_client',
    error_description: /private_key_jwt, tls_client_auth/,
  })
  const metadata = (await call(`${keyed}/.well-known/openid-configuration`)).body
  t.strictSame(metadata.token_endpoint_auth_methods_supported, ['private_key_jwt', 'tls_client_auth'])
})

t.test(
  'the metadata of issuers by path announces the methods, that of the default issuer does not [IDN-16] [IDN-2]',
  async t => {
    const { body } = await call(`${full}/.well-known/openid-configuration`)
    t.match(body, {
      token_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'none',
        'private_key_jwt',
        'client_secret_jwt',
        'tls_client_auth',
      ],
    })
    const algorithms = body.token_endpoint_auth_signing_alg_values_supported as string[]
    for (const name of ['ES256', 'EdDSA', 'HS512']) t.ok(algorithms.includes(name))
    const own = (await call(`${server.url}/.well-known/openid-configuration`)).body
    t.strictSame(own.token_endpoint_auth_methods_supported, ['client_secret_basic', 'client_secret_post', 'none'])
    t.notOk('token_endpoint_auth_signing_alg_values_supported' in own)
  },
)

t.test('orders make client assertions and request objects of the demo client [IDN-16] [IDN-9]', async t => {
  const order = async (value: unknown): Promise<string> =>
    (
      await call(`${full}/debug/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(value),
      })
    ).body.token as string
  t.equal((await present(await order({ kind: 'client-assertion' }))).status, 200)
  t.equal((await present(await order({ kind: 'client-assertion', expires_in: -60 }))).status, 401)
  t.equal((await present(await order({ kind: 'client-assertion', wrong_signature: true }))).status, 401)
  t.equal((await present(await order({ kind: 'client-assertion', client_id: 'svc', algorithm: 'HS256' }))).status, 200)
  const { header, claims } = read(await order({ kind: 'request-object', claims: { state: 'x' } }))
  t.match(header, { typ: 'oauth-authz-req+jwt', alg: 'ES256', kid: demoKey.kid })
  t.match(claims, { iss: 'svc-jwt', client_id: 'svc-jwt', aud: full, response_type: 'code', state: 'x' })
})
