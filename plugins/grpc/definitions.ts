/** The descriptor set and the service definitions loaded from it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadFileDescriptorSetFromBuffer, type MessageTypeDefinition, type ServiceDefinition } from '@grpc/proto-loader'

export interface ProtocolDefinitions {
  /** The FileDescriptorSet written by `proto/compile.ts`. */
  descriptorSet: Buffer
  service(name: string): ServiceDefinition
  message(name: string): MessageTypeDefinition<object, object>
}

/** Reads the checked-in set, once per version of the code because it takes a tenth of a second. */
export function createProtocolDefinitions(folder: string): ProtocolDefinitions {
  const descriptorSet = readFileSync(join(folder, '..', '..', 'proto', 'descriptors.binpb'))
  const definitions = loadFileDescriptorSetFromBuffer(descriptorSet, {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
  })
  return {
    descriptorSet,
    service: name => definitions[name] as ServiceDefinition,
    message: name => definitions[name] as MessageTypeDefinition<object, object>,
  }
}
