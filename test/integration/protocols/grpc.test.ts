/** gRPC: the methods of the echo service on every listener. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Metadata, compressionAlgorithms, credentials, status, type ServiceError } from '@grpc/grpc-js'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import {
  call,
  collect,
  connectTo,
  definitions,
  echoClient,
  failureOf,
  metadataOf,
  type EchoClient,
  type EchoResponse,
} from './grpc-client.ts'

const server = await serve(t, {
  env: { SVC_GRPC_ON_HTTP: 'true' },
  oneProcess: 'gRPC connections stay at one process, which counts them',
})
const ca = readFileSync(join(server.folder, 'certs/ca.crt'))
const clients: Record<string, EchoClient> = {
  'the gRPC port': echoClient(`127.0.0.1:${server.ports.grpc}`),
  'the HTTP port': echoClient(`127.0.0.1:${server.ports.http}`),
  'the HTTPS port': echoClient(`localhost:${server.ports.https}`, credentials.createSsl(ca)),
}
const client = clients['the gRPC port']!
t.teardown(() => Object.values(clients).forEach(each => each.close()))

for (const [listener, each] of Object.entries(clients)) {
  t.test(`every kind of call works on ${listener} [GRPC-2]`, async t => {
    const metadata = metadataOf({ 'X-Custom': 'a', 'x-data-bin': Buffer.from([0, 255]) })
    metadata.add('x-custom', 'b')
    t.match(await call(each, 'Echo', { message: 'hi' }, { metadata }), {
      message: 'hi',
      index: 0,
      instance_id: 'test-1',
      grpc_timeout: '',
      deadline_ms: 0,
      metadata: { 'x-custom': 'a, b', 'x-data-bin': 'AP8=', 'user-agent': /^grpc-node/ },
    })
    const streamed = await collect(each.ServerStream({ message: 's' }))
    t.strictSame(
      streamed.messages.map(({ message, index }) => [message, index]),
      [
        ['s', 0],
        ['s', 1],
        ['s', 2],
      ],
    )
    t.equal(streamed.code, status.OK)
    const joined = await new Promise<EchoResponse>((resolve, reject) => {
      const stream = each.ClientStream(new Metadata(), {}, (error, response) =>
        error === null ? resolve(response) : reject(error),
      )
      for (const message of ['a', 'b', 'c']) stream.write({ message })
      stream.end()
    })
    t.match(joined, { message: 'a b c', index: 3 })
    const bidi = each.BidiStream()
    const answers = collect(bidi)
    const seen: string[] = []
    bidi.on('data', ({ message }: EchoResponse) => seen.push(message))
    bidi.write({ message: 'first' })
    await until(() => seen.length === 1, 'an answer before the client has ended')
    bidi.write({ message: 'second' })
    bidi.end()
    t.strictSame(
      (await answers).messages.map(({ message, index }) => [message, index]),
      [
        ['first', 0],
        ['second', 1],
      ],
    )
    t.match(await failureOf(call(each, 'Fail', { code: 5 })), { code: status.NOT_FOUND })
  })
}

t.test('counts have a default and a maximum [GRPC-3]', async t => {
  t.equal((await collect(client.ServerStream({ count: 1 }))).messages.length, 1)
  t.equal((await collect(client.ServerStream({ count: 4_000_000_000 }))).messages.length, 100)
  const none = await new Promise<EchoResponse>((resolve, reject) => {
    client
      .ClientStream(new Metadata(), {}, (error, response) => (error === null ? resolve(response) : reject(error)))
      .end()
  })
  t.match(none, { message: '', index: 0 })
})

t.test('a thousand messages are accepted, the next ends the call [GRPC-4]', async t => {
  const joined = await new Promise<ServiceError | null>(resolve => {
    const stream = client.ClientStream(new Metadata(), {}, error => resolve(error))
    stream.on('error', () => {})
    for (let index = 0; index < 1001; index++) stream.write({ message: 'x' })
    stream.end()
  })
  t.match(joined, { code: status.RESOURCE_EXHAUSTED })
  const bidi = client.BidiStream()
  const answers = collect(bidi)
  for (let index = 0; index < 1001; index++) bidi.write({ message: 'x' })
  bidi.end()
  const { messages, code } = await answers
  t.equal(messages.length, 1000)
  t.equal(code, status.RESOURCE_EXHAUSTED)
})

t.test('Fail ends with the requested status and its details [GRPC-5]', async t => {
  t.match(await call(client, 'Fail', {}), { message: 'OK' })
  t.match(await call(client, 'Fail', { message: 'fine' }), { message: 'fine' })
  for (const code of [-1, 17, 2_147_483_647])
    t.match(await failureOf(call(client, 'Fail', { code })), { code: status.INVALID_ARGUMENT })
  for (let code = 1; code <= 16; code++)
    t.match(await failureOf(call(client, 'Fail', { code })), {
      code,
      details: `failed with ${status[code]} as requested`,
    })
  const error = await failureOf(
    call(client, 'Fail', {
      code: 14,
      message: 'später',
      reason: 'WHY',
      retry_delay_ms: 1500,
      metadata: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, 'v'])),
    }),
  )
  t.match(error, { code: 14, details: 'später' })
  t.strictSame(error.metadata.get('x-svc-fail'), ['true'])
  const read = (name: string, bytes: Buffer) =>
    (definitions[name] as unknown as { deserialize(bytes: Buffer): Record<string, unknown> }).deserialize(bytes)
  const details = read('google.rpc.Status', error.metadata.get('grpc-status-details-bin')[0] as Buffer)
  t.match(details, { code: 14, message: 'später' })
  const [info, retry] = details.details as { type_url: string; value: Buffer }[]
  t.equal(info!.type_url, 'type.googleapis.com/google.rpc.ErrorInfo')
  const errorInfo = read('google.rpc.ErrorInfo', info!.value) as { metadata: { key: string; value: string }[] }
  t.match(errorInfo, { reason: 'WHY', domain: 'svc' })
  t.strictSame(
    errorInfo.metadata.map(({ key }) => key),
    [...Array.from({ length: 32 }, (_, i) => `k${i}`), 'instance_id'],
  )
  t.equal(retry!.type_url, 'type.googleapis.com/google.rpc.RetryInfo')
  t.match(read('google.rpc.RetryInfo', retry!.value), { retry_delay: { seconds: 1, nanos: 500_000_000 } })
  const long = await failureOf(call(client, 'Fail', { code: 3, message: 'ä'.repeat(5000), reason: 'r'.repeat(500) }))
  t.equal(long.details.length, 1024)
})

t.test('deadlines end calls and are reported as received [GRPC-6]', async t => {
  const shown = await call(client, 'Echo', {}, { deadline: Date.now() + 60_000 })
  t.match(shown.grpc_timeout, /^\d+[mSu]$/)
  t.ok(shown.deadline_ms > 1000 && shown.deadline_ms <= 60_000, String(shown.deadline_ms))
  const { messages, code } = await collect(
    client.ServerStream({ count: 100 }, new Metadata(), { deadline: Date.now() + 300 }),
  )
  t.equal(code, status.DEADLINE_EXCEEDED)
  t.ok(messages.length < 100)
})

t.test('a cancelled call leaves the connection usable [GRPC-7]', async t => {
  const stream = client.ServerStream({ count: 100 })
  const ended = collect(stream)
  stream.once('data', () => stream.cancel())
  t.equal((await ended).code, status.CANCELLED)
  t.match(await call(client, 'Echo', { message: 'still here' }), { message: 'still here' })
})

t.test('messages of up to 4 MiB are accepted, also compressed; larger ones are rejected [GRPC-8]', async t => {
  const options = { 'grpc.max_receive_message_length': -1 }
  for (const algorithm of [compressionAlgorithms.identity, compressionAlgorithms.gzip, compressionAlgorithms.deflate]) {
    const compressing = echoClient(`127.0.0.1:${server.ports.grpc}`, undefined, {
      ...options,
      'grpc.default_compression_algorithm': algorithm,
    })
    const message = 'x'.repeat(3 * 1024 * 1024)
    t.equal((await call(compressing, 'Echo', { message })).message.length, message.length)
    compressing.close()
  }
  t.match(await failureOf(call(client, 'Echo', { message: 'x'.repeat(5 * 1024 * 1024) })), {
    code: status.RESOURCE_EXHAUSTED,
  })
})

for (const [listener, each] of Object.entries(clients)) {
  t.test(`a rejected upload does not stall later calls on ${listener} [GRPC-9]`, async t => {
    t.match(await failureOf(call(each, 'Echo', { message: 'x'.repeat(5 * 1024 * 1024) })), {
      code: status.RESOURCE_EXHAUSTED,
    })
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        call(each, 'Echo', { message: `m${index}` }, { deadline: Date.now() + 20_000 }),
      ),
    )
    t.strictSame(
      answers.map(({ message }) => message),
      Array.from({ length: 200 }, (_, index) => `m${index}`),
    )
  })
}

t.test('unknown methods and services are unimplemented [GRPC-10]', async t => {
  const attempt = (path: string) =>
    new Promise<ServiceError | null>(resolve => {
      client.makeUnaryRequest(
        path,
        () => Buffer.alloc(0),
        (bytes: Buffer) => bytes,
        {},
        error => resolve(error),
      )
    })
  t.match(await attempt('/svc.echo.v1.EchoService/Nothing'), { code: status.UNIMPLEMENTED })
  t.match(await attempt('/no.such.Service/Echo'), { code: status.UNIMPLEMENTED })
})

t.test('every response has a request id, taken from the call if present [GRPC-11]', async t => {
  const answered = (metadata: Metadata) =>
    new Promise(resolve =>
      client.Echo({}, metadata, {}, () => {}).on('metadata', head => resolve(head.get('x-request-id')[0])),
    )
  // A failure without messages is a trailers-only response.
  const failed = async (metadata: Metadata) =>
    (await failureOf(call(client, 'Fail', { code: 5 }, { metadata }))).metadata.get('x-request-id')[0]
  for (const idOf of [answered, failed]) {
    t.match(await idOf(new Metadata()), /^[\da-f-]{36}$/)
    t.equal(await idOf(metadataOf({ 'x-request-id': 'mine' })), 'mine')
  }
})

t.test('every call is counted once [GRPC-11]', async t => {
  const count = async () =>
    Number(
      /^svc_protocol_requests_total\{protocol="grpc"\} (\d+)/m.exec(
        await (await fetch(`${server.url}/_svc/metrics`)).text(),
      )?.[1],
    )
  const before = await count()
  for (const each of Object.values(clients)) await call(each, 'Echo', { message: 'counted' })
  t.equal(await count(), before + 3)
})

interface Health extends EchoClient {
  Check(request: object, callback: (error: ServiceError | null, response: { status: string }) => void): void
  List(
    request: object,
    callback: (error: ServiceError | null, response: { statuses: Record<string, { status: string }> }) => void,
  ): void
  Watch(request: object): ReturnType<EchoClient['ServerStream']>
}

t.test('health follows the instance, and Watch reports changes [GRPC-12]', async t => {
  const health = connectTo<Health>('grpc.health.v1.Health', `127.0.0.1:${server.ports.grpc}`)
  t.teardown(() => health.close())
  const check = (service: string) =>
    new Promise<string | number>(resolve =>
      health.Check({ service }, (error, response) => resolve(error?.code ?? response.status)),
    )
  t.equal(await check('nobody'), status.NOT_FOUND)
  const seen: string[] = []
  const watch = health.Watch({ service: 'svc.echo.v1.EchoService' })
  watch.on('data', (response: unknown) => seen.push((response as { status: string }).status)).on('error', () => {})
  const unknown: string[] = []
  const stranger = health.Watch({ service: 'nobody' })
  stranger
    .on('data', (response: unknown) => unknown.push((response as { status: string }).status))
    .on('error', () => {})
  await until(() => seen.length === 1 && unknown.length === 1)
  for (const [path, state] of [
    ['unhealthy', 'NOT_SERVING'],
    ['unhealthy', 'NOT_SERVING'],
    ['healthy', 'SERVING'],
  ]) {
    await fetch(`${server.url}/health/${path}`, { method: 'POST' })
    for (const service of ['', 'svc.echo.v1.EchoService']) t.equal(await check(service), state)
    t.match(await call(client, 'Echo', { message: 'serves' }), { message: 'serves' })
  }
  await until(() => seen.length === 3)
  t.strictSame(seen, ['SERVING', 'NOT_SERVING', 'SERVING'])
  t.strictSame(unknown, ['SERVICE_UNKNOWN'])
  const listed = await new Promise<object>(resolve => health.List({}, (_error, response) => resolve(response.statuses)))
  t.strictSame(listed, { '': { status: 'SERVING' }, 'svc.echo.v1.EchoService': { status: 'SERVING' } })
  watch.cancel()
  stranger.cancel()
})
