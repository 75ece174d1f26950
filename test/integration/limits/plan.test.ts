/** The plan over HTTP: configuration, rejections, headers, exemptions, and exact counts under load. */
import t from 'tap'
import { Agent, fetch as undiciFetch } from 'undici'
import { rejectionsOf, serveLimits, serveTogether, usageOf } from '../../support/limits-server.ts'
import { until } from '../../support/until.ts'

t.test('presets and overrides give the limits that are shown [PLAN-1, USAGE-1]', async t => {
  const free = {
    scope: 'session',
    period: 'day',
    rps: 5,
    burst: 20,
    concurrency: 10,
    streams: 3,
    stream_lifetime_secs: 300,
    requests: 10_000,
    egress_bytes: 1_000_000_000,
    usage_file_configured: false,
    active: true,
  }
  const none = {
    scope: 'instance',
    period: 'month',
    rps: null,
    burst: null,
    concurrency: null,
    streams: null,
    stream_lifetime_secs: null,
    requests: null,
    egress_bytes: null,
    usage_file_configured: false,
  }
  const CASES: [env: Record<string, string>, plan: string, limits: object][] = [
    [{}, 'none', { ...none, active: false }],
    [{ SVC_PLAN: 'OFF' }, 'none', { ...none, active: false }],
    [{ SVC_LIMIT_RPS: 'abc' }, 'none', { ...none, active: false }],
    [{ SVC_PLAN: 'Free' }, 'free', free],
    [{ SVC_PLAN: 'free', SVC_LIMIT_RPS: '1' }, 'free', { ...free, rps: 1 }],
    [
      {
        SVC_PLAN: 'free',
        SVC_LIMIT_RPS: 'x',
        SVC_LIMIT_STREAMS: '0',
        SVC_LIMIT_REQUESTS: 'unlimited',
        SVC_LIMIT_EGRESS_MB: '0.5',
        SVC_LIMIT_SCOPE: 'Global',
        SVC_LIMIT_PERIOD: 'monthly',
      },
      'free',
      { ...free, streams: null, requests: null, egress_bytes: 500_000, scope: 'instance', period: 'month' },
    ],
    [{ SVC_PLAN: 'enterprise' }, 'enterprise', { ...none, active: true }],
    [{ SVC_PLAN: 'enterprise', SVC_LIMIT_REQUESTS: '1_000' }, 'enterprise', { ...none, active: true, requests: 1000 }],
    [{ SVC_LIMIT_CONCURRENCY: '4' }, 'custom', { ...none, active: true, concurrency: 4 }],
    [{ SVC_LIMIT_RPS: '3', SVC_LIMIT_BURST: '0' }, 'custom', { ...none, active: true, rps: 3, burst: 3 }],
  ]
  for (const [env, plan, limits] of CASES) {
    const server = await serveTogether(t, env)
    const config = (await (await fetch(`${server.url}/_svc/config`)).json()) as { plan: string; limits: object }
    t.strictSame(config.limits, limits, JSON.stringify(env))
    const usage = await usageOf(server)
    t.strictSame([config.plan, usage.plan, usage.limits], [plan, plan, limits])
    t.equal((await fetch(`${server.url}/x`)).headers.get('x-svc-plan'), plan === 'none' ? null : plan)
    await server.stop()
  }
})

t.test('admitted responses have the plan headers, a 429 has the documented fields [PLAN-10, PLAN-11]', async t => {
  const server = await serveTogether(t, { SVC_LIMIT_REQUESTS: '2', SVC_LIMIT_RPS: '100', SVC_LIMIT_PERIOD: 'day' })
  for (const remaining of ['1', '0']) {
    const response = await fetch(`${server.url}/no/such`)
    t.strictSame(
      [
        response.status,
        response.headers.get('x-svc-plan'),
        response.headers.get('x-svc-quota-remaining'),
        response.headers.get('ratelimit'),
      ],
      [404, 'custom', remaining, null],
    )
  }
  const refused = await fetch(`${server.url}/x`, {
    headers: { 'X-Svc-Delay': '20000', 'X-Svc-Fail': '503', 'X-Request-Id': 'mine', Origin: 'http://a' },
  })
  t.equal(refused.status, 429)
  t.match(refused.headers.get('content-type'), /^application\/json/)
  const secs = Number(refused.headers.get('retry-after'))
  t.ok(Number.isInteger(secs) && secs >= 1 && secs <= 86_400)
  const wanted: Record<string, string | null> = {
    'ratelimit-policy': '"rps";q=100;w=1;svc-burst=100, "requests";q=2;w=86400',
    ratelimit: `"requests";r=0;t=${secs}`,
    'x-svc-limit': 'requests',
    'x-svc-plan': 'custom',
    'x-svc-quota-remaining': null,
    'x-svc-fault': null,
    'x-request-id': 'mine',
    'access-control-allow-origin': '*',
  }
  for (const [name, value] of Object.entries(wanted)) t.equal(refused.headers.get(name), value, name)
  t.match(await refused.json(), {
    error: 'svc_plan_limit',
    limit: 'requests',
    plan: 'custom',
    scope: 'instance',
    retry_after_secs: secs,
    usage: '/_svc/usage',
    message: /^Rejected by this service's own plan limit, not by the gateway in front of it\. .*custom.*2 requests/,
  })
  const head = await fetch(`${server.url}/x`, { method: 'HEAD' })
  t.strictSame([head.status, head.headers.get('x-svc-limit'), await head.text()], [429, 'requests', ''])
  t.equal(
    ((await (await fetch(`${server.url}/_svc/status`)).json()) as { inspector: { total_captured: number } }).inspector
      .total_captured,
    2,
    'refusals are not captured',
  )
  t.equal(await rejectionsOf(server, 'requests'), 2)
  t.equal(
    (await fetch(`${server.url}/x`, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } })).status,
    200,
    'preflights pass',
  )
})

t.test('CORS exposes the headers of limits while a limit is active [PLAN-15]', async t => {
  const names = ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Svc-Limit', 'X-Svc-Plan', 'X-Svc-Quota-Remaining']
  const exposed = async (env: Record<string, string>) =>
    (await fetch(`${(await serveTogether(t, env)).url}/x`, { headers: { Origin: 'http://a' } })).headers
      .get('access-control-expose-headers')!
      .split(', ')
  const without = await exposed({})
  t.strictSame(
    names.filter(name => without.includes(name)),
    [],
  )
  const withPlan = await exposed({ SVC_PLAN: 'pro' })
  t.strictSame(
    names.filter(name => withPlan.includes(name)),
    names,
  )
  const shared = await exposed({ SVC_SHARED_MODE: 'true' })
  t.strictSame(
    [...names, 'X-Svc-Key-Id', 'X-Svc-Key-Quota-Remaining'].filter(name => shared.includes(name)),
    ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Svc-Limit', 'X-Svc-Key-Id', 'X-Svc-Key-Quota-Remaining'],
  )
})

t.test('of N requests exactly N are admitted, 200 clients at once [PLAN-5]', async t => {
  const server = await serveTogether(t, { SVC_LIMIT_REQUESTS: '137' })
  const dispatcher = new Agent({ connections: 200 })
  t.teardown(() => dispatcher.close())
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_each, client) => {
      const own: number[] = []
      for (let round = 0; round < 3; round++) {
        const response = await undiciFetch(`${server.url}/${client % 2 ? 'x' : 'x/items/1'}`, { dispatcher })
        await response.arrayBuffer()
        own.push(response.status)
      }
      return own
    }),
  )
  const all = statuses.flat()
  t.equal(all.filter(status => status === 200).length, 137)
  t.equal(all.filter(status => status === 429).length, 600 - 137)
  t.match(await usageOf(server), { requests: { used: 137, remaining: 0 }, in_flight: { current: 0 } })
})

t.test(
  'concurrency counts until the body is sent, and is released at once if the client disconnects [PLAN-6]',
  async t => {
    const server = await serveLimits(t, { SVC_LIMIT_CONCURRENCY: '2' })
    const leaving = new AbortController()
    const first = fetch(`${server.url}/x/hold`)
    const second = fetch(`${server.url}/x/hold`, { signal: leaving.signal })
    second.catch(() => {})
    await until(async () => (await usageOf(server)).in_flight.current === 2)
    const refused = await fetch(`${server.url}/x`)
    t.strictSame(
      [
        refused.status,
        refused.headers.get('x-svc-limit'),
        refused.headers.get('retry-after'),
        refused.headers.get('ratelimit'),
      ],
      [429, 'concurrency', '1', '"concurrency";r=0;t=1'],
    )
    leaving.abort()
    await until(async () => (await usageOf(server)).in_flight.current === 1)
    t.equal(await (await fetch(`${server.url}/x/release`)).text(), 'released')
    t.equal(await (await first).text(), 'held')
    await until(async () => (await usageOf(server)).in_flight.current === 0)
    t.equal((await usageOf(server)).requests.used, 3, 'the refused one does not count')
  },
)

t.test('egress counts bytes as they are sent [PLAN-8]', async t => {
  const server = await serveLimits(t, { SVC_LIMIT_EGRESS_MB: '0.02' })
  const used = async () => (await usageOf(server)).egress.used_bytes
  await (await fetch(`${server.url}/x/bytes/1000`)).arrayBuffer()
  t.equal(await used(), 1_000)
  await fetch(`${server.url}/x/bytes/1000`, { method: 'HEAD' })
  await fetch(`${server.url}/x/empty`)
  t.equal(await used(), 1_000)
  const leaving = new AbortController()
  await fetch(`${server.url}/x/chunks`, { signal: leaving.signal })
  await until(async () => (await used()) === 1_005, 'bytes of an open answer')
  leaving.abort()
  await (await fetch(`${server.url}/x/hijacked`, { signal: AbortSignal.timeout(100) }).catch(() => null))
    ?.text()
    .catch(() => '')
  await until(async () => (await used()) === 1_009, 'a hijacked answer')
  t.equal((await fetch(`${server.url}/x/bytes/100000`)).status, 200, 'an answer in flight is never cut')
  t.equal(await used(), 101_009)
  const refused = await fetch(`${server.url}/x`)
  t.strictSame([refused.status, refused.headers.get('x-svc-limit')], [429, 'egress'])
  await refused.text()
  t.match(
    await usageOf(server),
    { egress: { used_bytes: 101_009, limit_bytes: 20_000, remaining_bytes: 0 } },
    'the body of a 429 counts 0',
  )
})

t.test(
  'exempt paths are not counted; the administrator is counted and never locked out [PLAN-12, LAYER-2]',
  async t => {
    const server = await serveTogether(t, { SVC_LIMIT_REQUESTS: '1', SVC_ADMIN_TOKEN: 'secret' })
    await fetch(`${server.url}/x`)
    for (const [path, method] of [
      ['/', 'GET'],
      ['/ui', 'GET'],
      ['/ui/a/b', 'GET'],
      ['/_svc/usage', 'GET'],
      ['/_svc/usage', 'HEAD'],
      ['/%5Fsvc/usage', 'GET'],
      ['/_svc/status', 'GET'],
      ['/_svc/ready', 'GET'],
      ['/_svc/metrics', 'GET'],
    ] as const) {
      const response = await fetch(server.url + path, { method })
      t.not(response.status, 429, path)
      t.equal(response.headers.get('x-svc-plan'), null, path)
      await response.text()
    }
    for (const [path, method] of [
      ['/_svc/config', 'GET'],
      ['/%5Fsvc/config', 'GET'],
      ['/_svc/usage', 'POST'],
      ['/_svc/usage/', 'GET'],
      ['/uix', 'GET'],
      ['/x', 'GET'],
      ['/%zz', 'GET'],
    ] as const) {
      t.equal((await fetch(server.url + path, { method })).status, 429, `${method} ${path}`)
    }
    t.equal((await usageOf(server)).requests.used, 1)
    const admin = { 'X-Svc-Admin-Token': 'secret' }
    const admitted = await fetch(`${server.url}/%5Fsvc/config`, { headers: admin })
    t.strictSame(
      [admitted.status, admitted.headers.get('x-svc-plan'), admitted.headers.get('x-svc-quota-remaining')],
      [200, 'custom', '0'],
    )
    t.equal((await usageOf(server)).requests.used, 2)
    t.equal((await fetch(`${server.url}/x`, { headers: admin })).status, 429, 'no effect on the data plane')
    t.equal((await fetch(`${server.url}/_svc/config`, { headers: { 'X-Svc-Admin-Token': 'wrong' } })).status, 429)
  },
)

t.test('sessions are counted separately, and each sees its own counters [PLAN-9, USAGE-1]', async t => {
  const server = await serveTogether(t, { SVC_LIMIT_REQUESTS: '1', SVC_LIMIT_SCOPE: 'session' })
  const status = async (session?: string) =>
    (await fetch(`${server.url}/x`, session === undefined ? {} : { headers: { 'X-Svc-Session': session } })).status
  t.strictSame(
    [
      await status('a'),
      await status('a'),
      await status('b'),
      await status(),
      await status(),
      await status('ip:127.0.0.1'),
      await status('not valid'),
    ],
    [200, 429, 200, 200, 429, 200, 429],
  )
  t.match(await usageOf(server, { 'X-Svc-Session': 'a' }), {
    scope: 'session',
    session: 'a',
    requests: { used: 1, remaining: 0 },
    persisted: false,
  })
  t.match(await usageOf(server, { 'X-Svc-Session': 'unseen' }), {
    session: 'unseen',
    requests: { used: 0, remaining: 1 },
  })
  t.match(await usageOf(server), { session: 'ip:127.0.0.1', requests: { used: 1 } })
})

t.test('calls outside of HTTP share the counters and get a status [PLAN-14]', async t => {
  const server = await serveTogether(t, { SVC_LIMIT_REQUESTS: '3' })
  const call = async () => (await fetch(`${server.url}/x/call`)).json()
  t.strictSame(await call(), { admitted: true })
  const refused = (await call()) as { metadata: Record<string, string>; message: string }
  t.match(refused, {
    admitted: false,
    grpcStatus: 8,
    message: /^Rejected by this service's own plan limit/,
    metadata: { 'x-svc-limit': 'requests', 'x-svc-plan': 'custom', 'retry-after': /^\d+$/ },
  })
  t.strictSame(Object.keys(refused.metadata).toSorted(), ['retry-after', 'x-svc-limit', 'x-svc-plan'])
  t.match(await usageOf(server), { requests: { used: 3 } })
  t.equal(await rejectionsOf(server, 'requests'), 1)
})
