/** Limits of plans and keys that replicas apply together. */
import { get, type IncomingMessage } from 'node:http'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { limitsFolder, usageOf } from '../support/limits-server.ts'
import type { TestServer } from '../support/server.ts'
import { NEEDS_SERVER, startStateServer, type StateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'

/** Is not refused by a plan, but counted. */
const ADMIN = { headers: { 'X-Svc-Admin-Token': 'secret' } }

type Test = Parameters<typeof startStateServer>[0]

async function start(
  t: Test,
  env: Record<string, string>,
  count = 3,
): Promise<{ servers: TestServer[]; store: StateServer }> {
  const store = await startStateServer(t)
  const builtinFolder = limitsFolder(t)
  const servers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      launch({
        builtinFolder,
        env: {
          SVC_STATE_STORE: store.url,
          SVC_STATE_STORE_TIMEOUT_MS: '10000',
          SVC_INSTANCE_ID: `r${index}`,
          ...env,
        },
      }),
    ),
  )
  t.teardown(() => Promise.all(servers.map(server => server.stop())))
  await until(async () => {
    const shown = await Promise.all(servers.map(statusOf))
    return shown.every(({ replicas }) => replicas === count)
  }, 'the replicas')
  return { servers, store }
}

/** Plans do not count this request. */
async function statusOf({ url }: TestServer): Promise<{ replicas: number; state_store: { up: boolean } }> {
  return (await (await fetch(`${url}/_svc/status`)).json()) as { replicas: number; state_store: { up: boolean } }
}

/** Sends requests to all servers in turn, at the same time. Returns how many had each status. */
async function flood(servers: TestServer[], count: number, headers = {}): Promise<Record<number, number>> {
  const sent = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const response = await fetch(`${servers[index % servers.length]!.url}/x`, { headers })
      await response.text()
      return response.status
    }),
  )
  return Object.fromEntries([...new Set(sent)].map(status => [status, sent.filter(one => one === status).length]))
}

/** Opens a response and leaves it open. */
function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject)
  })
}

t.test('replicas admit exactly the quota together [STATE-44]', NEEDS_SERVER, async t => {
  const { servers, store } = await start(t, { SVC_LIMIT_REQUESTS: '20', SVC_USAGE_FILE: 'usage.json' })
  t.same(await flood(servers, 30), { 200: 20, 429: 10 })
  const refused = await fetch(`${servers[1]!.url}/x`)
  t.match(await refused.json(), { error: 'svc_plan_limit', limit: 'requests', plan: 'custom' })
  for (const server of servers)
    t.match(await usageOf(server), {
      requests: { used: 20, limit: 20, remaining: 0 },
      egress: { used_bytes: 80 },
      in_flight: { current: 0 },
      persisted: false,
    })
  t.match(servers[0]!.lines.join(''), /SVC_USAGE_FILE is ignored/)
  t.match(store.command('KEYS', '*'), /svc:\{quota\}:i/)
})

t.test('the rate, and what is left, are those of all replicas [STATE-44]', NEEDS_SERVER, async t => {
  // A refill takes longer than the test.
  const { servers } = await start(t, {
    SVC_LIMIT_RPS: '1',
    SVC_LIMIT_BURST: '5',
    SVC_LIMIT_SCOPE: 'session',
    SVC_LIMIT_REQUESTS: '100',
  })
  const headers = { 'X-Svc-Session': 'one' }
  const first = await fetch(`${servers[2]!.url}/x`, { headers })
  t.equal(first.headers.get('x-svc-quota-remaining'), '99')
  const { 200: admitted = 0, 429: refused = 0 } = await flood(servers, 30, headers)
  t.ok(admitted >= 4 && admitted < 15, `${admitted} of a burst of 5 and a refill`)
  t.equal(admitted + refused, 30)
  t.equal((await usageOf(servers[0]!, headers)).requests.used, 1 + admitted)
  t.equal((await usageOf(servers[0]!, { 'X-Svc-Session': 'two' })).requests.used, 0, 'of another session')
  t.equal((await fetch(`${servers[0]!.url}/x`, { headers: { 'X-Svc-Session': 'two' } })).status, 200)
})

t.test('slots are those of all replicas, and one that has left holds none [STATE-44]', NEEDS_SERVER, async t => {
  const { servers } = await start(t, { SVC_LIMIT_CONCURRENCY: '2', SVC_LIMIT_STREAMS: '2' })
  const [one, two, three] = servers as [TestServer, TestServer, TestServer]
  const held = fetch(`${one.url}/x/hold`)
  await until(async () => (await usageOf(two)).in_flight.current === 1, 'a request in flight')
  const other = fetch(`${two.url}/x/hold`)
  await until(async () => (await usageOf(one)).in_flight.current === 2, 'two requests in flight')
  t.match(await (await fetch(`${three.url}/x`)).json(), { limit: 'concurrency' })
  await Promise.all([one.stop(), held.catch(() => {})])
  await until(async () => (await usageOf(three)).in_flight.current === 1, 'that the others notice')
  t.equal((await fetch(`${three.url}/x`)).status, 200, 'the slot of the replica that has left is free')

  // A slot is released when its response has ended, which the client may learn first.
  await until(async () => (await usageOf(two)).in_flight.current === 1, 'the request that is held')
  t.equal((await fetch(`${two.url}/x/release`)).status, 200)
  t.equal(await (await other).text(), 'held')
  await until(async () => (await usageOf(three)).in_flight.current === 0, 'no request in flight')
  const feeds = [await open(`${two.url}/x/feed`), await open(`${three.url}/x/raw`)]
  await until(async () => (await usageOf(three)).open_streams.current === 2, 'two streams')
  t.equal((await usageOf(two)).in_flight.current, 0, 'a stream has no other slot')
  t.match(await (await fetch(`${two.url}/x/feed`)).json(), { limit: 'streams' }, 'a declared stream')
  t.match(await (await fetch(`${two.url}/x/late`)).json(), { limit: 'streams' }, 'one that is noticed by its head')
  t.equal((await usageOf(two)).requests.used, (await usageOf(three)).requests.used)
  for (const feed of feeds) feed.destroy()
  await until(async () => (await usageOf(three)).open_streams.current === 0, 'no streams')
  t.equal((await open(`${three.url}/x/feed`)).destroy().statusCode, 200)
})

t.test('keys are limited and counted by all replicas [STATE-44]', NEEDS_SERVER, async t => {
  const { servers, store } = await start(t, {
    SVC_SHARED_MODE: 'true',
    SVC_ADMIN_TOKEN: 'secret',
    SVC_KEY_DAILY_REQUESTS: '10',
    SVC_LIMIT_REQUESTS: '16',
  })
  t.same(await flood(servers, 15, { 'X-Svc-Key': 'key-of-the-first' }), { 200: 10, 429: 5 })
  for (const server of servers) {
    const { keys } = (await (await fetch(`${server.url}/_svc/keys/usage`, ADMIN)).json()) as { keys: object[] }
    t.match(keys, [{ requests: { used: 10, remaining: 0 }, rejected: { rate: 0, quota: 5 }, last_seen: String }])
  }
  t.equal(
    (await usageOf(servers[0]!)).requests.used,
    10 + servers.length,
    'what the key refuses does not count for the plan',
  )
  const call = async (query: string) => (await fetch(`${servers[1]!.url}/x/call?${query}`)).json()
  t.match(await call('key=key-of-the-first'), { admitted: false, grpcStatus: 8 })
  t.same(await flood(servers, 5, { 'X-Svc-Key': 'key-of-the-second' }), { 200: 2, 429: 3 })
  t.equal(store.command('KEYS', '*key-of*'), '')
})

t.test('a plan and a key cost one operation [STATE-44]', NEEDS_SERVER, async t => {
  const { servers } = await start(t, { SVC_SHARED_MODE: 'true', SVC_PLAN: 'team' }, 1)
  const [{ url }] = servers as [TestServer]
  const count = async () => {
    const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
    return Number(/operations_total\{store="_core\/quota",operation="admit"\} (\d+)/.exec(metrics)?.[1] ?? 0)
  }
  const headers = { 'X-Svc-Key': 'some-key-of-eight' }
  await (await fetch(`${url}/x`, { headers })).text()
  const before = await count()
  await (await fetch(`${url}/x`, { headers })).text()
  t.equal((await count()) - before, 1)
})

t.test('without the store each replica counts on, and reports it later [STATE-44]', NEEDS_SERVER, async t => {
  const { servers, store } = await start(
    t,
    { SVC_LIMIT_REQUESTS: '10', SVC_LIMIT_CONCURRENCY: '1', SVC_STATE_STORE_TIMEOUT_MS: '2000' },
    2,
  )
  const [one, two] = servers as [TestServer, TestServer]
  t.same(await flood([one], 1), { 200: 1 })
  t.same(await flood([two], 1), { 200: 1 })
  await store.kill()
  await until(async () => (await usageOf(one)).requests.used === 1 || undefined, 'the counters of one replica')
  for (let index = 0; index < 3; index++) t.same(await flood([one], 1), { 200: 1 })
  await store.start()
  const isUp = async (server: TestServer) => (await statusOf(server)).state_store.up
  await until(async () => (await isUp(one)) && (await isUp(two)), 'the store')
  await until(async () => (await usageOf(two)).requests.used >= 4, 'what was counted without the store')
  t.equal(
    (await usageOf(one)).requests.used,
    (await usageOf(two)).requests.used,
    'an empty store gets back what is known',
  )
  t.equal((await usageOf(two)).in_flight.current, 0)
  t.same(await flood(servers, 1), { 200: 1 })

  store.command('CONFIG', 'SET', 'maxmemory', '1')
  const used = (await usageOf(one)).requests.used
  t.same(await flood([one], 1), { 200: 1 }, 'a full store')
  store.command('CONFIG', 'SET', 'maxmemory', '0')
  await flood([one], 1)
  await until(async () => (await usageOf(two)).requests.used === used + 2, 'what the full store did not count')
  t.equal((await usageOf(two)).in_flight.current, 0)
})
