/** What trace context and the export of spans promise. */
export default [
  {
    id: 'TRACE-1',
    rule: 'traceparent is read by the grammar of W3C Trace Context, later versions by their known fields, and anything else starts a new trace',
    where: 'issue 12.6, W3C Trace Context 3.2 and 4.3',
  },
  {
    id: 'TRACE-2',
    rule: 'tracestate goes with a valid traceparent, and a broken list is dropped without harm to the trace',
    where: 'issue 12.6, W3C Trace Context 3.3',
  },
  {
    id: 'TRACE-3',
    rule: 'a request with traceparent shows its place in the trace in the inspector and the log, and gets it back as traceparent and traceresponse',
    where: 'issue 12.6',
  },
  {
    id: 'TRACE-4',
    rule: 'without traceparent and without an endpoint nothing of a trace is anywhere, and no package of OpenTelemetry is loaded',
    where: 'issue 12.6',
  },
  {
    id: 'TRACE-5',
    rule: 'with an endpoint every request but probes is a server span named METHOD route, with the attributes of the HTTP semantic conventions, a gRPC call one with its status code, each under its caller',
    where: 'issue 12.6, OpenTelemetry semantic conventions',
  },
  {
    id: 'TRACE-6',
    rule: 'the OTEL_* variables for name, resource, headers, sampler and switching off are honored, wrong ones are warnings',
    where: 'issue 12.6, OpenTelemetry SDK environment variables',
  },
  {
    id: 'TRACE-7',
    rule: 'spans that wait are sent when the process stops, and a collector that is away costs no request anything',
    where: 'issue 12.6',
  },
  { id: 'TRACE-8', rule: 'secrets that the inspector redacts are in no span', where: 'limits 4' },
]
