/** Verification of captured requests: numbers, orders, what came closest, sessions and errors. */
import t from 'tap'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Verified {
  verified: boolean
  count: number
  expected: string
  requests: string[]
  waited_ms: number
  dropped?: number
  message?: string
  missing?: number
  looked_at?: number
  closest?: { request_id: string; matched: number; of: number; differences: { at: string; got: unknown }[] }[]
}

async function verify(
  server: TestServer,
  body: object | string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: Verified }> {
  const response = await fetch(`${server.url}/_svc/verify${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Verified }
}

const send = (server: TestServer, path: string, init: RequestInit = {}) => fetch(server.url + path, init)

t.test('by number, of the stored requests [VERIFY-1]', async t => {
  const server = await serveLimits(t)
  await send(server, '/x', { headers: { 'X-Tenant': 'a' } })
  await send(server, '/x', { method: 'POST', body: '{"n":1}' })
  await send(server, '/x/items/1')
  for (const [body, status, expected, count] of [
    [{}, 200, 'at least 1', 3],
    [{ match: { path: '/x' } }, 200, 'at least 1', 2],
    [{ match: { path: '/x' }, exactly: 2 }, 200, 'exactly 2', 2],
    [{ match: { path: '/x' }, exactly: 1 }, 409, 'exactly 1', 2],
    [{ match: { path: '/x' }, exactly: 3 }, 409, 'exactly 3', 2],
    [{ match: { header: { 'X-Tenant': 'a' } }, exactly: 1 }, 200, 'exactly 1', 1],
    [{ match: { json: { '/n': { gte: 1 } } }, exactly: 1 }, 200, 'exactly 1', 1],
    [{ match: { path: '/x' }, at_least: 3 }, 409, 'at least 3', 2],
    [{ match: { path: '/x' }, at_most: 2 }, 200, 'at most 2', 2],
    [{ match: { path: '/x' }, at_most: 1 }, 409, 'at most 1', 2],
    [{ match: { path: '/x' }, at_least: 1, at_most: 2 }, 200, 'at least 1 and at most 2', 2],
    [{ match: { path: '/x' }, at_least: 3, at_most: 4 }, 409, 'at least 3 and at most 4', 2],
    [{ match: { path: '/none' }, exactly: 0 }, 200, 'exactly 0', 0],
    [{ match: { path: '/none' }, none: true }, 200, 'no', 0],
    [{ match: { status: { gte: 400 } }, none: true }, 200, 'no', 0],
    [{ none: true }, 409, 'no', 3],
  ] as const) {
    const result = await verify(server, body)
    t.match(result, { status, body: { verified: status === 200, expected, count } }, JSON.stringify(body))
    t.equal(result.body.requests.length, count, 'the ids of those that matched')
  }
  const { requests } = (await (await fetch(`${server.url}/_svc/requests`)).json()) as { requests: InspectorEntry[] }
  t.strictSame((await verify(server, {})).body.requests, requests.map(({ id }) => id).reverse())
  t.match((await verify(server, { since: requests[1]!.id, exactly: 1 })).status, 200, 'only what came after')
})

t.test('within a time [VERIFY-2]', async t => {
  const server = await serveLimits(t)
  const match = { path: '/x' }
  const later = (count: number, delayMs = 60) =>
    setTimeout(async () => {
      for (let index = 0; index < count; index++) await send(server, '/x')
    }, delayMs)
  const atLeast = verify(server, { match, within_ms: 20_000 })
  later(1)
  t.match(await atLeast, { status: 200, body: { count: 1 } })
  t.ok((await atLeast).body.waited_ms < 10_000, 'a lower bound holds at once')

  const exactly = verify(server, { match, exactly: 2, within_ms: 20_000, settle_ms: 300 })
  later(1)
  const decided = await exactly
  t.match(decided, { status: 200, body: { count: 2 } })
  t.ok(decided.body.waited_ms >= 300 && decided.body.waited_ms < 10_000, `decided in ${decided.body.waited_ms}`)

  const tooMany = verify(server, { match, exactly: 3, within_ms: 20_000, settle_ms: 1000 })
  later(2)
  const failed = await tooMany
  t.match(failed, { status: 409, body: { count: 4, closest: [] } })
  t.ok(failed.body.waited_ms < 10_000, 'too many fail at once')
  t.equal(failed.body.message, 'expected exactly 3 requests with path /x, got 4')

  const none = await verify(server, { match: { path: '/none' }, none: true, within_ms: 200 })
  t.equal(none.status, 200)
  t.ok(none.body.waited_ms >= 199, 'an upper bound holds at the end')
  const broken = verify(server, { match: { path: '/x/items/{id}' }, none: true, within_ms: 20_000 })
  setTimeout(() => void send(server, '/x/items/1'), 60)
  t.match(await broken, { status: 409, body: { count: 1 } })
  t.ok((await broken).body.waited_ms < 10_000)

  const late = await verify(server, { match, at_least: 9, within_ms: 150 })
  t.match(late, { status: 409, body: { count: 4, looked_at: 5 } })
  t.ok(late.body.waited_ms >= 149 && late.body.waited_ms < 5000)
})

t.test('a request that is captured while the wait begins counts once [VERIFY-2]', async t => {
  const server = await serveLimits(t)
  for (let index = 1; index <= 5; index++) {
    await send(server, '/x')
    const result = await verify(server, { exactly: index, within_ms: 5000, settle_ms: 20 })
    t.match(result, { status: 200, body: { count: index } })
  }
})

t.test('in order of arrival [VERIFY-3]', async t => {
  const server = await serveLimits(t)
  const get = (path: string) => ({ path, method: 'GET' })
  const held = send(server, '/x/hold')
  await until(async () => (await verify(server, {})).status === 409)
  await send(server, '/x/items/1')
  await send(server, '/x')
  await send(server, '/x/items/2')
  await send(server, '/x/release')
  await held
  const order = [get('/x/hold'), get('/x/items/1'), get('/x/items/2')]
  const verified = await verify(server, { order })
  t.match(verified, { status: 200, body: { verified: true, count: 3, expected: '3 requests in order' } })
  t.equal(verified.body.requests.length, 3)
  t.equal((await verify(server, { order, strict: true })).status, 200, 'others may come between')
  const items = [get('/x/items/{id}'), get('/x/release')]
  t.equal((await verify(server, { order: items })).status, 200)
  const strict = await verify(server, { order: items, strict: true })
  t.match(strict, {
    status: 409,
    body: { count: 1, missing: 1, message: /got the first 1 and then another one of them/ },
  })
  const wrong = await verify(server, { order: [get('/x'), get('/x/items/1')] })
  t.match(wrong, {
    status: 409,
    body: {
      count: 1,
      missing: 1,
      closest: [{ matched: 1, of: 2, differences: [{ at: 'path', expected: '/x/items/1' }] }],
      message: /^expected 2 requests in order, got the first 1; the closest is GET .*, which differs in path$/,
    },
  })
  const waiting = verify(server, { order: [get('/x/release'), { method: 'PUT' }], within_ms: 20_000 })
  setTimeout(() => void send(server, '/x', { method: 'PUT' }), 60)
  t.equal((await waiting).status, 200)
})

t.test('a failure names the closest requests [VERIFY-4]', async t => {
  const server = await serveLimits(t)
  await send(server, '/order', { method: 'POST', body: '{"model":"a"}', headers: { 'X-Request-Id': 'r1' } })
  await send(server, '/other', { headers: { 'X-Request-Id': 'r2' } })
  await send(server, '/order', { method: 'POST', body: 'x', headers: { 'X-Request-Id': 'r3', 'X-Tenant': 'b' } })
  const one = await verify(server, { match: { method: 'POST', path: '/orders' }, exactly: 1 })
  t.match(one, {
    status: 409,
    body: {
      verified: false,
      error: 'verification_failed',
      expected: 'exactly 1',
      count: 0,
      looked_at: 3,
      requests: [],
      message:
        'expected exactly 1 request with method POST and path /orders, got 0; the closest is POST /order, which differs in path',
    },
  })
  t.strictSame(
    one.body.closest!.map(({ request_id, matched, of }) => ({ request_id, matched, of })),
    [
      { request_id: 'r3', matched: 1, of: 2 },
      { request_id: 'r1', matched: 1, of: 2 },
      { request_id: 'r2', matched: 0, of: 2 },
    ],
    'fewest differences first, newest first among equals',
  )
  t.strictSame(one.body.closest![0]!.differences, [{ at: 'path', expected: '/orders', got: '/order' }])
  const deep = await verify(server, {
    match: { path: '/order', header: { 'X-Tenant': 'a' }, json: { '/model': 'b' } },
  })
  t.strictSame(
    deep.body.closest![0]!.differences.map(({ at, got }) => ({ at, got })),
    [
      { at: 'header.x-tenant', got: 'b' },
      { at: 'json./model', got: null },
    ],
  )
  t.match(deep.body.message, /with path \/order and header X-Tenant a and json \/model b, got 0/)
  for (let index = 0; index < 9; index++) await send(server, '/x')
  t.equal((await verify(server, { match: { path: '/orders' } })).body.closest!.length, 5)
})

t.test('wrong verifications name the place [VERIFY-5]', async t => {
  const server = await serveLimits(t)
  for (const [body, at] of [
    [{ matc: {} }, 'matc'],
    [{ match: { pth: '/x' } }, 'match.pth'],
    [{ match: { path: 'x' } }, 'match.path'],
    [{ match: { status: { gt: 'x' } } }, 'match.status.gt'],
    [{ exactly: -1 }, 'exactly'],
    [{ exactly: 1.5 }, 'exactly'],
    [{ exactly: '1' }, 'exactly'],
    [{ exactly: 1, at_least: 1 }, 'at_least'],
    [{ at_least: 1, none: true }, 'none'],
    [{ at_least: 3, at_most: 2 }, 'at_most'],
    [{ none: false }, 'none'],
    [{ within_ms: 30_001 }, 'within_ms'],
    [{ settle_ms: 10_001 }, 'settle_ms'],
    [{ since: 'now' }, 'since'],
    [{ session: 'a b' }, 'session'],
    [{ order: [{}] }, 'order'],
    [{ order: Array.from({ length: 21 }, () => ({})) }, 'order'],
    [{ order: [{}, { path: 1 }] }, 'order[1].path'],
    [{ order: [{}, {}], exactly: 1 }, 'exactly'],
    [{ order: [{}, {}], match: {} }, 'match'],
    [{ order: [{}, {}], strict: 1 }, 'strict'],
    [{ strict: true }, 'strict'],
    [[], ''],
    ['null', ''],
  ] as const)
    t.match(
      await verify(server, body),
      { status: 400, body: { error: 'invalid_verification', at, details: String } },
      JSON.stringify(body).slice(0, 60),
    )
  for (const text of ['', '{', '['.repeat(5000)])
    t.match(await verify(server, text), { status: 400, body: { error: 'invalid_json' } }, text.slice(0, 5))
  t.match(await verify(server, {}, { query: '?sesion=a' }), { status: 400, body: { did_you_mean: 'session' } })
})

t.test('requests that are no longer stored are counted [VERIFY-6]', async t => {
  const server = await serveLimits(t, { SVC_INSPECTOR_CAPACITY: '3' })
  const to = (session: string) => send(server, '/x', { headers: { 'X-Svc-Session': session } })
  await to('a')
  const { body: first } = await verify(server, { session: 'a' })
  t.notOk('dropped' in first)
  await to('a')
  for (let index = 0; index < 2; index++) await to('b')
  const none = await verify(server, { session: 'a', match: { path: '/none' }, none: true })
  t.match(none, { status: 200, body: { dropped: 1, message: /^1 older requests are no longer stored/ } })
  const exactly = await verify(server, { session: 'a', exactly: 2 })
  t.match(exactly, {
    status: 409,
    body: { dropped: 1, message: 'expected exactly 2 requests, got 1; 1 older requests are no longer stored' },
  })
  t.match((await verify(server, {})).body, { count: 3, dropped: 1 }, 'of all sessions')
  t.notOk('dropped' in (await verify(server, { session: 'b', exactly: 2 })).body)
  const { requests } = (await (await fetch(`${server.url}/_svc/requests`)).json()) as { requests: InspectorEntry[] }
  const mark = requests.at(-1)!.id
  t.notOk('dropped' in (await verify(server, { session: 'a', since: mark, none: true })).body, 'all since is stored')
  await fetch(`${server.url}/_svc/requests?session=a`, { method: 'DELETE' })
  t.notOk('dropped' in (await verify(server, { session: 'a', none: true })).body)
})

t.test('which session is seen, and who may ask [VERIFY-7]', async t => {
  const server = await serveLimits(t)
  const to = (session: string) => send(server, '/x', { headers: { 'X-Svc-Session': session } })
  await to('a')
  await to('b')
  await to('b')
  const count = async (...rest: Parameters<typeof verify> extends [unknown, ...infer R] ? R : never) =>
    (await verify(server, ...rest)).body.count
  t.equal(await count({}), 3)
  t.equal(await count({}, { headers: { 'X-Svc-Session': 'b' } }), 2)
  t.equal(await count({}, { headers: { 'X-Svc-Session': 'b' }, query: '?session=a' }), 1)
  t.equal(await count({ session: 'b' }, { query: '?session=a' }), 2)
  t.equal(await count({}, { headers: { 'X-Svc-Session': 'b' }, query: '?scope=instance' }), 3)
  const below = await fetch(`${server.url}/s/b/_svc/verify`, { method: 'POST', body: '{"exactly":2}' })
  t.equal(below.status, 200, 'below the prefix of a session')
  const seen = (await (await fetch(`${server.url}/s/a/_svc/requests`)).json()) as { requests: InspectorEntry[] }
  t.strictSame(
    seen.requests.map(({ session, session_from }) => ({ session, session_from })),
    [{ session: 'a', session_from: 'header' }],
  )
  const shown = await serveLimits(t, { SVC_PUBLIC_MODE: 'true' })
  t.match(await verify(shown, {}), { status: 400, body: { error: 'session_required' } })
  t.equal((await verify(shown, { none: true, session: 'a' })).status, 200)
  t.match(await verify(shown, { session: 'a', within_ms: 10_001 }), { status: 400, body: { at: 'within_ms' } })
})
