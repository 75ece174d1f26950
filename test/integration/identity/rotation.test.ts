/** Keys that rotate, documents with faults, and an issuer that clients must refuse. */
import t from 'tap'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { createRecord, publishedKeys, rotate, signingKey, stateOf } from '../../../plugins/identity/keys/key-record.ts'
import { call, callback, post, read, type Answer } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t)
const at = (name: string): string => `${server.url}/oauth/i/${name}`
const control = (name: string, what: string, body?: unknown, method = 'POST'): Promise<Answer> =>
  call(`${server.url}/_svc/identity/issuers/${name}${what}`, {
    method,
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  })
/** An issuer with one key, unless the settings name other algorithms. */
const issuer = async (name: string, settings: object = {}): Promise<string> => {
  await control(name, '', { algorithms: ['ES256'], ...settings }, 'PUT')
  return at(name)
}
const kids = async (url: string): Promise<unknown[]> =>
  ((await call(`${url}/jwks`)).body.keys as { kid?: string }[]).map(({ kid }) => kid)
const token = async (url: string): Promise<string> =>
  (await post(`${url}/token`, { grant_type: 'client_credentials' })).body.access_token!
const check = async (name: string, bearer: string): Promise<number> =>
  (await call(`${server.url}/auth/jwt?issuer=${name}`, { headers: { Authorization: `Bearer ${bearer}` } })).status

t.test('graceful: the new key signs, the old one stays published [IDN-13]', async t => {
  const url = await issuer('graceful')
  const jwks = createRemoteJWKSet(new URL(`${url}/jwks`), { cooldownDuration: 0 })
  const before = await token(url)
  await jwtVerify(before, jwks)
  const { status, body } = await control('graceful', '/rotate', { grace_s: 60 })
  t.equal(status, 200)
  t.match(body, { signing: 'graceful-es256-2', published: ['graceful-es256-2', 'graceful-es256-1'] })
  t.ok(Math.abs(Date.parse(String(body.retires_at)) - Date.now() - 60_000) < 5000)
  const after = await token(url)
  t.equal(read(after).header.kid, 'graceful-es256-2')
  await jwtVerify(after, jwks)
  t.pass('jose refetches on an unknown key id')
  t.equal(await check('graceful', before), 200)
  t.match((await call(`${server.url}/_svc/identity`)).body.issuers, { length: Number })
  t.match(
    (
      await call(`${url}/debug/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"key":"previous"}',
      })
    ).body,
    { accept: true, header: { kid: 'graceful-es256-1' } },
  )
})

t.test('hard and revert: one key alone [IDN-13]', async t => {
  const url = await issuer('hard')
  const before = await token(url)
  t.equal(await check('hard', before), 200)
  t.match((await control('hard', '/rotate', { mode: 'hard' })).body, {
    signing: 'hard-es256-2',
    published: ['hard-es256-2'],
    retires_at: null,
  })
  t.equal(await check('hard', before), 401, 'also a token that was verified before')
  const between = await token(url)
  t.match((await control('hard', '/rotate', { mode: 'revert' })).body, {
    signing: 'hard-es256-1',
    published: ['hard-es256-1'],
  })
  t.equal(await check('hard', before), 200)
  t.equal(await check('hard', between), 401)
  t.match((await control(await issuer('fresh').then(() => 'fresh'), '/rotate', { mode: 'revert' })).body, {
    error: 'no_previous_key',
  })
})

t.test('late: a gateway meets an unknown key id [IDN-13]', async t => {
  const url = await issuer('late')
  await token(url)
  await control('late', '/rotate', { mode: 'late', delay_s: 3600 })
  t.strictSame(await kids(url), ['late-es256-1'])
  const unknown = await token(url)
  t.equal(read(unknown).header.kid, 'late-es256-2')
  const failure = await jwtVerify(unknown, createRemoteJWKSet(new URL(`${url}/jwks`))).catch((error: unknown) => error)
  t.ok(failure instanceof errors.JWKSNoMatchingKey)
})

t.test('late: the key is published after the delay [IDN-13]', async t => {
  const url = await issuer('later')
  await control('later', '/rotate', { mode: 'late', delay_s: 1 })
  const bearer = await token(url)
  await until(async () => (await kids(url)).length === 2, 'the second key')
  t.strictSame(await kids(url), ['later-es256-2', 'later-es256-1'])
  await jwtVerify(bearer, createRemoteJWKSet(new URL(`${url}/jwks`)))
})

t.test('announce: both are published before the new one signs [IDN-13]', async t => {
  const url = await issuer('announce')
  await token(url)
  await control('announce', '/rotate', { mode: 'announce', delay_s: 3600, grace_s: 0 })
  t.strictSame(await kids(url), ['announce-es256-1', 'announce-es256-2'])
  t.equal(read(await token(url)).header.kid, 'announce-es256-1')
  const next = await call(`${url}/debug/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"key":"next"}',
  })
  t.match(next.body.header, { kid: 'announce-es256-2' })
})

t.test('announce: the new key signs after the delay [IDN-13]', async t => {
  const url = await issuer('announced')
  await control('announced', '/rotate', { mode: 'announce', delay_s: 1, grace_s: 0 })
  await until(async () => (await kids(url)).length === 1, 'the end of the first key')
  t.strictSame(await kids(url), ['announced-es256-2'])
  t.equal(read(await token(url)).header.kid, 'announced-es256-2')
})

t.test('the default issuer rotates, and can change its algorithm [IDN-13]', async t => {
  const own = await serve(t)
  const rotateDefault = (body: unknown): Promise<Answer> =>
    call(`${own.url}/_svc/identity/issuers/default/rotate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  t.match((await rotateDefault({})).body, {
    signing: 'svc-rs256-key-2',
    published: ['svc-rs256-key-2', 'svc-rs256-key'],
  })
  t.match((await rotateDefault({ algorithm: 'ES256' })).body, { signing: 'svc-es256-key' })
  const bearer = await token(`${own.url}/oauth`)
  t.match(read(bearer).header, { alg: 'ES256', kid: 'svc-es256-key' })
  t.equal((await call(`${own.url}/auth/jwt`, { headers: { Authorization: `Bearer ${bearer}` } })).status, 200)
})

t.test('at most eight keys are kept, and bad rotations are refused [IDN-13]', async t => {
  await issuer('many')
  for (let n = 0; n < 10; n++) await control('many', '/rotate', {})
  const { body } = await call(`${server.url}/_svc/identity`)
  const [many] = (body.issuers as { name: string; keys: unknown[] }[]).filter(({ name }) => name === 'many')
  t.equal(many!.keys.length, 8)
  for (const [bad, at, guess] of [
    [{ mode: 'gracefull' }, 'mode', 'graceful'],
    [{ delay_s: 0 }, 'delay_s', undefined],
    [{ grace_s: 86_401 }, 'grace_s', undefined],
    [{ grace: 5 }, 'grace', 'grace_s'],
    [{ algorithm: 'HS256' }, 'algorithm', 'RS256'],
  ] as const) {
    const answer = await control('many', '/rotate', bad)
    t.strictSame(
      [answer.status, answer.body.error, answer.body.at, answer.body.did_you_mean],
      [400, 'invalid_rotation', at, guess],
    )
  }
  t.equal((await control('nope', '/rotate', {})).status, 404)
  const guarded = await serve(t, { env: { SVC_ADMIN_TOKEN: 'secret' } })
  for (const [path, method] of [
    ['rotate', 'POST'],
    ['faults', 'PUT'],
    ['faults', 'DELETE'],
  ])
    t.equal((await call(`${guarded.url}/_svc/identity/issuers/full/${path}`, { method: method! })).status, 401)
})

t.test('keys follow from the record and the clock [IDN-13]', t => {
  const jwk = { kty: 'EC' }
  const record = createRecord('x', [{ alg: 'ES256', jwk }], 0)
  const later = rotate(record, 'x', { mode: 'announce', delayS: 10, graceS: 5 }, { alg: 'ES256', jwk }, 1000)
  const names = (now: number): string[] => publishedKeys(later, now).map(({ kid }) => kid)
  t.strictSame(
    [1000, 10_999, 11_000, 15_999, 16_000].map(now => [signingKey(later, now).kid, ...names(now)]),
    [
      ['x-es256-1', 'x-es256-1', 'x-es256-2'],
      ['x-es256-1', 'x-es256-1', 'x-es256-2'],
      ['x-es256-2', 'x-es256-2', 'x-es256-1'],
      ['x-es256-2', 'x-es256-2', 'x-es256-1'],
      ['x-es256-2', 'x-es256-2'],
    ],
  )
  t.strictSame(
    later.keys.map(key => stateOf(later, key, 1000)),
    ['current', 'next'],
  )
  t.strictSame(
    later.keys.map(key => stateOf(later, key, 20_000)),
    ['previous', 'current'],
  )
  t.end()
})

t.test('a key that retires keeps its announced time, unless all end at once [IDN-13]', t => {
  const added = { alg: 'ES256' as const, jwk: { kty: 'EC' } }
  const times = { delayS: 0, graceS: 600 }
  const once = rotate(createRecord('x', [added], 0), 'x', { mode: 'graceful', ...times }, added, 1000)
  const untilOf = (mode: 'graceful' | 'hard'): unknown[] =>
    rotate(once, 'x', { mode, delayS: 0, graceS: 1 }, added, 2000).keys.map(({ until }) => until)
  t.strictSame(untilOf('graceful'), [601_000, 3000, null])
  t.strictSame(untilOf('hard'), [2000, 2000, null])
  t.end()
})

t.test('changed settings change the keys; a rotation adds its algorithm to the metadata [IDN-6] [IDN-13]', async t => {
  const rows: [before: string[], after: string[], published: string[]][] = [
    [['ES256'], ['ES256', 'RS256'], ['es256-1', 'rs256-1']],
    [['ES256'], ['EdDSA', 'ES256'], ['eddsa-1', 'es256-1']],
    [['ES256', 'EdDSA'], ['EdDSA'], ['eddsa-1']],
    [
      ['ES256', 'EdDSA'],
      ['EdDSA', 'ES256'],
      ['eddsa-1', 'es256-1'],
    ],
    [['ES256'], ['ES384'], ['es384-1']],
  ]
  for (const [index, [before, after, published]] of rows.entries()) {
    const name = `changed-${index}`
    await token(await issuer(name, { algorithms: before }))
    const url = await issuer(name, { algorithms: after })
    const expected = published.map(kid => `${name}-${kid}`)
    t.strictSame([await kids(url), read(await token(url)).header.kid], [expected, expected[0]], after.join())
  }
  const url = await issuer('changed-0', { algorithms: ['ES256'] })
  t.strictSame(await kids(url), ['changed-0-es256-1'])
  await issuer('changed-0', { algorithms: ['RS256'] })
  t.strictSame(await kids(url), ['changed-0-rs256-2'], 'ids of keys are not used again')
  await control('changed-0', '/rotate', { algorithm: 'PS256' })
  const { body } = await call(`${url}/.well-known/openid-configuration`)
  t.strictSame(body.id_token_signing_alg_values_supported, ['RS256', 'PS256'])
})

t.test('a reset ends faults and rotations of all issuers [IDN-13] [IDN-14]', async t => {
  const own = await serve(t, {
    yaml: 'plugins: { enable: [identity] }\nidentity: { issuers: [{ name: busy, faults: { jwks: "503", times: 1 } }] }\n',
  })
  const send = (path: string, body: unknown, method = 'POST'): Promise<Answer> =>
    call(own.url + path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
  const bases = { default: `${own.url}/oauth`, full: `${own.url}/oauth/i/full` }
  const before = Object.fromEntries(
    await Promise.all(Object.entries(bases).map(async ([name, url]) => [name, (await call(`${url}/jwks`)).text])),
  ) as Record<string, string>
  t.equal((await call(`${own.url}/oauth/i/busy/jwks`)).status, 503)
  for (const name of Object.keys(bases)) {
    await send(`/_svc/identity/issuers/${name}/rotate`, { mode: 'hard' })
    await send(`/_svc/identity/issuers/${name}/faults`, { jwks: '500' }, 'PUT')
  }
  await send('/_svc/identity/issuers/mine', {}, 'PUT')
  const { body } = await send('/_svc/reset?scope=instance', { kinds: ['identity'] })
  t.match(body, { removed: { identity: 5 } })
  for (const [name, url] of Object.entries(bases)) {
    const keys = ({ keys: all }: Record<string, unknown>) =>
      new Set((all as { kid: string; x?: string }[]).map(k => k.kid))
    const now = await call(`${url}/jwks`)
    t.strictSame([now.status, keys(now.body)], [200, keys(JSON.parse(before[name]!) as Record<string, unknown>)], name)
    t.match((await send(`/_svc/identity/issuers/${name}/rotate`, {})).body.signing, /-3$/, 'ids are not used again')
  }
  t.equal((await call(`${own.url}/oauth/i/busy/jwks`)).status, 503, 'faults of the settings begin again')
  t.equal((await call(`${own.url}/oauth/i/mine/jwks`)).status, 404)
})

t.test('faults of the JWK Set, by query [IDN-14]', async t => {
  const url = await issuer('faulty')
  await token(url)
  await control('faulty', '/rotate', {})
  const jwks = (fault: string, more = ''): Promise<Answer> => call(`${url}/jwks?fault=${fault}${more}`)
  const keysOf = async (fault: string): Promise<Record<string, unknown>[]> =>
    (await jwks(fault)).body.keys as Record<string, unknown>[]
  for (const status of [500, 503, 404]) t.equal((await jwks(String(status))).status, status)
  t.equal((await jwks('500')).headers.get('x-svc-fault'), 'identity')
  const started = Date.now()
  t.equal((await jwks('slow', '&ms=150')).status, 200)
  t.ok(Date.now() - started >= 140)
  for (const fault of ['reset', 'truncate']) await t.rejects(jwks(fault), fault)
  await t.rejects((async () => JSON.parse(await fetch(`${url}/jwks?fault=not-json`).then(r => r.text())))())
  t.match((await jwks('html')).headers.get('content-type'), /text\/html/)
  t.strictSame(await keysOf('empty'), [])
  t.strictSame(
    (await keysOf('stale')).map(({ kid }) => kid),
    ['faulty-es256-1'],
  )
  t.notMatch(JSON.stringify(await keysOf('unknown')), /faulty-es256/)
  const [foreign, right] = await keysOf('duplicate-kid')
  t.equal(foreign!.kid, right!.kid)
  t.not(foreign!.x, right!.x)
  for (const key of await keysOf('no-kid')) t.notOk('kid' in key)
  for (const key of await keysOf('no-alg')) t.notOk('alg' in key)
  const huge = await keysOf('huge')
  t.equal(huge.length, 2000)
  t.match(huge.at(-1)!.kid, /faulty-es256/)
  const [leaked, ...others] = await keysOf('private')
  t.ok('d' in leaked!)
  for (const key of others) t.notOk('d' in key)
  t.match(await keysOf('mixed'), [{ kty: 'XYZ' }, { use: 'enc' }])
  const redirect = await jwks('redirect')
  t.strictSame([redirect.status, redirect.headers.get('location')], [307, '/oauth/i/faulty/jwks'])
  t.match(await jwks('slowly'), { status: 400, body: { error: 'unknown_fault', did_you_mean: 'slow' } })
  t.equal((await call(`${server.url}/oauth/jwks?fault=500`)).status, 500, 'the default issuer, too')
})

t.test('faults that are set end after their uses or their time [IDN-14]', async t => {
  const url = await issuer('limited')
  t.equal((await control('limited', '/faults', { jwks: '500', discovery: '404', times: 3 }, 'PUT')).status, 200)
  t.equal((await call(`${url}/jwks`)).status, 500)
  t.equal((await call(`${url}/.well-known/openid-configuration`)).status, 404)
  t.equal((await call(`${url}/jwks`)).status, 500)
  t.equal((await call(`${url}/jwks`)).status, 200, 'counted over all members')
  const timed = { token: 'temporarily_unavailable', jwks_max_age: 300 }
  await control('limited', '/faults', { ...timed, for_s: 600 }, 'PUT')
  t.equal((await call(`${url}/jwks`)).headers.get('cache-control'), 'max-age=300')
  t.equal((await post(`${url}/token`, { grant_type: 'client_credentials' })).status, 503)
  await control('limited', '/faults', { ...timed, for_s: 1 }, 'PUT')
  await until(
    async () => (await post(`${url}/token`, { grant_type: 'client_credentials' })).status === 200,
    'the end of the fault',
  )
  await control('limited', '/faults', { jwks: '500' }, 'PUT')
  t.equal((await control('limited', '/faults', undefined, 'DELETE')).status, 204)
  t.equal((await call(`${url}/jwks`)).status, 200)
  t.match((await control('limited', '/faults', { jwks: 'slowly' }, 'PUT')).body, {
    error: 'invalid_faults',
    at: 'jwks',
    did_you_mean: 'slow',
  })
  const configured = await issuer('configured', { faults: { jwks: '503', times: 1 } })
  t.equal((await call(`${configured}/jwks`)).status, 503)
  t.equal((await call(`${configured}/jwks`)).status, 200)
})

t.test('faults of metadata, tokens and introspection [IDN-14]', async t => {
  const url = await issuer('documents')
  const metadata = async (fault: string): Promise<Record<string, unknown>> =>
    (await call(`${url}/.well-known/openid-configuration?fault=${fault}`)).body
  t.equal((await metadata('wrong-issuer')).issuer, `${url}/other`)
  t.equal((await metadata('trailing-slash')).issuer, `${url}/`)
  t.notOk('jwks_uri' in (await metadata('no-jwks')))
  t.equal((await metadata('other-jwks')).jwks_uri, `${at('hostile')}/jwks`)
  const tokens = (fault: string): Promise<Answer> =>
    post(`${url}/token?fault=${fault}`, { grant_type: 'client_credentials' })
  t.notOk('expires_in' in (await tokens('no-expires')).body)
  t.equal((await tokens('lower-bearer')).body.token_type, 'bearer')
  t.equal((await tokens('string-expires')).body.expires_in, '3600')
  t.match(await tokens('invalid_client'), { status: 401, body: { error: 'invalid_client' } })
  const bearer = await token(url)
  const introspect = async (fault: string): Promise<Record<string, unknown>> =>
    (await post(`${url}/introspect?fault=${fault}`, { token: bearer })).body
  t.strictSame(await introspect('active-only'), { active: true })
  t.not((await introspect('flip')).active, (await introspect('flip')).active)
})

t.test('the hostile issuer shows one wrong thing at a time [IDN-15]', async t => {
  const hostile = at('hostile')
  const metadata = async (query: string): Promise<Record<string, unknown>> =>
    (await call(`${hostile}/.well-known/openid-configuration${query}`)).body
  t.match(await metadata('?ask=nonce'), {
    issuer: hostile,
    token_endpoint: `${hostile}/token?ask=nonce`,
    authorization_endpoint: `${hostile}/authorize?ask=nonce`,
    mtls_endpoint_aliases: { token_endpoint: /^https:.*\/token\?.*&ask=nonce$/ },
  })
  t.match(await metadata('?ask=issuer'), { issuer: 'https://attacker.example/' })
  t.match(await metadata(''), { issuer: 'https://attacker.example/', token_endpoint: `${hostile}/token` })
  t.notOk('code_challenge_methods_supported' in (await metadata('?ask=downgrade')))
  t.match(await call(`${hostile}/.well-known/openid-configuration?ask=nonec`), {
    status: 400,
    body: { did_you_mean: 'nonce' },
  })
  const page = await call(
    `${hostile}/authorize?ask=iss&response_type=code&client_id=svc&redirect_uri=${encodeURIComponent(callback)}`,
  )
  t.match(page.text, 'action="authorize?ask=iss"')
  const login = async (ask: string): Promise<URLSearchParams> => {
    const answer = await post(
      `${hostile}/authorize?ask=${ask}`,
      {
        response_type: 'code',
        client_id: 'svc',
        redirect_uri: callback,
        state: 'mine',
        nonce: 'n',
        username: 'demo',
        password: 'demo',
        action: 'approve',
      },
      {},
    )
    return new URL(answer.headers.get('location')!).searchParams
  }
  t.equal((await login('iss')).get('iss'), 'https://attacker.example/')
  t.equal((await login('state')).get('state'), 'exchanged')
  const redeem = async (
    ask: string,
  ): Promise<{ header: Record<string, unknown>; claims: Record<string, unknown>; bearer: string }> => {
    const { body } = await post(`${hostile}/token?ask=${ask}`, {
      grant_type: 'authorization_code',
      code: (await login(ask)).get('code')!,
      redirect_uri: callback,
    })
    return { ...read(body.id_token!), bearer: body.access_token! }
  }
  t.equal((await redeem('nonce')).claims.nonce, 'exchanged')
  t.match((await redeem('aud')).claims, { aud: 'another-client', azp: 'another-client', nonce: 'n' })
  t.equal((await redeem('alg')).header.alg, 'none')
  const right = await redeem('sub')
  t.match(right.claims, { sub: 'demo', aud: 'svc', nonce: 'n', iss: hostile })
  t.not((await redeem('at_hash')).claims.at_hash, right.claims.at_hash)
  t.equal(
    (await call(`${hostile}/userinfo?ask=sub`, { headers: { Authorization: `Bearer ${right.bearer}` } })).body.sub,
    'mallory',
  )
  t.equal(
    (await call(`${at('full')}/.well-known/openid-configuration?ask=nonsense`)).status,
    200,
    'other issuers ignore it',
  )
})
