/** Value tests of expectations. */
import { StepBudget, type Json } from 'svc/plugin'
import { readValueTest } from 'svc/toolkit'
import { comparisonOf } from '../../file/read-expectation.ts'

/** For one expectation. */
const STEPS = 20_000_000
const CHECK_STEPS = 1_000_000

export interface Checker {
  /** Throws `TooExpensive`. */
  holds(name: string, test: Json, values: readonly Json[]): boolean
}

export function createChecker(): Checker {
  const steps = new StepBudget(STEPS)
  const checks = new StepBudget(CHECK_STEPS)
  const known = new Map<string, ReturnType<typeof readValueTest>>()
  return {
    holds(name, test, values) {
      const key = `${name} ${JSON.stringify(test)}`
      let read = known.get(key)
      if (read === undefined)
        known.set(key, (read = readValueTest(test, name, { comparison: comparisonOf(name), checks })))
      return read.holds(values, steps)
    },
  }
}
