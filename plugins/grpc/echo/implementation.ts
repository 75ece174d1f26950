/** Loads the echo service. Its descriptor set also has the services of the server itself: health and reflection. */
import type { Svc } from 'svc/plugin'
import { createProtocolDefinitions } from '../definitions.ts'
import type { GrpcImplementation } from '../types.ts'
import { ECHO_SERVICE } from './methods.ts'
import { createEchoService } from './service.ts'

/** The descriptor set is read once per version of the code. */
export function openEcho(svc: Svc): GrpcImplementation {
  const definitions = svc.shared('definitions', () => createProtocolDefinitions(svc.folder))
  return {
    definition: definitions.service(ECHO_SERVICE),
    handlers: createEchoService(svc, definitions),
    reflection: definitions.descriptorSet,
  }
}
