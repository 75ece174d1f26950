/** Owns small images: encodes PNG (RFC 2083) and draws patterns. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const TRUECOLOR_8_BIT = [8, 2, 0, 0, 0]

/** A square image of `size` pixels; `colorAt` gives red, green and blue from 0 to 255. */
export function encodePng(size: number, colorAt: (x: number, y: number) => readonly [number, number, number]): Buffer {
  // Each row begins with its filter type; 0 means no filter.
  const rows = Buffer.alloc(size * (1 + size * 3))
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) rows.set(colorAt(x, y), y * (1 + size * 3) + 1 + x * 3)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set(TRUECOLOR_8_BIT, 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Draws a gradient with blocks, derived from a hash: the same text and size give the same image. */
export function drawPattern(text: string, size: number): Buffer {
  const hash = createHash('sha256').update(text).digest()
  return encodePng(size, (x, y) => {
    // Eight bits per row of blocks, mirrored like an identicon.
    const bits = hash[6 + Math.floor((y * 8) / size)] ?? 0
    const isMarked = (bits >> Math.floor((Math.min(x, size - 1 - x) * 8) / size)) & 1
    const share = (x + y) / Math.max(1, 2 * size - 2)
    const channel = (index: number) => Math.round((hash[index] ?? 0) * (1 - share) + (hash[index + 3] ?? 0) * share)
    return isMarked ? [255 - channel(0), 255 - channel(1), 255 - channel(2)] : [channel(0), channel(1), channel(2)]
  })
}

/** Length, type, data and checksum (RFC 2083, 3.2). */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** CRC-32 (ISO 3309; RFC 2083, 15). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
