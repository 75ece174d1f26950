/** The plugin `grpc`: the echo service, health and reflection, over gRPC and gRPC-Web. */
import { definePlugin } from 'svc/plugin'
import { BridgeConnections } from './bridge/connections.ts'
import { OpenCalls } from './bridge/open-calls.ts'
import { handleCalls } from './bridge/media-type-handler.ts'
import { grpcProtocol } from './match.ts'

export default definePlugin({
  title: 'gRPC',
  description: 'Echo service with unary and streaming calls, health checks and reflection, over gRPC and gRPC-Web.',
  paths: [],
  area: 'grpc',
  register(_app, svc) {
    // The server and its packages are loaded with the first call, because most instances never get one.
    const open = new OpenCalls()
    const connections = new BridgeConnections(async () => (await import('./server.ts')).openServer(svc, open))
    svc.whenClosed(() => connections.close())
    svc.whenStopped(() => connections.close())
    svc.use('testing.protocols')!.register(grpcProtocol)
    handleCalls(svc, connections, open)
  },
})
