/** Reads a FileDescriptorSet (google/protobuf/descriptor.proto): its files, byte for byte, and the names of its messages. */
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader'

/** The FileDescriptorProtos of a set: its only field, number 1, is repeated per file. */
export function filesOf(descriptorSet: Buffer): Buffer[] {
  const files: Buffer[] = []
  for (let at = 0; at < descriptorSet.length; ) {
    const file = fieldAt(descriptorSet, at)
    files.push(file)
    at = file.byteOffset - descriptorSet.byteOffset + file.length
  }
  return files
}

/** The name of a FileDescriptorProto: its first field. */
export function nameOf(file: Buffer): string {
  return fieldAt(file, 0).toString()
}

/** The full names of all messages of a set, including nested ones. */
export function messageNames(descriptorSet: Buffer): string[] {
  return Object.entries(loadFileDescriptorSetFromBuffer(descriptorSet)).flatMap(([name, definition]) =>
    definition.format === 'Protocol Buffer 3 DescriptorProto' ? [...namesOf(name, definition.type)] : [],
  )
}

/** The part of a message descriptor that is needed for names. */
interface Message {
  name?: string | null
  nestedType?: Message[] | null
}

function* namesOf(scope: string, { nestedType }: Message): Iterable<string> {
  yield scope
  for (const nested of nestedType ?? []) yield* namesOf(`${scope}.${nested.name}`, nested)
}

/** The bytes of a length-delimited field. The tag takes one byte, then comes the length in groups of seven bits. */
function fieldAt(bytes: Buffer, start: number): Buffer {
  let at = start + 1
  let length = 0
  let scale = 1
  let byte: number
  do {
    byte = bytes[at++]!
    length += (byte & 0x7f) * scale
    scale *= 128
  } while (byte >= 0x80)
  return bytes.subarray(at, at + length)
}
