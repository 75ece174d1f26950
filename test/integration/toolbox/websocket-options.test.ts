/** The options of `/ws`, and versions of the handshake. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { WebSocket, type ClientOptions } from 'ws'
import { MAX_FRAGMENTS } from '../../../plugins/websocket/echo-socket.ts'
import { exchange } from '../../support/raw-client.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = await serve(t, { plugins: ['websocket', 'graphql'] })
const { url } = server

interface Opened {
  socket: WebSocket
  /** Messages, those that came with the handshake included. */
  messages: string[]
  closed: Promise<{ code: number; reason: string }>
}

function start(path: string, protocols: string[] = [], options: ClientOptions = {}, base = url): Opened {
  const socket = new WebSocket(base.replace('http', 'ws') + path, protocols, options)
  t.teardown(() => socket.terminate())
  const messages: string[] = []
  socket.on('message', (data: Buffer) => messages.push(String(data)))
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: code as number, reason: String(reason) }))
  return { socket, messages, closed }
}

async function open(...given: Parameters<typeof start>): Promise<Opened> {
  const opened = start(...given)
  await once(opened.socket, 'open')
  return opened
}

/** The response to a rejected handshake. */
async function refusalOf(
  path: string,
  protocols: string[] = [],
  options: ClientOptions = {},
  base = url,
): Promise<{ status: number; body: unknown }> {
  const socket = new WebSocket(base.replace('http', 'ws') + path, protocols, options)
  socket.on('error', () => {})
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  const text = (await response.toArray()).map(String).join('')
  return { status: response.statusCode!, body: JSON.parse(text) }
}

t.test('the query selects the subprotocol; one that is not offered is a 400 [WS-8]', async t => {
  t.equal((await open('/ws?subprotocol=b', ['a', 'b'])).socket.protocol, 'b')
  const { text } = await handshake('/ws?subprotocol=none', 'Sec-WebSocket-Protocol: a\r\n')
  t.match(text, /^HTTP\/1\.1 101/)
  t.notMatch(text, /sec-websocket-protocol/i)
  for (const protocols of [['a'], []])
    t.match(await refusalOf('/ws?subprotocol=b', protocols), {
      status: 400,
      body: { error: 'invalid_parameter', parameter: 'subprotocol' },
    })
})

/** The head of the response to a handshake, and what comes until the client closes. */
async function handshake(path: string, lines = '', version = '13'): Promise<{ text: string }> {
  const socket = connect(server.ports.http!, '127.0.0.1')
  let text = ''
  socket.on('data', chunk => {
    text += chunk.toString('latin1')
  })
  const versionLine = version === '' ? '' : `Sec-WebSocket-Version: ${version}\r\n`
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${versionLine}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${lines}\r\n`,
  )
  await until(() => text.includes('\r\n\r\n'), 'the head')
  socket.destroy()
  return { text }
}

t.test('permessage-deflate is negotiated with deflate=1 only, and works in both directions [WS-9]', async t => {
  const offer = { perMessageDeflate: true }
  t.equal((await open('/ws', [], offer)).socket.extensions, '')
  t.equal((await open('/ws?deflate=0', [], offer)).socket.extensions, '')
  t.equal((await open('/ws?deflate=1', [], { perMessageDeflate: false })).socket.extensions, '')
  const whole = await open('/ws?deflate=1', [], offer)
  t.equal(whole.socket.extensions, 'permessage-deflate')
  const { text } = await handshake('/ws?deflate=1&context=0', 'Sec-WebSocket-Extensions: permessage-deflate\r\n')
  t.match(text, /sec-websocket-extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover/i)
  t.notMatch(
    (await handshake('/ws?deflate=1', 'Sec-WebSocket-Extensions: permessage-deflate\r\n')).text,
    /no_context_takeover/,
  )
  const large = 'x'.repeat(100_000)
  for (const query of ['deflate=1', 'deflate=1&context=0', 'deflate=1&fragment=30000']) {
    const { socket, messages } = await open(`/ws?${query}`, [], offer)
    const sent = ['one', '', large, 'two']
    for (const message of sent) socket.send(message)
    await until(() => messages.length === sent.length, query)
    t.same(messages, sent, query)
    const { bytesRead } = (socket as unknown as { _socket: { bytesRead: number } })._socket
    t.ok(bytesRead < 10_000, `${query}: ${bytesRead} bytes for ${large.length}`)
  }
})

t.test('a compressed message may not exceed the bound of messages when it is decoded [WS-9]', async t => {
  const { socket, closed } = await open('/ws?deflate=1', [], { perMessageDeflate: true })
  socket.send('x'.repeat(1_048_577))
  t.equal((await closed).code, 1009)
})

t.test('a bounded number of sockets have compressed messages [WS-9]', async t => {
  const open20 = await serve(t, {
    plugins: ['websocket'],
    env: { SVC_PUBLIC_MODE: 'true' },
    oneProcess: 'each process limits its sockets',
  })
  const offer = { perMessageDeflate: true }
  const opened: Opened[] = []
  for (let count = 0; count < 20; count++) opened.push(await open('/ws?deflate=1', [], offer, open20.url))
  t.match(await refusalOf('/ws?deflate=1', [], offer, open20.url), {
    status: 429,
    body: { error: 'too many compressed websockets', limit: 20 },
  })
  t.equal((await open('/ws', [], offer, open20.url)).socket.extensions, '', 'others are not affected')
  opened[0]!.socket.close()
  await opened[0]!.closed
  await until(async () => {
    const again = start('/ws?deflate=1', [], offer, open20.url)
    again.socket.on('error', () => {})
    return Promise.race([once(again.socket, 'open').then(() => true), again.closed.then(() => false)])
  }, 'the place is free again')
})

t.test('first is sent at once [WS-10]', async t => {
  const { socket, messages } = await open('/ws?first=h%C3%A9llo%20there')
  await until(() => messages.length === 1)
  socket.send('x')
  await until(() => messages.length === 2)
  t.same(messages, ['héllo there', 'x'])
})

t.test('close ends after messages, after a time, or at once [WS-11]', async t => {
  t.same(await (await open('/ws?close=4001')).closed, { code: 4001, reason: '' })
  const greeted = await open('/ws?first=hi&close=1000:done:now')
  t.same(await greeted.closed, { code: 1000, reason: 'done:now' })
  t.same(greeted.messages, ['hi'])
  for (const query of ['close=3000&after=2', 'close=3000&after=2&fragment=1']) {
    const { socket, messages, closed } = await open(`/ws?${query}`)
    for (const message of ['one', 'two', 'three', 'four']) socket.send(message)
    t.same(await closed, { code: 3000, reason: '' })
    t.same(messages, ['one', 'two'], `${query}: no more than these are echoed`)
  }
  t.same(await (await open('/ws?close=1013:later&after_ms=1')).closed, { code: 1013, reason: 'later' })
  for (const code of [1000, 1001, 1002, 1003, 1007, 1008, 1010, 1011, 1012, 1014, 4999])
    t.equal((await (await open(`/ws?close=${code}`)).closed).code, code)
})

t.test('1005 closes without a code, 1006 without a close frame [WS-11]', async t => {
  const silent = await raw('/ws?close=1005&after=0')
  t.equal(silent.hex, '8800', 'a close frame without content')
  const cut = await raw('/ws?close=1006&first=a')
  t.equal(cut.hex, '810161', 'the message, and nothing behind it')
  t.equal((await (await open('/ws?close=1006')).closed).code, 1006)
  t.equal((await (await open('/ws?close=1005')).closed).code, 1005)
})

/** What comes behind the head until the server ends the connection, or has sent a close frame, in hexadecimal. */
async function raw(path: string): Promise<{ hex: string }> {
  const socket = connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let bytes = Buffer.alloc(0)
  let isOver = false
  socket.on('data', chunk => {
    bytes = Buffer.concat([bytes, chunk])
  })
  socket.on('close', () => {
    isOver = true
  })
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  const body = (): Buffer => bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
  await until(() => bytes.includes('\r\n\r\n') && (isOver || body()[0] === 0x88), 'the end')
  return { hex: body().toString('hex') }
}

t.test('pings come at intervals, and the close reason has the number of pongs [WS-12]', async t => {
  const { socket, closed } = await open('/ws?ping_ms=100&close=4000:bye&after=1')
  let pings = 0
  socket.on('ping', () => pings++)
  await until(() => pings >= 2, 'two pings')
  socket.send('x')
  const { code, reason } = await closed
  t.equal(code, 4000)
  const pongs = Number(/^bye pongs=(\d+)$/.exec(reason)?.[1])
  t.ok(pongs >= 2, reason)
  const quiet = await open('/ws?ping_ms=60000&close=4000&after=1')
  quiet.socket.send('x')
  t.same(await quiet.closed, { code: 4000, reason: 'pongs=0' })
})

t.test('fragment sends echoes in fragments of this size [WS-13]', async t => {
  const socket = connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let bytes = Buffer.alloc(0)
  socket.on('data', chunk => {
    bytes = Buffer.concat([bytes, chunk])
  })
  // A masked text frame "abcde" with the mask 0.
  const frame = Buffer.from([0x81, 0x85, 0, 0, 0, 0, ...Buffer.from('abcde')])
  socket.write(
    'GET /ws?fragment=2 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await until(() => bytes.includes('\r\n\r\n'))
  const start = bytes.indexOf('\r\n\r\n') + 4
  socket.write(frame)
  await until(() => bytes.length >= start + 11, 'three frames')
  t.equal(bytes.subarray(start).toString('latin1'), '\x01\x02ab\x00\x02cd\x80\x01e')
  const { socket: client, messages } = await open('/ws?fragment=1')
  const sent = ['x'.repeat(MAX_FRAGMENTS), '', 'é€', 'last']
  for (const message of sent) client.send(message)
  await until(() => messages.length === sent.length, 'all echoes, in order')
  t.same(messages, sent)
  const tooMany = await open('/ws?fragment=1')
  tooMany.socket.send('x'.repeat(MAX_FRAGMENTS + 1))
  t.same(await tooMany.closed, { code: 1009, reason: `more than ${MAX_FRAGMENTS} fragments` })
})

t.test('values out of range are a 400 before the 101 [WS-14]', async t => {
  for (const [query, parameter] of [
    ['subprotocol=', 'subprotocol'],
    ['deflate=yes', 'deflate'],
    ['deflate=1&context=2', 'context'],
    ['context=0', 'context'],
    ['ping_ms=99', 'ping_ms'],
    ['ping_ms=60001', 'ping_ms'],
    ['ping_ms=x', 'ping_ms'],
    ['close=', 'close'],
    ['close=999', 'close'],
    ['close=1004', 'close'],
    ['close=1015', 'close'],
    ['close=2999', 'close'],
    ['close=5000', 'close'],
    ['close=1000x', 'close'],
    ['close=1005:why', 'close'],
    ['close=1006:why', 'close'],
    [`close=1000:${'x'.repeat(124)}`, 'close'],
    [`close=1000:${'é'.repeat(62)}`, 'close'],
    [`close=1000:${'x'.repeat(104)}&ping_ms=100`, 'close'],
    ['after=1', 'after'],
    ['after_ms=1', 'after_ms'],
    ['close=1000&after=-1', 'after'],
    ['close=1000&after=1000001', 'after'],
    ['close=1000&after_ms=600001', 'after_ms'],
    ['close=1000&after=1&after_ms=1', 'after_ms'],
    ['fragment=0', 'fragment'],
    ['fragment=1048577', 'fragment'],
  ] as const)
    t.match(
      await refusalOf(`/ws?${query}`),
      { status: 400, body: { error: 'invalid_parameter', parameter } },
      query.slice(0, 40),
    )
  t.equal((await (await open(`/ws?close=1000:${'x'.repeat(123)}`)).closed).reason.length, 123)
})

t.test('another version of the handshake is 426 on all WebSocket routes [WS-15]', async t => {
  for (const path of ['/ws', '/ws/time', '/graphql/ws'])
    for (const version of ['8', '12', '14', '13, 8', '013', 'x', '']) {
      const { text } = await exchange(
        server.ports.http!,
        `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${version === '' ? '' : `Sec-WebSocket-Version: ${version}\r\n`}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      )
      t.match(text, /^HTTP\/1\.1 426 [^]*\r\nsec-websocket-version: 13\r\n/i, `${path} ${version}`)
      t.match(text, /\r\nupgrade: websocket\r\n/i)
    }
})
