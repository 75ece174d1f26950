/** Rules for gRPC. */
export default [
  { id: 'GRPC-1', rule: 'the checked-in descriptor set is what the sources compile to', where: 'protocols 4.2' },
  {
    id: 'GRPC-2',
    rule: 'all call types work on the gRPC port, and with SVC_GRPC_ON_HTTP on the HTTP and HTTPS ports; replies show metadata, instance and deadline',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-3',
    rule: 'a count of 0 means 3, one above 100 means 100, and no messages join to an empty text',
    where: 'protocols 4.1',
  },
  { id: 'GRPC-4', rule: 'the 1001st message ends a streaming call with RESOURCE_EXHAUSTED', where: 'protocols 4.1' },
  {
    id: 'GRPC-5',
    rule: 'Fail ends with the requested code, message and details, within limits',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-6',
    rule: 'deadlines end calls with DEADLINE_EXCEEDED and are reported as received and in milliseconds',
    where: 'protocols 4.1',
  },
  { id: 'GRPC-7', rule: 'a cancelled call leaves its connection usable', where: 'protocols 4.1' },
  {
    id: 'GRPC-8',
    rule: 'messages of up to 4 MiB are accepted, also compressed; larger ones are RESOURCE_EXHAUSTED whatever SVC_BODY_LIMIT is',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-9',
    rule: 'after a rejected upload of 5 MB, 200 parallel calls on the same connection succeed, on each listener',
    where: 'protocols 4.4',
  },
  { id: 'GRPC-10', rule: 'unknown methods and services are UNIMPLEMENTED', where: 'protocols 4.1' },
  {
    id: 'GRPC-11',
    rule: 'each call is counted once as grpc and has a request id; the inspector shows all calls with their status, except health and reflection',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-12',
    rule: 'health follows the instance for two service names, Watch reports only changes, other names are unknown',
    where: 'protocols 4.2',
  },
  { id: 'GRPC-13', rule: 'a reload does not affect running calls and serves new ones', where: 'protocols 4.4' },
  {
    id: 'GRPC-14',
    rule: 'reflection lists four services in both versions and finds files by name and by symbol, with their imports',
    where: 'protocols 4.2',
  },
  { id: 'GRPC-15', rule: 'unknown names are errors on the open reflection stream', where: 'protocols 4.2' },
  {
    id: 'GRPC-20',
    rule: 'gRPC-Web responds in binary and text, over HTTP/1.1 and HTTP/2, with the status only in the last frame',
    where: 'protocols 4.3',
  },
  {
    id: 'GRPC-21',
    rule: 'gRPC-Web text is accepted in chunks of any size and in several padded parts',
    where: 'protocols 4.3',
  },
  { id: 'GRPC-22', rule: 'browsers can call from any origin and read the status', where: 'protocols 4.3' },
  {
    id: 'GRPC-23',
    rule: 'anything else on the gRPC port gets 415 or is closed, and the port keeps serving',
    where: 'protocols 4.3',
  },
  { id: 'GRPC-24', rule: 'internal bridge headers from clients are neither used nor shown', where: 'protocols 4.4' },
  {
    id: 'GRPC-25',
    rule: 'plan limits end calls of services with RESOURCE_EXHAUSTED; health and reflection are exempt',
    where: 'limits 2',
  },
  {
    id: 'GRPC-26',
    rule: 'on shutdown, running calls can finish within the drain time and are aborted after it',
    where: 'protocols 4.4',
  },
  {
    id: 'GRPC-27',
    rule: 'the metadata x-svc-delay and x-svc-fail affect admitted calls, except health and reflection; the HTTP status maps to a gRPC status',
    where: 'core 8, testing 3',
  },
  {
    id: 'GRPC-28',
    rule: 'plugins add services: health, reflection, limits, faults and the inspector work for them as for the echo service',
    where: 'agents-next 1',
  },
  { id: 'GRPC-30', rule: 'connect clients work over gRPC and gRPC-Web, HTTP/1.1 and HTTP/2', where: 'protocols 5' },
  {
    id: 'GRPC-31',
    rule: 'calls whose replies nobody reads do not end the process, on any port, also when their connections are cut',
    where: 'docs/hardening.md',
  },
]
