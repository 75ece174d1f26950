/**
 * Spans over OTLP/HTTP: svc as a process, and a collector that records its spans.
 * Takes long: it starts processes.
 */
import t from 'tap'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { openTracer } from '../../../core/tracing/tracer.ts'
import { call, echoClient, failureOf, metadataOf } from '../protocols/grpc-client.ts'
import { startCollector } from '../../support/otlp-collector.ts'
import { startProcess, type ServerProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

async function stop(process: ServerProcess): Promise<void> {
  process.child.kill('SIGTERM')
  await process.exited
}

t.test('requests become server spans [TRACE-5, TRACE-6, TRACE-7, TRACE-8]', async t => {
  const collector = await startCollector(t)
  const process = startProcess(t, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=booth',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=demo',
      OTEL_SERVICE_NAME: 'upstream',
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      SVC_INSTANCE_ID: 'booth-1',
      SVC_SHARED_MODE: 'true',
      SVC_LOG_FORMAT: 'json',
    },
  })
  const port = await process.port('HTTP')
  const url = `http://127.0.0.1:${port}`
  const joined = await fetch(`${url}/status/404?rb_key=a-secret-key&x=1`, {
    headers: {
      traceparent: `00-${TRACE}-${CALLER}-01`,
      tracestate: 'kong=1',
      'X-Request-Id': 'mine',
      'X-Svc-Session': 'team',
      'User-Agent': 'tester/1',
    },
  })
  const first = await fetch(`${url}/echo?access_token=a-secret&x=2`, {
    method: 'POST',
    body: 'x',
    headers: { 'X-Svc-Fail': '503' },
  })
  await fetch(`${url}/no/such/path`, { method: 'OPTIONS' })
  await fetch(`${url}/_svc/ready`)
  await new Promise<void>(resolve => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /uuid HTTP/1.1\r\nHost: a\r\nX-Svc-Abort: reset\r\n\r\n'),
    )
    socket.on('error', () => {}).on('close', () => resolve())
  })
  const client = echoClient(`127.0.0.1:${await process.port('gRPC')}`)
  await call(client, 'Echo', { message: 'hi' }, { metadata: metadataOf({ traceparent: `00-${TRACE}-${CALLER}-01` }) })
  await failureOf(call(client, 'Fail', { code: 14 }))
  client.close()
  t.equal(collector.spans.length, 0, 'they wait for their batch')
  await stop(process)

  const span = collector.span('GET /status/{code}')!
  t.match(span, {
    traceId: TRACE,
    parentSpanId: CALLER,
    traceState: 'kong=1',
    kind: 2,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/status/{code}',
      'http.response.status_code': 404,
      'url.scheme': 'http',
      'url.path': '/status/404',
      'url.query': 'rb_key=redacted&x=1',
      'server.address': '127.0.0.1',
      'server.port': port,
      'client.address': '127.0.0.1',
      'network.protocol.version': '1.1',
      'user_agent.original': 'tester/1',
      'svc.request_id': 'mine',
      'svc.session': 'team',
      'svc.plugin': 'status',
    },
  })
  t.notOk('error.type' in span.attributes || span.status.code === 2, 'a 404 is the mistake of the client')
  t.ok(
    BigInt(span.endTimeUnixNano) > BigInt(span.startTimeUnixNano) &&
      Math.abs(Number(BigInt(span.startTimeUnixNano) / 1_000_000n) - Date.now()) < 60_000,
  )
  t.equal(joined.headers.get('traceresponse'), `00-${TRACE}-${span.spanId}-01`)
  t.match(span.resource, {
    'service.name': 'upstream',
    'service.instance.id': 'booth-1',
    'service.version': /^\d/,
    'deployment.environment.name': 'demo',
    'telemetry.sdk.language': 'nodejs',
  })
  const failed = collector.span('POST /echo')!
  t.match(failed, {
    status: { code: 2 },
    attributes: {
      'error.type': '503',
      'svc.fault': 'fail',
      'http.response.status_code': 503,
      'url.query': 'access_token=redacted&x=2',
    },
  })
  t.notOk(failed.parentSpanId)
  t.equal(first.headers.get('traceresponse'), `00-${failed.traceId}-${failed.spanId}-01`, 'a trace of its own')
  t.equal(first.headers.get('traceparent'), null)
  t.ok(collector.span('OPTIONS'), 'no route, no path in the name')
  t.match(collector.span('GET /uuid'), {
    status: { code: 2 },
    attributes: { 'error.type': 'injected_abort', 'svc.fault': 'abort' },
  })
  t.match(collector.span('svc.echo.v1.EchoService/Echo'), {
    traceId: TRACE,
    parentSpanId: CALLER,
    kind: 2,
    attributes: {
      'rpc.system': 'grpc',
      'rpc.service': 'svc.echo.v1.EchoService',
      'rpc.method': 'Echo',
      'rpc.grpc.status_code': 0,
    },
  })
  t.match(collector.span('svc.echo.v1.EchoService/Fail'), {
    status: { code: 2 },
    attributes: { 'rpc.grpc.status_code': 14 },
  })
  t.equal(collector.spans.length, 6, 'no spans for probes')
  t.match(collector.exports[0], {
    path: '/v1/traces',
    headers: { 'x-tenant': 'booth', 'content-type': 'application/json' },
  })
  t.notMatch(JSON.stringify(collector.spans), /a-secret-key/)
  const line = process
    .output()
    .split('\n')
    .find(text => text.includes('"mine"'))!
  t.match(JSON.parse(line), { trace_id: TRACE, span_id: span.spanId })
})

t.test('the sampler decides what is recorded, and the trace continues [TRACE-6]', async t => {
  const collector = await startCollector(t)
  const process = startProcess(t, {
    env: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/otlp/spans`,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
  })
  const url = `http://127.0.0.1:${await process.port('HTTP')}`
  const own = await fetch(`${url}/uuid`)
  t.match(own.headers.get('traceresponse'), /^00-[\da-f]{32}-[\da-f]{16}-00$/)
  await fetch(`${url}/time`, { headers: { traceparent: `00-${TRACE}-${CALLER}-00` } })
  await fetch(`${url}/date`, { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } })
  await until(() => collector.spans.length > 0, 'a span has come')
  await stop(process)
  t.strictSame(
    collector.spans.map(({ name }) => name),
    ['GET /date'],
    'only the one whose caller records',
  )
  t.equal(collector.exports[0]!.path, '/otlp/spans', 'an endpoint for traces alone is taken unchanged')
  t.match(process.output(), /spans are sent as http\/json/)
})

t.test('an unreachable collector causes a warning and no failed request [TRACE-7]', async t => {
  // Nothing listens on port 9 (discard).
  const process = startProcess(t, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    },
  })
  const response = await fetch(`http://127.0.0.1:${await process.port('HTTP')}/uuid`)
  t.equal(response.status, 200)
  t.match(response.headers.get('traceresponse'), /^00-[\da-f]{32}-[\da-f]{16}-01$/)
  await until(() => /WARN OpenTelemetry: .*ECONNREFUSED/.test(process.output()), 'a warning')
  await stop(process)
})

t.test('variables can disable the export, and invalid ones give warnings [TRACE-4, TRACE-6]', async t => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
  const cases: [name: string, environment: Record<string, string>, warning: RegExp | null][] = [
    ['no endpoint', {}, null],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, null],
    ['disabled', { ...endpoint, OTEL_SDK_DISABLED: 'True' }, null],
    ['no exporter', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, null],
    ['no URL', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, /invalid OTEL_EXPORTER_OTLP_ENDPOINT/],
  ]
  const open = (environment: Record<string, string>, warnings: string[]): ReturnType<typeof openTracer> =>
    openTracer({ environment, version: '1', instanceId: 'i', warn: message => void warnings.push(message) })
  const isLoaded = (): boolean =>
    Object.keys(createRequire(import.meta.url).cache).some(path => /exporter-trace-otlp-http|sdk-trace-base/.test(path))
  for (const [name, environment, warning] of cases) {
    const warnings: string[] = []
    t.equal(await open(environment, warnings), null, name)
    if (warning === null) t.strictSame(warnings, [], name)
    else t.match(warnings.join(), warning, name)
  }
  t.equal(isLoaded(), false, 'no package was loaded for that')
  const tracer = await open({ ...endpoint, OTEL_TRACES_EXPORTER: 'console, otlp' }, [])
  t.ok(tracer && isLoaded(), 'and where spans are wanted the packages come')
  await tracer!.close()
})
