/** HTTP/2 frames as bytes (RFC 9113, 4.1), for requests that no client library sends. */

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
export const FRAME = { data: 0, headers: 1, rstStream: 3, settings: 4, goaway: 7, continuation: 9 } as const

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const SETTINGS = frame(FRAME.settings, 0, 0, Buffer.alloc(0))
/** DATA on a stream that was never opened: a connection error. */
export const STRAY_DATA = frame(FRAME.data, 0, 101, Buffer.from('x'))

/** Header fields as literals without indexing (RFC 7541, 6.2.2); names and values have less than 127 bytes. */
export function fieldBlock(fields: Record<string, string>): Buffer {
  return Buffer.concat(
    Object.entries(fields).flatMap(([name, value]) => [
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  )
}

/** HEADERS of a request that has a body. */
export function headersOf(stream: number, fields: Record<string, string>): Buffer {
  return frame(FRAME.headers, 0x4, stream, fieldBlock(fields))
}

/** Types of the complete frames in a buffer. */
export function frameTypes(bytes: Buffer): number[] {
  const types: number[] = []
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) types.push(bytes[at + 3]!)
  return types
}
