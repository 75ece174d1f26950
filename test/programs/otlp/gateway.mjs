/**
 * Acts as a gateway that reports with the official exporters of OpenTelemetry: passes requests on, and reports them as its deeds say.
 * Arguments: the URL of svc, where the exporters send to, the encoding, and the session. Prints the request ids by deed.
 */
import { randomUUID } from 'node:crypto'
import { context, SpanKind, trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const [svc, endpoint, encoding, session] = process.argv.slice(2)
const exporterOf = async (signal, name) => {
  const suffix = { json: 'http', protobuf: 'proto', grpc: 'grpc' }[encoding]
  const { [name]: Exporter } = await import(`@opentelemetry/exporter-${signal}-otlp-${suffix}`)
  const path = { trace: 'traces', logs: 'logs', metrics: 'metrics' }[signal]
  return new Exporter({ url: encoding === 'grpc' ? endpoint : `${endpoint}/v1/${path}`, compression: 'gzip' })
}
const resource = resourceFromAttributes({ 'service.name': `gateway-${encoding}`, 'svc.session': session })
const spans = new BasicTracerProvider({
  resource,
  spanProcessors: [new SimpleSpanProcessor(await exporterOf('trace', 'OTLPTraceExporter'))],
})
const logs = new LoggerProvider({
  resource,
  processors: [new SimpleLogRecordProcessor({ exporter: await exporterOf('logs', 'OTLPLogExporter') })],
})
const meters = new MeterProvider({
  resource,
  readers: [new PeriodicExportingMetricReader({ exporter: await exporterOf('metrics', 'OTLPMetricExporter') })],
})
const tracer = spans.getTracer('gateway')
const logger = logs.getLogger('gateway')
const requests = meters.getMeter('gateway').createCounter('gateway.requests')

async function pass(path, requestId) {
  const server = tracer.startSpan(`GET ${path}`, {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': 'GET', 'url.path': path, 'http.request.header.x-request-id': [requestId] },
  })
  const ofServer = trace.setSpan(context.active(), server)
  const client = tracer.startSpan(
    'GET',
    { kind: SpanKind.CLIENT, attributes: { 'http.request.method': 'GET' } },
    ofServer,
  )
  const { traceId, spanId } = client.spanContext()
  const headers = {
    'x-request-id': requestId,
    'x-svc-session': session,
    traceparent: `00-${traceId}-${spanId}-01`,
  }
  const { status } = await fetch(svc + path, { headers })
  client.setAttribute('http.response.status_code', status)
  client.end()
  server.setAttribute('http.response.status_code', status)
  server.end()
  return { status, context: trace.setSpan(context.active(), client) }
}

function report(path, requestId, status, more = {}, ofSpan = undefined) {
  logger.emit({
    body: `GET ${path}`,
    attributes: {
      'http.request.method': 'GET',
      'url.path': path,
      'http.response.status_code': status,
      'http.request.header.x-request-id': [requestId],
      ...more,
    },
    ...(ofSpan === undefined ? {} : { context: ofSpan }),
  })
  requests.add(1, { status })
}

/** Passes a request on without telling anyone. */
const silently = (path, requestId) =>
  fetch(svc + path, { headers: { 'x-request-id': requestId, 'x-svc-session': session } })

const DEEDS = {
  async honest(id) {
    const { status, context: ofSpan } = await pass('/status/200', id)
    report('/status/200', id, status, {}, ofSpan)
  },
  dropped: id => silently('/status/200', id),
  async invented(id) {
    report('/status/200', id, 200)
  },
  async doubled(id) {
    await silently('/status/200', id)
    report('/status/200', id, 200)
    report('/status/200', id, 200)
  },
  async renumbered(id) {
    await silently('/status/200', id)
    report('/status/200', `other-${id}`, 200)
  },
  async lying(id) {
    await silently('/status/503', id)
    report('/status/503', id, 200)
  },
  async retried(id) {
    await silently('/status/503', id)
    await silently('/status/503', id)
    report('/status/503', id, 503, { attempts: 2 })
  },
}

const ids = {}
for (const [deed, act] of Object.entries(DEEDS)) {
  ids[deed] = randomUUID()
  await act(ids[deed])
}
for (const provider of [spans, logs, meters]) await provider.forceFlush()
for (const provider of [spans, logs, meters]) await provider.shutdown()
console.log(JSON.stringify(ids))
