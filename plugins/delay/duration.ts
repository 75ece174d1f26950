/** Parses durations in paths, and adds jitter. */
import { parseDecimal, parseInteger } from 'svc/toolkit'

/** Parses `250`, `250ms` or `1.5s` (case-insensitive) to whole milliseconds; null if the text is not a duration. */
export function parseDuration(text: string): number | null {
  const [, number, unit] = /^([\d.]+)(ms|s)?$/i.exec(text) ?? []
  if (number === undefined) return null
  if (unit?.toLowerCase() !== 's') return parseInteger(number)
  const seconds = parseDecimal(number)
  return seconds === null ? null : Math.round(seconds * 1000)
}

/** Milliseconds between 0.8 and 1.2 times `ms`, uniformly distributed, at most `maxMs`. `random` returns [0, 1). */
export function jitter(ms: number, maxMs: number, random: () => number = Math.random): number {
  const least = Math.ceil((ms * 8) / 10)
  const most = Math.floor((ms * 12) / 10)
  return Math.min(least + Math.floor(random() * (most - least + 1)), maxMs)
}
