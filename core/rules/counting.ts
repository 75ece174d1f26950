/** Decides which of the requests that meet a rule's conditions it acts on. */
import { drawShare } from './draw.ts'
import type { Rule } from './rule.ts'

/** The counters of a rule, for one session or the whole instance. Plain JSON; replaced, never changed. */
export interface RuleCount {
  matches: number
  hits: number
  /** Milliseconds since 1970; null before the first hit. */
  lastHitAt: number | null
  /** Whether the rule acted on the last request that met its conditions. */
  acted: boolean
}

export const NO_COUNT: RuleCount = { matches: 0, hits: 0, lastHitAt: null, acted: false }

type Counted = Pick<Rule, 'name' | 'skip' | 'every' | 'sample' | 'seed' | 'times' | 'steps' | 'isSequence' | 'loops'>

/** The counters after one more request that meets the conditions. Pure: the same arguments give the same result. */
export function countMatch(rule: Counted, before: RuleCount, now: number): RuleCount {
  const matches = before.matches + 1
  if (!acts(rule, matches, before.hits)) return { ...before, matches, acted: false }
  return { matches, hits: before.hits + 1, lastHitAt: now, acted: true }
}

function acts(rule: Counted, matches: number, hits: number): boolean {
  const after = matches - rule.skip
  if (after <= 0 || after % rule.every !== 0) return false
  if (rule.sample < 1 && drawShare('sample', rule.seed, rule.name, matches) >= rule.sample) return false
  return !isExhausted(rule, hits)
}

/** Whether it will never act again. */
export function isExhausted(rule: Counted, hits: number): boolean {
  return (rule.times !== null && hits >= rule.times) || nextStep(rule, hits) === null
}

/** Index of the step of the next hit; null if the list has been played. */
export function nextStep({ steps, isSequence, loops }: Counted, hits: number): number | null {
  if (!isSequence) return 0
  const total = steps.reduce((sum, { times }) => sum + (times ?? Infinity), 0)
  let rest = loops ? hits % total : hits
  for (const [index, { times }] of steps.entries()) {
    if (times === null || rest < times) return index
    rest -= times
  }
  return null
}
