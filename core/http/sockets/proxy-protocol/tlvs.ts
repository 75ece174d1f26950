/** The TLVs of version 2 of the PROXY protocol (section 2.2.6 to 2.2.8 of its specification). */
import { isUtf8 } from 'node:buffer'
import type { ProxySsl, ProxyTlv } from '../../../contract/proxy-header.ts'

const NAMES: Readonly<Record<number, string>> = {
  0x01: 'alpn',
  0x02: 'authority',
  0x03: 'crc32c',
  0x05: 'unique_id',
  0x20: 'ssl',
  0x30: 'netns',
}
export const CRC32C = 0x03
const NOOP = 0x04
const SSL = 0x20
const SSL_NAMES: Readonly<Record<number, 'version' | 'cn' | 'cipher' | 'sig_alg' | 'key_alg'>> = {
  0x21: 'version',
  0x22: 'cn',
  0x23: 'cipher',
  0x24: 'sig_alg',
  0x25: 'key_alg',
}
const CLIENT_BITS = ['ssl', 'cert_conn', 'cert_sess'] as const

/** A TLV, and where its value begins. */
export interface RawTlv {
  type: number
  value: Buffer
  offset: number
}

/** Splits TLVs; null if one runs over the end. */
export function splitTlvs(bytes: Buffer): RawTlv[] | null {
  const found: RawTlv[] = []
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes.length - offset < 3) return null
    const end = offset + 3 + bytes.readUInt16BE(offset + 1)
    if (end > bytes.length) return null
    found.push({ type: bytes[offset]!, value: bytes.subarray(offset + 3, end), offset: offset + 3 })
    offset = end
  }
  return found
}

/** TLVs as they are shown, without padding; null if the one about TLS is malformed. */
export function showTlvs(tlvs: readonly RawTlv[]): ProxyTlv[] | null {
  const shown: ProxyTlv[] = []
  for (const { type, value } of tlvs) {
    if (type === NOOP) continue
    const name = NAMES[type] ?? null
    if (type === SSL) {
      const ssl = readSsl(value)
      if (ssl === null) return null
      shown.push({ type, name, value: ssl })
      continue
    }
    const text = printable(value)
    shown.push(text === null ? { type, name, value_base64: value.toString('base64') } : { type, name, value: text })
  }
  return shown
}

function readSsl(value: Buffer): ProxySsl | null {
  if (value.length < 5) return null
  const parts = splitTlvs(value.subarray(5))
  if (parts === null) return null
  const ssl: ProxySsl = {
    client: CLIENT_BITS.filter((_, bit) => (value[0]! >> bit) & 1),
    verify: value.readUInt32BE(1),
  }
  for (const part of parts) {
    const name = SSL_NAMES[part.type]
    if (name !== undefined) ssl[name] = printable(part.value) ?? part.value.toString('base64')
  }
  return ssl
}

/** The text of printable UTF-8; else null. */
function printable(value: Buffer): string | null {
  if (!isUtf8(value)) return null
  const text = value.toString()
  return /[\p{Cc}\u2028\u2029]/u.test(text) ? null : text
}
