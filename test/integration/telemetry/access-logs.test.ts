/** Envoy's access log service, called with the official client of gRPC. */
import t from 'tap'
import {
  Client,
  credentials,
  Metadata,
  status,
  type ClientWritableStream,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import { readFileSync } from 'node:fs'
import { ALS_DESCRIPTOR_SET } from '../../../proto/compile.ts'
import { shown, type Json } from '../../support/otlp-requests.ts'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { plugins: ['telemetry', 'grpc', 'status'], env: { SVC_BODY_LIMIT: '100000' } })
const definitions = loadFileDescriptorSetFromBuffer(readFileSync(ALS_DESCRIPTOR_SET), { keepCase: true })
const { StreamAccessLogs: method } = definitions['envoy.service.accesslog.v3.AccessLogService'] as ServiceDefinition
const client = new Client(`127.0.0.1:${server.ports.grpc}`, credentials.createInsecure())
t.teardown(() => client.close())

interface Stream {
  call: ClientWritableStream<object | Buffer>
  ended: Promise<{ code: string; details: string }>
}

function open(): Stream {
  let finish: (result: { code: string; details: string }) => void
  const ended = new Promise<{ code: string; details: string }>(resolve => (finish = resolve))
  const call = client.makeClientStreamRequest(
    method!.path,
    (value: object | Buffer) => (Buffer.isBuffer(value) ? value : method!.requestSerialize(value)),
    method!.responseDeserialize,
    new Metadata(),
    (error: ServiceError | null) =>
      finish(error === null ? { code: 'OK', details: '' } : { code: status[error.code]!, details: error.details }),
  )
  return { call, ended }
}

const map = (object: Json): Json[] => Object.entries(object).map(([key, value]) => ({ key, value }))
const IDENTIFIER = { node: { id: 'envoy-1', cluster: 'edge' }, log_name: 'access' }

function httpEntry(over: Json = {}): Json {
  return {
    common_properties: {
      start_time: { seconds: 1767225600, nanos: 250_000_000 },
      duration: { nanos: 12_500_000 },
      upstream_cluster: 'orders',
      upstream_remote_address: { socket_address: { address: '10.0.0.7', port_value: 8080 } },
      route_name: 'orders-route',
      response_flags: { upstream_connection_failure: true, upstream_retry_limit_exceeded: true },
      custom_tags: map({ tenant: 'a' }),
      upstream_request_attempt_count: 3,
    },
    protocol_version: 'HTTP2',
    request: {
      request_method: 'POST',
      path: '/orders?page=2',
      authority: 'shop.test',
      request_id: 'als-1',
      request_body_bytes: 5,
      request_headers: map({ traceparent: `00-${'c'.repeat(32)}-00f067aa0ba902b7-01` }),
    },
    response: { response_code: { value: 503 }, response_body_bytes: 91, response_code_details: 'via_upstream' },
    ...over,
  }
}

t.test('entries of HTTP and TCP are kept while the stream is open [GWT-12]', async t => {
  const { call, ended } = open()
  call.write({ identifier: IDENTIFIER, http_logs: { log_entry: [httpEntry()] } })
  const [log] = await shown(server, 'logs', 'wait_for=1&timeout_ms=20000')
  t.match(log, {
    time: '2026-01-01T00:00:00.250Z',
    source: 'als',
    service: 'edge',
    method: 'POST',
    path: '/orders',
    status: 503,
    request_id: 'als-1',
    trace_id: 'c'.repeat(32),
    attempts: 3,
    duration_ms: 12.5,
    bytes_sent: 91,
    bytes_received: 5,
    response_flags: 'UF,URX',
    upstream: 'orders',
    attributes: {
      log_name: 'access',
      protocol: 'HTTP/2',
      authority: 'shop.test',
      route_name: 'orders-route',
      response_code_details: 'via_upstream',
      upstream_address: '10.0.0.7:8080',
      tenant: 'a',
    },
  })
  call.write({
    tcp_logs: { log_entry: [{ common_properties: {}, connection_properties: { received_bytes: 3, sent_bytes: 4 } }] },
  })
  const [tcp] = await shown(server, 'logs', 'wait_for=2&timeout_ms=20000')
  t.match(
    tcp,
    { service: 'edge', method: null, status: null, bytes_received: 3, bytes_sent: 4 },
    'the first message names the node',
  )
  call.end()
  t.match(await ended, { code: 'OK' })
})

t.test('flags have the short names of Envoy', async t => {
  const { call, ended } = open()
  const flags = { unauthorized_details: { reason: 'EXTERNAL_SERVICE' }, rate_limited: true, no_route_found: true }
  call.write({ http_logs: { log_entry: [httpEntry({ common_properties: { response_flags: flags } })] } })
  call.end()
  await ended
  t.match((await shown(server, 'logs'))[0], {
    response_flags: 'NR,RL,UAEX',
    service: null,
    duration_ms: null,
    attempts: null,
  })
})

t.test('it is compared with what arrived', async t => {
  await send(server, 'POST /status/503', { session: 'als', headers: { 'x-request-id': 'als-2' } })
  const { call, ended } = open()
  const now = { start_time: { seconds: Math.floor(Date.now() / 1000) }, duration: { seconds: 60 } }
  const request = { request_method: 'POST', path: '/status/503', request_id: 'als-2' }
  call.write({
    http_logs: {
      log_entry: [httpEntry({ common_properties: now, request, response: { response_code: { value: 200 } } })],
    },
  })
  call.end()
  await ended
  const { json } = await send(server, '/_svc/telemetry/reconcile?session=als')
  t.match((json as Json).requests[0].differ[0], { field: 'status', reported: 200, arrived: 503 })
})

t.test('what cannot be decoded ends the stream [GWT-12]', async t => {
  const bad = open()
  bad.call.on('error', () => {})
  bad.call.write(Buffer.from('1001', 'hex'))
  t.match(await bad.ended, { code: 'INVALID_ARGUMENT', details: /http: expected a message/ })
  const large = open()
  large.call.on('error', () => {})
  large.call.write({ http_logs: { log_entry: [httpEntry({ request: { path: `/${'x'.repeat(110_000)}` } })] } })
  t.match(await large.ended, { code: 'RESOURCE_EXHAUSTED', details: /at most 100000/ })
  const canceled = open()
  canceled.call.write({ http_logs: { log_entry: [httpEntry()] } })
  await shown(server, 'logs', 'wait_for=5&timeout_ms=20000')
  canceled.call.cancel()
  t.match(await canceled.ended, { code: 'CANCELLED' })
  const next = open()
  next.call.end()
  t.match(await next.ended, { code: 'OK' })
})
