/** The plan of a batch, and its state at an instant: a function of the record and the clock. */

import type { BatchPlan } from '../contract/route.ts'

export const DEFAULT_PLAN: BatchPlan = { ms: 1000, outcome: 'complete', errors: 0, shuffle: false }

const OUTCOMES = ['fail', 'expire', 'cancel'] as const

/** Parses `2s, expire, errors=10, shuffle`; null if the text is not valid. */
export function parsePlan(text: string, maxMs: number): BatchPlan | null {
  const plan = { ...DEFAULT_PLAN }
  const words = text.split(',').map(word => word.trim())
  if (words.length > 4) return null
  for (const [index, word] of words.entries()) {
    const time = index === 0 ? /^(\d{1,9})(ms|s)?$/.exec(word) : null
    const errors = /^errors=(\d{1,3})$/.exec(word)
    const outcome = OUTCOMES.find(candidate => candidate === word)
    if (time !== null) plan.ms = Math.min(Number(time[1]) * (time[2] === 's' ? 1000 : 1), maxMs)
    else if (outcome !== undefined && plan.outcome === 'complete') plan.outcome = outcome
    else if (errors !== null && Number(errors[1]) <= 100) plan.errors = Number(errors[1])
    else if (word === 'shuffle') plan.shuffle = true
    else return null
  }
  return plan
}

/** What the state of a batch depends on. */
export interface PlannedBatch {
  plan: BatchPlan
  total: number
  /** Milliseconds since 1970. */
  createdAt: number
  cancelledAt: number | null
  /** The input is wrong. */
  isInvalid: boolean
}

export type BatchPhase =
  | 'validating'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelling'
  | 'cancelled'

export interface BatchState {
  phase: BatchPhase
  isEnded: boolean
  /** Items that are done, or that will have been done at the end. */
  done: number
  /** When the phases began, in milliseconds since 1970; null: not yet. */
  inProgressAt: number | null
  finalizingAt: number | null
  cancellingAt: number | null
  endedAt: number | null
}

const VALIDATED = 0.2
const PROCESSED = 0.8
const CANCELLING = 0.1
/** Where a batch cancels itself (`cancel`). */
const SELF_CANCELLED = 0.5

export function stateAt(batch: PlannedBatch, now: number): BatchState {
  const { plan, createdAt, total } = batch
  const at = (share: number): number => createdAt + plan.ms * share
  const since = (time: number): number | null => (time <= now ? time : null)
  const none = { inProgressAt: null, finalizingAt: null, cancellingAt: null, endedAt: null }
  if (batch.isInvalid || plan.outcome === 'fail') {
    const failed = since(at(VALIDATED))
    return {
      ...none,
      phase: failed === null ? 'validating' : 'failed',
      isEnded: failed !== null,
      done: 0,
      endedAt: failed,
    }
  }
  const doneAt = (time: number): number => {
    const share = plan.ms === 0 ? 1 : (time - at(VALIDATED)) / (at(PROCESSED) - at(VALIDATED))
    return Math.floor(total * Math.min(1, Math.max(0, share)))
  }
  const began = since(at(VALIDATED))
  const cancelledAt = batch.cancelledAt ?? (plan.outcome === 'cancel' ? at(SELF_CANCELLED) : null)
  if (cancelledAt !== null && cancelledAt <= now) {
    const endedAt = since(cancelledAt + plan.ms * CANCELLING)
    const isEnded = endedAt !== null
    return {
      phase: isEnded ? 'cancelled' : 'cancelling',
      isEnded,
      done: doneAt(cancelledAt),
      inProgressAt: at(VALIDATED) <= cancelledAt ? began : null,
      finalizingAt: null,
      cancellingAt: cancelledAt,
      endedAt,
    }
  }
  const endedAt = since(at(1))
  const isExpiring = plan.outcome === 'expire'
  const done = Math.min(doneAt(now), isExpiring ? Math.floor(total / 2) : total)
  const finalizingAt = isExpiring ? null : since(at(PROCESSED))
  const open = finalizingAt !== null ? 'finalizing' : began !== null ? 'in_progress' : 'validating'
  return {
    phase: endedAt === null ? open : isExpiring ? 'expired' : 'completed',
    isEnded: endedAt !== null,
    done,
    inProgressAt: began,
    finalizingAt,
    cancellingAt: null,
    endedAt,
  }
}
