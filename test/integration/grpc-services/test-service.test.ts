/** `grpc.testing.TestService`: the cases of gRPC's interoperability tests, and its bounds. */
import { gzipSync } from 'node:zlib'
import { compressionAlgorithms, status } from '@grpc/grpc-js'
import t from 'tap'
import { GrpcCaller, loadProto, type Message } from '../../support/grpc-caller.ts'
import { serve } from '../../support/server.ts'

const NAME = 'grpc.testing.TestService'
const DEFINITION = loadProto('services/grpc_testing.proto')[NAME]!
const MIB = 1024 * 1024

const { url, ports } = await serve(t, { env: { SVC_INSTANCE_ID: 'one' } })
const target = `127.0.0.1:${ports.grpc}`
const client = new GrpcCaller(target, DEFINITION, { 'grpc.max_receive_message_length': -1 })
t.teardown(() => client.close())

const zeros = (size: number) => ({ body: Buffer.alloc(size) })
const sizes = (messages: Message[]): number[] => messages.map(({ payload }) => payload.body.length)

t.test('unary calls have payloads of the wanted size, the server and the host [GSV-1]', async t => {
  t.match(await client.call('EmptyCall'), { code: status.OK, messages: [{}] })
  const large = await client.call('UnaryCall', { response_size: 314_159, payload: zeros(271_828) })
  t.match(large, { code: status.OK, messages: [{ server_id: '' }] })
  t.same(sizes(large.messages), [314_159])
  t.ok(large.messages[0].payload.body.every((byte: number) => byte === 0))
  t.not(large.messages[0].hostname, '')
  t.equal((await client.call('UnaryCall', { fill_server_id: true })).messages[0].server_id, 'one')
  t.equal((await client.call('UnaryCall', {})).messages[0].payload, null)
})

t.test('streams have the requested messages [GSV-2]', async t => {
  const response_parameters = [{ size: 31_415 }, { size: 9, interval_us: 1000 }, { size: 0 }]
  t.same(sizes((await client.call('StreamingOutputCall', { response_parameters })).messages), [31_415, 9, 0])
  const sent = [27_182, 8, 0, 45_904].map(size => ({ payload: zeros(size) }))
  t.match(await client.call('StreamingInputCall', sent), {
    code: status.OK,
    messages: [{ aggregated_payload_size: 73_094 }],
  })
  for (const method of ['FullDuplexCall', 'HalfDuplexCall']) {
    const asked = [{ response_parameters: [{ size: 1 }, { size: 2 }] }, {}, { response_parameters: [{ size: 3 }] }]
    const { code, messages } = await client.call(method, asked)
    t.same([code, sizes(messages)], [status.OK, [1, 2, 3]], method)
    t.same(await client.call(method, []).then(outcome => [outcome.code, outcome.messages]), [status.OK, []], method)
  }
})

t.test('a client may cancel after the first response [GSV-2]', async t => {
  const response_parameters = [{ size: 1 }, ...Array.from({ length: 5000 }, () => ({ size: 1, interval_us: 1000 }))]
  const { code, messages } = await client.call('FullDuplexCall', { response_parameters }, { cancelAt: () => true })
  t.equal(code, status.CANCELLED)
  t.ok(messages.length < 5000)
})

t.test('calls end with the wanted status, whatever its text has [GSV-3]', async t => {
  const message = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n'
  for (const [method, code] of [
    ['UnaryCall', 2],
    ['StreamingOutputCall', 5],
    ['FullDuplexCall', 16],
    ['HalfDuplexCall', 1],
  ] as const)
    t.match(await client.call(method, { response_status: { code, message } }), { code, details: message, messages: [] })
  t.equal((await client.call('UnaryCall', { response_status: { code: 0, message } })).code, status.OK)
  for (const code of [-1, 17])
    t.match(await client.call('UnaryCall', { response_status: { code, message } }), { code: status.INVALID_ARGUMENT })
  t.equal((await client.call('UnimplementedMethod')).code, status.UNIMPLEMENTED)
})

t.test('two fields of metadata come back [GSV-4]', async t => {
  const trailing = Buffer.from([0xab, 0xab, 0xab])
  const metadata = { 'x-grpc-test-echo-initial': 'hello', 'x-grpc-test-echo-trailing-bin': trailing }
  for (const method of ['UnaryCall', 'FullDuplexCall']) {
    const { code, initial, trailers } = await client.call(method, { response_size: 1 }, { metadata })
    t.equal(code, status.OK)
    t.same(initial?.get('x-grpc-test-echo-initial'), ['hello'], method)
    t.same(trailers.get('x-grpc-test-echo-trailing-bin'), [trailing], method)
  }
  const { initial } = await client.call('EmptyCall', {}, { metadata })
  t.same(initial?.get('x-grpc-test-echo-initial'), [], 'not on other methods')
})

t.test('the compression of requests is checked message by message [GSV-5]', async t => {
  const compressing = new GrpcCaller(target, DEFINITION, {
    'grpc.default_compression_algorithm': compressionAlgorithms.gzip,
  })
  t.teardown(() => compressing.close())
  const expecting = (value: boolean) => ({ payload: zeros(1000), expect_compressed: { value } })
  for (const method of ['UnaryCall', 'StreamingInputCall']) {
    t.equal((await compressing.call(method, expecting(true))).code, status.OK, method)
    t.equal((await client.call(method, expecting(false))).code, status.OK, method)
    t.equal((await compressing.call(method, expecting(false))).code, status.INVALID_ARGUMENT, method)
    t.equal((await client.call(method, expecting(true))).code, status.INVALID_ARGUMENT, method)
  }
  const { requestSerialize, responseDeserialize } = DEFINITION.StreamingInputCall!
  const frame = (value: boolean, isCompressed: boolean): Buffer => {
    const message = requestSerialize(expecting(value))
    const bytes = isCompressed ? gzipSync(message) : message
    const head = Buffer.alloc(5)
    head[0] = Number(isCompressed)
    head.writeUInt32BE(bytes.length, 1)
    return Buffer.concat([head, bytes])
  }
  const send = async (type: string, body: string | Buffer): Promise<Buffer> => {
    const response = await fetch(`${url.replace(/:\d+$/, `:${ports.grpc}`)}/${NAME}/StreamingInputCall`, {
      method: 'POST',
      headers: { 'Content-Type': type, 'grpc-encoding': 'gzip' },
      body: new Uint8Array(Buffer.from(body)),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return type.includes('text') ? Buffer.from(bytes.toString(), 'base64') : bytes
  }
  const mixed = Buffer.concat([frame(true, true), frame(false, false), frame(true, true)])
  const reply = await send('application/grpc-web', mixed)
  t.match(responseDeserialize(reply.subarray(5, 5 + reply.readUInt32BE(1))), { aggregated_payload_size: 3000 })
  const text = await send('application/grpc-web-text', mixed.toString('base64'))
  t.match(responseDeserialize(text.subarray(5, 5 + text.readUInt32BE(1))), { aggregated_payload_size: 3000 })
  const wrong = Buffer.concat([frame(true, true), frame(true, false)])
  t.match((await send('application/grpc-web', wrong)).toString(), /grpc-status:3/)
})

t.test('what is too much is refused before it is made [GSV-6]', async t => {
  t.equal((await client.call('UnaryCall', { response_size: 4 * MIB })).code, status.OK)
  for (const size of [4 * MIB + 1, -1]) {
    t.match(await client.call('UnaryCall', { response_size: size }), {
      code: status.INVALID_ARGUMENT,
      details: /bytes/,
    })
    for (const method of ['StreamingOutputCall', 'FullDuplexCall', 'HalfDuplexCall']) {
      const refused = await client.call(method, { response_parameters: [{ size: 1 }, { size }] })
      t.match(refused, { code: status.INVALID_ARGUMENT, messages: [] }, method)
    }
  }
  const many = { response_parameters: Array.from({ length: 10_001 }, () => ({})) }
  t.match(await client.call('StreamingOutputCall', many), { code: status.RESOURCE_EXHAUSTED, messages: [] })
  const much = { response_parameters: Array.from({ length: 17 }, () => ({ size: 4 * MIB })) }
  t.match(await client.call('HalfDuplexCall', [much]), { code: status.RESOURCE_EXHAUSTED, messages: [] })
})

t.test('in public mode the bounds are lower [GSV-6]', async t => {
  const { ports: publicPorts } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_INSTANCE_ID: 'shown' } })
  const caller = new GrpcCaller(`127.0.0.1:${publicPorts.grpc}`, DEFINITION)
  t.teardown(() => caller.close())
  const largest = await caller.call('UnaryCall', { response_size: 64 * 1024 })
  t.match(largest, { code: status.OK, messages: [{ hostname: 'shown' }] })
  t.equal((await caller.call('UnaryCall', { response_size: 64 * 1024 + 1 })).code, status.INVALID_ARGUMENT)
  const much = { response_parameters: Array.from({ length: 17 }, () => ({ size: 64 * 1024 })) }
  t.equal((await caller.call('StreamingOutputCall', much)).code, status.RESOURCE_EXHAUSTED)
})
