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
  /** Whether a full name is that of a message, nested ones included. */
  isMessage(name: string): boolean
}

/** Reads the checked-in set; a tenth of a second, hence once per version of the code. */
export function createProtocolDefinitions(folder: string): ProtocolDefinitions {
  const descriptorSet = readFileSync(join(folder, '..', '..', 'proto', 'descriptors.binpb'))
  const definitions = loadFileDescriptorSetFromBuffer(descriptorSet, {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
  })
  const messages = new Set(
    Object.entries(definitions).flatMap(([name, definition]) =>
      definition.format === 'Protocol Buffer 3 DescriptorProto' ? [...namesOf(name, definition.type)] : [],
    ),
  )
  return {
    descriptorSet,
    service: name => definitions[name] as ServiceDefinition,
    message: name => definitions[name] as MessageTypeDefinition<object, object>,
    isMessage: name => messages.has(name),
  }
}

/** A message's descriptor (google/protobuf/descriptor.proto), as far as names need it. */
interface Message {
  name?: string | null
  nestedType?: Message[] | null
}

function* namesOf(scope: string, { nestedType }: Message): Iterable<string> {
  yield scope
  for (const nested of nestedType ?? []) yield* namesOf(`${scope}.${nested.name}`, nested)
}
