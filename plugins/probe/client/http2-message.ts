/**
 * HTTP/2 messages as text: a first line, a line for each field in order with pseudo-header fields first, an empty line, and
 * the content. Both halves write messages in this form, so that they can be compared byte for byte.
 */
import type { Field } from './response-parser.ts'

/** Fields that belong to one connection of HTTP/1.1 and do not exist in HTTP/2 (RFC 9113, 8.2.2). */
const CONNECTION_FIELDS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])

/** The fields as HTTP/2 has them: lower-case names, values of one name together, nothing about the connection. */
export function http2Fields(fields: readonly Field[]): Field[] {
  const found = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const lower = name.toLowerCase()
    if (CONNECTION_FIELDS.has(lower)) continue
    const before = found.get(lower)
    if (before === undefined) found.set(lower, [value])
    else before.push(value)
  }
  return [...found].flatMap(([name, values]) => values.map((value): Field => [name, value]))
}

export function http2RequestHead(fields: readonly Field[]): Buffer {
  const pseudo = new Map(fields.filter(([name]) => name.startsWith(':')))
  return Buffer.from(
    `${pseudo.get(':method') ?? 'GET'} ${pseudo.get(':path') ?? ''} HTTP/2\r\n${linesOf(fields)}\r\n`,
    'latin1',
  )
}

export function http2ResponseHead(status: number, fields: readonly Field[]): Buffer {
  return Buffer.from(`HTTP/2 ${status}\r\n${linesOf(fields)}\r\n`, 'latin1')
}

/** Trailers follow the content. */
export function http2Trailers(fields: readonly Field[]): Buffer {
  return Buffer.from(fields.length === 0 ? '' : `\r\n${linesOf(fields)}`, 'latin1')
}

/** The fields of lines in this form. */
export function fieldsOfLines(lines: readonly string[]): Field[] {
  return lines
    .filter(line => line !== '')
    .map(line => {
      // The name of a pseudo-header field begins with a colon.
      const colon = line.indexOf(':', 1)
      return colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
}

function linesOf(fields: readonly Field[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
}
