/** Loads the echo service. Its descriptor set also has the services of the server itself: health and reflection. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Svc } from 'svc/plugin'
import { readDefinitions } from '../definitions.ts'
import type { GrpcImplementation } from '../types.ts'
import { ECHO_SERVICE } from './methods.ts'
import { createEchoService } from './service.ts'

export function openEcho(svc: Svc): GrpcImplementation {
  const descriptorSet = join(svc.folder, '..', '..', 'proto', 'descriptors.binpb')
  const definitions = svc.shared('definitions', () => readDefinitions(readFileSync(descriptorSet)))
  return {
    definition: definitions.service(ECHO_SERVICE),
    handlers: createEchoService(svc, definitions),
    reflection: definitions.descriptorSet,
  }
}
