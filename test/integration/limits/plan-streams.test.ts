/** Streams under a plan: slots, late rejections, lifetimes, and that everything is released. */
import t from 'tap'
import { WebSocket } from 'ws'
import { serveLimits, serveTogether, usageOf } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

async function slotsOf(server: TestServer): Promise<string> {
  const { in_flight, open_streams } = await usageOf(server)
  return `${in_flight.current} in flight, ${open_streams.current} open`
}

function openSocket(
  server: TestServer,
  path = '/x/ws',
  headers: Record<string, string> = {},
): Promise<WebSocket | { status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket)).once('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      let body = ''
      response
        .on('data', chunk => {
          body += String(chunk)
        })
        .on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }))
    })
  })
}

const STREAMS = ['/x/feed', '/x/late', '/x/late-body', '/x/raw', '/x/implicit']

t.test('every kind of stream holds a stream slot and no concurrency slot [PLAN-7]', async t => {
  const server = await serveTogether(t, { SVC_LIMIT_STREAMS: '10' })
  for (const path of STREAMS) {
    const leaving = new AbortController()
    const response = await fetch(server.url + path, { signal: leaving.signal })
    t.match(response.headers.get('content-type'), /^text\/event-stream/)
    t.equal(response.headers.get('x-svc-plan'), 'custom')
    t.equal(await slotsOf(server), '0 in flight, 1 open', path)
    leaving.abort()
    await until(async () => (await slotsOf(server)) === '0 in flight, 0 open', path)
  }
  const socket = (await openSocket(server)) as WebSocket
  t.equal(await slotsOf(server), '0 in flight, 1 open', 'WebSocket')
  socket.terminate()
  await until(async () => (await slotsOf(server)) === '0 in flight, 0 open')
  t.equal((await fetch(`${server.url}/x/refusing-feed`)).status, 400)
  await (await fetch(`${server.url}/x/sent`)).text()
  await fetch(`${server.url}/x/feed`, { method: 'HEAD' })
  await openSocket(server, '/x/ws', { 'X-Svc-Fail': '503' })
  await until(async () => (await slotsOf(server)) === '0 in flight, 0 open', 'what was none in the end')
  const other = new AbortController()
  await fetch(`${server.url}/x/chunks`, { signal: other.signal })
  t.equal(await slotsOf(server), '1 in flight, 0 open', 'other streamed types are ordinary')
  other.abort()
})

t.test(
  'without a free slot streams are rejected: known ones at once, others before their first byte [PLAN-7, LAYER-1]',
  async t => {
    const server = await serveLimits(t, { SVC_LIMIT_STREAMS: '1', SVC_LIMIT_REQUESTS: '1000' })
    const leaving = new AbortController()
    await fetch(`${server.url}/x/feed`, { signal: leaving.signal })
    for (const path of [...STREAMS, '/x/sent']) {
      const response = await fetch(server.url + path)
      t.strictSame(
        [
          response.status,
          response.headers.get('x-svc-limit'),
          response.headers.get('retry-after'),
          response.headers.get('x-route'),
          response.headers.get('x-svc-quota-remaining'),
        ],
        [429, 'streams', '1', null, null],
        path,
      )
      t.match(response.headers.get('content-type'), /^application\/json/, path)
      t.match(await response.json(), { error: 'svc_plan_limit', limit: 'streams' }, path)
    }
    const refused = (await openSocket(server)) as { status: number; headers: Record<string, string>; body: string }
    t.match(
      [refused.status, refused.headers['x-svc-limit'], JSON.parse(refused.body)],
      [429, 'streams', { limit: 'streams' }],
    )
    t.equal(refused.headers.connection, 'close')
    t.match(
      await usageOf(server),
      { requests: { used: 1 }, in_flight: { current: 0 }, open_streams: { current: 1 } },
      'none of them counts',
    )
    t.match(
      await (await fetch(`${server.url}/_svc/status`)).json(),
      { inspector: { total_captured: 1 } },
      'none of them is captured',
    )
    t.match(
      await (await fetch(`${server.url}/_svc/metrics`)).text(),
      /svc_limit_rejections_total\{dimension="streams"\} 7\n/,
    )
    t.equal((await fetch(`${server.url}/x`)).status, 200, 'ordinary requests pass')
    leaving.abort()
    await until(async () => (await slotsOf(server)) === '0 in flight, 0 open')
    const after = await openSocket(server)
    t.ok(after instanceof WebSocket)
    ;(after as WebSocket).terminate()
  },
)

t.test('two handshakes at once do not share the last slot [PLAN-7]', async t => {
  const server = await serveTogether(t, { SVC_LIMIT_STREAMS: '1' })
  const outcomes = await Promise.all([
    openSocket(server, '/x/ws', { 'X-Svc-Delay': '50' }),
    openSocket(server, '/x/ws', { 'X-Svc-Delay': '50' }),
  ])
  t.strictSame(outcomes.map(outcome => (outcome instanceof WebSocket ? 'open' : outcome.status)).toSorted(), [
    429,
    'open',
  ])
  for (const outcome of outcomes) if (outcome instanceof WebSocket) outcome.terminate()
})

t.test(
  'at the end of the lifetime event streams end with the comment, separate from events, and WebSockets close with 1008 [PLAN-13]',
  async t => {
    const server = await serveTogether(t, { SVC_LIMIT_STREAM_SECS: '1' })
    const closed = openSocket(server).then(
      async socket =>
        new Promise(resolve => (socket as WebSocket).once('close', (code, reason) => resolve([code, String(reason)]))),
    )
    const bodies = await Promise.all(
      [...STREAMS].map(async path => [path, await (await fetch(server.url + path)).text()] as const),
    )
    for (const [path, body] of bodies) {
      t.ok(body.endsWith('\n\n: svc plan stream lifetime reached\n\n'), `${path} ${JSON.stringify(body)}`)
      t.equal(body.split(': svc').length, 2, 'once')
    }
    t.strictSame(await closed, [1008, 'svc plan stream lifetime reached'])
    await until(async () => (await slotsOf(server)) === '0 in flight, 0 open')
    t.strictSame(
      server.lines.filter(line => /ERROR|WARN/.test(line)),
      [],
    )
  },
)
