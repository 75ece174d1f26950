/** Owns durations as they are written in a path, and how they are varied. */
import { parseDecimal, parseInteger } from 'svc/plugin'

/** Whole milliseconds of `250`, `250ms` or `1.5s` (units in any case); null when it is none of them. */
export function parseDuration(text: string): number | null {
  const [, number, unit] = /^([\d.]+)(ms|s)?$/i.exec(text) ?? []
  if (number === undefined) return null
  if (unit?.toLowerCase() !== 's') return parseInteger(number)
  const seconds = parseDecimal(number)
  return seconds === null ? null : Math.round(seconds * 1000)
}

/** Milliseconds between 0.8 and 1.2 times `ms`, evenly, never above `maxMs`. `random` answers 0 to below 1. */
export function jitter(ms: number, maxMs: number, random: () => number = Math.random): number {
  const least = Math.ceil((ms * 8) / 10)
  const most = Math.floor((ms * 12) / 10)
  return Math.min(least + Math.floor(random() * (most - least + 1)), maxMs)
}
