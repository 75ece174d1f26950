/** Owns random integers between bounds of up to 64 bits. */
import { randomBytes } from 'node:crypto'
import { quoteInput } from 'svc/plugin'
import { invalidRange } from './errors.ts'

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n
const LONGEST = String(MIN).length
/** A signed 64-bit integer in decimal digits; throws `invalid_range`. */
export function readBound(text: string): bigint {
  const digits = /^-?\d+$/.test(text) ? text.replace(/^(-?)0+(?=\d)/, '$1') : ''
  // The length is looked at first: a number of thousands of digits takes time to read.
  const value = digits !== '' && digits.length <= LONGEST ? BigInt(digits) : null
  if (value === null || value < MIN || value > MAX) throw invalidRange(`invalid bound ${quoteInput(text)}`)
  return value
}

/** An integer from `lower` to `upper`, both included, all equally likely; throws `invalid_range` unless `lower` is smaller. */
export function randomBetween(lower: bigint, upper: bigint): bigint {
  if (lower >= upper) throw invalidRange(`${lower} is not less than ${upper}`)
  const span = upper - lower + 1n
  // Of the 2^64 draws those beyond the last whole multiple of the span would favor small values.
  const fair = 2n ** 64n - (2n ** 64n % span)
  for (;;) {
    const drawn = randomBytes(8).readBigUInt64BE()
    if (drawn < fair) return lower + (drawn % span)
  }
}
