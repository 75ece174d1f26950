/** Writes messages of Protocol Buffers, as far as traces need it. */

/** A field: a number is a varint, a text or bytes are length-delimited. */
export type ProtobufField = readonly [number: number, value: number | string | Uint8Array]

/** The message with these fields. Numbers are whole and not negative. */
export function protobufMessage(fields: readonly ProtobufField[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8), varint(value)]
      const bytes = typeof value === 'string' ? Buffer.from(value) : value
      return [varint(number * 8 + 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}
