/** Adjusts values to the constraints of a JSON Schema: lengths, ranges, multiples. */
import { type JsonObject, countOf } from './json.ts'

const paddedCharacters = 4096

/** Cuts or pads a text to `minLength` and `maxLength` (code points); pads up to 4096 characters. */
export function fitText(text: string, schema: JsonObject): string {
  const least = Math.min(countOf(schema.minLength) ?? 0, paddedCharacters)
  const most = countOf(schema.maxLength) ?? Infinity
  let points = [...text]
  if (points.length < least) points = [...text.padEnd(least + text.length - points.length, `${text || 'x'} `)]
  return points.length > most ? points.slice(0, most).join('') : points.join('')
}

interface Bound {
  value: number
  exclusive: boolean
}

function lowerBound(schema: JsonObject): Bound {
  return bound(schema.minimum, schema.exclusiveMinimum, -Infinity, (a, b) => a >= b)
}

function upperBound(schema: JsonObject): Bound {
  return bound(schema.maximum, schema.exclusiveMaximum, Infinity, (a, b) => a <= b)
}

/** An exclusive bound is a number; in older drafts it is a flag for the inclusive bound. */
function bound(
  inclusive: unknown,
  exclusive: unknown,
  none: number,
  isTighter: (a: number, b: number) => boolean,
): Bound {
  const soft = typeof inclusive === 'number' ? inclusive : none
  if (typeof exclusive === 'number' && isTighter(exclusive, soft)) return { value: exclusive, exclusive: true }
  return { value: soft, exclusive: exclusive === true && soft !== none }
}

/** The number nearest to `value` that the schema's range and multiples allow, `variant` steps further if possible. */
export function fitNumber(value: number, schema: JsonObject, isInteger: boolean, variant: number): number {
  const low = lowerBound(schema)
  const high = upperBound(schema)
  const step = stepOf(schema.multipleOf, isInteger)
  if (step !== undefined) return fitStep(value, step, low, high, variant)
  const moved = value + variant
  if (isWithin(moved, low, high)) return moved
  const isBounded = Number.isFinite(low.value) && Number.isFinite(high.value)
  if (isBounded) return low.value + ((high.value - low.value) * (variant + 1)) / (variant + 2)
  return Number.isFinite(low.value) ? low.value + 1 + variant : high.value - 1 - variant
}

function isWithin(value: number, low: Bound, high: Bound): boolean {
  return (
    (low.exclusive ? value > low.value : value >= low.value) &&
    (high.exclusive ? value < high.value : value <= high.value)
  )
}

function stepOf(multipleOf: unknown, isInteger: boolean): number | undefined {
  if (typeof multipleOf !== 'number' || !(multipleOf > 0)) return isInteger ? 1 : undefined
  if (!isInteger || Number.isInteger(multipleOf)) return multipleOf
  // The smallest integer multiple of a step such as 0.5, with a limited search; otherwise 1.
  for (let factor = 2; factor <= 1000; factor++) {
    const whole = roundOff(multipleOf * factor)
    if (Number.isInteger(whole)) return whole
  }
  return 1
}

function fitStep(value: number, step: number, low: Bound, high: Bound, variant: number): number {
  let first = Math.ceil(roundOff(low.value / step))
  if (low.exclusive && roundOff(first * step) <= low.value) first++
  let last = Math.floor(roundOff(high.value / step))
  if (high.exclusive && roundOff(last * step) >= high.value) last--
  let factor = Math.min(Math.max(Math.round(value / step), first), last) + variant
  if (factor > last) factor = Math.max(first, last - variant)
  return roundOff(factor * step)
}

/** Removes the rounding errors of binary fractions: 0.1 * 3 is 0.3. */
function roundOff(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(12)) : value
}
