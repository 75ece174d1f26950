/** Load reports in gRPC calls, and out of band. */
import { readFileSync } from 'node:fs'
import { status } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer, type MessageTypeDefinition } from '@grpc/proto-loader'
import t from 'tap'
import { ORCA_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { GrpcCaller, loadProto, type Message, type Outcome } from '../../support/grpc-caller.ts'
import { serve } from '../../support/server.ts'

const FIELD = 'endpoint-load-metrics-bin'
const SERVICE = 'xds.service.orca.v3.OpenRcaService'
const type = loadFileDescriptorSetFromBuffer(readFileSync(ORCA_DESCRIPTOR_SET), { keepCase: true })[
  'xds.data.orca.v3.OrcaLoadReport'
] as MessageTypeDefinition<object, Message>
const reportOf = ({ trailers }: Outcome): Message => {
  const [bytes] = trailers.get(FIELD)
  return bytes === undefined ? null : type.deserialize(bytes as Buffer)
}

const server = await serve(t)
const target = `127.0.0.1:${server.ports.grpc}`
const callerOf = (file: string, name: string, at = target): GrpcCaller => {
  const caller = new GrpcCaller(at, loadProto(file)[name]!)
  t.teardown(() => caller.close())
  return caller
}
const greeter = callerOf('services/helloworld.proto', 'helloworld.Greeter')
const tests = callerOf('services/grpc_testing.proto', 'grpc.testing.TestService')
const orca = callerOf('xds/service/orca/v3/orca.proto', SERVICE)
const put = (report: object): Promise<Response> =>
  fetch(`${server.url}/_svc/orca`, { method: 'PUT', body: JSON.stringify(report) })

t.test('calls have the report in trailing metadata if they ask for it [ORCA-10]', async t => {
  await put({ cpu_utilization: 0.5 })
  for (const method of ['SayHello', 'SayHelloStreamReply', 'SayHelloBidiStream']) {
    const metadata = { 'endpoint-load-metrics-format': 'BIN' }
    t.same(reportOf(await greeter.call(method, { name: 'x' }, { metadata })), { cpu_utilization: 0.5 }, method)
    t.equal(reportOf(await greeter.call(method, { name: 'x' })), null, method)
  }
  const own = await greeter.call('SayHello', {}, { metadata: { 'x-svc-orca': 'mem=0.25' } })
  t.same(reportOf(own), { cpu_utilization: 0.5, mem_utilization: 0.25 })
})

t.test('all calls have it where svc.yaml says so [ORCA-10]', async t => {
  const { ports } = await serve(t, {
    settings: { orca: { in_band: 'header', report: { eps: 3 } } },
    plugins: ['orca', 'grpc-services'],
  })
  const caller = callerOf('services/helloworld.proto', 'helloworld.Greeter', `127.0.0.1:${ports.grpc}`)
  t.same(reportOf(await caller.call('SayHello')), { eps: 3 })
})

const TEST_REPORT = {
  cpu_utilization: 0.821,
  memory_utilization: 0.5847,
  request_cost: { cost: 3456.32 },
  utilization: { util: 0.30499 },
}
const REPORTED = { cpu_utilization: 0.821, mem_utilization: 0.5847 }

t.test('TestService reports what its client wants, in a call and out of band [ORCA-11]', async t => {
  await put({ eps: 1 })
  t.same(reportOf(await tests.call('UnaryCall', { orca_per_query_report: TEST_REPORT })), {
    ...REPORTED,
    request_cost: [{ key: 'cost', value: 3456.32 }],
    utilization: [{ key: 'util', value: 0.30499 }],
  })
  const metadata = { 'x-svc-session': 'tests' }
  const set = await tests.call(
    'FullDuplexCall',
    { orca_oob_report: TEST_REPORT, response_parameters: [{ size: 1 }] },
    { metadata },
  )
  t.equal(set.code, status.OK)
  const first = async (session: string, request: object = {}) =>
    (await orca.call('StreamCoreMetrics', request, { metadata: { 'x-svc-session': session }, cancelAt: () => true }))
      .messages[0]
  t.match(await first('tests'), { ...REPORTED, request_cost: { cost: 3456.32 }, utilization: { util: 0.30499 } })
  t.match(await first('another'), { eps: 1, cpu_utilization: 0 })
  const wrong = { orca_per_query_report: { ...TEST_REPORT, memory_utilization: 2 } }
  t.equal((await tests.call('UnaryCall', wrong)).code, status.INVALID_ARGUMENT)
})

t.test('reports out of band come at once, then in intervals, with the wanted costs [ORCA-12]', async t => {
  await put({ cpu_utilization: 0.5, request_cost: { a: 1, b: 2 } })
  let count = 0
  const request = { report_interval: { seconds: '0', nanos: 1 }, request_cost_names: ['b', 'c'] }
  const { messages, code } = await orca.call('StreamCoreMetrics', request, { cancelAt: () => ++count === 3 })
  t.equal(code, status.CANCELLED)
  t.same(
    messages.map(({ cpu_utilization, request_cost }) => [cpu_utilization, request_cost]),
    Array(3).fill([0.5, { b: 2 }]),
  )
  const all = await orca.call('StreamCoreMetrics', {}, { cancelAt: () => true })
  t.same(all.messages[0].request_cost, { a: 1, b: 2 })
})
