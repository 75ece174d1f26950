/** Query strings, decoded as the originals do it. */
import { isUtf8 } from 'node:buffer'

/** Values by name, in the order of the first occurrence. */
export type Values = Map<string, string[]>

/** Reads a query as httpbin does: bytes that are not UTF-8 stay percent-encoded. */
export function readLenient(query: string): Values {
  return collect(query, text => decodeText(text.replaceAll('+', ' '), () => true))
}

/** Reads a query as go-httpbin does: a pair with a semicolon or a malformed escape is skipped. */
export function readStrict(query: string): Values {
  return collect(query, text => {
    if (text.includes(';') || /%(?![\da-f]{2})/i.test(text)) return null
    return decodeForm(text)
  })
}

/** A form body as go-httpbin reads it; null if an escape is malformed. */
export function readForm(body: string): Values | null {
  return /%(?![\da-f]{2})/i.test(body) ? null : collect(body, decodeForm)
}

function collect(query: string, decode: (text: string) => string | null): Values {
  const values: Values = new Map()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1))
    if (name === null || value === null) continue
    const before = values.get(name)
    if (before === undefined) values.set(name, [value])
    else before.push(value)
  }
  return values
}

/** Most names and values have nothing to decode. */
const PLAIN = /^[\w.~*-]*$/

/** Escapes that are not UTF-8 become U+FFFD (WHATWG URL, 5.1). */
function decodeForm(text: string): string {
  if (PLAIN.test(text)) return text
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? ''
}

/**
 * Decodes the percent-encoded characters that `isWanted` accepts. Malformed escapes and bytes that are not UTF-8 stay
 * percent-encoded.
 */
export function decodeText(text: string, isWanted: (character: string) => boolean): string {
  if (!text.includes('%')) return text
  return text.replace(/(?:%[\da-f]{2})+/gi, run => {
    const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
    let decoded = ''
    for (let at = 0; at < bytes.length; ) {
      const length = sequenceLength(bytes[at]!)
      const sequence = bytes.subarray(at, at + length)
      const character = sequence.length === length && isUtf8(sequence) ? sequence.toString() : null
      if (character !== null && isWanted(character)) decoded += character
      else decoded += run.slice(3 * at, 3 * (at + (character === null ? 1 : length)))
      at += character === null ? 1 : length
    }
    return decoded
  })
}

/** Bytes of the UTF-8 sequence that starts with this byte. */
function sequenceLength(lead: number): number {
  return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
}
