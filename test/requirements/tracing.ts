/** Rules of trace context and span export. */
export default [
  {
    id: 'TRACE-1',
    rule: 'traceparent is parsed by the grammar of W3C Trace Context, later versions by their known fields; anything else starts a new trace',
    where: 'issue 12.6, W3C Trace Context 3.2 and 4.3',
  },
  {
    id: 'TRACE-2',
    rule: 'tracestate is kept with a valid traceparent, and an invalid list is dropped without affecting the trace',
    where: 'issue 12.6, W3C Trace Context 3.3',
  },
  {
    id: 'TRACE-3',
    rule: 'a request with traceparent shows its trace context in the inspector and the log, and gets traceparent and traceresponse in the response',
    where: 'issue 12.6',
  },
  {
    id: 'TRACE-4',
    rule: 'without traceparent and without an endpoint there is no trace data anywhere, and no OpenTelemetry package is loaded',
    where: 'issue 12.6',
  },
  {
    id: 'TRACE-5',
    rule: 'with an endpoint every request except probes is a server span named METHOD route with the attributes of the HTTP semantic conventions, a gRPC call is a span with its status code, and each span has its caller as parent',
    where: 'issue 12.6, OpenTelemetry semantic conventions',
  },
  {
    id: 'TRACE-6',
    rule: 'the OTEL_* variables for name, resource, headers, sampler and disabling are honored; invalid ones give warnings',
    where: 'issue 12.6, OpenTelemetry SDK environment variables',
  },
  {
    id: 'TRACE-7',
    rule: 'pending spans are sent at shutdown, and an unreachable collector does not affect requests',
    where: 'issue 12.6',
  },
  { id: 'TRACE-8', rule: 'spans contain no secret that the inspector redacts', where: 'limits 4' },
]
