/** Rules for the gRPC services of test suites. */
export default [
  {
    id: 'GSV-1',
    rule: 'UnaryCall has a payload of the wanted size, the server id on request, and the host',
    where: 'drop-in 6.2',
  },
  {
    id: 'GSV-2',
    rule: 'streaming calls have the messages that are requested, at once or after the client has ended',
    where: 'drop-in 6.2',
  },
  {
    id: 'GSV-3',
    rule: 'response_status ends a call with code and message; UnimplementedMethod is UNIMPLEMENTED',
    where: 'drop-in 6.2',
  },
  {
    id: 'GSV-4',
    rule: 'x-grpc-test-echo-initial and x-grpc-test-echo-trailing-bin come back on UnaryCall and FullDuplexCall',
    where: 'drop-in 6.2',
  },
  { id: 'GSV-5', rule: 'expect_compressed is compared with the flag of each message', where: 'drop-in 6.2' },
  { id: 'GSV-6', rule: 'messages and calls have upper bounds, lower ones in public mode', where: 'drop-in 10' },
  {
    id: 'GSV-7',
    rule: "gRPC's own client passes its cases, which the page names",
    where: 'drop-in 9, 12',
  },
  {
    id: 'GSV-10',
    rule: 'GrpcEcho shows method, metadata, authority, context and TLS; EchoThree is UNIMPLEMENTED',
    where: 'drop-in 6.1',
  },
  { id: 'GSV-11', rule: 'the greeting services greet as the originals', where: 'drop-in 6.1' },
  {
    id: 'GSV-12',
    rule: 'GRPCBin sends messages of all types back and ends with wanted statuses',
    where: 'drop-in 6.1',
  },
  { id: 'GSV-13', rule: 'addsvc, EchoTestService, PingServer and Whoami reply as the originals', where: 'drop-in 6.1' },
  { id: 'GSV-14', rule: 'in public mode no service shows names or addresses of the machine', where: 'drop-in 4.1' },
  { id: 'GSV-20', rule: 'all services are in health and in both versions of reflection', where: 'drop-in 6.1' },
  { id: 'GSV-21', rule: 'enable and disable choose the services', where: 'drop-in 6.1' },
  {
    id: 'GSV-22',
    rule: 'x-svc-fail and x-svc-session act on the services, and the inspector captures their calls',
    where: 'drop-in 6.1',
  },
  {
    id: 'GSV-30',
    rule: "ForwardEcho sends requests as they are given, and shows each in Istio's lines, in order",
    where: 'drop-in 6.1',
  },
  {
    id: 'GSV-31',
    rule: 'ForwardEcho speaks HTTP/1.1, HTTP/2, WebSocket and gRPC, with TLS and without',
    where: 'drop-in 6.1',
  },
  {
    id: 'GSV-32',
    rule: 'ForwardEcho speaks TCP, TLS and UDP, with the PROXY protocol; the answer must have the expected text',
    where: 'drop-in 6.1',
  },
  { id: 'GSV-33', rule: 'redirects are followed if asked for, and each hop is checked', where: 'drop-in 6.1' },
  {
    id: 'GSV-34',
    rule: 'pages, calls of this instance, and paths of the control plane, the console, the proxy and guarded routes are PERMISSION_DENIED',
    where: 'drop-in 6.1',
  },
  {
    id: 'GSV-35',
    rule: 'ForwardEcho reaches own ports, hosts and layer 4 listeners and forward_allow, at the address that was checked',
    where: 'drop-in 6.1, 11',
  },
  {
    id: 'GSV-36',
    rule: 'number, rate, time and size are bounded; unsupported fields are INVALID_ARGUMENT; an error ends the call with its text',
    where: 'drop-in 6.1, 10',
  },
  {
    id: 'GSV-37',
    rule: 'in public mode ForwardEcho reaches own ports only, ten times in 5 s',
    where: 'drop-in 6.1, 10',
  },
] as const
