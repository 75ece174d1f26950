/** The services and their methods, known before their packages are loaded. */

interface CatalogedService {
  /** Full name. */
  name: string
  /** The descriptor set, `proto/services/<file>.binpb`. */
  file: string
  /** The methods that are implemented. */
  methods: readonly string[]
  readsCompression?: true
  /** Response metadata that browsers may read. */
  exposes?: readonly string[]
}

export const SERVICES: readonly CatalogedService[] = [
  {
    name: 'grpc.testing.TestService',
    file: 'grpc_testing',
    methods: [
      'EmptyCall',
      'UnaryCall',
      'StreamingOutputCall',
      'StreamingInputCall',
      'FullDuplexCall',
      'HalfDuplexCall',
    ],
    readsCompression: true,
    exposes: ['x-grpc-test-echo-initial', 'x-grpc-test-echo-trailing-bin'],
  },
  {
    name: 'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho',
    file: 'grpcecho',
    methods: ['Echo', 'EchoTwo'],
  },
  {
    name: 'helloworld.Greeter',
    file: 'helloworld',
    methods: ['SayHello', 'SayHelloStreamReply', 'SayHelloBidiStream'],
  },
  {
    name: 'grpcbin.GRPCBin',
    file: 'grpcbin',
    methods: [
      'Index',
      'Empty',
      'DummyUnary',
      'DummyServerStream',
      'DummyClientStream',
      'DummyBidirectionalStreamStream',
      'SpecificError',
      'RandomError',
      'HeadersUnary',
      'NoResponseUnary',
    ],
  },
  { name: 'hello.HelloService', file: 'hello', methods: ['SayHello', 'LotsOfReplies', 'LotsOfGreetings', 'BidiHello'] },
  { name: 'addsvc.Add', file: 'addsvc', methods: ['Sum', 'Concat'] },
  { name: 'proto.EchoTestService', file: 'istio_echo', methods: ['Echo', 'ForwardEcho'] },
  { name: 'fgrpc.PingServer', file: 'fgrpc_ping', methods: ['Ping'] },
  { name: 'whoami.Whoami', file: 'whoami', methods: ['Whoami', 'Bench'] },
]
