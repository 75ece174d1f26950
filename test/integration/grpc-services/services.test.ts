/** The echo and greeting services of other projects. */
import { hostname, networkInterfaces } from 'node:os'
import { credentials, status } from '@grpc/grpc-js'
import t from 'tap'
import { GrpcCaller, loadProto } from '../../support/grpc-caller.ts'
import { serve } from '../../support/server.ts'

const GRPC_ECHO = 'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho'
const FILES: Record<string, string> = {
  [GRPC_ECHO]: 'grpcecho',
  'helloworld.Greeter': 'helloworld',
  'grpcbin.GRPCBin': 'grpcbin',
  'hello.HelloService': 'hello',
  'addsvc.Add': 'addsvc',
  'proto.EchoTestService': 'istio_echo',
  'fgrpc.PingServer': 'fgrpc_ping',
  'whoami.Whoami': 'whoami',
}

const server = await serve(t, {
  env: { SVC_GRPC_ON_HTTP: 'true', NAMESPACE: 'shop', POD_NAME: 'pod-1' },
  settings: { httpbin: { echo_basic: { service: 'infra-backend' } } },
  plugins: ['grpc-services', 'httpbin', 'tls'],
})
const target = `127.0.0.1:${server.ports.grpc}`

function callerOf(name: string, at = target, settings = {}): GrpcCaller {
  const caller = new GrpcCaller(at, loadProto(`services/${FILES[name]}.proto`)[name]!, settings)
  t.teardown(() => caller.close())
  return caller
}

t.test('GrpcEcho shows the call, where it runs and the connection [GSV-10]', async t => {
  const metadata = { 'x-one': 'a', 'x-bytes-bin': Buffer.from('text') }
  for (const method of ['Echo', 'EchoTwo']) {
    const { messages, code } = await callerOf(GRPC_ECHO).call(method, {}, { metadata })
    t.equal(code, status.OK)
    const { assertions } = messages[0]
    t.match(assertions, {
      fully_qualified_method: `/${GRPC_ECHO}/${method}`,
      authority: target,
      context: { namespace: 'shop', ingress: '', service_name: 'infra-backend', pod: 'pod-1' },
      tls_assertions: null,
    })
    const headers = new Map(assertions.headers.map(({ key, value }: Record<string, string>) => [key, value]))
    t.same(
      [':authority', 'x-one', 'x-bytes-bin'].map(name => headers.get(name)),
      [target, 'a', 'text'],
    )
    t.match(headers.get('user-agent'), /grpc-node/)
    t.notOk([...headers.keys()].some(name => /^(?:te|grpc-timeout|:path)$|bridge/.test(String(name))))
  }
  t.equal((await callerOf(GRPC_ECHO).call('EchoThree')).code, status.UNIMPLEMENTED)
  const channel = credentials.createSsl(Buffer.from(await (await fetch(`${server.url}/tls/ca.pem`)).text()))
  const secure = callerOf(GRPC_ECHO, `localhost:${server.ports.https}`, { channel })
  t.match((await secure.call('Echo')).messages[0].assertions.tls_assertions, {
    version: 'TLSv1.3',
    negotiated_protocol: 'h2',
    server_name: 'localhost',
    cipher_suite: /^TLS_/,
    peer_certificates: [],
  })
})

t.test('the greeting services greet [GSV-11]', async t => {
  const greeter = callerOf('helloworld.Greeter')
  const said = async (caller: GrpcCaller, method: string, requests: object | object[]) =>
    (await caller.call(method, requests)).messages.map(({ message, reply }) => message ?? reply)
  t.same(await said(greeter, 'SayHello', { name: 'Ada' }), ['Hello Ada'])
  t.same(
    await said(greeter, 'SayHelloStreamReply', { name: 'Ada' }),
    [0, 1, 2, 3, 4].map(number => `Hello Ada ${number}`),
  )
  t.same(await said(greeter, 'SayHelloBidiStream', [{ name: 'A' }, { name: 'B' }]), ['Hello A', 'Hello B'])
  const hello = callerOf('hello.HelloService')
  t.same(await said(hello, 'SayHello', {}), ['hello noname'])
  t.same(await said(hello, 'SayHello', { greeting: 'Ada' }), ['hello Ada'])
  t.same(await said(hello, 'LotsOfReplies', { greeting: 'Ada' }), Array(10).fill('hello Ada'))
  t.same(await said(hello, 'LotsOfGreetings', [{ greeting: 'A' }, {}, { greeting: 'C' }]), ['hello A, noname, C'])
  t.same(await said(hello, 'BidiHello', [{ greeting: 'A' }, {}]), ['hello A', 'hello noname'])
  const large = { greeting: 'x'.repeat(3 * 1024 * 1024) }
  t.equal((await hello.call('LotsOfGreetings', [large, large])).code, status.RESOURCE_EXHAUSTED)
})

t.test('GRPCBin sends messages of all types back, and statuses [GSV-12]', async t => {
  const bin = callerOf('grpcbin.GRPCBin')
  const dummy = {
    f_string: 'text',
    f_strings: ['a', 'b'],
    f_int32: -5,
    f_int32s: [1, 2],
    f_enum: 'ENUM_2',
    f_enums: ['ENUM_0', 'ENUM_1'],
    f_sub: { f_string: 'inner' },
    f_subs: [{ f_string: 'one' }, { f_string: '' }],
    f_bool: true,
    f_bools: [true, false],
    f_int64: '9007199254740993',
    f_int64s: ['-9223372036854775808'],
    f_bytes: Buffer.from([0, 255]),
    f_bytess: [Buffer.from('x')],
    f_float: 1.5,
    f_floats: [0, -2.25],
  }
  t.same((await bin.call('DummyUnary', dummy)).messages, [dummy])
  t.same((await bin.call('DummyServerStream', dummy)).messages, Array(10).fill(dummy))
  const numbered = Array.from({ length: 12 }, (_, number) => ({ f_int32: number }))
  const numbersOf = async (method: string, requests: object[]) =>
    (await bin.call(method, requests)).messages.map(({ f_int32 }) => f_int32)
  t.same(await numbersOf('DummyClientStream', numbered), [9], 'the tenth ends the call')
  t.same(await numbersOf('DummyClientStream', numbered.slice(0, 3)), [2])
  t.same(await numbersOf('DummyClientStream', []), [0])
  t.same(
    await numbersOf('DummyBidirectionalStreamStream', numbered),
    numbered.map(({ f_int32 }) => f_int32),
  )
  t.match((await bin.call('Index')).messages[0], {
    description: 'gRPC testing server',
    endpoints: [{ path: 'Index' }, { path: 'Empty' }, { path: 'DummyUnary' }],
  })
  t.match(await bin.call('Empty'), { code: status.OK, messages: [{}] })
  t.match(await bin.call('SpecificError', { code: 5, reason: 'gone' }), { code: 5, details: 'gone' })
  t.match(await bin.call('SpecificError', { code: 14 }), { code: 14, details: 'Unavailable' })
  t.match(await bin.call('SpecificError', { code: 0, reason: 'no' }), { code: status.OK, messages: [{}] })
  t.ok((await bin.call('RandomError')).code < 16)
  t.equal((await bin.call('NoResponseUnary')).code, status.INTERNAL)
  const { Metadata: headers } = (await bin.call('HeadersUnary', {}, { metadata: { 'x-one': 'a' } })).messages[0]
  t.same([headers['x-one'], headers[':authority']], [{ values: ['a'] }, { values: [target] }])
})

t.test('the other services reply as the originals [GSV-13]', async t => {
  const add = callerOf('addsvc.Add')
  const sum = async (a: string, b: string) => (await add.call('Sum', { a, b })).messages[0]
  t.same(await sum('20', '22'), { v: '42', err: '' })
  t.same(await sum('0', '0'), { v: '0', err: "can't sum two zeroes" })
  t.same(await sum('2147483647', '1'), { v: '0', err: 'integer overflow' })
  t.same(await sum('9007199254740993', '0'), { v: '9007199254740993', err: '' })
  t.same((await add.call('Concat', { a: 'foo', b: 'bar' })).messages, [{ v: 'foobar', err: '' }])
  t.same((await add.call('Concat', { a: '123456', b: '12345' })).messages, [
    { v: '', err: 'result exceeds maximum size' },
  ])

  const metadata = { 'x-one': 'a', 'x-two-bin': Buffer.from('b') }
  const echoed = await callerOf('proto.EchoTestService').call('Echo', { message: 'hi' }, { metadata })
  const lines = String(echoed.messages[0].message).split('\n')
  const from = lines.findIndex(line => line.startsWith('Host='))
  t.ok(lines.slice(0, from).includes('RequestHeader=x-one:a'))
  t.ok(lines.slice(0, from).every(line => /^RequestHeader=[^:]+:/.test(line) && !line.includes('-bin')))
  t.match(lines.slice(from), [
    `Host=${target}`,
    'StatusCode=200',
    /^ServiceVersion=\d/,
    `ServicePort=${server.ports.grpc}`,
    'IP=127.0.0.1',
    'Proto=GRPC',
    'Echo=hi',
    `Hostname=${hostname()}`,
    '',
  ])

  const before = BigInt(Date.now()) * 1_000_000n
  const ping = (
    await callerOf('fgrpc.PingServer').call('Ping', { seq: '7', ts: '1', payload: 'p', delayNanos: '2000000' })
  ).messages[0]
  t.match(ping, { seq: '7', payload: 'p', delayNanos: '2000000' })
  t.ok(BigInt(ping.ts) >= before)

  const whoami = callerOf('whoami.Whoami')
  const addresses = Object.values(networkInterfaces()).flatMap(list => list!.map(({ address }) => address))
  t.same((await whoami.call('Whoami')).messages, [{ name: '', hostname: hostname(), iface: addresses }])
  t.same((await whoami.call('Bench')).messages, [{ data: 1 }])
})

t.test('in public mode nothing shows the machine [GSV-14]', async t => {
  const shown = await serve(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_INSTANCE_ID: 'one' } })
  const at = `127.0.0.1:${shown.ports.grpc}`
  t.same((await callerOf('whoami.Whoami', at).call('Whoami')).messages, [
    { name: '', hostname: 'one', iface: ['127.0.0.1'] },
  ])
  t.match((await callerOf('proto.EchoTestService', at).call('Echo')).messages[0].message, /^Hostname=one$/m)
})
