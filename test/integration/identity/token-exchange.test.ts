/** Token exchange. */
import t from 'tap'
import { SignJWT } from 'jose'
import { encode, exchangeGrant, logIn, post, read, type Fields } from '../../support/oauth.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const url = `${server.url}/oauth/token`
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`
const demoSecret = new TextEncoder().encode('svc-demo-secret-do-not-use-in-production')
const hs256 = (claims: Record<string, unknown>) =>
  new SignJWT({ exp: 4102444800, ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(demoSecret)
const exchange = (fields: Fields) =>
  post(url, { grant_type: exchangeGrant, subject_token_type: type('access_token'), ...fields })
const actorType = { actor_token_type: type('jwt') }

t.test('issues a token about the same user to the requesting client [IDP-35] [IDP-34]', async t => {
  const { access_token: subject } = await logIn(server.url, { resource: 'urn:a' })
  const { status, body } = await exchange({ subject_token: subject })
  t.equal(status, 200)
  t.strictSame(
    { ...body, access_token: '' },
    {
      access_token: '',
      issued_token_type: type('access_token'),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile email',
    },
  )
  const { header, claims } = read(body.access_token!)
  t.equal(header.typ, 'at+jwt')
  const { iat, exp, jti, ...others } = claims
  t.strictSame(others, {
    iss: server.url,
    sub: 'alice',
    aud: 'svc',
    client_id: 'svc',
    scope: 'openid profile email',
    name: 'Alice Admin',
    email: 'alice@svc.local',
    preferred_username: 'alice',
    groups: ['users', 'admins'],
  })
  t.equal(Number(exp) - Number(iat), 3600)
  t.not(jti, read(subject!).claims.jti)
})

t.test('audience and resource together are the audience [IDP-35] [IDP-26]', async t => {
  const { access_token: subject } = await logIn(server.url)
  const good: [Fields, unknown][] = [
    [{}, 'svc'],
    [{ audience: 'orders' }, 'orders'],
    [{ audience: ['any text', 'b'] }, ['any text', 'b']],
    [{ resource: 'urn:a', audience: ['b', 'urn:a'] }, ['urn:a', 'b']],
    [{ resource: ['urn:1', 'urn:2'], audience: ['3', '4', '5'] }, ['urn:1', 'urn:2', '3', '4', '5']],
  ]
  for (const [fields, aud] of good)
    t.same(
      read((await exchange({ subject_token: subject, ...fields })).body.access_token!).claims.aud,
      aud,
      encode(fields),
    )
  for (const fields of [
    { resource: ['urn:1', 'urn:2', 'urn:3'], audience: ['4', '5', '6'] },
    { audience: ['1', '2', '3', '4', '5', '6'] },
    { resource: '/x' },
    { audience: 'x'.repeat(2049) },
  ]) {
    const { status, body } = await exchange({ subject_token: subject, ...fields })
    t.strictSame([status, body.error], [400, 'invalid_target'])
  }
})

t.test('the scope can be narrowed but not widened [IDP-35]', async t => {
  const { access_token: subject, id_token: idToken } = await logIn(server.url, { scope: 'openid a b' })
  for (const [scope, granted] of [
    [undefined, 'openid a b'],
    ['b', 'b'],
    ['b openid', 'b openid'],
  ] as const)
    t.equal((await exchange({ subject_token: subject, scope })).body.scope, granted)
  for (const scope of ['c', 'a c', '"'])
    t.equal((await exchange({ subject_token: subject, scope })).body.error, 'invalid_scope', scope)
  t.equal((await exchange({ subject_token: idToken })).body.scope, 'openid', 'an ID token has no scope')
  t.equal((await exchange({ subject_token: idToken, scope: 'x y' })).body.scope, 'x y')
  t.equal(
    (await exchange({ subject_token: await hs256({ sub: 'x', scope: { a: 1 } }) })).body.scope,
    'openid',
    'a scope that is not a string is ignored',
  )
})

t.test('the requested type determines header, audience and token type [IDP-37]', async t => {
  const { access_token: subject } = await logIn(server.url)
  for (const name of ['access_token', 'jwt']) {
    const { body } = await exchange({ subject_token: subject, requested_token_type: type(name), audience: 'x' })
    t.strictSame(
      [
        body.issued_token_type,
        body.token_type,
        read(body.access_token!).header.typ,
        read(body.access_token!).claims.aud,
      ],
      [type(name), 'Bearer', 'at+jwt', 'x'],
    )
  }
  const { body } = await exchange({ subject_token: subject, requested_token_type: type('id_token'), audience: 'x' })
  t.strictSame([body.issued_token_type, body.token_type], [type('id_token'), 'N_A'])
  const { header, claims } = read(body.access_token!)
  t.strictSame(
    [header.typ, claims.aud, claims.azp, claims.client_id, claims.sub, claims.email],
    ['JWT', 'svc', 'svc', 'svc', 'alice', 'alice@svc.local'],
  )
})

t.test('the actor becomes act, with earlier actors inside [IDP-36]', async t => {
  const subject = (await logIn(server.url)).access_token!
  const [bob, demo] = await Promise.all(
    ['bob', 'demo'].map(async name => (await logIn(server.url, {}, name)).access_token!),
  )
  const once = (await exchange({ subject_token: subject, actor_token: bob, ...actorType })).body.access_token!
  t.strictSame(read(once).claims.act, { sub: 'bob' })
  const twice = (await exchange({ subject_token: once, actor_token: demo, ...actorType })).body.access_token!
  t.strictSame(read(twice).claims.act, { sub: 'demo', act: { sub: 'bob' } })
  t.strictSame(
    read((await exchange({ subject_token: twice })).body.access_token!).claims.act,
    { sub: 'demo', act: { sub: 'bob' } },
    'kept without an actor',
  )
  t.equal(read(twice).claims.sub, 'alice')
})

t.test('the length of the chain of actors is limited [IDP-36] [IDP-48]', async t => {
  const nested = (levels: number) => {
    let act: object = { sub: 'x' }
    for (let n = 1; n < levels; n++) act = { sub: 'x', act }
    return act
  }
  const actor_token = (await logIn(server.url)).access_token!
  t.equal(
    (await exchange({ subject_token: await hs256({ sub: 'x', act: nested(62) }), actor_token, ...actorType })).status,
    200,
  )
  t.equal(
    (await exchange({ subject_token: await hs256({ sub: 'x', act: nested(63) }), actor_token, ...actorType })).body
      .error,
    'invalid_request',
  )
})

t.test('a token signed with the demo secret can be the subject token [IDP-35]', async t => {
  const { body } = await exchange({
    subject_token: await hs256({ sub: 'carol', name: 'Carol', scope: 'a b', extra: 'x' }),
  })
  const { sub, name, scope, extra } = read(body.access_token!).claims
  t.strictSame([sub, name, scope, extra], ['carol', 'Carol', 'a b', undefined])
})

t.test('other input is invalid_request [IDP-35] [IDP-48] [IDP-6]', async t => {
  const { access_token: subject, refresh_token: refresh } = await logIn(server.url)
  const revoked = (await logIn(server.url)).access_token!
  await post(`${server.url}/oauth/revoke`, { token: revoked })
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${subject!.split('.')[1]}.`
  const rows: Fields[] = [
    {},
    { subject_token: subject, subject_token_type: undefined },
    { subject_token: subject, subject_token_type: 'access_token' },
    { subject_token: subject, subject_token_type: type('refresh_token') },
    { subject_token: subject, requested_token_type: type('saml2') },
    { subject_token: subject, requested_token_type: 'jwt' },
    { subject_token: subject, actor_token: subject },
    { subject_token: subject, ...actorType },
    { subject_token: subject, actor_token: 'x', ...actorType },
    { subject_token: subject, actor_token: revoked, ...actorType },
    { subject_token: subject, actor_token: subject, actor_token_type: 'x' },
    ...[
      'x',
      'a.b.c',
      none,
      revoked,
      refresh!,
      `${subject}x`,
      await hs256({ sub: 'x', exp: 1 }),
      await hs256({}),
      await hs256({ sub: 1 }),
      await hs256({ sub: 'x', nbf: 4102444800 }),
    ].map(subject_token => ({ subject_token })),
  ]
  for (const fields of rows) {
    const { status, body } = await exchange(fields)
    t.strictSame([status, body.error], [400, 'invalid_request'], encode(fields).slice(-80))
    t.match(body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  }
})
