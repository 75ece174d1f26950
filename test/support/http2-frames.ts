/** HTTP/2 frames as bytes (RFC 9113, 4.1), for what no client would send. */

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
/** DATA on a stream that was never opened: an error of the connection. */
export const STRAY_DATA = frame(FRAME.data, 0, 101, Buffer.from('x'))

/** Fields as literals without indexing (RFC 7541, 6.2.2), each name and value below 127 bytes. */
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

/** HEADERS that open a request whose body is to come. */
export function headersOf(stream: number, fields: Record<string, string>): Buffer {
  return frame(FRAME.headers, 0x4, stream, fieldBlock(fields))
}

/** Types of the whole frames among some bytes. */
export function frameTypes(bytes: Buffer): number[] {
  const types: number[] = []
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) types.push(bytes[at + 3]!)
  return types
}
