/** Issuers by path: metadata, isolation, settings, users and clients. */
import t from 'tap'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import {
  authorization,
  basic,
  call,
  callback,
  encode,
  getCode,
  locationOf,
  logIn,
  post,
  read,
  type Answer,
  type Body,
} from '../../support/oauth.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const full = `${server.url}/oauth/i/full`

/** Sends JSON to the control plane of the issuers. */
const put = (name: string, settings: unknown, base = server.url): Promise<Answer> =>
  call(`${base}/_svc/identity/issuers/${name}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(settings),
  })

const tokenOf = async (issuer: string, fields: Record<string, string> = {}): Promise<Body> =>
  (await post(`${issuer}/token`, { grant_type: 'password', username: 'alice', password: 'alice', ...fields })).body

const check = async (token: string | undefined, query = ''): Promise<Answer> =>
  call(`${server.url}/auth/jwt${query}`, { headers: { Authorization: `Bearer ${token}` } })

t.test('the metadata is the same at four addresses [IDN-1]', async t => {
  const { url } = await serve(t, { plugins: ['identity'], oneProcess: 'the metadata contains its HTTPS port' })
  const full = `${url}/oauth/i/full`
  const answers = await Promise.all(
    [
      `${full}/.well-known/openid-configuration`,
      `${full}/.well-known/oauth-authorization-server`,
      `${url}/.well-known/openid-configuration/oauth/i/full`,
      `${url}/.well-known/oauth-authorization-server/oauth/i/full`,
    ].map(url => call(url)),
  )
  for (const { status, headers, body } of answers) {
    t.equal(status, 200)
    t.equal(headers.get('cache-control'), 'no-cache')
    t.strictSame(body, answers[0]!.body)
  }
  t.match(answers[0]!.body, {
    issuer: full,
    authorization_endpoint: `${full}/authorize`,
    token_endpoint: `${full}/token`,
    jwks_uri: `${full}/jwks`,
    registration_endpoint: `${full}/register`,
    userinfo_endpoint: `${full}/userinfo`,
    introspection_endpoint: `${full}/introspect`,
    revocation_endpoint: `${full}/revoke`,
    id_token_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA'],
    authorization_response_iss_parameter_supported: true,
  })
})

t.test('the JWK Set has a public key of each algorithm, and the first signs [IDN-1] [IDN-6]', async t => {
  const { body } = await call(`${full}/jwks`)
  const keys = body.keys as Record<string, unknown>[]
  t.strictSame(
    keys.map(({ kid, alg, kty, use, crv }) => ({ kid, alg, kty, use, ...(crv !== undefined && { crv }) })),
    [
      { kid: 'full-es256-1', alg: 'ES256', kty: 'EC', use: 'sig', crv: 'P-256' },
      { kid: 'full-eddsa-1', alg: 'EdDSA', kty: 'OKP', use: 'sig', crv: 'Ed25519' },
      { kid: 'full-ps256-1', alg: 'PS256', kty: 'RSA', use: 'sig' },
      { kid: 'full-rs256-1', alg: 'RS256', kty: 'RSA', use: 'sig' },
    ],
  )
  for (const key of keys) for (const secret of ['d', 'p', 'q', 'k']) t.notOk(secret in key)
  const { access_token, id_token } = await tokenOf(full)
  const jwks = createRemoteJWKSet(new URL(`${full}/jwks`))
  const { payload, protectedHeader } = await jwtVerify(access_token!, jwks, {
    issuer: full,
    audience: 'svc',
    typ: 'at+jwt',
  })
  t.match(protectedHeader, { alg: 'ES256', kid: 'full-es256-1' })
  t.match(payload, { sub: 'alice', client_id: 'svc' })
  await jwtVerify(id_token!, jwks, { issuer: full, audience: 'svc' })
})

t.test('the default issuer is unchanged [IDN-2]', async t => {
  const { body } = await call(`${server.url}/.well-known/openid-configuration`)
  t.match(body, {
    issuer: server.url,
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint: `${server.url}/oauth/token`,
  })
  const { keys } = (await call(`${server.url}/oauth/jwks`)).body as { keys: Record<string, unknown>[] }
  t.match(keys, [{ kid: 'svc-rs256-key', kty: 'RSA', alg: 'RS256' }])
  t.equal(keys.length, 1)
})

t.test('nothing of one issuer is known to another [IDN-1]', async t => {
  const ofFull = await tokenOf(full)
  const ofIdp = await tokenOf(`${server.url}/oauth/i/idp`)
  const introspect = async (base: string, token: string): Promise<unknown> =>
    (await post(`${base}/introspect`, { token })).body.active
  for (const token of [ofFull.access_token!, ofFull.refresh_token!, ofFull.id_token!]) {
    t.equal(await introspect(full, token), true)
    t.equal(await introspect(`${server.url}/oauth/i/idp`, token), false)
    t.equal(await introspect(`${server.url}/oauth`, token), false)
  }
  t.equal(await introspect(full, ofIdp.access_token!), false)
  t.equal(
    (await call(`${full}/userinfo`, { headers: { Authorization: `Bearer ${ofFull.access_token}` } })).body.sub,
    'alice',
  )
  t.equal((await call(`${full}/userinfo`, { headers: { Authorization: `Bearer ${ofIdp.access_token}` } })).status, 401)

  const refresh = (base: string): Promise<Answer> =>
    post(`${base}/token`, { grant_type: 'refresh_token', refresh_token: ofFull.refresh_token })
  t.equal((await refresh(`${server.url}/oauth`)).body.error, 'invalid_grant')
  t.equal((await refresh(full)).status, 200)

  const { body } = await call(`${full}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback], grant_types: ['client_credentials'] }),
  })
  const own = { Authorization: basic(body.client_id!, body.client_secret!) }
  t.equal((await post(`${full}/token`, { grant_type: 'client_credentials' }, own)).status, 200)
  t.equal(
    (await post(`${server.url}/oauth/token`, { grant_type: 'client_credentials' }, own)).body.error,
    'invalid_client',
  )

  await post(`${full}/revoke`, { token: ofFull.access_token })
  t.equal(await introspect(full, ofFull.access_token!), false)
})

t.test('the code flow works below the issuer, and codes belong to it [IDN-1]', async t => {
  const login = (username: string): Promise<Answer> =>
    post(
      `${full}/authorize`,
      {
        response_type: 'code',
        client_id: 'svc',
        redirect_uri: callback,
        username,
        password: username,
        action: 'approve',
      },
      {},
    )
  const page = await call(
    `${full}/authorize?response_type=code&client_id=svc&redirect_uri=${encodeURIComponent(callback)}`,
  )
  t.match(page.text, /Everything supported, nothing required/)
  const query = new URL((await login('alice')).headers.get('location')!).searchParams
  t.equal(query.get('iss'), full)
  const code = query.get('code')!
  const fields = { grant_type: 'authorization_code', code, redirect_uri: callback }
  t.equal((await post(`${server.url}/oauth/token`, fields)).body.error, 'invalid_grant')
  const { body } = await post(`${full}/token`, fields)
  t.equal(read(body.id_token!).claims.iss, full)
  const ofDefault = await getCode(server.url)
  t.equal((await post(`${full}/token`, { ...fields, code: ofDefault })).body.error, 'invalid_grant')
})

t.test('an unknown issuer is a 404 with all names [IDN-3]', async t => {
  for (const path of [
    '/oauth/i/nope/jwks',
    '/oauth/i/default/jwks',
    '/oauth/i/__proto__/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/oauth/i/nope',
    '/_svc/identity/issuers/nope',
  ]) {
    const { status, body } = await call(`${server.url}${path}`)
    t.match(
      { status, body },
      { status: 404, body: { error: 'unknown_issuer', issuers: ['full', 'idp', 'strict', 'workload', 'hostile'] } },
      path,
    )
  }
})

t.test('tokens are accepted for the issuer of the query [IDN-8]', async t => {
  const ofFull = (await tokenOf(full)).access_token
  const ofDefault = (await logIn(server.url)).access_token
  const rows: [string | undefined, string, number, string | undefined][] = [
    [ofFull, '', 401, 'invalid_token: alg not supported'],
    [ofFull, '?issuer=full', 200, undefined],
    [ofFull, '?issuer=*', 200, undefined],
    [ofFull, '?issuer=idp', 401, 'invalid_token: invalid signature'],
    [ofFull, '?issuer=default', 401, 'invalid_token: alg not supported'],
    [ofFull, '?issuer=nope', 400, 'unknown_issuer'],
    [ofFull, '?issuer=full&typ=at%2Bjwt', 200, undefined],
    [ofFull, '?issuer=full&typ=jwt', 401, 'invalid_token: wrong type'],
    [ofFull, '?issuer=full&aud=other', 401, 'invalid_token: audience mismatch'],
    [ofDefault, '?issuer=full', 401, 'invalid_token: invalid signature'],
    [ofDefault, '?issuer=*', 200, undefined],
  ]
  for (const [token, query, status, error] of rows) {
    const answer = await check(token, query)
    t.match({ status: answer.status, error: answer.body.error }, { status, error }, query)
  }
  t.equal((await check(ofFull, '?issuer=*')).body.issuer, 'full')
  t.equal(
    (await check(ofFull?.replace(/^[^.]+/, Buffer.from('{"alg":"HS256"}').toString('base64url')), '?issuer=full')).body
      .error,
    'invalid_token: invalid signature',
  )
  const byName = await call(`${full.replace('127.0.0.1', 'localhost')}/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: basic('svc', 'svc-secret') },
    body: 'grant_type=client_credentials',
  })
  t.equal((await check(byName.body.access_token, '?issuer=full')).status, 200, 'the host of iss is not compared')
  const exchanged = await call(`${server.url}/auth/jwt/exchange?issuer=full`, {
    headers: { Authorization: `Bearer ${ofFull}` },
  })
  t.equal(exchanged.body.issuer, 'full')
})

t.test('settings decide what tokens look like [IDN-6]', async t => {
  const { status, body } = await put('shop', {
    title: 'Shop',
    algorithms: ['ES512', 'EdDSA'],
    access_token: {
      ttl: 60,
      audience: 'https://shop.test',
      typ: 'JWT',
      claims: {
        tier: 'gold',
        who: '{{user.name}}',
        groups2: '{{user.groups}}',
        text: 'for {{client_id}} at {{issuer}}',
        none: '{{user.roles}}',
      },
    },
    id_token: { ttl: 30, claims: { tenant: 7 } },
    clients: [{ client_id: 'app', client_secret: 'app-secret', grants: ['password'], id_token_alg: 'EdDSA' }],
  })
  t.equal(status, 201)
  t.match(body, { name: 'shop', code_ttl: 300, refresh_token: { ttl: 86_400, rotate: true, reuse: 'refuse' } })
  const shop = `${server.url}/oauth/i/shop`
  const response = await tokenOf(shop)
  const { header, claims } = read(response.access_token!)
  t.equal(response.expires_in, 60)
  t.match(header, { alg: 'ES512', typ: 'JWT', kid: 'shop-es512-1' })
  t.match(claims, {
    aud: 'https://shop.test',
    tier: 'gold',
    who: 'alice',
    groups2: ['users', 'admins'],
    text: `for svc at ${shop}`,
  })
  t.notOk('none' in claims)
  t.equal(Number(claims.exp) - Number(claims.iat), 60)
  const id = read(response.id_token!)
  t.match(id.claims, { tenant: 7, aud: 'svc' })
  t.equal(Number(id.claims.exp) - Number(id.claims.iat), 30)
  const app = await post(
    `${shop}/token`,
    { grant_type: 'password', username: 'bob', password: 'bob' },
    { Authorization: basic('app', 'app-secret') },
  )
  t.match(read(app.body.id_token!).header, { alg: 'EdDSA', kid: 'shop-eddsa-1' })
  const jwks = createRemoteJWKSet(new URL(`${shop}/jwks`))
  await jwtVerify(app.body.id_token!, jwks)
  await jwtVerify(app.body.access_token!, jwks)
  const { at_hash } = read(app.body.id_token!).claims
  t.equal(Buffer.from(String(at_hash), 'base64url').length, 32, 'half of SHA-512')
})

t.test('opaque access tokens are known to their issuer [IDN-6]', async t => {
  await put('opaque', { access_token: { format: 'opaque' } })
  const opaque = `${server.url}/oauth/i/opaque`
  const { access_token } = await tokenOf(opaque)
  t.match(access_token, /^at_[A-Za-z0-9_-]{43}$/)
  t.match((await post(`${opaque}/introspect`, { token: access_token })).body, {
    active: true,
    sub: 'alice',
    token_type: 'Bearer',
  })
  t.equal(
    (await call(`${opaque}/userinfo`, { headers: { Authorization: `Bearer ${access_token}` } })).body.sub,
    'alice',
  )
  t.equal((await post(`${full}/introspect`, { token: access_token })).body.active, false)
  await post(`${opaque}/revoke`, { token: access_token })
  t.equal((await post(`${opaque}/introspect`, { token: access_token })).body.active, false)
})

t.test('refresh tokens rotate, stay, or revoke their family [IDN-6]', async t => {
  await put('fixed', { refresh_token: { rotate: false } })
  await put('family', { refresh_token: { reuse: 'revoke-family' } })
  const refresh = (issuer: string, refresh_token: string | undefined): Promise<Answer> =>
    post(`${server.url}/oauth/i/${issuer}/token`, { grant_type: 'refresh_token', refresh_token })
  const kept = (await tokenOf(`${server.url}/oauth/i/fixed`)).refresh_token
  t.equal((await refresh('fixed', kept)).body.refresh_token, kept)
  t.equal((await refresh('fixed', kept)).status, 200)
  const first = (await tokenOf(`${server.url}/oauth/i/family`)).refresh_token
  const second = (await refresh('family', first)).body.refresh_token
  t.not(second, first)
  t.equal((await post(`${server.url}/oauth/i/family/introspect`, { token: first })).body.active, false)
  t.equal((await refresh('family', first)).body.error, 'invalid_grant', 'used again')
  t.equal((await refresh('family', second)).body.error, 'invalid_grant', 'the family is revoked')
})

t.test('iss, PKCE and the lifetime of codes follow the settings [IDN-6]', async t => {
  const authorize = async (name: string, more: Record<string, string> = {}): Promise<URLSearchParams> => {
    const answer = await post(
      `${server.url}/oauth/i/${name}/authorize`,
      {
        response_type: 'code',
        client_id: 'svc',
        redirect_uri: callback,
        action: 'approve',
        username: 'bob',
        password: 'bob',
        ...more,
      },
      {},
    )
    return new URL(answer.headers.get('location')!).searchParams
  }
  const announced = async (name: string): Promise<unknown> =>
    (await call(`${server.url}/oauth/i/${name}/.well-known/openid-configuration`)).body
      .authorization_response_iss_parameter_supported
  const rows: [string, boolean, string | null][] = [
    ['right', true, `${server.url}/oauth/i/iss-right`],
    ['missing', true, null],
    ['wrong', true, `${server.url}/oauth/i/iss-wrong-wrong`],
    ['unannounced', false, `${server.url}/oauth/i/iss-${'unannounced'}`],
    ['off', false, null],
  ]
  for (const [mode, isAnnounced, iss] of rows) {
    await put(`iss-${mode}`, { iss_parameter: mode })
    t.equal((await authorize(`iss-${mode}`)).get('iss'), iss, mode)
    t.equal(await announced(`iss-${mode}`), isAnnounced ? true : undefined, mode)
  }
  await put('pkce', { require: ['s256'], code_ttl: 1, grants: ['authorization_code'] })
  t.equal((await authorize('pkce')).get('error'), 'invalid_request')
  const plain = { code_challenge: 'x'.repeat(43) }
  t.equal((await authorize('pkce', plain)).get('error'), 'invalid_request')
  t.ok((await authorize('pkce', { ...plain, code_challenge_method: 'S256' })).get('code'))
  t.match((await call(`${server.url}/oauth/i/pkce/.well-known/openid-configuration`)).body, {
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code'],
  })
  t.equal(
    (await post(`${server.url}/oauth/i/pkce/token`, { grant_type: 'client_credentials' })).body.error,
    'unsupported_grant_type',
  )
})

t.test('invalid settings name the member and the nearest one [IDN-4]', async t => {
  const rows: [string, unknown, string, string | undefined][] = [
    ['bad', { access_token: { ttl: 0 } }, 'access_token.ttl', undefined],
    ['bad', { access_token: { ttl: 86_401 } }, 'access_token.ttl', undefined],
    ['bad', { algorithms: ['HS256'] }, 'algorithms[0]', 'RS256'],
    ['bad', { algorithms: [] }, 'algorithms', undefined],
    ['bad', { algorithms: ['ES256', 'ES256'] }, 'algorithms', undefined],
    ['bad', { algorithm: 'ES256' }, 'algorithm', 'algorithms'],
    ['bad', { access_token: { tll: 5 } }, 'access_token.tll', 'ttl'],
    ['bad', { access_token: { claims: { iss: 'x' } } }, 'access_token.claims.iss', undefined],
    ['bad', { access_token: { claims: { a: '{{user.mail}}' } } }, 'access_token.claims', 'user.email'],
    ['bad', { id_token: { claims: [] } }, 'id_token.claims', undefined],
    ['bad', { users: [{ name: 'x' }] }, 'users[0].password', undefined],
    ['bad', { users: [1, 2].map(password => ({ name: 'x', password: `p${password}` })) }, 'users[1].name', undefined],
    ['bad', { clients: [{ client_id: 'x' }, { client_id: 'x' }] }, 'clients[1].client_id', undefined],
    [
      'bad',
      { clients: [{ client_id: 'x', redirect_uris: ['javascript:x'] }] },
      'clients[0].redirect_uris[0]',
      undefined,
    ],
    ['bad', { iss_parameter: 'rigth' }, 'iss_parameter', 'right'],
    ['bad', { name: 'other' }, 'name', undefined],
    ['bad', [], '', undefined],
    ['Full', {}, 'name', undefined],
    ['default', {}, 'name', undefined],
    ['x'.repeat(33), {}, 'name', undefined],
  ]
  for (const [name, settings, at, guess] of rows) {
    const { status, body } = await put(name, settings)
    t.strictSame(
      [status, body.error, body.at, body.did_you_mean],
      [400, 'invalid_issuer', at, guess],
      JSON.stringify(settings),
    )
    t.ok(String(body.details).length > 0)
  }
})

t.test('the control plane changes only its own issuers [IDN-5]', async t => {
  t.equal(
    (
      await put('temporary', {
        users: [{ name: 'zoe', password: 'hidden-1' }],
        clients: [{ client_id: 'c', client_secret: 'hidden-2' }],
      })
    ).status,
    201,
  )
  t.equal(
    (
      await put('temporary', {
        title: 'Again',
        users: [{ name: 'zoe', password: 'hidden-1' }],
        clients: [{ client_id: 'c', client_secret: 'hidden-2' }],
      })
    ).status,
    200,
  )
  const shown = await call(`${server.url}/_svc/identity/issuers/temporary`)
  const listed = await call(`${server.url}/_svc/identity`)
  t.match(shown.body, { title: 'Again', users: [{ name: 'zoe' }], clients: [{ client_id: 'c' }] })
  t.notMatch(shown.text + listed.text, /hidden/)
  const issuers = listed.body.issuers as Record<string, unknown>[]
  t.match(
    issuers.find(({ name }) => name === 'temporary'),
    {
      source: 'api',
      issuer: `${server.url}/oauth/i/temporary`,
      algorithms: ['ES256'],
      keys: [{ kid: 'temporary-es256-1', state: 'current' }],
    },
  )
  t.match(issuers[0], { name: 'default', source: 'builtin', keys: [{ kid: 'svc-rs256-key' }] })
  t.match(listed.body.users, [{ username: 'demo' }, { username: 'alice' }, { username: 'bob' }])
  const remove = (name: string): Promise<Answer> =>
    call(`${server.url}/_svc/identity/issuers/${name}`, { method: 'DELETE' })
  const temporary = `${server.url}/oauth/i/temporary`
  const { refresh_token } = await tokenOf(temporary)
  const fault = { method: 'PUT', body: '{"token":"500"}' }
  t.equal((await call(`${server.url}/_svc/identity/issuers/temporary/faults`, fault)).status, 200)
  t.equal((await remove('temporary')).status, 204)
  await put('temporary', {})
  const later = await post(`${temporary}/token`, { grant_type: 'refresh_token', refresh_token })
  t.equal(later.body.error, 'invalid_grant', 'tokens and faults end with the issuer')
  t.equal((await remove('temporary')).status, 204)
  t.equal((await call(`${server.url}/oauth/i/temporary/jwks`)).status, 404)
  t.equal((await remove('temporary')).status, 404)
  for (const name of ['full', 'idp', 'strict', 'workload', 'hostile']) {
    t.match((await put(name, {})).body, { error: 'issuer_from_file' })
    t.equal((await remove(name)).status, 409)
  }

  const guarded = await serve(t, { env: { SVC_ADMIN_TOKEN: 'secret' } })
  t.equal((await put('mine', {}, guarded.url)).status, 401)
  t.equal((await call(`${guarded.url}/_svc/identity/issuers/full`, { method: 'DELETE' })).status, 401)
})

t.test('an issuer without the grant authorization_code has no login [IDN-6]', async t => {
  const answer = await call(`${server.url}/oauth/i/workload/authorize?${encode(authorization())}`)
  t.equal(locationOf(answer).query.get('error'), 'unauthorized_client')
})

t.test('users, clients and issuers of svc.yaml and of plugins [IDN-4] [IDN-7]', async t => {
  const { folder } = pluginFolder(t, {
    branch: `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Branch',
  paths: ['/branch'],
  buildsOn: ['identity'],
  register(app, svc) {
    const issuers = svc.use('identity.issuers')
    issuers.issuer({ name: 'branch', title: 'Branch office', demo_users: false, users: [{ name: 'ben', password: 'b' }] })
    for (const settings of [{ name: 'branch' }, { name: 'x', tittle: 'x' }]) {
      let message = 'none'
      try { issuers.issuer(settings) } catch (error) { message = error.message }
      svc.reportLoadError({ at: null, message })
    }
  },
})
`,
  })
  const own = await serve(t, {
    yaml: `plugins: { enable: [identity, auth, branch], dirs: [${JSON.stringify(folder)}] }
identity:
  users:
    - { name: carol, password: carol-pw, display_name: Carol Ops, email: carol@svc.local, groups: [users], roles: [operator], claims: { department: 7 } }
    - { name: bob, password: new-bob }
    - { name: nobody }
    - { name: bob, password: other }
  clients:
    - { client_id: shop, client_secret: shop-secret, redirect_uris: ["https://shop.test/cb"], grants: [authorization_code, password] }
    - { client_id: bad, redirect_uris: ["javascript:alert(1)"] }
    - { client_id: pushing, client_secret: s, require: [par] }
  issuers:
    - { name: tenant, algorithms: [RS256], demo_clients: false, clients: [{ client_id: shop, client_secret: s, grants: [client_credentials] }] }
    - { name: full }
    - { name: broken, algorithms: [HS256] }
`,
  })
  const problems = own.problems().map(({ at, message }) => `${at}: ${message}`)
  t.equal(problems.length, 9, problems.join('; '))
  t.match(problems.join('\n'), /identity\.users\[3\]\.name: occurs twice/)
  t.match(problems.join('\n'), /the issuer branch exists already/)
  t.match(problems.join('\n'), /identity\.issuers\[1\]\.name: the issuer full exists already/)
  t.match(problems.join('\n'), /identity\.clients\[1\]\.redirect_uris\[0\]/)
  t.match(problems.join('\n'), /identity\.clients\[2\]\.require: par is possible only/)
  const token = async (
    issuer: string,
    username: string,
    password: string,
    client = 'svc',
    secret = 'svc-secret',
  ): Promise<Answer> =>
    post(
      `${own.url}${issuer}/token`,
      { grant_type: 'password', username, password },
      { Authorization: basic(client, secret) },
    )
  const carol = await token('/oauth', 'carol', 'carol-pw')
  t.match(read(carol.body.access_token!).claims, {
    sub: 'carol',
    name: 'Carol Ops',
    roles: ['operator'],
    department: 7,
  })
  t.match(read(carol.body.id_token!).claims, { roles: ['operator'], department: 7 })
  t.match(
    (await call(`${own.url}/oauth/userinfo`, { headers: { Authorization: `Bearer ${carol.body.access_token}` } })).body,
    { roles: ['operator'], department: 7, email: 'carol@svc.local' },
  )
  t.equal((await token('/oauth', 'bob', 'bob')).body.error, 'invalid_grant', 'replaced')
  t.equal((await token('/oauth', 'bob', 'new-bob')).status, 200)
  t.equal((await token('/oauth', 'carol', 'carol-pw', 'shop', 'shop-secret')).status, 200)
  t.equal(
    (await token('/oauth/i/full', 'carol', 'carol-pw')).body.error,
    'invalid_grant',
    'users of the section are those of the default issuer',
  )
  t.equal((await token('/oauth/i/branch', 'ben', 'b')).status, 200)
  t.equal((await token('/oauth/i/branch', 'demo', 'demo')).body.error, 'invalid_grant')
  t.equal((await token('/oauth/i/tenant', 'demo', 'demo')).body.error, 'invalid_client')
  t.equal((await call(`${own.url}/_svc/identity/issuers/tenant`, { method: 'DELETE' })).body.error, 'issuer_from_file')
  t.match((await call(`${own.url}/.well-known/openid-configuration`)).body.claims_supported, ['iss'])
  const page = await call(`${own.url}/oauth/authorize?response_type=code&client_id=shop`)
  t.match(page.text, /carol/)
  t.notMatch(page.text, /carol-pw|new-bob/)
})

t.test('keys and issuers survive a reload [IDN-1]', async t => {
  await put('kept', {})
  const before = (await call(`${server.url}/oauth/i/kept/jwks`)).text
  await server.reload()
  t.equal((await call(`${server.url}/oauth/i/kept/jwks`)).text, before)
})
