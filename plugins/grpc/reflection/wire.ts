/** Reads the length-delimited fields of a protobuf message (Protocol Buffers, "Encoding"), as far as descriptors need it. */

/** Fields by number, in order. Fields of other wire types are skipped. */
export function readFields(bytes: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    switch (tag % 8) {
      case 0: varint(); break
      case 1: at += 8; break
      case 5: at += 4; break
      default: {
        const end = varint() + at
        const values = fields.get(number)
        if (values === undefined) fields.set(number, [bytes.subarray(at, end)])
        else values.push(bytes.subarray(at, end))
        at = end
      }
    }
  }
  return fields
}
