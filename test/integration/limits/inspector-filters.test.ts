/** Filters of the list of captured requests, and waits for requests. */
import t from 'tap'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Listed {
  count: number
  satisfied?: boolean
  waited_ms?: number
  requests: InspectorEntry[]
}

async function list(server: TestServer, query = '', signal?: AbortSignal): Promise<Listed> {
  const response = await fetch(`${server.url}/_svc/requests?${query}`, signal === undefined ? {} : { signal })
  return (await response.json()) as Listed
}

t.test('filters select by parts of the request [SEE-1]', async t => {
  const server = await serveLimits(t)
  const send = (path: string, init: RequestInit = {}) => fetch(server.url + path, init)
  await send('/x?page=1&tag=a&tag=b', { headers: { 'X-Tenant': 'one', 'X-Request-Id': 'first' } })
  await send('/x', {
    method: 'POST',
    body: '{"model":"m-1","n":5,"list":[{"role":"user"}]}',
    headers: { 'X-Request-Id': 'second' },
  })
  await send('/x/items/7', { headers: { 'X-Request-Id': 'third', 'X-Svc-Fail': '503' } })
  await send('/nothing', { method: 'POST', body: 'Grüße', headers: { 'X-Request-Id': 'fourth', 'X-Svc-Session': 's' } })
  const ids = async (query: string) => (await list(server, query)).requests.map(({ request_id }) => request_id).join()
  const host = new URL(server.url).hostname
  for (const [query, expected] of [
    ['', 'fourth,third,second,first'],
    ['order=oldest', 'first,second,third,fourth'],
    ['order=oldest&limit=2', 'first,second'],
    ['limit=2&method=post', 'fourth,second'],
    ['limit=1&method=POST', 'fourth'],
    ['path=/x', 'second,first'],
    ['path=/x/items/{id}', 'third'],
    ['path=/x/**', 'third,second,first'],
    [`host=${host}`, 'fourth,third,second,first'],
    ['host=other', ''],
    ['status=503', 'third'],
    ['status=4xx', 'fourth'],
    ['status=2xx&method=GET', 'first'],
    ['header.x-tenant=one', 'first'],
    ['header.X-TENANT=two', ''],
    ['query.tag=b', 'first'],
    ['query.page=2', ''],
    ['json./model=m-1', 'second'],
    ['json./n=5', 'second'],
    ['json./list/0/role=user&json./n=5', 'second'],
    ['json./n=6', ''],
    ['json./list=[{"role":"user"}]', 'second'],
    [`body_contains=${encodeURIComponent('üß')}`, 'fourth'],
    ['session=s&method=POST', 'fourth'],
    ['path_prefix=/x&method=POST', 'second'],
    ['rule=none', ''],
    ['replica=none', ''],
  ] as const)
    t.equal(await ids(query), expected, query)
})

t.test('since: what came after an entry or a time [SEE-1]', async t => {
  const server = await serveLimits(t)
  const send = (id: string) => fetch(`${server.url}/x`, { headers: { 'X-Request-Id': id } })
  await send('a')
  await send('b')
  const [b, a] = (await list(server)).requests
  await new Promise(resolve => setTimeout(resolve, 5))
  await send('c')
  const ids = async (since: string) =>
    (await list(server, `since=${encodeURIComponent(since)}`)).requests.map(({ request_id }) => request_id).join()
  t.equal(await ids(a!.id), 'c,b')
  t.equal(await ids(b!.id), 'c')
  t.equal(await ids(a!.timestamp), 'c,b,a', 'at or after a time')
  t.equal(await ids(new Date(Date.parse(b!.timestamp) + 3).toISOString()), 'c')
  t.equal(await ids('00000000-0000-4000-8000-000000000000'), 'c,b,a', 'all, if the entry is no longer stored')
  t.equal((await list(server)).requests[0]!.session_from, null)
})

t.test('wrong filters are rejected [SEE-2]', async t => {
  const server = await serveLimits(t)
  const status = async (query: string) => {
    const response = await fetch(`${server.url}/_svc/requests?${query}`)
    return [response.status, await response.json()] as const
  }
  for (const [query, parameter] of [
    ['status=5x', 'status'],
    ['status=600', 'status'],
    ['method=a%20b', 'method'],
    ['path=orders', 'path'],
    ['path=/a/***/b', 'path'],
    ['header.a%20b=1', 'header.a b'],
    ['json.model=1', 'json.model'],
    ['since=yesterday', 'since'],
    ['order=up', 'order'],
    ['method=GET&method=PUT', 'method'],
    ['wait_for=0', 'wait_for'],
    ['wait_for=1001', 'wait_for'],
    ['wait_for=1.5', 'wait_for'],
    ['wait_for=1&timeout_ms=30001', 'timeout_ms'],
    ['timeout_ms=x', 'timeout_ms'],
    [Array.from({ length: 51 }, (_, index) => `query.a${index}=1`).join('&'), ''],
    [Array.from({ length: 51 }, (_, index) => `json./a${index}=1`).join('&'), 'json'],
  ] as const) {
    const [code, body] = await status(query)
    t.match([code, body], [400, { error: 'invalid_filter', parameter, details: String }], query.slice(0, 40))
  }
  for (const [query, meant] of [
    ['methd=GET', 'method'],
    ['stauts=200', 'status'],
    ['waitfor=1', 'wait_for'],
  ] as const)
    t.match(await status(query), [400, { error: 'invalid_filter', did_you_mean: meant }])
  for (const query of ['header.=1', 'headers.a=1', '__proto__=1'])
    t.match(await status(query), [400, { error: 'invalid_filter', parameter: query.split('=')[0] }], query)
  t.match(await status('limit=x'), [400, { error: 'invalid_limit' }])
  t.match(await status('session=a%20b'), [400, { error: 'invalid_session' }])
  t.equal((await status('header.__proto__=1'))[0], 200)
})

t.test('wait_for counts stored and new requests [SEE-3]', async t => {
  const server = await serveLimits(t)
  const send = (session: string) => fetch(`${server.url}/x`, { headers: { 'X-Svc-Session': session } })
  await send('a')
  const stored = await list(server, 'session=a&wait_for=1')
  t.match(stored, { count: 1, satisfied: true })
  t.ok(stored.waited_ms! < 5000)
  const waiting = list(server, 'session=a&wait_for=3&limit=1&timeout_ms=20000')
  await send('b')
  await send('a')
  await send('a')
  const { count, satisfied, requests } = await waiting
  t.strictSame([count, satisfied, requests.length], [1, true, 1], 'the limit does not lower what is counted')
  const late = await list(server, 'session=a&wait_for=4&timeout_ms=100')
  t.match(late, { count: 3, satisfied: false })
  t.ok(late.waited_ms! >= 99 && late.waited_ms! < 5000, String(late.waited_ms))
  const none = await list(server, 'session=a&wait_for=4&timeout_ms=0')
  t.equal(none.satisfied, false)
  t.notOk('satisfied' in (await list(server, 'session=a')), 'without wait_for nothing is said')
  const since = (await list(server, 'session=a&limit=1')).requests[0]!.id
  const next = list(server, `session=a&since=${since}&wait_for=1&path=/x&timeout_ms=20000`)
  await send('a')
  t.match(await next, { count: 1, satisfied: true })
})

t.test('open waits are bounded, and a client that disconnects ends its wait [SEE-4]', async t => {
  const server = await serveLimits(t, { SVC_PUBLIC_MODE: 'true' })
  const stop = new AbortController()
  const wait = (session: string) =>
    fetch(`${server.url}/_svc/requests?session=${session}&wait_for=9&timeout_ms=9000`, { signal: stop.signal })
  const waits = Array.from({ length: 5 }, () => wait('a').catch(() => null))
  const refused = await until(async () => {
    const response = await fetch(`${server.url}/_svc/requests?session=a&wait_for=9&timeout_ms=1`)
    return response.status === 503 ? response : undefined
  })
  t.strictSame(await refused.json(), { error: 'too_many_waits' })
  const other = await fetch(`${server.url}/_svc/requests?session=b&wait_for=9&timeout_ms=1`)
  t.equal(other.status, 200, 'another session may wait')
  t.equal((await fetch(`${server.url}/_svc/requests?session=a&wait_for=1&timeout_ms=10001`)).status, 400)
  stop.abort()
  await Promise.all(waits)
  await until(async () => (await fetch(`${server.url}/_svc/requests?session=a&wait_for=9&timeout_ms=1`)).status === 200)
})
