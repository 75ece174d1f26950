/** Owns the descriptor set: its bytes, and the service definitions that are loaded from it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'
import type { MessageTypeDefinition, ServiceDefinition } from '@grpc/proto-loader'

export interface ProtocolDefinitions {
  /** A FileDescriptorSet, as `proto/compile.ts` has written it. */
  descriptorSet: Buffer
  service(name: string): ServiceDefinition
  message(name: string): MessageTypeDefinition<object, object>
}

/** Reads the checked-in set; a tenth of a second, hence once per version of the code. */
export function createProtocolDefinitions(folder: string): ProtocolDefinitions {
  const descriptorSet = readFileSync(join(folder, '..', '..', 'proto', 'descriptors.binpb'))
  const definitions = loadFileDescriptorSetFromBuffer(descriptorSet, { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true })
  return {
    descriptorSet,
    service: name => definitions[name] as ServiceDefinition,
    message: name => definitions[name] as MessageTypeDefinition<object, object>,
  }
}
