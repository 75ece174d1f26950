/** JSON that keeps the exact digits of numbers, such as `9007199254740993` and `1.50`. */
import { isUtf8 } from 'node:buffer'
import { LosslessNumber, parse, stringify } from 'lossless-json'

/** A number with its exact text in `value`, which writing the number would change. */
export const ExactNumber = LosslessNumber
export type ExactNumber = LosslessNumber

/** An object for each number of a large body would take most of the memory of a small process. */
function numberOf(text: string): number | ExactNumber {
  const number = Number(text)
  return String(number) === text ? number : new ExactNumber(text)
}

/** A parsed number with its text; undefined for other values. */
export function exactOf(value: unknown): ExactNumber | undefined {
  if (value instanceof ExactNumber) return value
  return typeof value === 'number' ? new ExactNumber(String(value)) : undefined
}

/**
 * Parses a JSON text (RFC 8259); the last of duplicate members is used. Returns undefined if the text is not JSON or is
 * nested too deeply.
 */
export function parseExactly(text: Buffer): unknown {
  if (!isUtf8(text)) return undefined
  try {
    return parse(text.toString(), undefined, { parseNumber: numberOf, onDuplicateKey: ({ newValue }) => newValue })
  } catch {
    return undefined
  }
}

/** Serializes a value with exact numbers and big integers. Throws a RangeError if it is nested too deeply. */
export function writeExactly(value: unknown): string {
  return (isExactIn(value) ? stringify(value) : JSON.stringify(value)) ?? 'null'
}

/** Whether a value has numbers that only the slower writer can write. */
function isExactIn(value: unknown): boolean {
  if (typeof value === 'bigint' || value instanceof ExactNumber) return true
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? value.some(isExactIn) : Object.values(value).some(isExactIn)
}

/** Whether a number is written as an integer: digits with an optional sign. */
export function isInteger({ value }: ExactNumber): boolean {
  return /^-?\d+$/.test(value)
}
