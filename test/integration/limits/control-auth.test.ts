/** Control-plane authentication: modes, reasons, scopes, keys. */
import t from 'tap'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { SignJWT, type JWTPayload } from 'jose'
import { parsePublicKey } from '../../../core/http/access/public-key.ts'
import { grantedScopes } from '../../../core/http/access/scopes.ts'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const RAW = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)

const now = (): number => Math.floor(Date.now() / 1000)
function sign(claims: JWTPayload, { alg = 'EdDSA', key = privateKey } = {}): Promise<string> {
  return new SignJWT({ exp: now() + 600, aud: 'test-1', ...claims }).setProtectedHeader({ alg }).sign(key)
}
const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` })

interface Refusal {
  error: string
  reason: string
  scopes?: string[]
  control_auth: string
}
async function ask(server: TestServer, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(server.url + path, { method, headers })
  const text = await response.text()
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    response,
    body: (text.startsWith('{') ? JSON.parse(text) : {}) as Refusal,
  }
}

const jwtEnv = { SVC_CONTROL_AUTH: 'jwt', SVC_CONTROL_JWT_PUBLIC_KEY: PEM, SVC_ADMIN_TOKEN: 'secret' }

t.test('open mode requires no credential [CAUTH-1]', async t => {
  const server = await serveLimits(t)
  for (const path of ['/_svc/config', '/_svc/ready', '/_svc/requests'])
    t.equal((await ask(server, path)).status, 200, path)
})

t.test('everything under /_svc is protected, by any spelling, and nothing else [CAUTH-1, LAYER-2]', async t => {
  const server = await serveLimits(t, { SVC_CONTROL_AUTH: 'token', SVC_ADMIN_TOKEN: 'secret' })
  const PROTECTED = [
    '/_svc',
    '/_svc/',
    '/_svc/config',
    '/_svc/no/such',
    '/%5Fsvc/config',
    '/%5fsvc/config',
    '/_%73vc/config',
    '/%5F%73%76%63/config',
    '/_svc/%72eady',
    '/_svc/ready/',
    '/_svc/ready/x',
    '/_svc/config?a=/_svc/ready',
  ]
  for (const path of PROTECTED) {
    const isReady = path === '/_svc/%72eady'
    const { status, response } = await ask(server, path)
    t.equal(status, isReady ? 200 : 401, path)
    t.ok(response.headers.get('x-request-id'))
    t.equal(response.headers.get('access-control-allow-origin'), '*')
  }
  for (const [path, status] of [
    ['/_svc/ready', 200],
    ['/', 200],
    ['/x', 200],
    ['/_svcx', 404],
    ['/x/_svc/config', 404],
    ['/%2F_svc/config', 404],
  ] as const)
    t.equal((await ask(server, path)).status, status, path)
  // In absolute form (RFC 9112, 3.2.2).
  const answer = await new Promise<string>(resolve => {
    let text = ''
    const socket = connect(server.ports.http!, '127.0.0.1', () =>
      socket.write('GET http://a/%5Fsvc/config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    )
    socket
      .on('data', chunk => {
        text += chunk
      })
      .on('close', () => resolve(text))
  })
  t.match(answer, /^HTTP\/1.1 401/)
  for (const path of ['/_svc/config', '/%5Fsvc/config'])
    t.equal((await ask(server, path, bearer('secret'))).status, 200, path)
  t.equal((await ask(server, '/_svc/no/such', bearer('secret'))).status, 404)
})

t.test('a preflight passes, a fault header does nothing, and nothing is captured [LAYER-1, LAYER-3]', async t => {
  const server = await serveLimits(t, { SVC_CONTROL_AUTH: 'token', SVC_ADMIN_TOKEN: 'secret', SVC_LIMIT_REQUESTS: '5' })
  t.equal((await ask(server, '/_svc/config', { 'Access-Control-Request-Method': 'GET' }, 'OPTIONS')).status, 200)
  const started = performance.now()
  const { status, response } = await ask(server, '/_svc/config', { 'X-Svc-Delay': '20000', 'X-Svc-Fail': '503' })
  t.equal(status, 401)
  t.ok(performance.now() - started < 15_000)
  t.equal(response.headers.get('x-svc-fault'), null)
  t.equal(response.headers.get('x-svc-plan'), null, 'not decorated')
  t.match(
    await (await fetch(`${server.url}/_svc/usage`, { headers: bearer('secret') })).json(),
    { requests: { used: 0 } },
    'not counted',
  )
})

t.test('token mode accepts only the admin token [CAUTH-2]', async t => {
  const server = await serveLimits(t, {
    SVC_CONTROL_AUTH: 'admin',
    SVC_ADMIN_TOKEN: 'secret',
    SVC_CONTROL_JWT_PUBLIC_KEY: PEM,
  })
  const challenge = 'Bearer realm="svc-control"'
  const MISSING: Record<string, string>[] = [
    {},
    { Authorization: 'Basic c2VjcmV0' },
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer  ' },
    { 'X-Svc-Admin-Token': '' },
  ]
  for (const headers of MISSING) {
    const answer = await ask(server, '/_svc/config', headers)
    t.match(
      [answer.status, answer.challenge, answer.body],
      [401, challenge, { reason: 'missing_token', control_auth: 'token' }],
      JSON.stringify(headers),
    )
  }
  for (const token of ['wrong', 'secret2', 'a.b', 'a.b.c', 'a.b.c.d', await sign({ scope: 'admin' })]) {
    const answer = await ask(server, '/_svc/config', bearer(token))
    t.match(
      [answer.status, answer.challenge, answer.body],
      [
        401,
        `${challenge}, error="invalid_token", error_description="invalid_token"`,
        { error: 'invalid credential', reason: 'invalid_token' },
      ],
      token.slice(0, 20),
    )
  }
  for (const headers of [
    bearer('secret'),
    { Authorization: 'bEaReR   secret ' },
    { 'X-Svc-Admin-Token': 'secret', Authorization: 'Bearer foreign' },
  ])
    t.equal((await ask(server, '/_svc/config', headers)).status, 200)
  t.equal((await ask(server, '/_svc/config?token=secret&access_token=secret')).status, 401, 'never a query parameter')
  t.match(
    (await ask(server, '/x/admin', bearer(await sign({ scope: 'admin' })))).body,
    { admin: false },
    'a token counts nowhere',
  )
})

t.test('each invalid token has its reason [CAUTH-2]', async t => {
  const server = await serveLimits(t, jwtEnv)
  const other = generateKeyPairSync('ed25519').privateKey
  const good = await sign({})
  const [header, payload, signature] = good.split('.') as [string, string, string]
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const BAD: [what: string, token: string, reason: string][] = [
    ['expired', await sign({ exp: now() - 60 }), 'expired'],
    ['not yet valid', await sign({ nbf: now() + 120 }), 'not_yet_valid'],
    ['another audience', await sign({ aud: 'other' }), 'invalid_audience'],
    ['other audiences', await sign({ aud: ['a', 'b'] }), 'invalid_audience'],
    ['another key', await sign({}, { key: other }), 'invalid_signature'],
    [
      'changed claims',
      `${header}.${encode({ exp: now() + 600, aud: 'test-1', scope: 'admin' })}.${signature}`,
      'invalid_signature',
    ],
    [
      'another algorithm',
      await new SignJWT({ exp: now() + 600, aud: 'test-1' }).setProtectedHeader({ alg: 'HS256' }).sign(RAW),
      'invalid_algorithm',
    ],
    ['no algorithm', `${encode({ alg: 'none' })}.${payload}.`, 'invalid_algorithm'],
    ['no exp', await sign({ exp: undefined }), 'missing_claim'],
    ['no aud', await sign({ aud: undefined }), 'missing_claim'],
    [
      'exp that is not a number',
      await new SignJWT({ exp: 'soon' as unknown as number, aud: 'test-1' })
        .setProtectedHeader({ alg: 'EdDSA' })
        .sign(privateKey),
      'malformed',
    ],
    ['no base64', '!.!.!', 'malformed'],
    ['no JSON', `${Buffer.from('x').toString('base64url')}.${payload}.${signature}`, 'malformed'],
    ['a list as header', `${encode([])}.${payload}.${signature}`, 'malformed'],
    ['empty parts', '..', 'malformed'],
    ['too long', `${header}.${payload}.${'x'.repeat(8_192)}`, 'malformed'],
    ['no JWT', 'something', 'invalid_token'],
    ['too many dots', 'a.b.c.d', 'invalid_token'],
  ]
  for (const [what, token, reason] of BAD) {
    const answer = await ask(server, '/_svc/config', bearer(token))
    t.match([answer.status, answer.body.reason, answer.body.control_auth], [401, reason, 'jwt'], what)
    t.equal(answer.challenge, `Bearer realm="svc-control", error="invalid_token", error_description="${reason}"`, what)
  }
  const GOOD: [what: string, token: string][] = [
    ['EdDSA', good],
    ['the name of RFC 9864', await sign({}, { alg: 'Ed25519' })],
    ['a list of audiences', await sign({ aud: ['x', 'test-1'] })],
    ['just expired', await sign({ exp: now() - 20 })],
    ['valid in a moment', await sign({ nbf: now() + 20 })],
    ['the admin token', 'secret'],
  ]
  for (const [what, token] of GOOD)
    for (let round = 0; round < 2; round++)
      t.equal((await ask(server, '/_svc/config', bearer(token))).status, 200, what)
  t.equal((await ask(server, '/_svc/config', bearer('x'.repeat(100_000)))).status, 431)
})

t.test('scopes allow the documented reads, admin allows everything [CAUTH-3, VERIFY-7]', async t => {
  const server = await serveLimits(t, jwtEnv)
  const CASES: [scope: unknown, requests: number, config: number, clear: number, granted: string[]][] = [
    ['inspector', 200, 403, 403, ['inspector']],
    ['console', 200, 200, 403, ['console', 'inspector']],
    [undefined, 200, 200, 403, ['console', 'inspector']],
    [null, 200, 200, 403, ['console', 'inspector']],
    ['other console more', 200, 200, 403, ['console', 'inspector']],
    [['inspector', 'x'], 200, 403, 403, ['inspector']],
    ['admin', 200, 200, 200, []],
    [['console', 'admin'], 200, 200, 200, []],
    ['', 403, 403, 403, []],
    ['Admin', 403, 403, 403, []],
    [7, 403, 403, 403, []],
    [{ admin: true }, 403, 403, 403, []],
  ]
  for (const [scope, requests, config, clear, granted] of CASES) {
    const headers = bearer(await sign({ scope }))
    t.equal((await ask(server, '/_svc/requests', headers)).status, requests, `requests with ${JSON.stringify(scope)}`)
    // Without a body the verification itself is rejected.
    const verified = requests === 200 ? 400 : 403
    t.equal(
      (await ask(server, '/_svc/verify', headers, 'POST')).status,
      verified,
      `verify with ${JSON.stringify(scope)}`,
    )
    t.equal((await ask(server, '/%5Fsvc/config', headers)).status, config, `config with ${JSON.stringify(scope)}`)
    const answer = await ask(server, '/_svc/requests', headers, 'DELETE')
    t.equal(answer.status, clear, `clear with ${JSON.stringify(scope)}`)
    if (clear === 200) continue
    t.equal(answer.challenge, 'Bearer realm="svc-control", error="insufficient_scope"')
    t.strictSame(answer.body, {
      error: 'this change requires scope admin',
      reason: 'insufficient_scope',
      scopes: granted,
      control_auth: 'jwt',
    })
  }
  t.equal(
    (await ask(server, '/_svc/requestsx', bearer(await sign({ scope: 'inspector' })))).status,
    403,
    'not below /_svc/requests',
  )
  t.strictSame(grantedScopes('admin'), ['admin', 'console', 'inspector'])
})

t.test('scope admin counts as the admin token, on other routes too [CAUTH-4]', async t => {
  const server = await serveLimits(t, jwtEnv)
  for (const [scope, admin] of [
    ['admin', true],
    ['console', false],
  ] as const) {
    const headers = bearer(await sign({ scope }))
    t.match((await ask(server, '/x/admin', headers)).body, { admin }, scope)
    t.equal((await ask(server, '/x/guarded', headers, 'POST')).status, admin ? 200 : 401, scope)
    t.equal((await ask(server, '/health/healthy', headers, 'POST')).status, admin ? 200 : 401, scope)
  }
  const foreign = await sign({ scope: 'admin' }, { key: generateKeyPairSync('ed25519').privateKey })
  t.match((await ask(server, '/x/admin', bearer(foreign))).body, { admin: false })
})

t.test('valid control tokens are redacted in displayed requests, other tokens are kept [INSP-4]', async t => {
  const server = await serveLimits(t, jwtEnv)
  const [own, foreign] = [
    await sign({ scope: 'inspector' }),
    await sign({}, { key: generateKeyPairSync('ed25519').privateKey }),
  ]
  for (const token of [own, foreign]) await ask(server, '/x', bearer(token))
  const { requests } = (await (await fetch(`${server.url}/_svc/requests`, { headers: bearer('secret') })).json()) as {
    requests: { headers: { name: string; value: string }[] }[]
  }
  t.strictSame(
    requests.map(({ headers }) => headers.find(({ name }) => name === 'authorization')!.value),
    [`Bearer ${foreign}`, 'Bearer redacted'],
  )
  const shown = await (await fetch(`${server.url}/x/redacted`, { headers: bearer(own) })).text()
  t.notMatch(shown, own)
})

t.test('modes without the required settings reject everything and log a warning at startup [CAUTH-2]', async t => {
  const ENVIRONMENTS: [env: Record<string, string>, warning: RegExp][] = [
    [{ SVC_CONTROL_AUTH: 'token' }, /SVC_ADMIN_TOKEN is not set/],
    [{ SVC_CONTROL_AUTH: 'jwt' }, /neither SVC_CONTROL_JWT_PUBLIC_KEY nor SVC_ADMIN_TOKEN/],
    [{ SVC_CONTROL_AUTH: 'jwt', SVC_CONTROL_JWT_PUBLIC_KEY: 'not a key' }, /invalid SVC_CONTROL_JWT_PUBLIC_KEY/],
    [{ SVC_HOSTED_MODE: 'true', SVC_CONTROL_AUTH: 'maybe' }, /neither SVC_CONTROL_JWT_PUBLIC_KEY nor SVC_ADMIN_TOKEN/],
  ]
  for (const [env, warning] of ENVIRONMENTS) {
    const server = await serveLimits(t, env)
    t.equal(
      (await ask(server, '/_svc/config', bearer(await sign({})))).body.reason,
      'invalid_token',
      JSON.stringify(env),
    )
    t.equal((await ask(server, '/_svc/config')).status, 401)
    t.equal((await ask(server, '/_svc/ready')).status, 200)
    t.match(server.lines.join(''), warning)
    t.notMatch(server.lines.join(''), /not a key/)
  }
})

t.test('the public key is accepted in every form in which it is pasted [CAUTH-5]', async t => {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const GOOD = [
    PEM,
    PEM.replaceAll('\n', '\\n'),
    PEM.replaceAll('\n', ' ').trim(),
    PEM.replaceAll('\n', '\r\n'),
    der.toString('base64'),
    der.toString('base64url'),
    RAW.toString('base64'),
    RAW.toString('base64url'),
    RAW.toString('base64').replace(/=+$/, ''),
  ]
  for (const text of GOOD)
    t.equal(parsePublicKey(text)?.export({ type: 'spki', format: 'pem' }), PEM, text.slice(0, 40))
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const BAD = [
    '',
    'x',
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
    randomBytes(44).toString('base64'),
    PEM.slice(0, -10),
    'ä'.repeat(43),
  ]
  for (const text of BAD) t.equal(parsePublicKey(text), null, text.slice(0, 40))
})
