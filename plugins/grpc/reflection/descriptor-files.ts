/** Reads a FileDescriptorSet (google/protobuf/descriptor.proto): its files, byte for byte, and the names of its messages. */
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
  return filesOf(descriptorSet).flatMap(file => {
    const fields = [...fieldsOf(file)]
    const scope = fields.find(({ number }) => number === FILE.package)?.value.toString()
    return fields.filter(({ number }) => number === FILE.message).flatMap(({ value }) => [...namesOf(scope, value)])
  })
}

/** Numbers of fields of `FileDescriptorProto` and `DescriptorProto`. */
const FILE = { package: 2, message: 4 }
const MESSAGE = { name: 1, nested: 3 }

function* namesOf(scope: string | undefined, message: Buffer): Iterable<string> {
  const fields = [...fieldsOf(message)]
  const own = fields.find(({ number }) => number === MESSAGE.name)?.value.toString()
  const name = scope === undefined ? `${own}` : `${scope}.${own}`
  yield name
  for (const { number, value } of fields) if (number === MESSAGE.nested) yield* namesOf(name, value)
}

/** The length-delimited fields of a message of `descriptor.proto`; its other fields are numbers. */
function* fieldsOf(message: Buffer): Iterable<{ number: number; value: Buffer }> {
  for (let at = 0; at < message.length; ) {
    const tag = varintAt(message, at)
    if (tag.value % 8 !== LENGTH_DELIMITED) {
      at = varintAt(message, tag.end).end
      continue
    }
    const value = fieldAt(message, at)
    at = value.byteOffset - message.byteOffset + value.length
    yield { number: Math.floor(tag.value / 8), value }
  }
}

const LENGTH_DELIMITED = 2

/** The bytes of a length-delimited field: its tag, then the length. */
function fieldAt(bytes: Buffer, start: number): Buffer {
  const length = varintAt(bytes, varintAt(bytes, start).end)
  return bytes.subarray(length.end, length.end + length.value)
}

/** A number in groups of seven bits, and where it ends. */
function varintAt(bytes: Buffer, start: number): { value: number; end: number } {
  let at = start
  let value = 0
  let scale = 1
  let byte: number
  do {
    byte = bytes[at++]!
    value += (byte & 0x7f) * scale
    scale *= 128
  } while (byte >= 0x80)
  return { value, end: at }
}
