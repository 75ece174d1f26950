/** The access log: one line per request, whatever clients send. */
import t from 'tap'
import { connect } from 'node:net'
import { serveLimits } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Line {
  timestamp: string
  level: string
  message: string
  path?: string
  [field: string]: unknown
}
const linesOf = (server: TestServer): Line[] => server.lines.map(line => JSON.parse(line) as Line)

function sendRaw(server: TestServer, bytes: Buffer): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(server.ports.http!, '127.0.0.1', () => socket.write(bytes))
    socket.resume().on('close', () => resolve())
  })
}

t.test(
  'JSON lines are objects with the fields of a request, startup lines and warnings too [LINE-1, LINE-2]',
  async t => {
    const server = await serveLimits(t, { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'info', SVC_LIMIT_RPS: 'abc' })
    await fetch(`${server.url}/x/items/7?token=secret`, { headers: { 'X-Request-Id': 'mine' } })
    await fetch(`${server.url}/no/such`)
    for (const line of linesOf(server)) {
      t.match(line, { timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, level: /^(?:info|warn)$/ })
      t.type(line.message, 'string')
    }
    const [first, second] = linesOf(server).filter(({ message }) => message === 'request')
    t.strictSame(Object.keys(first!), [
      'timestamp',
      'level',
      'message',
      'method',
      'path',
      'route',
      'status',
      'latency_ms',
      'request_id',
      'client_ip',
      'bytes_sent',
      'ended',
      'plugin',
    ])
    t.match(first, {
      level: 'info',
      method: 'GET',
      path: '/x/items/7',
      route: '/x/items/{id}',
      status: 200,
      request_id: 'mine',
      client_ip: '127.0.0.1',
      plugin: 'x',
    })
    t.match(second, { path: '/no/such', route: 'unmatched', status: 404 })
    t.notOk('plugin' in second!, 'the core has answered')
    t.notMatch(server.lines.join(''), /secret/)
    t.ok(linesOf(server).some(({ level, message }) => level === 'warn' && message.includes('SVC_LIMIT_RPS')))
  },
)

const HOSTILE: [what: string, value: string][] = [
  ['quotes and backslashes', '"}\\",\\"level\\":\\"error'],
  ['an escape sequence', '\u009b31m\u0085'],
  ['high bytes', '\u00ff\u00e9'],
  ['a template', '${jndi:ldap://x}'],
  ['a tab', 'a\tb'],
  ['8 KiB', 'x'.repeat(8_000)],
]

t.test('hostile header values and paths stay within one line [LINE-1]', async t => {
  for (const format of ['json', 'text']) {
    const server = await serveLimits(t, { SVC_LOG_FORMAT: format, SVC_LOG_LEVEL: 'info' })
    const before = server.lines.length
    for (const [what, value] of HOSTILE) {
      await sendRaw(
        server,
        Buffer.from(`GET /x HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${value}\r\nConnection: close\r\n\r\n`, 'latin1'),
      )
      const line = server.lines.at(-1)!
      t.match(line, /^[^\p{Cc}\u2028\u2029]*\n$/u, `${format}: ${what}`)
      if (format === 'json') t.equal((JSON.parse(line) as Line).request_id, value, what)
    }
    for (const path of ['/x/items/%0d%0aINFO%20forged', '/x/items/%E2%80%A8x', '/%22%5C%00', '/%zz%0a']) {
      await (await fetch(server.url + path)).text()
      t.match(server.lines.at(-1), /^[^\p{Cc}\u2028\u2029]*\n$/u, path)
    }
    t.equal(server.lines.length - before, HOSTILE.length + 4, 'one event, one line')
  }
})

t.test('probes and scrapes are logged at debug, a client that disconnected as 499 [LINE-2]', async t => {
  const info = await serveLimits(t, { SVC_LOG_LEVEL: 'info' })
  for (const path of ['/_svc/ready', '/_svc/metrics', '/%5Fsvc/ready']) await (await fetch(info.url + path)).text()
  t.notMatch(info.lines.join(''), /message=request|INFO request/)
  const leaving = new AbortController()
  const request = fetch(`${info.url}/x/never`, { signal: leaving.signal }).catch(() => {})
  await until(() => info.host.current().openCount === 1)
  leaving.abort()
  await request
  await until(() => /status=499/.test(info.lines.join('')), 'the line')
  const debug = await serveLimits(t, { SVC_LOG_LEVEL: 'warn,http=trace', RUST_LOG: 'trace' })
  await (await fetch(`${debug.url}/x`)).text()
  t.notMatch(debug.lines.join(''), /INFO request/)
  const all = await serveLimits(t, { SVC_LOG_LEVEL: 'http=debug' })
  await (await fetch(`${all.url}/_svc/ready`)).text()
  t.match(all.lines.join(''), /DEBUG request .*path=\/_svc\/ready/)
})
