/** What the services that gateways call promise. */
export default [
  {
    id: 'GWS-1',
    rule: 'The checked request is read from the headers or the path in which each gateway carries it; these headers are not part of it.',
    where: 'gateway-services 2',
  },
  {
    id: 'GWS-2',
    rule: 'Policies decide as documented, and hand on identity headers that a client cannot bring itself.',
    where: 'gateway-services 2, 3',
  },
  {
    id: 'GWS-3',
    rule: 'X-Svc-Authz of the checked request decides when no rule does, and is refused if it cannot be read.',
    where: 'gateway-services 1, 3',
  },
  {
    id: 'GWS-4',
    rule: 'Rules with match.service act on checked requests only, other rules never do, and steps that cannot act and unknown words are refused when stored.',
    where: 'gateway-services 1',
  },
  {
    id: 'GWS-5',
    rule: 'Calls are recorded with the checked request, without credentials, found by filters and verification, and joined with what arrived.',
    where: 'gateway-services 1',
  },
  {
    id: 'GWS-6',
    rule: 'Authorization/Check answers every decision, error and fault in the terms of envoy.service.auth.v3.',
    where: 'gateway-services 3',
  },
  {
    id: 'GWS-7',
    rule: 'Rate limits match, count and answer as those of the reference service; each session has its own counters.',
    where: 'gateway-services 5',
  },
  {
    id: 'GWS-8',
    rule: 'Domains come from svc.yaml, its files and HTTP; what is wrong is reported with its place and left out.',
    where: 'gateway-services 5',
  },
  {
    id: 'GWS-9',
    rule: 'ShouldRateLimit has the field numbers of envoy.service.ratelimit.v3, and refuses wrong calls in the words of the reference service.',
    where: 'gateway-services 5, 11',
  },
  {
    id: 'GWS-10',
    rule: 'The entry svc of a descriptor and rules decide about rate limits, and end calls as asked.',
    where: 'gateway-services 1, 5',
  },
  {
    id: 'GWS-11',
    rule: 'Calls of the rate-limit service are recorded, found by domain and descriptor, and joined with what arrived.',
    where: 'gateway-services 1, 5',
  },
  {
    id: 'GWS-12',
    rule: 'Replicas count together, and know domains that were stored over HTTP before the response to that.',
    where: 'gateway-services 1, 5; replicas 3.1',
  },
  {
    id: 'GWS-13',
    rule: 'The REST API of the Open Policy Agent answers the policies as documents, with its own errors, and each query is a call of authz.',
    where: 'gateway-services 3',
  },
  {
    id: 'GWS-14',
    rule: 'Endpoints that services pick from come from svc.yaml or the control plane, and are the same on all replicas.',
    where: 'gateway-services 1, 4',
  },
  {
    id: 'GWS-15',
    rule: 'ExtMcp has the field numbers of agentgateway; policies, rules and headers pass, deny and change methods and results.',
    where: 'gateway-services 6',
  },
  {
    id: 'GWS-16',
    rule: 'Process has the field numbers of envoy.service.ext_proc.v3, answers each message in its phase and mode, and ends bad streams with a status.',
    where: 'gateway-services 4, 11',
  },
  {
    id: 'GWS-17',
    rule: 'Processors change headers and bodies as documented, in each mode; what waits for more of a body is never lost silently.',
    where: 'gateway-services 4',
  },
  {
    id: 'GWS-18',
    rule: 'Rules fail, break and change streams: with a condition on the phase in that phase, otherwise from the first that matches on.',
    where: 'gateway-services 1, 4',
  },
  {
    id: 'GWS-19',
    rule: 'X-Svc-Proc of the request decides when no rule does, and is refused if it cannot be read.',
    where: 'gateway-services 1, 4',
  },
  {
    id: 'GWS-20',
    rule: 'The endpoint picker picks among the endpoints by its policy, the subset hint and the selection of conformance tests, and is ready while there are any.',
    where: 'gateway-services 4',
  },
  {
    id: 'GWS-21',
    rule: 'Replicas keep one state of endpoints, quotas, lists of tools and drawn decisions, and each shows the records of all, with the rule of any phase.',
    where: 'gateway-services 1',
  },
  {
    id: 'GWT-1',
    rule: 'OTLP is received over HTTP in JSON and protobuf, and over gRPC, with the same records for the same message.',
    where: 'gateway-services 8',
  },
  {
    id: 'GWT-2',
    rule: 'What cannot be decoded, is too large (also after decompression) or has another type is refused with google.rpc.Status in the encoding of the call, and nothing of it is kept.',
    where: 'gateway-services 8',
  },
  {
    id: 'GWT-3',
    rule: 'Records with invalid ids, or over the bounds, are rejected in partial_success, with their number and the reason.',
    where: 'gateway-services 8',
  },
  {
    id: 'GWT-4',
    rule: 'The session of a report is the one that it names, else that of the request that arrived, of the reported path, or of the call; a public instance keeps and shows only what has one.',
    where: 'gateway-services 8',
  },
  { id: 'GWT-5', rule: 'Rules break the sinks like other routes, in the terms of OTLP.', where: 'gateway-services 8' },
  {
    id: 'GWT-6',
    rule: 'Reports are listed by filters, awaited, deleted and reset by session, without credentials of the control plane.',
    where: 'gateway-services 8',
  },
  { id: 'GWT-7', rule: 'What is kept is bounded; the oldest records go first.', where: 'gateway-services 8' },
  {
    id: 'GWT-8',
    rule: 'Reconciliation finds reports without a request, requests without a report, doubled reports, and every field in which both differ.',
    where: 'gateway-services 9',
  },
  {
    id: 'GWT-9',
    rule: 'Tokens, models and costs that a gateway reports are compared with what the mock LLM counted.',
    where: 'gateway-services 9',
  },
  {
    id: 'GWT-10',
    rule: 'JSON logs are an object, a list or lines of objects, with the fields of the known gateways; a bad line is named, and nothing of the call is kept.',
    where: 'gateway-services 8',
  },
  {
    id: 'GWT-11',
    rule: 'Spans of Zipkin (JSON, protobuf) and Datadog (MessagePack, JSON) are kept in the one form of spans; what cannot be decoded is refused in the form of the original.',
    where: 'gateway-services 8',
  },
  {
    id: 'GWT-12',
    rule: 'Envoy streams access logs of HTTP and TCP; the first message names the node, and the response comes when the client ends the stream.',
    where: 'gateway-services 8',
  },
  {
    id: 'GWT-13',
    rule: 'Syslog and StatsD arrive over UDP and TCP, in lines or with their length; a bad line is counted, and never an error.',
    where: 'gateway-services 8',
  },
  {
    id: 'GWT-14',
    rule: 'POST /_svc/verify with telemetry counts reports in place of requests, with the same counts and waits.',
    where: 'gateway-services 9',
  },
]
