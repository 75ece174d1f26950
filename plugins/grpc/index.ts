/** The plugin `grpc`: the echo service, health and reflection, over gRPC and gRPC-Web. */
import { definePlugin, forPlugin } from 'svc/plugin'
import { BridgeConnections } from './bridge/connections.ts'
import { OpenCalls } from './bridge/open-calls.ts'
import { writerOf } from './call-writer.ts'
import { handleCalls } from './bridge/media-type-handler.ts'
import { ECHO_METHODS, ECHO_SERVICE } from './echo/methods.ts'
import { loadAfterStart } from './load-after-start.ts'
import { grpcProtocol } from './match.ts'
import { ServiceRegistry } from './service-registry.ts'
import type { GrpcServices } from './types.ts'
import { failure, unaryOf } from './unary.ts'

export default definePlugin({
  title: 'gRPC',
  description: 'Echo service with unary and streaming calls, health checks and reflection, over gRPC and gRPC-Web.',
  paths: [],
  area: 'grpc',
  register(_app, svc) {
    const open = new OpenCalls()
    const services = new ServiceRegistry()
    services.add(svc.name, {
      name: ECHO_SERVICE,
      methods: ECHO_METHODS,
      open: async () => (await import('./echo/implementation.ts')).openEcho(svc),
    })
    const registrar = (plugin: string): GrpcServices => ({
      service: service => services.add(plugin, service),
      definitions: async (descriptorSet, forms) =>
        (await import('./definitions.ts')).readDefinitions(descriptorSet, forms),
      requestOf: ({ metadata }) => open.find(metadata)?.request,
      failure,
      unary: unaryOf(open),
      trailers: read => void services.trailers.push(read),
      writer: writerOf,
      wasCompressed: ({ metadata }) => open.find(metadata)?.compressed?.next() ?? false,
    })
    svc.offer('grpc.services', { ...registrar(svc.name), [forPlugin]: registrar })
    // The server and its packages are loaded after the start, or with the first call if that comes earlier.
    const connections = new BridgeConnections(async () =>
      (await import('./server.ts')).openServer(svc, { open, services }),
    )
    loadAfterStart(svc, connections)
    svc.whenClosed(() => connections.close())
    svc.whenStopped(() => connections.close())
    svc.use('testing.protocols').register(grpcProtocol)
    handleCalls(svc, connections, { open, services })
  },
})
