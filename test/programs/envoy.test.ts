/** Envoy sends the parts of requests and responses to the external processor. [GWS-16] [GWS-17] [GWS-18] */
import t, { type Test } from 'tap'
import { putRule } from '../support/rules.ts'
import { serve } from '../support/server.ts'
import { GrpcCaller, loadProto } from '../support/grpc-caller.ts'
import { until } from '../support/until.ts'
import { startEnvoy } from './support/envoy.ts'
import { findProgram } from './support/program.ts'

const envoy = findProgram('envoy')
const isMissing = typeof envoy === 'string'

interface Gateway {
  processor: string
  /** Body modes. */
  request?: string
  response?: string
}

/** Envoy in front of `/echo`, and of the endpoint that the picker picks below `/picked`. */
function configOf(svc: { http: number; grpc: number }, { processor, request = 'NONE', response = 'NONE' }: Gateway) {
  const typed = (type: string, more: object = {}) => ({ '@type': `type.googleapis.com/${type}`, ...more })
  const address = (port: number) => ({ socket_address: { address: '127.0.0.1', port_value: port } })
  const cluster = (name: string, port: number) => ({
    name,
    type: 'STATIC',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: address(port) } }] }],
    },
  })
  const http = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'
  const processing = {
    name: 'envoy.filters.http.ext_proc',
    typed_config: typed('envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor', {
      grpc_service: {
        envoy_grpc: { cluster_name: 'processor' },
        timeout: '60s',
        initial_metadata: [{ key: 'svc-processor', value: processor }],
      },
      processing_mode: {
        request_header_mode: 'SEND',
        response_header_mode: 'SEND',
        request_body_mode: request,
        response_body_mode: response,
        request_trailer_mode: 'SEND',
        response_trailer_mode: 'SEND',
      },
      allow_mode_override: true,
      message_timeout: '60s',
      mutation_rules: { allow_all_routing: { value: true } },
    }),
  }
  const routes = [
    { match: { prefix: '/svc.echo.v1.EchoService' }, route: { cluster: 'processor', timeout: '0s' } },
    { match: { prefix: '/picked' }, route: { cluster: 'picked', prefix_rewrite: '/echo' } },
    { match: { prefix: '/' }, route: { cluster: 'svc' } },
  ]
  const manager = typed(http, {
    stat_prefix: 'in',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [
      processing,
      { name: 'router', typed_config: typed('envoy.extensions.filters.http.router.v3.Router') },
    ],
  })
  const listener = {
    name: 'http',
    address: address(0),
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
  }
  return {
    admin: { address: address(0) },
    static_resources: {
      listeners: [listener],
      clusters: [
        cluster('svc', svc.http),
        {
          name: 'picked',
          type: 'ORIGINAL_DST',
          lb_policy: 'CLUSTER_PROVIDED',
          original_dst_lb_config: { use_http_header: true, http_header_name: 'x-gateway-destination-endpoint' },
        },
        {
          ...cluster('processor', svc.grpc),
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
              'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
              { explicit_http_config: { http2_protocol_options: {} } },
            ),
          },
        },
      ],
    },
  }
}

t.test(`${isMissing ? 'Envoy' : envoy.title} and the external processor`, { skip: isMissing && envoy }, async t => {
  t.setTimeout(0)
  if (isMissing) return
  const server = await serve(t, { oneProcess: 'the picker has the endpoint of one' })
  const svc = { http: Number(new URL(server.url).port), grpc: Number(server.grpcAddress.split(':')[1]) }
  await fetch(`${server.url}/_svc/services/endpoints`, {
    method: 'PUT',
    body: JSON.stringify([`127.0.0.1:${svc.http}`]),
  })
  const through = (t: Test, gateway: Gateway) => startEnvoy(t, envoy.path, configOf(svc, gateway))
  const send = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  const echoed = async (response: Response) =>
    (await response.json()) as {
      method: string
      path: string
      headers: Record<string, string[]>
      body: { body: string }
    }

  for (const mode of ['BUFFERED', 'BUFFERED_PARTIAL', 'STREAMED', 'FULL_DUPLEX_STREAMED'])
    await t.test(`bodies in the mode ${mode}`, async t => {
      const url = await through(t, { processor: 'redact', request: mode })
      const response = await send(`${url}/echo`, '{"a":"mail joe@example.com"}')
      t.equal(response.status, 200)
      // Not read as JSON: a time in milliseconds that passes the check of card numbers is redacted too.
      t.notMatch(await response.text(), 'joe@example.com')
      const back = await through(t, { processor: 'redact', response: mode })
      const text = await (await send(`${back}/echo`, '{"a":"mail joe@example.com"}')).text()
      t.notMatch(text, 'joe@example.com')
      t.match(text, 'EMAIL')
    })

  await t.test('messages of gRPC', async t => {
    const url = await through(t, { processor: 'tag', request: 'GRPC', response: 'GRPC' })
    const caller = new GrpcCaller(new URL(url).host, loadProto('svc/echo/v1/echo.proto')['svc.echo.v1.EchoService']!)
    t.teardown(() => caller.close())
    const long = 'x'.repeat(200_000)
    const unary = await caller.call('Echo', { message: long })
    t.match(unary, { code: 0, messages: [{ message: long }] }, unary.details)
    const stream = await caller.call('BidiStream', [{ message: 'one' }, { message: long }, { message: 'three' }])
    t.match(stream, { code: 0, messages: [{ message: 'one' }, { message: long }, { message: 'three' }] })
    t.match(stream.initial?.get('x-svc-processed'), [/response_headers/])
    // In this mode Envoy 1.40 sends no messages of responses.
    const phases = ['request_headers', 'request_body', 'response_headers', 'response_trailers']
    await until(async () => {
      const { requests } = (await (await fetch(`${server.url}/_svc/requests?service=proc&limit=2`)).json()) as {
        requests: { service: { phases: string[] } }[]
      }
      return requests.every(
        ({ service }) => service.phases.filter(phase => phase !== 'response_body').join() === phases.join(),
      )
    }, 'all parts of both calls are recorded')
  })

  await t.test('a rule changes a request and its response', async t => {
    const url = await through(t, { processor: 'none', request: 'BUFFERED' })
    const request = {
      path: '/echo/new',
      method: 'PUT',
      headers: { set: { 'x-tenant': 'acme' } },
      body: { json_patch: [{ op: 'replace', path: '/a', value: 'longer than before' }] },
    }
    const then = { mutate: { request, response: { status: 201 } } }
    await putRule(server, 'changed', { match: { service: { name: 'proc' }, path: '/orders' }, then })
    const response = await send(`${url}/orders`, '{"a":"b"}')
    t.equal(response.status, 201)
    t.match(await echoed(response), {
      method: 'PUT',
      path: '/echo/new',
      headers: { 'x-tenant': ['acme'] },
      body: { body: '{"a":"longer than before"}' },
    })
  })

  await t.test('faults of the processor', async t => {
    const url = await through(t, { processor: 'none', request: 'BUFFERED' })
    const expected = { 'immediate:418': 418, error: 500, close: 200, twice: 500, 'bad-header': 500, 'grow:100': 200 }
    for (const [value, status] of Object.entries(expected))
      t.equal((await send(`${url}/echo`, 'x', { 'x-svc-proc': value })).status, status, value)
  })

  await t.test('the endpoint picker', async t => {
    const url = await through(t, { processor: 'epp' })
    const response = await send(`${url}/picked`, '{}')
    t.equal(response.status, 200)
    t.strictSame((await echoed(response)).headers['x-gateway-destination-endpoint'], [`127.0.0.1:${svc.http}`])
    const none = await send(`${url}/picked`, '{}', { 'test-epp-endpoint-selection': '192.0.2.1' })
    t.equal(none.status, 503)
  })
})
