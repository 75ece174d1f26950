/** Durations in the syntax of Go's `time.ParseDuration`. Imports nothing. */

const UNITS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const MAX_LENGTH = 100

/** Milliseconds of a Go duration such as `1m30s`; null if it is not one. */
export function parseGoDuration(text: string): number | null {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  const amounts = text.slice(sign.length)
  if (amounts === '0') return 0
  if (amounts === '' || amounts.length > MAX_LENGTH) return null
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|\u03bcs|ms|s|m|h)/y
  let ms = 0
  while (part.lastIndex < amounts.length) {
    const [, amount, unit] = part.exec(amounts) ?? []
    if (amount === undefined || unit === undefined) return null
    ms += Number(amount) * UNITS[unit]!
  }
  return sign === '-' ? -ms : ms
}
