/** Owns request headers that repeat parts of the body: reading, decoding and comparing them. */
import type { FastifyRequest } from 'svc/plugin'
import { CODES, RpcError } from '../../errors.ts'

/** A header's value; undefined when absent, null when it came more than once, which equals nothing. */
export type HeaderReader = (name: string) => string | null | undefined

export function headerReader(request: FastifyRequest): HeaderReader {
  return name => {
    const value = request.headers[name]
    if (value === undefined) return undefined
    if (Array.isArray(value)) return null
    // Node joins repeated lines by a comma, so only a value with one needs a second look.
    return value.includes(',') && countLines(request.raw.rawHeaders, name) > 1 ? null : value
  }
}

/** A value of the form `=?base64?…?=` is base64 of UTF-8, any other is literal. Throws -32020 on malformed base64. */
export function decodeHeader(header: string, value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  // Canonical, padded, and valid UTF-8: both ways of encoding it again must give the same.
  if (bytes.toString('base64') !== encoded || !Buffer.from(text, 'utf8').equals(bytes))
    throw mismatch(`${header} header is not valid base64 of UTF-8`)
  return text
}

/** Equal as text; integers as numbers, so that `42.0` is 42. */
export function equalsArgument(value: string, argument: unknown): boolean {
  if (Number.isInteger(argument)) return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) && Number(value) === argument
  return ['string', 'boolean', 'number'].includes(typeof argument) && value === String(argument)
}

/** -32020 with status 400. */
export function mismatch(problem: string): RpcError {
  return new RpcError(CODES.headerMismatch, `Header mismatch: ${problem}`, { status: 400 })
}

function countLines(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}
