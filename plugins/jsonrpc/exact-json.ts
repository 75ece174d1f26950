/** JSON that keeps the exact digits of numbers, such as `9007199254740993` and `1.50`. */
import { isUtf8 } from 'node:buffer'
import { LosslessNumber, parse, stringify } from 'lossless-json'

/** A number with its exact text in `value`. */
export const ExactNumber = LosslessNumber
export type ExactNumber = LosslessNumber

/**
 * Parses a JSON text (RFC 8259); the last of duplicate members is used. Returns undefined if the text is not JSON or is
 * nested too deeply.
 */
export function parseExactly(text: Buffer): unknown {
  if (!isUtf8(text)) return undefined
  try {
    return parse(text.toString(), undefined, { onDuplicateKey: ({ newValue }) => newValue })
  } catch {
    return undefined
  }
}

/** Serializes a value with exact numbers and big integers. Throws a RangeError if it is nested too deeply. */
export function writeExactly(value: unknown): string {
  return stringify(value) ?? 'null'
}

/** Whether a number is written as an integer: digits with an optional sign. */
export function isInteger({ value }: ExactNumber): boolean {
  return /^-?\d+$/.test(value)
}
