/** Owns JSON whose numbers stay as they were written: `9007199254740993` and `1.50` go back digit for digit. */
import { isUtf8 } from 'node:buffer'
import { LosslessNumber, parse, stringify } from 'lossless-json'

/** A number as it was written. Its `value` is its text. */
export const ExactNumber = LosslessNumber
export type ExactNumber = LosslessNumber

/** The value of a JSON text (RFC 8259); of members of one name the last counts. Undefined when it is none, or nested too deep. */
export function parseExactly(text: Buffer): unknown {
  if (!isUtf8(text)) return undefined
  try {
    return parse(text.toString(), undefined, { onDuplicateKey: ({ newValue }) => newValue })
  } catch {
    return undefined
  }
}

/** JSON of a value that may hold exact numbers and big integers. Throws a RangeError when it is nested too deep. */
export function writeExactly(value: unknown): string {
  return stringify(value) ?? 'null'
}

/** Whether a number was written as an integer: digits with at most a sign. */
export function isInteger({ value }: ExactNumber): boolean {
  return /^-?\d+$/.test(value)
}
