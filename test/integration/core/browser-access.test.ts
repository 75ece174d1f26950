/** Web pages that the user visits: what they may read and change while the control plane requires no credential. */
import t, { type Test } from 'tap'
import { hostname } from 'node:os'
import { pluginFolder } from '../../support/plugins.ts'
import { send } from '../../support/request.ts'
import { serve, type TestServer } from '../../support/server.ts'

type Headers = Record<string, string>

/** Operations that read what was captured, change the instance, or are guarded outside the control plane. */
const PROTECTED = [
  ['GET', '/_svc/requests'],
  ['GET', '/_svc/config'],
  ['GET', '/_svc/catalog'],
  ['DELETE', '/_svc/requests'],
  ['POST', '/_svc/reload'],
  ['POST', '/_svc/plugins/echo/disable'],
  ['GET', '/_svc/no-such'],
  ['POST', '/health/unhealthy'],
  ['POST', '/health/healthy'],
] as const

function start(t: Test, env: Record<string, string> = {}): Promise<TestServer> {
  return serve(t, { builtinFolder: pluginFolder(t, {}).folder, env })
}

const corsOf = (headers: object): string[] => Object.keys(headers).filter(name => name.startsWith('access-control-'))

t.test('a page of another origin is rejected, both simple requests and reads [SEC-7]', async t => {
  const server = await start(t)
  const foreign: [string, Headers, string | null][] = [
    ['another origin', { Origin: 'https://evil.example' }, 'https://evil.example'],
    ['another port', { Origin: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1'],
    ['a sandboxed document', { Origin: 'null' }, 'null'],
    ['what the browser calls cross-site, without Origin', { 'Sec-Fetch-Site': 'cross-site' }, null],
    [
      'same-site is not same-origin',
      { Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' },
      'http://localhost:3000',
    ],
    ['its own origin, which the browser denies', { Origin: server.url, 'Sec-Fetch-Site': 'cross-site' }, server.url],
  ]
  for (const [name, headers, origin] of foreign) {
    for (const [method, path] of PROTECTED) {
      const reply = await send(server.url, path, { method, headers })
      t.equal(reply.status, 403, `${name}: ${method} ${path}`)
      t.match(reply.json(), { error: 'cross-origin request refused', origin })
      t.strictSame(corsOf(reply.headers), [], 'the page cannot read the refusal')
    }
  }
  t.match((await send(server.url, '/health')).json(), { healthy: true }, 'nothing was switched')
})

t.test('programs, the console and the data plane are served as before [SEC-7]', async t => {
  const server = await start(t)
  const { port } = new URL(server.url)
  const own: [string, Headers][] = [
    ['a program', {}],
    ['its own origin', { Origin: server.url }],
    [
      'what the browser calls its own origin, behind a gateway that rewrites Host',
      { Origin: 'https://demo.example', 'Sec-Fetch-Site': 'same-origin' },
    ],
    ['an address that the user typed', { 'Sec-Fetch-Site': 'none' }],
    ['localhost', { Host: `localhost:${port}` }],
    ['a name below .localhost', { Host: `svc.localhost:${port}`, Origin: `http://svc.localhost:${port}` }],
    ['an IPv6 address', { Host: `[::1]:${port}` }],
    ['the name of the machine', { Host: `${hostname()}:${port}` }],
  ]
  for (const [name, headers] of own) {
    for (const [method, path] of [
      ['GET', '/_svc/catalog'],
      ['POST', '/health/healthy'],
    ] as const) {
      const reply = await send(server.url, path, { method, headers })
      t.equal(reply.status, 200, `${name}: ${method} ${path}`)
    }
    t.strictSame(
      corsOf((await send(server.url, '/_svc/catalog', { headers })).headers),
      [],
      `${name}: no other origin may read it`,
    )
  }
  const data = await send(server.url, '/health', { headers: { Origin: 'https://evil.example', Host: 'evil.example' } })
  t.equal(data.status, 200)
  t.equal(data.headers['access-control-allow-origin'], '*', 'the data plane keeps its default')
})

t.test('a DNS name that an attacker points to this machine is rejected from this machine [SEC-7]', async t => {
  const server = await start(t)
  for (const host of [
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
  ]) {
    for (const [method, path] of PROTECTED) {
      const reply = await send(server.url, path, { method, headers: { Host: host, Origin: `http://${host}` } })
      t.equal(reply.status, 421, `${host}: ${method} ${path}`)
      t.match(reply.json(), { error: 'misdirected request', host })
    }
  }
  const named = await start(t, { SVC_HOSTS: 'demo.example, Other.Example' })
  t.equal((await send(named.url, '/_svc/catalog', { headers: { Host: 'demo.example' } })).status, 200)
  t.equal(
    (
      await send(named.url, '/_svc/catalog', {
        headers: { Host: 'other.example.', Origin: 'http://demo.example:8000' },
      })
    ).status,
    200,
    'a page from a listed host is its own one',
  )
  t.equal((await send(named.url, '/_svc/catalog', { headers: { Host: 'third.example' } })).status, 421)
  if (hostname() !== 'localhost')
    t.equal(
      (await send(named.url, '/_svc/catalog', { headers: { Host: hostname() } })).status,
      421,
      "the list replaces the machine's name",
    )
  t.match((await send(named.url, '/_svc/config')).json(), { hosts: ['demo.example', 'other.example'] })
})

t.test('preflights of the control plane allow only listed origins [SEC-7]', async t => {
  const preflight = {
    Origin: 'https://app.example',
    'Access-Control-Request-Method': 'DELETE',
    'Access-Control-Request-Headers': 'x-a',
  }
  const unset = await start(t)
  const refused = await send(unset.url, '/_svc/requests', { method: 'OPTIONS', headers: preflight })
  t.equal(refused.status, 200)
  t.strictSame(corsOf(refused.headers), [])
  t.equal(refused.headers.vary, 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
  t.equal(
    (await send(unset.url, '/health', { method: 'OPTIONS', headers: preflight })).headers[
      'access-control-allow-origin'
    ],
    '*',
  )

  const listed = await start(t, { SVC_CORS_ORIGINS: 'https://app.example' })
  const allowed = await send(listed.url, '/_svc/requests', { method: 'OPTIONS', headers: preflight })
  t.equal(allowed.headers['access-control-allow-origin'], 'https://app.example')
  const pages: Headers[] = [
    { Origin: 'https://app.example' },
    { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' },
  ]
  for (const headers of pages) {
    const reply = await send(listed.url, '/_svc/requests', { headers })
    t.equal(reply.status, 200)
    t.equal(reply.headers['access-control-allow-origin'], 'https://app.example')
    t.equal(reply.headers.vary, 'Origin')
  }
  t.equal((await send(listed.url, '/_svc/requests', { headers: { Origin: 'https://other.example' } })).status, 403)
})

t.test('explicitly setting the origins to * is respected, and a credential replaces the checks [SEC-7]', async t => {
  const foreign = { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' }
  const any = await start(t, { SVC_CORS_ORIGINS: '*' })
  const reply = await send(any.url, '/_svc/requests', { headers: foreign })
  t.equal(reply.status, 200)
  t.equal(reply.headers['access-control-allow-origin'], '*')
  t.equal(
    (await send(any.url, '/_svc/requests', { headers: { ...foreign, Host: 'evil.example' } })).status,
    421,
    'the host is checked anyway',
  )

  const off = await start(t, { SVC_CORS_ORIGINS: 'off' })
  t.equal((await send(off.url, '/_svc/requests', { headers: foreign })).status, 403)
  t.equal((await send(off.url, '/_svc/requests', { headers: { Origin: off.url } })).status, 200)

  const token = await start(t, { SVC_ADMIN_TOKEN: 'secret-1', SVC_CONTROL_AUTH: 'token' })
  t.equal((await send(token.url, '/_svc/requests', { headers: foreign })).status, 401)
  t.equal(
    (
      await send(token.url, '/_svc/requests', {
        headers: { ...foreign, Host: 'evil.example', 'X-Svc-Admin-Token': 'secret-1' },
      })
    ).status,
    200,
    'no page has it',
  )
})

t.test('rejected requests are neither counted against a plan nor captured [SEC-7]', async t => {
  const server = await start(t, { SVC_PLAN: 'free' })
  const reply = await send(server.url, '/_svc/config', { headers: { Origin: 'https://evil.example' } })
  t.equal(reply.status, 403)
  t.equal(reply.headers['x-svc-plan'], undefined)
})
