/** Dropped connections release everything. */
import t from 'tap'
import { connect } from 'node:net'
import { serveTogether, usageOf } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

t.setTimeout(600_000)

/** Requests over separate sockets, each cut off once `isThere` returns true for the received bytes. */
async function openAndDrop(
  server: TestServer,
  count: number,
  head: string,
  isThere: (text: string) => boolean,
): Promise<void> {
  const LANES = 50
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let round = 0; round < count / LANES; round++) {
        await new Promise<void>(resolve => {
          const socket = connect(server.ports.http!, '127.0.0.1', () =>
            socket.write(head, () => {
              if (isThere('')) socket.resetAndDestroy()
            }),
          )
          let text = ''
          socket.on('data', chunk => {
            text += chunk.toString('latin1')
            if (isThere(text)) socket.resetAndDestroy()
          })
          socket.on('error', () => {}).on('close', () => resolve())
        })
      }
    }),
  )
}

const KINDS: [what: string, head: string, isThere: (text: string) => boolean][] = [
  ['requests whose route never answers', 'GET /x/never HTTP/1.1\r\nHost: a\r\n\r\n', () => true],
  ['requests in an injected delay', 'GET /x HTTP/1.1\r\nHost: a\r\nX-Svc-Delay: 30000\r\n\r\n', () => true],
  ['pipelined requests', 'GET /x/never HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n', () => true],
  ['unfinished uploads', 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc', () => true],
  ['hijacked replies', 'GET /x/hijacked HTTP/1.1\r\nHost: a\r\n\r\n', text => text.includes('open')],
  ['streamed bodies', 'GET /x/chunks HTTP/1.1\r\nHost: a\r\n\r\n', text => text.includes('12345')],
  ['event streams', 'GET /x/feed HTTP/1.1\r\nHost: a\r\n\r\n', text => text.includes('first')],
  ['event streams written by hand', 'GET /x/raw HTTP/1.1\r\nHost: a\r\n\r\n', text => text.includes('unfinished')],
  [
    'WebSockets',
    'GET /x/ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    text => text.includes('101'),
  ],
  [
    'handshakes in an injected delay',
    'GET /x/ws HTTP/1.1\r\nHost: a\r\nX-Svc-Delay: 30000\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    () => true,
  ],
]

for (const [what, head, isThere] of KINDS) {
  t.test(`1,000 ${what}, dropped, leave no request in flight and no stream open [PLAN-6]`, async t => {
    const server = await serveTogether(t, {
      SVC_LIMIT_CONCURRENCY: '100000',
      SVC_LIMIT_STREAMS: '100000',
      SVC_LIMIT_STREAM_SECS: '600',
    })
    await openAndDrop(server, 1_000, head, isThere)
    await until(() => server.host.current().openCount === 0)
    const { requests, in_flight, open_streams } = await usageOf(server)
    t.strictSame([in_flight.current, open_streams.current], [0, 0])
    t.ok(requests.used > 0)
    t.match(await (await fetch(`${server.url}/_svc/metrics`)).text(), /svc_streams_open 0\n/)
    t.strictSame(
      server.lines.filter(line => /ERROR|WARN/.test(line)),
      [],
      'no error in the log',
    )
  })
}
