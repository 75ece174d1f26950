/** Writes headers of version 2 of the PROXY protocol. */

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
/** From 203.0.113.7:40111 to 198.51.100.9:443. */
const ADDRESSES = Buffer.from([203, 0, 113, 7, 198, 51, 100, 9, 0x9c, 0xaf, 0x01, 0xbb])

export function tlv(type: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string)
  const head = Buffer.from([type, 0, 0])
  head.writeUInt16BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

/** By default `PROXY` over TCP and IPv4. */
export function binaryHeader({
  command = 1,
  family = 0x11,
  addresses = ADDRESSES,
  tlvs = [],
}: {
  command?: number
  family?: number
  addresses?: Buffer
  tlvs?: Buffer[]
} = {}): Buffer {
  const rest = Buffer.concat([addresses, ...tlvs])
  const fixed = Buffer.from([0x20 | command, family, 0, 0])
  fixed.writeUInt16BE(rest.length, 2)
  return Buffer.concat([SIGNATURE, fixed, rest])
}
