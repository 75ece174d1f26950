/** Splits a FileDescriptorSet (google/protobuf/descriptor.proto) into files. Its only field, number 1, is repeated per file. */

/** The FileDescriptorProtos of a set, byte for byte. */
export function filesOf(descriptorSet: Buffer): Buffer[] {
  const files: Buffer[] = []
  let at = 0
  while (at < descriptorSet.length) {
    // The tag takes one byte, then comes the length in groups of seven bits, the lowest first.
    at++
    let length = 0
    let byte: number
    let scale = 1
    do {
      byte = descriptorSet[at++]!
      length += (byte & 0x7f) * scale
      scale *= 128
    } while (byte >= 0x80)
    files.push(descriptorSet.subarray(at, (at += length)))
  }
  return files
}
