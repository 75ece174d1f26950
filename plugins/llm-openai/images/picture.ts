/** Makes PNG images (W3C PNG, 5) of one color. */
import { crc32, deflateSync } from 'node:zlib'

/** Pixels of the request for each pixel of the picture. */
const SCALE = 64

/** A picture with the proportions of the size, whose color follows from six hex digits. */
export function picture({ width, height }: { width: number; height: number }, color: string): Buffer {
  const columns = Math.max(1, Math.round(width / SCALE))
  const rows = Math.max(1, Math.round(height / SCALE))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(columns, 0)
  header.writeUInt32BE(rows, 4)
  // Eight bits for each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  // Each row begins with its filter: none.
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(columns * 3, Buffer.from(color.slice(0, 6), 'hex'))])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(4 + named.length + 4)
  frame.writeUInt32BE(data.length, 0)
  named.copy(frame, 4)
  frame.writeUInt32BE(crc32(named), 4 + named.length)
  return frame
}
