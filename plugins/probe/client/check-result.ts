/** What a run says of a check in one protocol. */
import type { Check, Protocol, Verdict, VerdictWord } from '../catalog/check.ts'
import type { CauseId } from '../catalog/causes.ts'
import type { Attempt } from './attempts.ts'
import type { Evidence } from './evidence.ts'
import type { Job } from './jobs.ts'

export interface CheckResult {
  check: Check
  protocol: Protocol
  /** `chat:messages`; null: the check is not one for pairs. */
  pair: string | null
  verdict: VerdictWord
  summary: string
  reason: string | null
  values: Record<string, unknown>
  cause?: CauseId
  repeats: VerdictWord[]
  direct: 'same' | 'differs' | 'not run'
  tookMs: number
  evidence: Evidence | null
  /** If the attempts disagree: the first one, unless it says the same as `summary` and `evidence`. */
  otherAttempt: Attempt | null
}

/** How a verdict was found. */
type Course = Pick<CheckResult, 'repeats' | 'direct' | 'evidence' | 'otherAttempt' | 'tookMs'>

/** Of a check that did not run through the gateway. */
export function notRun(job: Job, verdict: Verdict, direct: CheckResult['direct'] = 'not run'): CheckResult {
  const repeats = verdict.verdict === 'skip' ? [] : [verdict.verdict]
  return checkResult(job, verdict, { repeats, direct, evidence: null, otherAttempt: null, tookMs: 0 })
}

export function checkResult(
  { check, protocol }: Job,
  { verdict, summary, values, cause }: Verdict,
  course: Course,
): CheckResult {
  const hasReason = verdict === 'skip' || verdict === 'error'
  return {
    check,
    protocol,
    pair: check.pair ?? null,
    verdict,
    summary: hasReason ? '' : summary,
    reason: hasReason ? summary : null,
    values,
    ...(cause === undefined ? {} : { cause }),
    ...course,
    tookMs: Math.round(course.tookMs),
  }
}
