/** The forms of a report in a header field, as Envoy reads them, and the binary form of the message. */
import { type LoadReport, MAPS, NUMBERS } from './report.ts'

export const FORMATS = ['TEXT', 'JSON', 'BIN'] as const
export type Format = (typeof FORMATS)[number]

/** The format with this name in any case; null if there is none. */
export function readFormat(text: string): Format | null {
  return FORMATS.find(format => format === text.trim().toUpperCase()) ?? null
}

/** The value of the field `endpoint-load-metrics`. */
export function fieldValue(report: LoadReport, format: Format): string {
  if (format === 'JSON') return `JSON ${JSON.stringify(report)}`
  if (format === 'BIN') return `BIN ${toBinary(report).toString('base64')}`
  const pairs: string[] = []
  for (const { member } of NUMBERS) if (report[member] !== undefined) pairs.push(`${member}=${report[member]}`)
  for (const { member } of MAPS)
    for (const [name, value] of Object.entries(report[member] ?? {})) pairs.push(`${member}.${name}=${value}`)
  return `TEXT ${pairs.join(', ')}`
}

/** Wire types of Protocol Buffers. */
const I64 = 1
const LEN = 2

/** The serialized OrcaLoadReport. By hand, because headers need no gRPC packages. */
export function toBinary(report: LoadReport): Buffer {
  const parts: Buffer[] = []
  for (const { member, field } of NUMBERS) {
    const value = report[member]
    // A field with its default value is not sent.
    if (value !== undefined && value !== 0) parts.push(double(field, value))
  }
  for (const { member, field } of MAPS)
    for (const [name, value] of Object.entries(report[member] ?? {})) {
      const entry = Buffer.concat([lengthDelimited(1, Buffer.from(name)), double(2, value)])
      parts.push(lengthDelimited(field, entry))
    }
  return Buffer.concat(parts)
}

function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(9)
  bytes[0] = field * 8 + I64
  bytes.writeDoubleLE(value, 1)
  return bytes
}

/** Names have at most 64 bytes, so that the length takes one byte. */
function lengthDelimited(field: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([field * 8 + LEN, content.length]), content])
}
