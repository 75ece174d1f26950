/** OTLP over gRPC, called with the official client of gRPC. */
import t from 'tap'
import { Client, compressionAlgorithms, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js'
import {
  exportMethod,
  messageOf,
  requestOf,
  shown,
  span,
  type Json,
  type SignalPath,
} from '../../support/otlp-requests.ts'
import { putRule, send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { plugins: ['telemetry', 'grpc'], env: { SVC_BODY_LIMIT: '100000' } })
const open = (options = {}): Client => {
  const client = new Client(`127.0.0.1:${server.ports.grpc}`, credentials.createInsecure(), options)
  t.teardown(() => client.close())
  return client
}
const client = open()

function call(path: SignalPath, message: object | Buffer, by = client, metadata = new Metadata()): Promise<Json> {
  const method = exportMethod(path)
  return new Promise((resolve, reject) =>
    by.makeUnaryRequest(
      method.path,
      (value: object) => (Buffer.isBuffer(value) ? value : method.requestSerialize(value)),
      method.responseDeserialize,
      message,
      metadata,
      (error, value) => (error === null ? resolve(value as Json) : reject(error)),
    ),
  )
}

const failure = async (path: SignalPath, message: object | Buffer): Promise<{ code: string; details: string }> => {
  const { code, details } = await call(path, message).then(
    () => {
      throw new Error('the call succeeded')
    },
    (error: ServiceError) => error,
  )
  return { code: status[code]!, details }
}

t.test('a report does not count as an arrival [GWT-8]', async t => {
  const metadata = new Metadata()
  metadata.set('x-svc-session', 'reporting')
  await call('traces', messageOf(requestOf('traces', [])), client, metadata)
  const { requests } = (await send(server, '/_svc/requests?session=reporting')).json as Json
  t.equal(requests.length, 1, 'the call is listed')
  const { summary } = (await send(server, '/_svc/telemetry/reconcile?session=reporting')).json as Json
  t.equal(summary.only_arrived, 0)
})

t.test('all signals are kept [GWT-1]', async t => {
  t.strictSame(await call('traces', messageOf(requestOf('traces', [span()], { 'service.name': 'envoy' }))), {})
  t.strictSame(await call('logs', messageOf(requestOf('logs', [{ body: { stringValue: 'x' } }]))), {})
  t.strictSame(
    await call('metrics', messageOf(requestOf('metrics', [{ name: 'a', sum: { dataPoints: [{ asInt: 1 }] } }]))),
    {},
  )
  t.match(await shown(server, 'spans'), [{ name: 'GET /orders', service: 'envoy', duration_ms: 12.5 }])
  t.match(await shown(server, 'logs'), [{ body: 'x' }])
  t.match(await shown(server, 'metrics'), [{ name: 'a', value: 1 }])
  const gzip = open({ 'grpc.default_compression_algorithm': compressionAlgorithms.gzip })
  await call('traces', messageOf(requestOf('traces', [span({ name: 'z'.repeat(5000) })])), gzip)
  t.equal((await shown(server, 'spans'))[0]!.name.length, 5000)
})

t.test('the session of the call is that of its metadata [GWT-4]', async t => {
  const metadata = new Metadata()
  metadata.set('x-svc-session', 'called')
  await call('traces', messageOf(requestOf('traces', [span()])), client, metadata)
  t.equal((await shown(server, 'spans', 'session=called')).length, 1)
})

t.test('partial success and errors [GWT-2] [GWT-3]', async t => {
  const answer = await call('traces', messageOf(requestOf('traces', [span({ spanId: '00' }), span()])))
  t.match(answer, { partial_success: { rejected_spans: 1, error_message: /spanId must have 8 bytes/ } })
  const points = messageOf(requestOf('metrics', [{ name: 'b'.repeat(70_000), gauge: { dataPoints: [{ asInt: 1 }] } }]))
  t.match(await call('metrics', points), { partial_success: { rejected_data_points: 1, error_message: /65536 bytes/ } })
  t.match(await failure('logs', Buffer.from('0801', 'hex')), {
    code: 'INVALID_ARGUMENT',
    details: /expected a message/,
  })
  const large = messageOf(requestOf('logs', [{ body: { stringValue: 'x'.repeat(110_000) } }]))
  t.match(await failure('logs', large), { code: 'RESOURCE_EXHAUSTED', details: /at most 100000/ })
})

t.test('rules break calls [GWT-5]', async t => {
  await putRule(server, 'away', {
    match: { path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export' },
    then: { fail: 503 },
    times: 1,
  })
  t.match(await failure('traces', messageOf(requestOf('traces', [span()]))), { code: 'UNAVAILABLE' })
  t.strictSame(await call('traces', messageOf(requestOf('traces', [span()]))), {})
})
