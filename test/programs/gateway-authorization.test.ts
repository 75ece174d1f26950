/**
 * Envoy (also over gRPC), nginx, Caddy and HAProxy ask the authorization service, with the files of their pages: each decision and each fault
 * as the client sees it, and what arrives. [GWS-1]
 */
import t, { type Test } from 'tap'
import { absence } from '../support/real-gateways.ts'
import { send } from '../support/rules.ts'
import { serve, type TestServer } from '../support/server.ts'
import { startCaddyOf, startEnvoyOf, startHaproxyOf, startNginxOf, type Through } from './support/recipes.ts'

/** Headers of a request, and the status that the client gets. What has 200 arrives, and nothing else does. */
type Cases = Readonly<Record<string, number>>

interface Gateway {
  title: string
  program: string
  start(t: Test, server: TestServer, timeout: string): Promise<Through>
  /** By the value of `X-Svc-Authz`. nginx and Caddy read no more than the head of an answer. */
  cases: Cases
  /** A service that does not answer in time. */
  hang: number
}

const KEY = { apikey: 'my-key' }

const GATEWAYS: readonly Gateway[] = [
  {
    title: 'Envoy over gRPC',
    program: 'envoy',
    start: (t, server, timeout) => startEnvoyOf(t, server, { filters: 'services.yaml' }, { timeout, headers: KEY }),
    cases: {
      allow: 200,
      deny: 403,
      'deny:451': 451,
      'redirect:/login': 302,
      error: 403,
      'error:500': 500,
      reset: 403,
      malformed: 403,
      'slow:20': 200,
      'headers:3': 200,
      nonsense: 403,
    },
    hang: 403,
  },
  {
    title: 'Envoy',
    program: 'envoy',
    start: (t, server, timeout) => startEnvoyOf(t, server, { filters: 'authz-http.yaml' }, { timeout, headers: KEY }),
    cases: {
      allow: 200,
      deny: 403,
      'deny:451': 451,
      'redirect:/login': 302,
      error: 403,
      'error:500': 403,
      reset: 403,
      malformed: 403,
      'slow:20': 200,
      'headers:3': 200,
      nonsense: 400,
    },
    hang: 403,
  },
  {
    title: 'nginx',
    program: 'nginx',
    start: (t, server, timeout) => startNginxOf(t, server, 'authz.conf', { timeout, headers: KEY }),
    cases: {
      allow: 200,
      deny: 403,
      'deny:401': 401,
      'deny:451': 500,
      'redirect:/login': 500,
      error: 500,
      reset: 500,
      malformed: 200,
      'slow:20': 200,
      'headers:3': 200,
      nonsense: 500,
    },
    hang: 500,
  },
  {
    title: 'Caddy',
    program: 'caddy',
    start: (t, server, timeout) => startCaddyOf(t, server, 'authz.caddyfile', { timeout, headers: KEY }),
    cases: {
      allow: 200,
      deny: 403,
      'deny:451': 451,
      'redirect:/login': 302,
      error: 503,
      'error:500': 500,
      reset: 502,
      malformed: 200,
      'slow:20': 200,
      'headers:3': 200,
      nonsense: 400,
    },
    hang: 504,
  },
  {
    title: 'HAProxy',
    program: 'haproxy',
    start: (t, server, timeout) => startHaproxyOf(t, server, 'services.cfg', { timeout, headers: KEY }),
    cases: {
      allow: 200,
      deny: 403,
      'deny:451': 451,
      'redirect:/login': 302,
      error: 503,
      'error:500': 500,
      reset: 502,
      malformed: 200,
      'slow:20': 200,
      'headers:3': 200,
      nonsense: 400,
    },
    hang: 504,
  },
]

for (const { title, program, start, cases, hang } of GATEWAYS)
  t.test(`${title} asks before it forwards`, { skip: absence(program) }, async t => {
    t.setTimeout(0)
    const server = await serve(t, {
      oneProcess: 'its requests are read at once',
      settings: { ext_authz: { default: 'api-key' } },
    })
    const through = await start(t, server, '60s')
    const get = (path: string, session: string, headers: Record<string, string> = {}): Promise<Response> =>
      through(path, { headers: { 'x-svc-session': session, ...headers }, redirect: 'manual' })
    const arrived = async (session: string): Promise<{ services: { name: string; decision: string }[] }[]> =>
      ((await send(server, `/_svc/requests?session=${session}&path=/echo/**`)).json as { requests: never[] }).requests
    const echoed = async (response: Response): Promise<Record<string, string[]>> =>
      ((await response.json()) as { headers: Record<string, string[]> }).headers

    await t.test('the identity is that of the service', async t => {
      const own = { 'x-svc-user': 'admin', 'x-svc-tenant': 'all' }
      const response = await get('/echo/1', `${program}-identity`, { ...KEY, ...own })
      t.equal(response.status, 200)
      const headers = await echoed(response)
      t.strictSame(headers['x-svc-user'], ['api-key'])
      t.notMatch(headers['x-svc-tenant'] ?? [], ['all'])
      t.match(await arrived(`${program}-identity`), [{ services: [{ name: 'authz', decision: 'allow' }] }])
      t.equal((await get('/echo/1', `${program}-none`, own)).status, 401)
      t.strictSame(await arrived(`${program}-none`), [])
      const allowed = await get('/echo/1', `${program}-allowed`, { ...own, 'x-svc-authz': 'allow' })
      t.notMatch((await echoed(allowed))['x-svc-user'] ?? [], ['admin'], 'an allowing decision without an identity')
    })

    for (const [value, status] of Object.entries(cases))
      await t.test(value, async t => {
        const session = `${program}-${value.replace(/\W/g, '-')}`
        const response = await get('/echo/1', session, { ...KEY, 'x-svc-authz': value })
        t.equal(response.status, status)
        if (status === 302) t.equal(response.headers.get('location'), '/login')
        t.equal((await arrived(session)).length, status === 200 ? 1 : 0)
      })

    await t.test('a rule decides about the request that the gateway names', async t => {
      const match = { service: { name: 'authz' }, method: 'GET', path: '/echo/ruled' }
      await send(server, 'PUT /_svc/rules/ruled', {
        body: { match, then: { decide: { allow: false, status: 401, body: 'not today' } } },
      })
      t.equal((await get('/echo/ruled?a=1', `${program}-ruled`, KEY)).status, 401)
      t.equal((await get('/echo/other', `${program}-ruled`, KEY)).status, 200)
    })

    await t.test('a service that does not answer in time', async t => {
      const impatient = await start(t, server, '1s')
      const response = await impatient('/echo/1', {
        headers: { ...KEY, 'x-svc-authz': 'hang', 'x-svc-session': `${program}-hang` },
      })
      t.equal(response.status, hang)
      t.strictSame(await arrived(`${program}-hang`), [])
    })
  })
