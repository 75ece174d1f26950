/** What trace context and the export of spans promise. */
export default [
  {
    id: 'TRACE-1',
    rule: 'traceparent is parsed as in W3C Trace Context, later versions by their known fields; anything else starts a new trace',
    where: 'issue 12.6, W3C Trace Context 3.2 and 4.3',
  },
  {
    id: 'TRACE-2',
    rule: 'tracestate is kept with a valid traceparent; an invalid list is dropped and the trace continues',
    where: 'issue 12.6, W3C Trace Context 3.3',
  },
  {
    id: 'TRACE-3',
    rule: 'for a request with traceparent, inspector and log show its position in the trace, and the response has traceparent and traceresponse',
    where: 'issue 12.6',
  },
  {
    id: 'TRACE-4',
    rule: 'without traceparent and without an endpoint, there is no trace data anywhere, and no OpenTelemetry package is loaded',
    where: 'issue 12.6',
  },
  {
    id: 'TRACE-5',
    rule: 'with an endpoint, every request except probes is a server span named METHOD route, with the attributes of the HTTP semantic conventions, and a gRPC call has its status code, each under its caller',
    where: 'issue 12.6, OpenTelemetry semantic conventions',
  },
  {
    id: 'TRACE-6',
    rule: 'the OTEL_* variables for name, resource, headers, sampler and disabling are respected; invalid ones give warnings',
    where: 'issue 12.6, OpenTelemetry SDK environment variables',
  },
  {
    id: 'TRACE-7',
    rule: 'pending spans are sent when the process stops, and an unavailable collector does not delay requests',
    where: 'issue 12.6',
  },
  { id: 'TRACE-8', rule: 'no span contains secrets that the inspector redacts', where: 'limits 4' },
]
