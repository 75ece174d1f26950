/** Claimed requests as bytes, next to requests that the server answers on the same connection. */
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import type { TestServer } from '../../../core/testing/types.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { until } from '../../support/until.ts'
import { launch } from '../../../core/testing/launch.ts'

/** Claims requests whose head contains "tapped"; `/taps` shows what arrived, `/arm` and `/disarm` switch it. */
const PLUGIN = `import { definePlugin, describe } from 'svc/plugin'
import type { ArmedTap, Arrival } from 'svc/toolkit'
export default definePlugin({
  title: 'taps',
  paths: ['/arm', '/disarm', '/taps'],
  register(app, svc) {
    const arrivals: Arrival[] = []
    let armed: ArmedTap | null = null
    const route = (path: string) => describe({ summary: path, category: 'Test', examples: [{ name: 'Plain', path }] })
    app.get('/arm', route('/arm'), () => {
      armed = svc.use('core.tap').arm({
        claims: head => head.includes('tapped') ? 'one' : null,
        claimsContent: (head, content) => head.includes('/content') && content.includes('mine') ? 'two' : null,
        onArrival: arrival => void arrivals.push(arrival),
        answer: async (arrival, reply) => {
          await arrival.whenReceived
          const isValid = arrival.framing === 'complete'
          await reply.write(Buffer.from('HTTP/1.1 ' + (isValid ? '200 Claimed' : '400 Invalid') + '\\r\\nContent-Length: 2\\r\\n\\r\\nok'))
          if (isValid) reply.keep()
          else reply.end()
        },
        answerHttp2: async (arrival, reply) => {
          await arrival.whenReceived
          reply.interim(103, [['link', '</a>']])
          reply.respond(200, [['x-claimed', 'one'], ['x-claimed', 'two']])
          await reply.write(Buffer.from('ok'))
          reply.end([['x-trailer', 'last']])
        },
        lifetimeMs: 60_000,
      })
      return { armed: true }
    })
    app.get('/disarm', route('/disarm'), () => { armed?.disarm(); return { armed: false } })
    app.get('/taps', route('/taps'), () => arrivals.map(one => ({
      step: one.step, bytes: one.bytes.toString('latin1'), size: one.size, bodySize: one.bodySize, framing: one.framing,
      ended: one.ended, request: one.requestOnConnection, connection: one.connection, listener: one.listener, tls: one.tls?.version ?? null,
      trailers: one.trailers, resetCode: one.resetCode,
    })))
  },
})
`

interface Answer {
  status: number
  interim: number[]
  fields: string[]
  body: string
  trailers: Record<string, unknown>
}

interface Shown {
  bytes: string
  framing: string
  bodySize: number
  ended: string | null
  connection: number
  request: number
  listener: string
  tls: string | null
  trailers: [string, string][]
  resetCode: number | null
}

async function start(t: Test): Promise<{
  server: TestServer & { ports: { http: number | null; grpc: number | null } }
  shown(): Promise<Shown[]>
}> {
  const { folder } = pluginFolder(t, { taps: PLUGIN })
  const server = await launch({ folders: [folder] })
  t.teardown(() => server.stop())
  t.strictSame(server.problems(), [])
  return { server, shown: async () => (await (await fetch(`${server.url}/taps`)).json()) as Shown[] }
}

/** Sends a message and waits until the answer contains a text. */
async function ask(socket: Socket, bytes: string, until: string): Promise<string> {
  let text = ''
  const received = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`only ${JSON.stringify(text)} after 5 s`)), 5_000)
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      if (!text.includes(until)) return
      clearTimeout(timer)
      socket.off('data', read)
      resolve()
    }
    socket.on('data', read).once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)))
  })
  socket.write(bytes)
  await received
  return text
}

const OTHERS = 'GET /anything/get HTTP/1.1\r\nHost: a\r\n\r\n'
const TAPPED = 'GET /x HTTP/1.1\r\nHost: a\r\nX-cAsE: tapped\r\n\r\n'

t.test(
  'a connection that was open before is tapped, and both kinds of requests are answered on it [PRB-1]',
  async t => {
    const { server, shown } = await start(t)
    const socket = connect(server.ports.http!, '127.0.0.1')
    t.teardown(() => socket.destroy())
    t.match(await ask(socket, OTHERS, '"url"'), /^HTTP\/1\.1 200/)
    await fetch(`${server.url}/arm`)
    t.match(await ask(socket, TAPPED, 'ok'), /^HTTP\/1\.1 200 Claimed/)
    t.match(await ask(socket, OTHERS, '"url"'), /^HTTP\/1\.1 200 OK/)
    t.match(
      await ask(
        socket,
        'POST /x HTTP/1.1\r\nHost: tapped\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: 1\r\n\r\n',
        'ok',
      ),
      /Claimed/,
    )
    t.match(
      await ask(socket, 'POST /anything/post HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello', '"url"'),
      /hello/,
    )
    const [first, second, ...rest] = await shown()
    t.equal(rest.length, 0)
    t.equal(first!.bytes, TAPPED)
    t.strictSame([second!.framing, second!.bodySize, second!.ended, second!.request], ['complete', 3, 'kept', 2])
    t.match(second!.bytes, /3;a=b\r\nabc\r\n0\r\nT: 1\r\n\r\n$/)
    await fetch(`${server.url}/disarm`)
    t.match(await ask(socket, OTHERS, '"url"'), /^HTTP\/1\.1 200/)
  },
)

t.test('what a parser rejects is seen whole, and so is what follows it [PRB-1]', async t => {
  const { server, shown } = await start(t)
  await fetch(`${server.url}/arm`)
  const bytes =
    'POST /x HTTP/1.1\nHost: tapped\r\nContent-Length: 3\r\nTransfer-Encoding: xchunked\r\n\r\nGET /y HTTP/1.1\r\n\r\n'
  const socket = connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => socket.destroy())
  t.match(await ask(socket, bytes, 'ok'), /^HTTP\/1\.1 400 Invalid/)
  await new Promise(resolve => socket.once('close', resolve).end())
  const [arrival] = await shown()
  t.equal(arrival!.bytes, bytes)
  t.equal(arrival!.framing, 'invalid')
})

t.test('requests that are pipelined or split are claimed one by one [PRB-1]', async t => {
  const { server, shown } = await start(t)
  await fetch(`${server.url}/arm`)
  const socket = connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const answers = await ask(socket, `${TAPPED}${OTHERS}${TAPPED}`, 'ok')
  if (!/ok[^]*"url"[^]*ok$/.test(answers)) t.match(answers + (await ask(socket, '', 'ok')), /ok[^]*"url"[^]*ok$/)
  for (const part of [TAPPED.slice(0, 10), TAPPED.slice(10, 40)]) {
    socket.write(part)
    await new Promise(resolve => setTimeout(resolve, 30))
  }
  t.match(await ask(socket, TAPPED.slice(40), 'ok'), /Claimed/)
  const found = await shown()
  t.strictSame(
    found.map(({ bytes, request }) => [bytes, request]),
    [
      [TAPPED, 1],
      [TAPPED, 2],
      [TAPPED, 3],
    ],
  )
  t.equal(new Set(found.map(({ connection }) => connection)).size, 1)
})

t.test('TLS connections are tapped behind their encryption [PRB-1]', async t => {
  const { server, shown } = await start(t)
  await fetch(`${server.url}/arm`)
  const socket = connectTls({
    port: Number(new URL(server.httpsUrl).port),
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  t.teardown(() => socket.destroy())
  t.match(await ask(socket, TAPPED, 'ok'), /Claimed/)
  t.match(await ask(socket, OTHERS, '"url"'), /^HTTP\/1\.1 200 OK/)
  const [arrival] = await shown()
  t.strictSame([arrival!.listener, arrival!.tls], ['https', 'TLSv1.3'])
})

t.test('an upgrade of others works while the tap is armed [PRB-1]', async t => {
  const { server } = await start(t)
  await fetch(`${server.url}/arm`)
  const socket = connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const handshake =
    'GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  t.match(await ask(socket, handshake, '\r\n\r\n'), /^HTTP\/1\.1 101/)
  const h2c = connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => h2c.destroy())
  t.match(
    await ask(h2c, 'GET /anything/get HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n', '"url"'),
    /^HTTP\/1\.1 200/,
  )
})

t.test('a client that disconnects while requests wait for the server does not stop it [PRB-1]', async t => {
  const { server } = await start(t)
  await fetch(`${server.url}/arm`)
  const socket = connect(server.ports.http!, '127.0.0.1')
  socket.on('error', () => {})
  // The second one is left to the server, which is still busy with the first one.
  socket.write('GET /delay/1000 HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise(resolve => setTimeout(resolve, 100))
  socket.resetAndDestroy()
  await new Promise(resolve => setTimeout(resolve, 100))
  t.equal((await fetch(`${server.url}/echo`)).status, 200)
})

t.test('the tap is armed four times at most, and not at all in public mode [PRB-2]', async t => {
  const { server } = await start(t)
  const statuses = []
  for (let index = 0; index < 5; index++) statuses.push((await fetch(`${server.url}/arm`)).status)
  t.strictSame(statuses, [200, 200, 200, 200, 500])
  const { folder } = pluginFolder(t, { taps: PLUGIN })
  const open = await launch({ folders: [folder], env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'secret' } })
  t.teardown(() => open.stop())
  t.equal((await fetch(`${open.url}/arm`)).status, 500)
})

t.test('claimed requests of HTTP/2 are shown with their fields in order, and others are answered [PRB-12]', async t => {
  const { server, shown } = await start(t)
  await fetch(`${server.url}/arm`)
  const session = connectHttp2(`http://127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => session.destroy())
  const ask = (headers: Record<string, string | string[]>, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const answer: Answer = { status: 0, interim: [], fields: [], body: '', trailers: {} }
      const stream = session.request(headers, { endStream: body === '' })
      stream.on('headers', found => answer.interim.push(found[':status'] ?? 0))
      stream.on('response', (found, _flags, ...more: unknown[]) => {
        answer.status = found[':status'] ?? 0
        answer.fields = more[0] as string[]
      })
      stream.on('trailers', found => void (answer.trailers = { ...found }))
      stream.on('data', (chunk: Buffer) => void (answer.body += chunk.toString()))
      stream.on('error', reject)
      stream.on('close', () => resolve(answer))
      if (body !== '') stream.end(body)
    })
  const claimed = await ask({ ':method': 'POST', ':path': '/x', 'x-b': ['1', '2'], 'x-a': 'tapped' }, 'hello')
  t.equal(claimed.status, 200)
  t.strictSame(claimed.interim, [103])
  t.equal(claimed.fields.filter(name => name === 'x-claimed').length, 2)
  t.notOk(claimed.fields.includes('date'), 'nothing is added')
  t.equal(claimed.body, 'ok')
  t.equal(claimed.trailers['x-trailer'], 'last')
  const [arrival] = await shown()
  t.match(arrival!.bytes, /^POST \/x HTTP\/2\r\n:/)
  t.match(arrival!.bytes, /x-b: 1\r\nx-b: 2\r\nx-a: tapped\r\n\r\nhello$/)
  t.match(arrival, { framing: 'complete', bodySize: 5, ended: 'kept', listener: 'grpc' })
  t.notOk((await ask({ ':path': '/x' })).fields.includes('x-claimed'), 'others are left to the server')
})

t.test('trailers of requests in HTTP/2 are shown, and how the peer reset a stream [PRB-12]', async t => {
  const { server, shown } = await start(t)
  await fetch(`${server.url}/arm`)
  const open = (): ClientHttp2Session => {
    const session = connectHttp2(`http://127.0.0.1:${server.ports.grpc}`)
    t.teardown(() => session.destroy())
    return session
  }
  const headers = { ':method': 'POST', ':path': '/x', 'x-a': 'tapped' }
  const [one, two] = [open(), open()]
  const whole = one.request(headers, { endStream: false, waitForTrailers: true })
  whole.on('wantTrailers', () => whole.sendTrailers({ 'x-first': '1', 'x-second': ['2', '3'] }))
  whole.end('hello')
  await new Promise(resolve => whole.resume().on('close', resolve))
  const reset = one.request(headers, { endStream: false })
  reset.on('error', () => {})
  reset.write('hel')
  const cut = two.request(headers, { endStream: false })
  cut.on('error', () => {})
  cut.write('hel')
  const seen = async (count: number): Promise<Awaited<ReturnType<typeof shown>>> => {
    let found = await shown()
    await until(async () => (found = await shown()).filter(({ ended }) => ended !== null).length === count)
    return found
  }
  await until(async () => (await shown()).filter(({ bodySize }) => bodySize === 3).length === 2)
  reset.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  await seen(2)
  two.destroy()
  const found = await seen(3)
  const ends = found.map(({ trailers, resetCode, ended }) => ({ trailers, resetCode, ended }))
  // Whether a client ends the content before it resets a stream is its own affair.
  t.equal(found.find(({ ended, resetCode }) => ended === 'reset' && resetCode === null)!.framing, 'incomplete')
  t.strictSame(
    ends.toSorted((a, b) => b.trailers.length - a.trailers.length || Number(b.resetCode) - Number(a.resetCode)),
    [
      {
        trailers: [
          ['x-first', '1'],
          ['x-second', '2'],
          ['x-second', '3'],
        ],
        resetCode: null,
        ended: 'kept',
      },
      { trailers: [], resetCode: 11, ended: 'reset' },
      { trailers: [], resetCode: null, ended: 'reset' },
    ],
  )
})

t.test('a request is claimed by its JSON content, also when that comes later [PRB-12]', async t => {
  const { server, shown } = await start(t)
  await fetch(`${server.url}/arm`)
  const socket = connect(server.ports.http!, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const json = (path: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const whole = json('/content', '{"who":"mine"}')
  socket.write(whole.slice(0, -4))
  t.match(await ask(socket, whole.slice(-4), 'ok'), /^HTTP\/1\.1 200 Claimed/)
  for (const who of ['other', 'mine'])
    t.match(await ask(socket, json('/anything/post', `{"who":"${who}"}`), '"url"'), new RegExp(`200 OK[^]*${who}`))
  const arrivals = await shown()
  t.equal(arrivals.length, 1)
  t.equal(arrivals[0]!.bytes, whole)
})
