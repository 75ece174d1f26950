/** Creates the gRPC server of a generation. It listens on no port; calls arrive over the bridge. */
import { Server, ServerCredentials, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Svc } from 'svc/plugin'
import { admitFirst } from './admission.ts'
import type { InnerServer } from './bridge/connections.ts'
import type { OpenCalls } from './bridge/open-calls.ts'
import { withCheckedRequests, withoutUnnamedCoding } from './checked-messages.ts'
import { ReflectionCache } from './reflection/reflection-cache.ts'
import { addReflection } from './reflection/service.ts'
import type { ServiceRegistry } from './service-registry.ts'
import type { HealthName } from './types.ts'
import { readWhenSent, withSerialized } from './unsent-messages.ts'
import { unknownMethod, unknownService } from './unknown-method.ts'

/**
 * grpc-js ends a call by itself when a message is unreadable or too large or the deadline has passed, while the method may
 * still reply to earlier messages. A write after the end of the HTTP/2 stream breaks the stream: the client would receive
 * neither the status nor the end.
 */
const statusOnce: ServerInterceptor = (_method, call) => {
  let isOver = false
  // Statuses set by the library itself bypass the responder.
  const sendStatus = call.sendStatus.bind(call)
  call.sendStatus = status => {
    isOver = true
    sendStatus(withoutUnnamedCoding(status))
  }
  return new ServerInterceptingCall(call, {
    sendMessage: (message, next) => {
      if (!isOver) next(message)
    },
  })
}

/** Bytes of a received message; independent of SVC_BODY_LIMIT. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

interface ServerParts {
  open: OpenCalls
  services: ServiceRegistry
}

/** Opens the server with all registered services. One that can't be opened is not served. */
export async function openServer(svc: Svc, { open, services }: ServerParts): Promise<InnerServer> {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
    interceptors: [statusOnce, readWhenSent],
  })
  const descriptorSets: Buffer[] = []
  const checks: HealthName[] = [{ name: '' }]
  for (const service of services.all()) {
    try {
      const implementation = await service.open()
      server.addService(
        withSerialized(withCheckedRequests(implementation.definition)),
        admitFirst(svc, open, implementation, services.trailers),
      )
      descriptorSets.push(implementation.reflection)
      checks.push({ name: service.name }, ...(service.health ?? []))
    } catch (error) {
      svc.log.error('a gRPC service could not be opened', { service: service.name, error })
    }
    // Each takes some milliseconds; other requests are handled in between.
    await nextTurn()
  }
  server.addService(unknownService, unknownMethod(open))
  addHealth(server, svc, checks)
  const reflections = svc.shared('reflection', () => new ReflectionCache())
  addReflection(server, () => reflections.of(descriptorSets))
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  return {
    accept: connection => injector.injectConnection(connection),
    close() {
      injector.destroy()
      server.forceShutdown()
    },
  }
}

/** Reports the health of the instance, and of names that have more conditions; the services keep serving while it is unhealthy. */
function addHealth(server: Server, svc: Svc, checks: readonly HealthName[]): void {
  const isServing = (check: HealthName): boolean => svc.instance.isHealthy() && check.isServing?.() !== false
  const statusOf = (serves: boolean) => (serves ? 'SERVING' : 'NOT_SERVING')
  const current = new Map(checks.map(check => [check, isServing(check)]))
  const health = new HealthImplementation(
    Object.fromEntries([...current].map(([{ name }, serves]) => [name, statusOf(serves)])),
  )
  health.addToServer(server)
  const update = (): void => {
    for (const [check, before] of current) {
      const serves = isServing(check)
      // The library notifies watchers of every status that is set, even an unchanged one.
      if (serves === before) continue
      current.set(check, serves)
      health.setStatus(check.name, statusOf(serves))
    }
  }
  svc.whenClosed(svc.instance.onHealthChange(update))
  for (const { onChange } of checks) if (onChange !== undefined) svc.whenClosed(onChange(update))
}
