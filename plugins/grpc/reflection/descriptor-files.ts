/** Takes a FileDescriptorSet apart (google/protobuf/descriptor.proto): its only field is 1, a file, as often as there are files. */

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
