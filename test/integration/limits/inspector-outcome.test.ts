/** What the inspector and the access log record about a response: fault and source, route, bytes, end. */
import t from 'tap'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:http'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { watch } from '../../support/stream-server.ts'
import { until } from '../../support/until.ts'

type Outcome = Pick<InspectorEntry, 'status' | 'fault' | 'fault_source' | 'route' | 'plugin' | 'bytes_sent' | 'ended'>

async function newest(server: TestServer): Promise<InspectorEntry> {
  return ((await (await fetch(`${server.url}/_svc/requests?limit=1`)).json()) as { requests: [InspectorEntry] })
    .requests[0]
}

const outcomeOf = ({ status, fault, fault_source, route, plugin, bytes_sent, ended }: InspectorEntry): Outcome => ({
  status,
  fault,
  fault_source,
  route,
  plugin,
  bytes_sent,
  ended,
})

/** Resolves when the client has seen the end of the response. */
function read(server: TestServer, path: string, headers: Record<string, string> = {}): Promise<void> {
  return new Promise(resolve => {
    const call = request(server.url + path, { headers, agent: false }, answer =>
      answer
        .on('error', () => {})
        .on('close', resolve)
        .resume(),
    )
    call.on('error', () => resolve()).end()
  })
}

function linesOf(server: TestServer): Record<string, unknown>[] {
  return server.lines
    .map(line => JSON.parse(line) as Record<string, unknown>)
    .filter(({ message, path }) => message === 'request' && !String(path).startsWith('/_svc'))
}

const broken = { route: null, plugin: null, ended: 'aborted' as const, fault: 'abort' as const }

t.test('an aborted response is marked in entry and log as soon as the client has seen its end [INSP-10]', async t => {
  const server = await serveLimits(t, { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'info' })
  for (const [fault, status] of [
    ['reset', 444],
    ['close', 444],
    ['empty', 200],
    ['truncate', 200],
    ['bad-chunk', 200],
  ] as const) {
    await read(server, '/x', { 'X-Svc-Abort': ` ${fault}:100` })
    const entry = await newest(server)
    t.match(outcomeOf(entry), { ...broken, status, fault_source: `X-Svc-Abort: ${fault}:100` }, fault)
    t.equal(entry.bytes_sent > 0, fault === 'truncate' || fault === 'bad-chunk', `${fault}: bytes`)
    const line = linesOf(server).at(-1)!
    t.match(
      line,
      {
        status,
        fault: 'abort',
        fault_source: `X-Svc-Abort: ${fault}:100`,
        ended: 'aborted',
        bytes_sent: entry.bytes_sent,
      },
      `${fault}: the log line`,
    )
    t.notOk('route' in line || 'plugin' in line, 'no route was called')
  }
  const { inspector } = (await (await fetch(`${server.url}/_svc/status`)).json()) as {
    inspector: { total_captured: number }
  }
  t.equal(inspector.total_captured, 5, 'each is stored once')
})

t.test('the same over HTTP/2 [INSP-10]', async t => {
  const server = await serveLimits(t, { SVC_GRPC_ON_HTTP: 'true' })
  for (const [fault, status] of [
    ['reset', 444],
    ['close', 444],
    ['empty', 200],
    ['truncate', 200],
    ['bad-chunk', 200],
  ] as const) {
    const session = connectHttp2(server.url).on('error', () => {})
    await new Promise<void>(resolve =>
      session
        .request({ ':path': '/x', 'x-svc-abort': fault })
        .on('error', () => {})
        .on('close', resolve)
        .resume(),
    )
    session.destroy()
    t.match(outcomeOf(await newest(server)), { ...broken, status, fault_source: `X-Svc-Abort: ${fault}` }, fault)
  }
  const session = connectHttp2(server.url)
  await new Promise<void>(resolve => session.request({ ':path': '/x' }).on('close', resolve).resume())
  session.close()
  t.match(outcomeOf(await newest(server)), {
    status: 200,
    fault: null,
    route: '/x',
    plugin: 'x',
    bytes_sent: 4,
    ended: 'complete',
  })
})

t.test('a failure shows its header and no route, a delay shows the route that was called [INSP-10]', async t => {
  const server = await serveLimits(t, { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'info' })
  const cases: [path: string, headers: Record<string, string>, expected: Partial<Outcome>][] = [
    [
      '/x',
      { 'X-Svc-Fail': '503' },
      { status: 503, fault: 'fail', fault_source: 'X-Svc-Fail: 503', route: null, plugin: null, ended: 'complete' },
    ],
    [
      '/x',
      { 'X-Svc-Delay': '5', 'X-Svc-Fail': '418:100%' },
      { status: 418, fault: 'fail', fault_source: 'X-Svc-Fail: 418:100%', route: null },
    ],
    [
      '/x/items/7',
      { 'X-Svc-Delay': '5' },
      {
        status: 200,
        fault: 'delay',
        fault_source: 'X-Svc-Delay: 5',
        route: '/x/items/{id}',
        plugin: 'x',
        bytes_sent: 4,
        ended: 'complete',
      },
    ],
    [
      '/x',
      { 'X-Svc-Abort': 'reset:0', 'X-Svc-Fail': '503:0' },
      { status: 200, fault: null, fault_source: null, route: '/x', plugin: 'x' },
    ],
    ['/no/such', {}, { status: 404, fault: null, route: null, plugin: null, ended: 'complete' }],
    ['/x/empty', {}, { status: 204, bytes_sent: 0, ended: 'complete' }],
  ]
  for (const [path, headers, expected] of cases) {
    await read(server, path, headers)
    t.match(outcomeOf(await newest(server)), expected, `${path} ${JSON.stringify(headers)}`)
  }
  t.match(linesOf(server)[2], {
    route: '/x/items/{id}',
    plugin: 'x',
    fault: 'delay',
    fault_source: 'X-Svc-Delay: 5',
    bytes_sent: 4,
    ended: 'complete',
  })
})

t.test('the entry of an open response is completed later, and the feed sends it once [INSP-10, INSP-7]', async t => {
  const server = await serveLimits(t)
  const feed = await watch(server.ports.http!, { path: '/_svc/requests/stream' })
  const leaving = new AbortController()
  const answer = await fetch(`${server.url}/x/chunks`, { signal: leaving.signal, headers: { 'X-Request-Id': 'open' } })
  await answer.body!.getReader().read()
  await until(() => /"request_id":"open"/.test(feed.text), 'the entry is in the feed')
  t.match(outcomeOf(await newest(server)), { status: 200, route: '/x/chunks', bytes_sent: 5, ended: 'open' })
  leaving.abort()
  const entry = await until(async () => {
    const last = await newest(server)
    return last.ended === 'open' ? null : last
  }, 'the entry is completed')
  t.match(outcomeOf(entry), { bytes_sent: 5, ended: 'client_left' })
  const before = new AbortController()
  const never = fetch(`${server.url}/x/never`, { signal: before.signal }).catch(() => {})
  await until(() => server.host.current().openCount === 2, 'the request has arrived')
  before.abort()
  await never
  await until(async () => (await newest(server)).path === '/x/never', 'the second entry')
  t.match(outcomeOf(await newest(server)), { status: 499, route: '/x/never', bytes_sent: 0, ended: 'client_left' })
  t.equal(feed.text.split('"request_id":"open"').length, 2, 'once in the feed, as it was when it was stored')
  t.match(feed.text, /"request_id":"open".*"ended":"open"/)
  feed.leave()
})
