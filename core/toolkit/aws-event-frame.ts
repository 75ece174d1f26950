/** Frames of the AWS event stream encoding (`application/vnd.amazon.eventstream`). */
import { crc32 } from 'node:zlib'

const PRELUDE_BYTES = 8
const CHECKSUM_BYTES = 4
/** Type of a header whose value is text. */
const TEXT = 7

/** One message: lengths, their CRC32, headers, payload, CRC32 of everything before it; big-endian. */
export function awsEventFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)))
  const body = Buffer.from(payload)
  const frame = Buffer.alloc(PRELUDE_BYTES + CHECKSUM_BYTES + head.length + body.length + CHECKSUM_BYTES)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(head.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, PRELUDE_BYTES)), PRELUDE_BYTES)
  head.copy(frame, PRELUDE_BYTES + CHECKSUM_BYTES)
  body.copy(frame, PRELUDE_BYTES + CHECKSUM_BYTES + head.length)
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - CHECKSUM_BYTES)), frame.length - CHECKSUM_BYTES)
  return frame
}

function encodeHeader(name: string, value: string): Buffer {
  const head = Buffer.alloc(1 + name.length + 3)
  head.writeUInt8(name.length, 0)
  head.write(name, 1, 'latin1')
  head.writeUInt8(TEXT, 1 + name.length)
  head.writeUInt16BE(Buffer.byteLength(value), 2 + name.length)
  return Buffer.concat([head, Buffer.from(value)])
}
