/** Creates the gRPC server of a generation. It listens on no port; calls arrive over the bridge. */
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { Svc } from 'svc/plugin'
import type { InnerServer } from './bridge/connections.ts'
import type { OpenCalls } from './bridge/open-calls.ts'
import { createProtocolDefinitions } from './definitions.ts'
import type { ProtocolDefinitions } from './definitions.ts'
import { ECHO_SERVICE } from './echo/methods.ts'
import { createEchoService } from './echo/service.ts'
import { createReflection } from './reflection/service.ts'
import type { Reflection } from './reflection/service.ts'
import { statusOnce } from './status-once.ts'
import { unknownMethod, unknownService } from './unknown-method.ts'

/** Bytes of a received message; independent of SVC_BODY_LIMIT. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** Opens the server. The descriptor set and the reflection files are read once per version of the code. */
export function openServer(svc: Svc, open: OpenCalls): InnerServer {
  const definitions = svc.shared('definitions', () => createProtocolDefinitions(svc.folder))
  const server = createServer(
    svc,
    open,
    definitions,
    svc.shared('reflection', () => createReflection(definitions)),
  )
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  return {
    accept: connection => injector.injectConnection(connection),
    close() {
      injector.destroy()
      server.forceShutdown()
    },
  }
}

function createServer(svc: Svc, open: OpenCalls, definitions: ProtocolDefinitions, reflection: Reflection[]): Server {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
    interceptors: [statusOnce],
  })
  server.addService(definitions.service(ECHO_SERVICE), createEchoService(svc, open, definitions))
  server.addService(unknownService, unknownMethod(open))
  addHealth(server, svc)
  for (const { service, implementation } of reflection) server.addService(service, implementation)
  return server
}

/** Reports the health of the instance; the services keep serving while it is unhealthy. */
function addHealth(server: Server, svc: Svc): void {
  const names = ['', ECHO_SERVICE]
  const statusOf = (isHealthy: boolean) => (isHealthy ? 'SERVING' : 'NOT_SERVING')
  let current = svc.instance.isHealthy()
  const health = new HealthImplementation(Object.fromEntries(names.map(name => [name, statusOf(current)])))
  health.addToServer(server)
  svc.whenClosed(
    svc.instance.onHealthChange(isHealthy => {
      // The library notifies watchers of every status that is set, even an unchanged one.
      if (isHealthy === current) return
      current = isHealthy
      for (const name of names) health.setStatus(name, statusOf(isHealthy))
    }),
  )
}
