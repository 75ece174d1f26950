/** The live feed, and the bounds of the inspector. */
import t from 'tap'
import { sizeOf, type CapturedRequest } from '../../../core/inspector/captured-request.ts'
import { CaptureStore } from '../../../core/inspector/capture-store.ts'
import { Feeds } from '../../../core/inspector/feed.ts'
import { serveLimits } from '../../support/limits-server.ts'
import { watch } from '../../support/stream-server.ts'

const captured = (fields: Partial<CapturedRequest>): CapturedRequest => ({
  id: 'id',
  requestId: 'rid',
  arrivedAt: 0,
  method: 'GET',
  uri: '/',
  httpVersion: '1.1',
  rawHeaders: [],
  clientIp: '',
  session: null,
  sessionFrom: null,
  rule: null,
  body: null,
  bodyBytes: 0,
  status: 200,
  latencyMs: 1,
  trace: null,
  fault: null,
  faultSource: null,
  faultOrigin: null,
  abort: null,
  failure: null,
  route: null,
  plugin: null,
  response: { bytesSent: 0, ended: 'complete', grpcStatus: null, head: null, body: null },
  ...fields,
})

function eventsOf(text: string): { id: string; data: Record<string, unknown> }[] {
  const blocks = text
    .split('\n\n')
    .slice(0, -1)
    .filter(block => /^event: request$/m.test(block))
  return blocks.map(block => ({
    id: /^id: (.*)$/m.exec(block)![1]!,
    data: JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as Record<string, unknown>,
  }))
}

t.test('count and bytes are bounded together, the oldest are evicted first [INSP-5]', async t => {
  const empty = sizeOf(captured({}))
  const store = new CaptureStore(3, 3 * empty + 1_000)
  const ids = () =>
    store
      .newest(99, () => true)
      .map(({ id }) => id)
      .join()
  for (const id of ['a', 'b', 'c', 'd']) store.add(captured({ id, requestId: 'same' }))
  t.equal(ids(), 'd,c,b')
  t.equal(
    store.lookUp('a', () => true),
    undefined,
  )
  t.equal(store.lookUp('same', () => true)!.id, 'd')
  store.add(captured({ id: 'e', body: 'x'.repeat(900) }))
  t.equal(ids(), 'e,d,c')
  store.add(captured({ id: 'f', rawHeaders: ['x'.repeat(50), 'y'.repeat(empty + 60)] }))
  t.equal(ids(), 'f', 'even the two of them are too many, and e goes after c and d')
  store.add(captured({ id: 'g', body: 'x'.repeat(5_000) }))
  t.equal(ids(), 'g', 'the newest stays, whatever its size')
  t.strictSame([store.size, store.total], [1, 7])
  t.equal(
    store.clear(() => true),
    1,
  )
  t.equal(store.newest(9, () => true).length, 0)
})

t.test('a slow reader skips new events while 256 are queued; stored ones do not count [INSP-8]', async t => {
  const store = new CaptureStore(10_000)
  const feeds = new Feeds(store, 2)
  for (let index = 0; index < 1_000; index++) store.add(captured({ id: `old${index}` }))
  const sent: string[] = []
  let wake = (): void => {}
  let isSlow = true
  const stream = {
    closed: false,
    over: new Promise<void>(() => {}),
    send: ({ id }: { id: string }) => {
      sent.push(id)
      return !isSlow
    },
    ready: () =>
      new Promise<void>(resolve => {
        wake = resolve
      }),
  }
  feeds.open(stream, () => true, 'no longer held')
  for (let index = 0; index < 1_000; index++) feeds.publish(store.add(captured({ id: `new${index}` })))
  t.strictSame(sent, ['old0'], 'nothing is written to a reader that is slow')
  isSlow = false
  wake()
  await new Promise(resolve => setImmediate(resolve))
  t.equal(sent.length, 1_256)
  t.strictSame([sent[999], sent[1_000], sent.at(-1)], ['old999', 'new0', 'new255'])
  feeds.publish(store.add(captured({ id: 'after' })))
  t.equal(sent.at(-1), 'after')
  feeds.open({ ...stream, over: Promise.resolve() }, () => true, null)
  t.ok(feeds.isFull)
  await new Promise(resolve => setImmediate(resolve))
  t.notOk(feeds.isFull, 'a feed that has ended frees its slot')
})

t.test('the feed sends captured requests, filtered, and resumes after Last-Event-ID [INSP-7]', async t => {
  const server = await serveLimits(t)
  const hit = (path: string, session = 'a') => fetch(server.url + path, { headers: { 'X-Svc-Session': session } })
  const feed = (query = '', headers: Record<string, string> = {}) =>
    watch(server.ports.http!, { path: `/_svc/requests/stream${query}`, headers })
  const all = await feed()
  t.match(all.response.headers, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  await all.until(text => /^: .*\n\n/.test(text))
  const some = await feed('?session=b&path_prefix=/x/items')
  for (const [path, session] of [
    ['/x', 'a'],
    ['/x/items/1', 'a'],
    ['/x', 'b'],
    ['/x/items/2', 'b'],
  ] as const)
    await hit(path, session)
  const events = eventsOf(await all.until(text => eventsOf(text).length === 4))
  t.strictSame(
    events.map(({ data }) => data.path),
    ['/x', '/x/items/1', '/x', '/x/items/2'],
  )
  for (const { id, data } of events) t.equal(id, data.id)
  t.strictSame(
    eventsOf(await some.until(text => eventsOf(text).length === 1)).map(({ data }) => data.path),
    ['/x/items/2'],
  )
  t.strictSame(
    events[0]!.data,
    await (await fetch(`${server.url}/_svc/requests/${events[0]!.id}`)).json(),
    'the same object as in detail',
  )

  const RESUMED: [query: string, headers: Record<string, string>, paths: string[]][] = [
    ['', { 'Last-Event-ID': events[1]!.id }, ['/x', '/x/items/2']],
    [`?last_event_id=${events[2]!.id}`, {}, ['/x/items/2']],
    [`?lastEventId=${events[2]!.id}`, {}, ['/x/items/2']],
    ['?session=b', { 'Last-Event-ID': events[0]!.id }, ['/x', '/x/items/2']],
    ['', { 'Last-Event-ID': 'no longer held' }, ['/x', '/x/items/1', '/x', '/x/items/2']],
    ['', {}, []],
  ]
  const opened = await Promise.all(RESUMED.map(async ([query, headers]) => feed(query, headers)))
  await hit('/x/items/live', 'b')
  for (const [index, [query, headers, paths]] of RESUMED.entries()) {
    const wanted = [...paths, '/x/items/live']
    t.strictSame(
      eventsOf(await opened[index]!.until(text => eventsOf(text).length >= wanted.length)).map(({ data }) => data.path),
      wanted,
      `${query} ${JSON.stringify(headers)}`,
    )
  }
  for (const each of [all, some, ...opened]) each.leave()
})

t.test('while a feed resumes under traffic nothing is lost or duplicated [INSP-7]', async t => {
  const server = await serveLimits(t)
  const first =
    (await (await fetch(`${server.url}/x`)).text(),
    ((await (await fetch(`${server.url}/_svc/requests`)).json()) as { requests: { id: string }[] }).requests[0]!.id)
  const traffic = Promise.all(
    Array.from({ length: 10 }, async (_each, client) => {
      for (let round = 0; round < 20; round++) await (await fetch(`${server.url}/x?n=${client * 20 + round}`)).text()
    }),
  )
  const feed = await watch(server.ports.http!, { path: '/_svc/requests/stream', headers: { 'Last-Event-ID': first } })
  await traffic
  const seen = eventsOf(await feed.until(text => eventsOf(text).length >= 200)).map(({ data }) =>
    Number(String(data.query).slice(2)),
  )
  t.strictSame(
    seen.toSorted((a, b) => a - b),
    Array.from({ length: 200 }, (_each, index) => index),
  )
  feed.leave()
})

t.test('feeds are bounded, fewer in public mode; invalid filters are rejected [INSP-8]', async t => {
  const server = await serveLimits(t, { SVC_PUBLIC_MODE: 'true' })
  const feeds = await Promise.all(
    Array.from({ length: 20 }, () => watch(server.ports.http!, { path: '/_svc/requests/stream?session=a' })),
  )
  const refused = await fetch(`${server.url}/_svc/requests/stream?session=a`)
  t.strictSame([refused.status, await refused.json()], [503, { error: 'too_many_feeds' }])
  t.equal((await fetch(`${server.url}/_svc/requests/stream?session=a%20b`)).status, 400)
  for (const feed of feeds) feed.leave()
})
