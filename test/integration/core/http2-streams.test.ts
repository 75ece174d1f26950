/** Streams of one HTTP/2 connection: the number is announced, clients that need more wait, and others are refused. */
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2'
import { connect } from 'node:net'
import { Metadata } from '@grpc/grpc-js'
import t from 'tap'
import { FRAME, PREFACE, SETTINGS, headersOf } from '../../support/http2-frames.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { connectTo, type EchoClient } from '../protocols/grpc-client.ts'

const LIMIT = 100
const CALLS = 250
const END_STREAM_AND_HEADERS = 0x5

const announcedTo = async (session: ClientHttp2Session): Promise<number | undefined> => {
  await new Promise((resolve, reject) => session.once('remoteSettings', resolve).once('error', reject))
  return session.remoteSettings.maxConcurrentStreams
}

for (const [mode, env, expected] of [
  ['default', {}, 256],
  ['public mode', { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'token-of-the-test' }, 100],
] as const)
  t.test(`every listener announces the number, ${mode}`, async t => {
    const { ports } = await serve(t, { env: { SVC_GRPC_ON_HTTP: 'true', ...env } })
    for (const url of [
      `http://127.0.0.1:${ports.http}`,
      `https://127.0.0.1:${ports.https}`,
      `http://127.0.0.1:${ports.grpc}`,
    ]) {
      const session = connectHttp2(url, { rejectUnauthorized: false })
      t.equal(await announcedTo(session), expected, url)
      session.close()
    }
  })

t.test('a client that needs more streams gets all its answers', async t => {
  const { url, ports } = await serve(t, {
    plugins: ['delay', 'grpc'],
    env: { SVC_GRPC_ON_HTTP: 'true', SVC_BUDGET_HTTP2_STREAMS: String(LIMIT) },
  })
  const session = connectHttp2(url)
  const statusOf = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/echo', 'x-svc-delay': '20ms' })
      let status: number | undefined
      stream.on('response', headers => (status = headers[':status']))
      stream
        .on('error', reject)
        .on('end', () => resolve(status))
        .resume()
    })
  t.strictSame(await Promise.all(Array.from({ length: CALLS }, statusOf)), Array(CALLS).fill(200))
  session.close()

  const client = connectTo<EchoClient>('svc.echo.v1.EchoService', `127.0.0.1:${ports.grpc}`)
  t.teardown(() => client.close())
  const messages = await Promise.all(
    Array.from(
      { length: CALLS },
      (_, index) =>
        new Promise<string>((resolve, reject) =>
          client.Echo({ message: `m${index}` }, new Metadata(), {}, (error, response) =>
            error === null ? resolve(response.message) : reject(error),
          ),
        ),
    ),
  )
  t.strictSame(
    messages,
    Array.from({ length: CALLS }, (_, index) => `m${index}`),
  )
})

t.test('streams beyond the number, sent before it is known, are refused, and the others answered', async t => {
  const { ports } = await serve(t, {
    plugins: ['delay', 'grpc'],
    env: { SVC_GRPC_ON_HTTP: 'true', SVC_BUDGET_HTTP2_STREAMS: String(LIMIT) },
  })
  const request = (stream: number): Buffer => {
    const bytes = headersOf(stream, {
      ':method': 'GET',
      ':path': '/echo',
      ':scheme': 'http',
      ':authority': 'svc.test',
      'x-svc-delay': '1s',
    })
    bytes[4] = END_STREAM_AND_HEADERS
    return bytes
  }
  const ids = Array.from({ length: LIMIT + 10 }, (_, index) => 2 * index + 1)
  const chunks: Buffer[] = []
  const socket = connect(ports.http!, '127.0.0.1', () =>
    socket.write(Buffer.concat([PREFACE, SETTINGS, ...ids.map(request)])),
  )
  socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk))
  t.teardown(() => socket.destroy())
  const outcomes = (): Map<number, 'answered' | number> => {
    const bytes = Buffer.concat(chunks)
    const found = new Map<number, 'answered' | number>()
    for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
      const stream = bytes.readUInt32BE(at + 5)
      if (bytes[at + 3] === FRAME.headers) found.set(stream, 'answered')
      if (bytes[at + 3] === FRAME.rstStream && bytes.length >= at + 13) found.set(stream, bytes.readUInt32BE(at + 9))
    }
    return found
  }
  await until(() => outcomes().size === ids.length, 'an outcome for each stream')
  t.strictSame(
    ids.map(id => outcomes().get(id)),
    ids.map((_, index) => (index < LIMIT ? 'answered' : constants.NGHTTP2_REFUSED_STREAM)),
  )
})
