/** The four failure behaviors: parses each from a path and decides the result of a request by its number. */
import { parseInteger } from 'svc/toolkit'
import { invalidCount, invalidFailRate, invalidPattern } from './errors.ts'

export interface Outcome {
  fails: boolean
  /** Further members of the response, in order. */
  fields: Record<string, string | number>
}

export interface Behavior {
  /** Name of the counter, such as `after:3`. */
  counter: string
  /** Decides the result of the request `number`, counted from 1. */
  judge(number: number): Outcome
}

const MAX_PATTERN = 64
const MAX_COUNT = 1_000_000

/** Fails a percentage of requests, each independently. `random` returns [0, 1). */
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

/** Repeats a pattern of successes (`S`) and failures (`F`). */
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

/** Succeeds a number of times, then always fails. */
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

/** Fails a number of times, then always succeeds. */
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
