/** Owns the four ways to fail: how each is written in a path, and what becomes of the request with a number. */
import { parseInteger } from 'svc/plugin'
import { invalidCount, invalidFailRate, invalidPattern } from './errors.ts'

export interface Outcome {
  fails: boolean
  /** What the reply says beside `status` or `error` and the number, in order. */
  fields: Record<string, string | number>
}

export interface Behavior {
  /** Name of its counter: `after:3`. */
  counter: string
  /** What becomes of request `number`, from 1. */
  judge(number: number): Outcome
}

const MAX_PATTERN = 64
const MAX_COUNT = 1_000_000

/** Fails that percentage of requests, each decided alone. `random` answers 0 to below 1. */
export function failingAtRate(text: string, random: () => number = Math.random): Behavior & { rate: number } {
  const rate = parseInteger(text)
  if (rate === null || rate > 100) throw invalidFailRate(text)
  return {
    rate,
    counter: `rate:${rate}`,
    judge() {
      const fails = random() * 100 < rate
      return {
        fails,
        fields: {
          fail_rate: rate,
          message: fails ? `failed (failure rate ${rate} percent)` : `succeeded (failure rate ${rate} percent)`,
        },
      }
    },
  }
}

/** Succeeds and fails as a pattern of `S` and `F` says, over and over. */
export function failingByPattern(text: string): Behavior {
  if (!/^[sf]+$/i.test(text) || text.length > MAX_PATTERN) throw invalidPattern(text, MAX_PATTERN)
  const pattern = text.toUpperCase()
  return {
    counter: `pattern:${pattern}`,
    judge(number) {
      const position = (number - 1) % pattern.length
      const current = pattern[position]!
      return { fails: current === 'F', fields: { pattern, position, current } }
    },
  }
}

/** Succeeds that many times, then fails for good. */
export function failingAfter(text: string): Behavior {
  const threshold = readCount(text)
  return {
    counter: `after:${threshold}`,
    judge(number) {
      const fails = number > threshold
      return {
        fails,
        fields: {
          threshold,
          message: fails ? `failing after ${threshold} successes` : `success ${number} of ${threshold} before failing`,
        },
      }
    },
  }
}

/** Fails that many times, then succeeds for good. */
export function recoveringAfter(text: string): Behavior {
  const threshold = readCount(text)
  return {
    counter: `recover:${threshold}`,
    judge(number) {
      const fails = number <= threshold
      return {
        fails,
        fields: {
          threshold,
          message: fails
            ? `failure ${number} of ${threshold} before recovering`
            : `recovered after ${threshold} failures`,
        },
      }
    },
  }
}

function readCount(text: string): number {
  const count = parseInteger(text)
  if (count === null || count > MAX_COUNT) throw invalidCount(text, MAX_COUNT)
  return count
}
