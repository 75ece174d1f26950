/** Frames of the AWS event stream encoding (`application/vnd.amazon.eventstream`). */
import { crc32 } from 'node:zlib'
import type { StreamEvent } from '../contract/stream.ts'

const preludeBytes = 8
const checksumBytes = 4
const textHeader = 7

/** One message: lengths, their CRC32, headers, payload, CRC32 of everything before it; big-endian. */
export function eventFrame(payload: string, event: Pick<StreamEvent, 'event' | 'exception'>): Buffer {
  const kind =
    event.exception === undefined
      ? [
          [':event-type', event.event ?? 'chunk'],
          [':content-type', 'application/json'],
          [':message-type', 'event'],
        ]
      : [
          [':exception-type', event.exception],
          [':content-type', 'application/json'],
          [':message-type', 'exception'],
        ]
  const headers = Buffer.concat(kind.map(([name = '', value = '']) => encodeHeader(name, value)))
  const body = Buffer.from(payload)
  const frame = Buffer.alloc(preludeBytes + checksumBytes + headers.length + body.length + checksumBytes)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(headers.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, preludeBytes)), preludeBytes)
  headers.copy(frame, preludeBytes + checksumBytes)
  body.copy(frame, preludeBytes + checksumBytes + headers.length)
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - checksumBytes)), frame.length - checksumBytes)
  return frame
}

function encodeHeader(name: string, value: string): Buffer {
  const head = Buffer.alloc(1 + name.length + 3)
  head.writeUInt8(name.length, 0)
  head.write(name, 1, 'latin1')
  head.writeUInt8(textHeader, 1 + name.length)
  head.writeUInt16BE(Buffer.byteLength(value), 2 + name.length)
  return Buffer.concat([head, Buffer.from(value)])
}
