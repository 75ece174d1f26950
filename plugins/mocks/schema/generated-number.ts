/** Generates numbers from 1 to 1000, or close to that range if the bounds require it. */
import type { FlatSchema } from './flat-schema.ts'
import { SeededRandom } from './seed.ts'

/** A number for a schema. Non-integers have two decimals. */
export function generateNumber(schema: FlatSchema, isInteger: boolean, seed: string): number {
  const random = new SeededRandom(seed)
  const step = schema.multipleOf ?? (isInteger ? 1 : 0.01)
  const whole = isInteger && step % 1 !== 0 ? 1 : step
  const range = bounds(schema, isInteger)
  const lowest = Math.ceil(round(range.low / whole))
  const highest = Math.floor(round(range.high / whole))
  if (lowest > highest) return narrow(schema, isInteger)
  return round(random.integer(lowest, highest) * whole)
}

/** The inclusive range: 1 to 1000, shifted to the bounds of the schema. */
function bounds(schema: FlatSchema, isInteger: boolean): { low: number; high: number } {
  const nudge = isInteger ? 1 : 0.01
  const minimum = Math.max(schema.minimum, open(schema.exclusiveMinimum, nudge), formatRange(schema, -1))
  const maximum = Math.min(schema.maximum, open(schema.exclusiveMaximum, -nudge), formatRange(schema, 1))
  const low = Math.max(minimum, Math.min(1, maximum))
  const wanted = Math.max(1000, (schema.multipleOf ?? 1) * 10)
  const high = Math.min(maximum, low <= 1 ? wanted : low + wanted)
  return { low, high }
}

function open(bound: number, nudge: number): number {
  if (!Number.isFinite(bound)) return bound
  // For large numbers, where the offset would be lost to rounding, the nearest distinguishable value is the next
  // integer.
  return bound + nudge === bound
    ? bound + Math.sign(nudge) * Math.max(1, Math.abs(bound) * Number.EPSILON * 2)
    : bound + nudge
}

function formatRange(schema: FlatSchema, side: 1 | -1): number {
  return schema.format === 'int32' ? side * 2_147_483_647 : side * Infinity
}

/** The middle of the bounds, if they contain no multiple. */
function narrow(schema: FlatSchema, isInteger: boolean): number {
  const low = Math.max(schema.minimum, schema.exclusiveMinimum)
  const high = Math.min(schema.maximum, schema.exclusiveMaximum)
  const middle =
    Number.isFinite(low) && Number.isFinite(high)
      ? (low + high) / 2
      : Number.isFinite(low)
        ? low + 1
        : Number.isFinite(high)
          ? high - 1
          : 1
  return isInteger ? Math.round(middle) : middle
}

/** Removes floating-point rounding errors (0.1 + 0.2). */
function round(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : value
}
