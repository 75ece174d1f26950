/** `/ws` and `/ws/time`. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { WebSocket, type ClientOptions } from 'ws'
import { lifetimeOf } from '../../../plugins/websocket/lifetime.ts'
import type { Config } from '../../../core/config/variables.ts'
import { send } from '../../support/request.ts'
import { exchange } from '../../support/raw-client.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t, { oneProcess: 'sockets stay at one process, and a proxy owns the field Connection' })
const { url } = server
const { url: publicUrl } = await serve(t, {
  env: { SVC_PUBLIC_MODE: 'true' },
  oneProcess: 'each process limits its sockets',
})

async function open(
  path: string,
  { base = url, protocols = [] as string[], ...options }: ClientOptions & { base?: string; protocols?: string[] } = {},
): Promise<WebSocket> {
  const socket = new WebSocket(base.replace('http', 'ws') + path, protocols, options)
  t.teardown(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

async function closeOf(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
  return { code, reason: reason.toString() }
}

/** The response to a rejected handshake. */
function refusalOf(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws') + path)
    socket.on('open', () => reject(new Error('it opened')))
    socket.on('error', () => {})
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      response
        .on('data', chunk => {
          body += chunk
        })
        .on('end', () => resolve({ status: response.statusCode!, body }))
    })
  })
}

t.test('echoes text as text and binary as binary, in order [WS-1]', async t => {
  const socket = await open('/ws')
  const sent: (string | Buffer)[] = [
    'one',
    Buffer.from([0, 255]),
    '',
    Buffer.alloc(0),
    '€😀',
    'x'.repeat(100_000),
    Buffer.alloc(200_000, 7),
  ]
  const received: (string | Buffer)[] = []
  socket.on('message', (data: Buffer, isBinary) => received.push(isBinary ? data : data.toString()))
  for (const message of sent) socket.send(message)
  await until(() => received.length === sent.length)
  t.strictSame(received, sent)
  socket.send('frag', { fin: false })
  socket.send('ment', { fin: true })
  await until(() => received.length > sent.length)
  t.equal(received.at(-1), 'fragment')
})

t.test('responds to pings and closes [WS-1]', async t => {
  const socket = await open('/ws')
  socket.ping('p')
  t.equal(String((await once(socket, 'pong'))[0]), 'p')
  socket.close(4001, 'bye')
  t.strictSame(await closeOf(socket), { code: 4001, reason: 'bye' })
})

t.test('every client that sends too much gets the close code, in one frame or in many [WS-2]', async t => {
  // A destroyed socket resets the connection while the client still writes, so the 1009 might not arrive.
  let terminated = 0
  const { terminate } = WebSocket.prototype
  WebSocket.prototype.terminate = function (this: WebSocket) {
    terminated++
    terminate.call(this)
  }
  t.teardown(() => {
    WebSocket.prototype.terminate = terminate
  })
  for (let round = 0; round < 6; round++) {
    const socket = await open('/ws')
    const closed = closeOf(socket)
    if (round % 2 === 0) socket.send('x'.repeat((round + 1) * 1_500_000))
    else for (let part = 0; part < 40; part++) socket.send('x'.repeat(256 * 1024), { fin: part === 39 })
    t.equal((await closed).code, 1009, `round ${round}`)
  }
  t.equal(terminated, 0, 'the closing handshake ends the connection')
})

t.test('a message of exactly the maximum size is echoed, one byte more closes with 1009 [WS-2]', async t => {
  for (const [base, bound] of [
    [url, 1_048_576],
    [publicUrl, 262_144],
  ] as const) {
    const socket = await open('/ws', { base })
    socket.send(Buffer.alloc(bound))
    t.equal((await once(socket, 'message'))[0].length, bound)
    socket.send(Buffer.alloc(bound + 1))
    t.equal((await closeOf(socket)).code, 1009)
  }
})

t.test('text that is not valid UTF-8 closes with 1007 [WS-2]', async t => {
  const socket = await open('/ws')
  socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
  t.equal((await closeOf(socket)).code, 1007)
})

t.test('selects the first subprotocol offered, or none [WS-3]', async t => {
  t.equal((await open('/ws', { protocols: ['b', 'a'] })).protocol, 'b')
  t.equal((await open('/ws')).protocol, '')
  t.equal((await open('/ws/time', { protocols: ['x'] })).protocol, 'x')
})

t.test('a request without a handshake gets 426 [WS-4]', async t => {
  for (const path of ['/ws', '/ws/time', '/ws/time?count=x']) {
    const reply = await send(url, path)
    t.strictSame(
      [reply.status, reply.headers.upgrade, reply.headers.connection, reply.text],
      [426, 'websocket', 'Upgrade', '{"error":"upgrade_required"}'],
      path,
    )
    t.strictSame(await send(url, path, { method: 'HEAD' }).then(head => [head.status, head.text]), [426, ''])
  }
  t.equal((await send(url, '/ws', { method: 'POST' })).status, 405)
  t.equal((await refusalOf('/ws/none')).status, 404)
})

t.test('a malformed handshake is rejected and its connection closed [WS-4]', async t => {
  for (const lines of [
    'Sec-WebSocket-Version: 13\r\n',
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n',
    'Sec-WebSocket-Version: 99\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
  ]) {
    const { text } = await exchange(
      server.ports.http!,
      `GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines}\r\n`,
    )
    t.match(text, /^HTTP\/1\.1 4\d\d /, lines)
  }
})

t.test('ticks from 0, the first at once, then closes normally [WS-5]', async t => {
  const rows: [query: string, ticks: number][] = [
    ['?interval_ms=100&count=3', 3],
    ['?interval_ms=0&count=0', 1],
    ['?interval_ms=1&count=2&count=9', 2],
  ]
  for (const [query, ticks] of rows) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/time${query}`)
    const received: { tick: number; timestamp: string }[] = []
    socket.on('message', (data: Buffer) =>
      received.push(JSON.parse(data.toString()) as { tick: number; timestamp: string }),
    )
    t.strictSame(await closeOf(socket), { code: 1000, reason: 'done' }, query)
    t.strictSame(
      received.map(({ tick }) => tick),
      Array.from({ length: ticks }, (_, index) => index),
      query,
    )
    t.match(received[0]!.timestamp, /^\d{4}-\d\d-\d\dT.*Z$/)
  }
})

t.test('the ticker rejects invalid integers before it accepts the handshake [WS-5]', async t => {
  for (const [name, value] of [
    ['interval_ms', 'x'],
    ['interval_ms', '-1'],
    ['interval_ms', '1.5'],
    ['interval_ms', ''],
    ['count', 'x'],
    ['count', '-1'],
    ['count', '1e3'],
  ] as const) {
    const { status, body } = await refusalOf(`/ws/time?${name}=${value}`)
    t.match([status, JSON.parse(body)], [400, { error: 'invalid_parameter', parameter: name }], `${name}=${value}`)
  }
  const socket = await open('/ws/time?interval_ms=99999999999999999999&count=99999999999999999999')
  t.equal(socket.readyState, WebSocket.OPEN)
})

t.test('the ticker stops when the client closes early [WS-5]', async t => {
  const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const socket = await open('/ws/time?interval_ms=60000&count=1000')
  socket.close(1000, 'enough')
  t.equal((await closeOf(socket)).code, 1000)
  await until(() => timers() <= before + 1, 'the end of the timer')
  const cut = await open('/ws/time?interval_ms=60000')
  cut.terminate()
  await until(() => timers() <= before + 1, 'the end of the timer')
})

t.test('public instances have shorter timeouts [WS-6]', async t => {
  t.strictSame(lifetimeOf({ publicMode: false } as Config), { idleMs: 300_000, lifetimeMs: 3_600_000 })
  t.strictSame(lifetimeOf({ publicMode: true } as Config), { idleMs: 60_000, lifetimeMs: 600_000 })
})

t.test('a flood of echoes arrives completely once the client reads [WS-7]', async t => {
  const socket = await open('/ws')
  socket.pause()
  const count = 64
  for (let sent = 0; sent < count; sent++) socket.send(Buffer.alloc(524_288, sent))
  let received = 0
  const inOrder: boolean[] = []
  socket.on('message', (data: Buffer) => inOrder.push(data[0] === received++ && data.length === 524_288))
  socket.resume()
  await until(() => received === count, 'all echoes')
  t.ok(inOrder.every(Boolean))
})

t.test('a client address has at most a hundred WebSockets in public mode [WS-7]', async t => {
  const sockets: WebSocket[] = []
  for (let count = 0; count < 100; count++) sockets.push(await open('/ws', { base: publicUrl }))
  const refused = new WebSocket(`${publicUrl.replace('http', 'ws')}/ws`)
  refused.on('error', () => {})
  const [, response] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage]
  t.equal(response.statusCode, 429)
  t.match(JSON.parse(String((await response.toArray())[0])), { error: 'too many websockets', limit: 100 })
  sockets[0]!.close()
  await closeOf(sockets[0]!)
  await until(async () => {
    const socket = new WebSocket(`${publicUrl.replace('http', 'ws')}/ws`)
    t.teardown(() => socket.terminate())
    socket.on('error', () => {})
    return new Promise<boolean>(resolve =>
      socket.on('open', () => resolve(true)).on('unexpected-response', () => resolve(false)),
    )
  })
})
