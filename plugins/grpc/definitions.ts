/** Reads descriptor sets: the definitions of services and messages. */
import { loadFileDescriptorSetFromBuffer, type MessageTypeDefinition, type Options } from '@grpc/proto-loader'
import type { ServiceDefinition } from '@grpc/grpc-js'
import type { GrpcDefinitions } from './types.ts'

/** The forms of fields, unless a service asks for others. */
const FORMS: Options = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true }

/** Reads a FileDescriptorSet. Throws if it isn't one. */
export function readDefinitions(descriptorSet: Buffer, forms: Options = FORMS): GrpcDefinitions {
  const loaded = loadFileDescriptorSetFromBuffer(descriptorSet, forms)
  const find = (name: string) => {
    if (!Object.hasOwn(loaded, name)) throw new Error(`the descriptor set has no "${name}"`)
    return loaded[name]
  }
  return {
    descriptorSet,
    service: name => find(name) as ServiceDefinition,
    message: name => find(name) as MessageTypeDefinition<object, object>,
  }
}
