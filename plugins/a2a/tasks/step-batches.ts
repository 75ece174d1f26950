/** Groups the steps of an agent: those without a delay are stored together with the step before them. */
import type { Step } from '../types.ts'

export type Steps = Iterable<Step> | AsyncIterable<Step>

export interface Batch {
  readonly steps: readonly Step[]
  /** No more steps follow. Unknown of agents that make their steps as they go. */
  readonly isLast: boolean
}

/** Fewer than the updates that are kept for followers. */
const MAX_STEPS = 32

export function isDelayed(step: Step | undefined): boolean {
  return (step?.afterMs ?? 0) > 0
}

/** The steps in their order. Only arrays can be grouped: a generator may wait before its next step. */
export function batchesOf(steps: Steps): Iterable<Batch> | AsyncIterable<Batch> {
  return Array.isArray(steps) ? groups(steps) : single(steps)
}

function* groups(steps: readonly Step[]): Generator<Batch> {
  let from = 0
  do {
    let to = from + 1
    while (to < steps.length && to < from + MAX_STEPS && !isDelayed(steps[to])) to++
    yield { steps: steps.slice(from, to), isLast: to >= steps.length }
    from = to
  } while (from < steps.length)
}

async function* single(steps: Iterable<Step> | AsyncIterable<Step>): AsyncGenerator<Batch> {
  for await (const step of steps) yield { steps: [step], isLast: false }
}
