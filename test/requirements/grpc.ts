/** What gRPC promises. */
export default [
  { id: 'GRPC-1', rule: 'the checked-in descriptor set is what the sources compile to', where: 'protocols 4.2' },
  {
    id: 'GRPC-2',
    rule: 'all call types work on the gRPC port, and with SVC_GRPC_ON_HTTP on the HTTP and HTTPS ports; replies show metadata, instance and deadline',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-3',
    rule: 'a count of 0 is 3, one above 100 is 100, and no messages join to nothing',
    where: 'protocols 4.1',
  },
  { id: 'GRPC-4', rule: 'the 1001st message ends a streaming call with RESOURCE_EXHAUSTED', where: 'protocols 4.1' },
  {
    id: 'GRPC-5',
    rule: 'Fail ends with code, message and details as asked for, within its bounds',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-6',
    rule: 'deadlines end calls with DEADLINE_EXCEEDED and are shown raw and in milliseconds',
    where: 'protocols 4.1',
  },
  { id: 'GRPC-7', rule: 'a cancelled call leaves its connection usable', where: 'protocols 4.1' },
  {
    id: 'GRPC-8',
    rule: 'messages up to 4 MiB are read, compressed ones too, larger ones are RESOURCE_EXHAUSTED whatever SVC_BODY_LIMIT says',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-9',
    rule: 'after a refused upload of 5 MB 200 parallel calls on the same connection succeed, on each listener',
    where: 'protocols 4.4',
  },
  { id: 'GRPC-10', rule: 'unknown methods and services are UNIMPLEMENTED', where: 'protocols 4.1' },
  {
    id: 'GRPC-11',
    rule: 'each call is counted once under grpc, and has a request id; the inspector shows all but health and reflection, with their status',
    where: 'protocols 4.1',
  },
  {
    id: 'GRPC-12',
    rule: 'health follows the instance for two names, Watch tells of changes only, others are unknown',
    where: 'protocols 4.2',
  },
  { id: 'GRPC-13', rule: 'a reload leaves running calls alone and serves new ones', where: 'protocols 4.4' },
  {
    id: 'GRPC-14',
    rule: 'reflection lists four services in both versions and finds files by name and by symbol, with their imports',
    where: 'protocols 4.2',
  },
  { id: 'GRPC-15', rule: 'what reflection does not know is an error on the open stream', where: 'protocols 4.2' },
  {
    id: 'GRPC-20',
    rule: 'gRPC-Web answers in binary and text, over HTTP/1.1 and HTTP/2, its status only in the last frame',
    where: 'protocols 4.3',
  },
  { id: 'GRPC-21', rule: 'gRPC-Web text comes in any chunking and in several padded pieces', where: 'protocols 4.3' },
  { id: 'GRPC-22', rule: 'browsers may call from any origin and read the status', where: 'protocols 4.3' },
  {
    id: 'GRPC-23',
    rule: 'anything else on the gRPC port is 415 or closed, and the port goes on',
    where: 'protocols 4.3',
  },
  { id: 'GRPC-24', rule: 'headers of the bridge from outside are neither used nor shown', where: 'protocols 4.4' },
  {
    id: 'GRPC-25',
    rule: 'plan limits end calls of the echo service with RESOURCE_EXHAUSTED, health and reflection are free',
    where: 'limits 2',
  },
  {
    id: 'GRPC-26',
    rule: 'when the process stops, running calls come to their end within the time to drain and are cut after it',
    where: 'protocols 4.4',
  },
  {
    id: 'GRPC-27',
    rule: 'metadata x-svc-delay and x-svc-fail act on calls that were admitted, but health and reflection; the HTTP status maps to that of gRPC',
    where: 'core 8, testing 3',
  },
  { id: 'GRPC-30', rule: 'connect clients work over gRPC and gRPC-Web, HTTP/1.1 and HTTP/2', where: 'protocols 5' },
]
