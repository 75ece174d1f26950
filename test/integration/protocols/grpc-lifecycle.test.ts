/** gRPC calls during reload and shutdown. */
import t from 'tap'
import { connect } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { call, collect, echoClient, type EchoResponse } from './grpc-client.ts'

const server = await serve(t)
const client = echoClient(`127.0.0.1:${server.ports.grpc}`)
t.teardown(() => client.close())

t.test('a reload does not affect running calls and serves new ones [GRPC-13]', async t => {
  const bidi = client.BidiStream()
  const seen: EchoResponse[] = []
  bidi.on('data', (message: EchoResponse) => seen.push(message))
  bidi.write({ message: 'before' })
  await until(() => seen.length === 1)
  t.equal((await fetch(`${server.url}/_svc/reload?force=true`, { method: 'POST' })).status, 200)
  bidi.write({ message: 'after' })
  await until(() => seen.length === 2)
  t.match(await call(client, 'Echo', { message: 'new' }), { message: 'new' })
  bidi.end()
  await until(() => bidi.closed || bidi.readableEnded)
})

t.test('a connection keeps no memory across many reloads [GRPC-13]', async t => {
  const warnings: string[] = []
  const note = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  for (let index = 0; index < 12; index++) {
    await call(client, 'Echo', { message: 'x' })
    await fetch(`${server.url}/_svc/reload?force=true`, { method: 'POST' })
  }
  t.match(await call(client, 'Echo', { message: 'after' }), { message: 'after' })
  t.strictSame(
    warnings.filter(message => message.includes('listeners')),
    [],
  )
})

t.test('a running call can finish during shutdown [GRPC-26]', async t => {
  const stopping = await serve(t, { shutdownTimes: { drain: 20_000, cut: 200, closing: 500 } })
  const each = echoClient(`127.0.0.1:${stopping.ports.grpc}`)
  const stream = each.ServerStream({ message: 's', count: 5 })
  const ended = collect(stream)
  await new Promise(resolve => stream.once('data', resolve))
  await stopping.stop()
  const { messages, code } = await ended
  t.equal(messages.length, 5)
  t.equal(code, status.OK)
  each.close()
})

t.test('an endless call is aborted after the drain time [GRPC-26]', async t => {
  const stopping = await serve(t)
  const each = echoClient(`127.0.0.1:${stopping.ports.grpc}`)
  const bidi = each.BidiStream()
  const ended = collect(bidi)
  bidi.write({ message: 'x' })
  await new Promise(resolve => bidi.once('data', resolve))
  await stopping.stop()
  t.not((await ended).code, status.OK)
  each.close()
})

t.test('a deadline ends a call even if the client keeps its side open [GRPC-13]', async t => {
  const session = connect(`http://127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/svc.echo.v1.EchoService/BidiStream',
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': '200m',
  })
  let [bytes, answered] = [0, '']
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  stream.on('trailers', trailers => {
    answered = String(trailers['grpc-status'])
  })
  // One message, { message: "hi" }, and no end.
  stream.write(Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x68, 0x69]))
  t.equal(await until(() => answered), String(status.DEADLINE_EXCEEDED))
  t.ok(bytes > 0, 'after the reply to the message')
  stream.close()
})

t.test('an unreadable message ends a call that is still replying to earlier ones [GRPC-13]', async t => {
  const session = connect(`http://127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => session.destroy())
  const message = Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x68, 0x69])
  // Field 15 with wire type 7, which does not exist.
  const unreadable = Buffer.from([0, 0, 0, 0, 2, 0x7f, 1])
  const compressed = Buffer.from([1, 0, 0, 0, 1, 0])
  for (const [body, code] of [
    [unreadable, status.INTERNAL],
    [compressed, status.INTERNAL],
  ] as const) {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/svc.echo.v1.EchoService/BidiStream',
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-encoding': 'gzip',
    })
    let answered = ''
    stream
      .on('trailers', trailers => {
        answered = String(trailers['grpc-status'])
      })
      .resume()
    stream.end(Buffer.concat([message, message, message, body, message]))
    t.equal(await until(() => answered), String(code))
  }
})

t.test(
  'a message that is cut off, or compressed in no named coding, ends the call with INTERNAL [GRPC-13]',
  async t => {
    const session = connect(`http://127.0.0.1:${server.ports.grpc}`)
    t.teardown(() => session.destroy())
    const right = [0, 0, 0, 0, 4, 0x0a, 2, 0x68, 0x69]
    const flagged = [1, ...right.slice(1)]
    const rows: [body: number[], encoding: string | null, code: number, message: RegExp][] = [
      [right, null, status.OK, /^(?:OK)?$/],
      [right, 'identity', status.OK, /^(?:OK)?$/],
      [right, 'gzip', status.OK, /^(?:OK)?$/],
      [flagged, null, status.INTERNAL, /compressed flag, but grpc-encoding names no compression/],
      [flagged, 'identity', status.INTERNAL, /compressed flag/],
      [flagged, 'rot13', status.UNIMPLEMENTED, /rot13/],
      [[0, 0, 0, 0, 4, 0x0a, 9, 0x68, 0x69], null, status.INTERNAL, /deserializing/],
      [[0, 0, 0, 0, 1, 0x0a], null, status.INTERNAL, /deserializing/],
    ]
    for (const [body, encoding, code, message] of rows) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/svc.echo.v1.EchoService/Echo',
        'content-type': 'application/grpc',
        te: 'trailers',
        ...(encoding === null ? {} : { 'grpc-encoding': encoding }),
      })
      let answered: string[] | null = null
      const read = (headers: Record<string, unknown>): void => {
        if (headers['grpc-status'] !== undefined)
          answered = [String(headers['grpc-status']), decodeURIComponent(String(headers['grpc-message'] ?? ''))]
      }
      stream.on('response', read).on('trailers', read).resume()
      stream.end(Buffer.from(body))
      const [given, text] = (await until(() => answered)) as unknown as string[]
      t.equal(given, String(code), `${body} ${encoding}`)
      t.match(text, message)
    }
  },
)
