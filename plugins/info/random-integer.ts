/** Random integers between 64-bit bounds. */
import { randomBytes } from 'node:crypto'
import { quoteInput } from 'svc/plugin'
import { invalidRange } from './errors.ts'

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n
const LONGEST = String(MIN).length
/** Parses a signed 64-bit integer in decimal digits; throws `invalid_range`. */
export function readBound(text: string): bigint {
  const digits = /^-?\d+$/.test(text) ? text.replace(/^(-?)0+(?=\d)/, '$1') : ''
  // Checks the length first, because parsing thousands of digits is slow.
  const value = digits !== '' && digits.length <= LONGEST ? BigInt(digits) : null
  if (value === null || value < MIN || value > MAX) throw invalidRange(`invalid bound ${quoteInput(text)}`)
  return value
}

/** A uniform random integer from `lower` to `upper`, both included; throws `invalid_range` unless `lower` is smaller. */
export function randomBetween(lower: bigint, upper: bigint): bigint {
  if (lower >= upper) throw invalidRange(`${lower} is not less than ${upper}`)
  const span = upper - lower + 1n
  // Rejects draws beyond the last whole multiple of the span, which would favor small values.
  const fair = 2n ** 64n - (2n ** 64n % span)
  for (;;) {
    const draw = randomBytes(8).readBigUInt64BE()
    if (draw < fair) return lower + (draw % span)
  }
}
