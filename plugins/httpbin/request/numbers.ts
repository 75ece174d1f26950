/** Numbers and durations in paths and queries, in the syntax of the originals. */
import { parseGoDuration } from 'svc/toolkit'
import { Failure, NoSuchPath } from '../failure.ts'

/** A whole number in a path of httpbin. Anything else is another path. */
export function pathNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new NoSuchPath()
  return Number(text)
}

/** A number of httpbin, such as `1.5`; null if it is not one. */
export function pythonFloat(text: string): number | null {
  const trimmed = text.trim()
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : null
}

const LARGEST = 2n ** 63n

/** A whole number of go-httpbin. `what` precedes the error: `invalid byte count`. */
export function goInteger(text: string, what: string, call: 'Atoi' | 'ParseInt' = 'Atoi'): number {
  const fail = (reason: string): Failure =>
    new Failure(400, `${what}: strconv.${call}: parsing ${goQuote(text)}: ${reason}`)
  if (!/^[+-]?\d+$/.test(text)) throw fail('invalid syntax')
  if (text.length > 20 || BigInt(text.replace('+', '')) >= LARGEST || BigInt(text.replace('+', '')) < -LARGEST)
    throw fail('value out of range')
  return Number(text)
}

/** A decimal of go-httpbin; null if it is not one. */
export function goFloat(text: string): number | null {
  return pythonFloat(text) === null || text !== text.trim() ? null : Number(text)
}

/** Text in quotes, as Go prints it in errors. */
export function goQuote(text: string): string {
  return JSON.stringify(text)
}

/** Milliseconds of a duration of go-httpbin: a Go duration, or a number of seconds. */
export function goDuration(text: string, what: string, { min = 0, max }: { min?: number; max: number }): number {
  const seconds = goFloat(text)
  const ms = parseGoDuration(text) ?? (seconds === null ? null : Math.trunc(seconds * 1000))
  if (ms === null) throw new Failure(400, `${what}: strconv.ParseFloat: parsing ${goQuote(text)}: invalid syntax`)
  if (ms > max) throw new Failure(400, `${what}: duration ${showDuration(ms)} longer than ${showDuration(max)}`)
  if (ms < min) throw new Failure(400, `${what}: duration ${showDuration(ms)} shorter than ${showDuration(min)}`)
  return ms
}

/** Milliseconds as Go prints them: `1m40s`, `500ms`. */
export function showDuration(ms: number): string {
  if (ms === 0) return '0s'
  const sign = ms < 0 ? '-' : ''
  const size = Math.abs(ms)
  if (size < 1e-3) return `${sign}${Math.round(size * 1e6)}ns`
  if (size < 1) return `${sign}${decimal(size * 1e3)}µs`
  if (size < 1000) return `${sign}${decimal(size)}ms`
  const hours = Math.floor(size / 3_600_000)
  const minutes = Math.floor(size / 60_000) % 60
  const seconds = `${decimal((size % 60_000) / 1000)}s`
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : sign + seconds
}

function decimal(value: number): string {
  return String(Number(value.toFixed(9)))
}
