/** Parsers for limits: numbers for which 0 and some words switch the limit off. */
import { digits, parser } from '../contract/parsers.ts'

/** A whole number, with `_` allowed between digits. 0 and the words for "unlimited" give null: the limit is off. */
export const planLimit = parser<number | null>('whole number, or unlimited', value => {
  if (isUnlimited(value)) return null
  return /^[0-9]+(?:_[0-9]+)*$/.test(value) ? orNull(digits(value.replaceAll('_', ''))) : undefined
})

/**
 * Megabytes (1,000,000 bytes), fractions allowed, converted to whole bytes. 0 and the words for "unlimited" give null.
 */
export const planMegabytes = parser<number | null>('megabytes, 0 to 1000000000000, or unlimited', value => {
  if (isUnlimited(value)) return null
  if (!/^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/.test(value) || Number(value) > 1e12) return undefined
  return orNull(Math.round(Number(value) * 1e6))
})

/** Requests per day of a key; 0 and `unlimited` give null. */
export const dailyRequests = parser<number | null>('whole number, or unlimited', value =>
  /^unlimited$/i.test(value) ? null : orNull(digits(value)),
)

function isUnlimited(value: string): boolean {
  return /^(?:unlimited|off)$/i.test(value)
}

function orNull(value: number | undefined): number | null | undefined {
  return value === 0 ? null : value
}
