/** What a run says of a check in one protocol. */
import type { Check, Protocol, Verdict, VerdictWord } from '../catalog/check.ts'
import type { Evidence } from './evidence.ts'
import type { Job } from './jobs.ts'

export interface CheckResult {
  check: Check
  protocol: Protocol
  verdict: VerdictWord
  summary: string
  reason: string | null
  values: Record<string, unknown>
  repeats: VerdictWord[]
  direct: 'same' | 'differs' | 'not run'
  tookMs: number
  evidence: Evidence | null
}

/** How a verdict was found. */
type Course = Pick<CheckResult, 'repeats' | 'direct' | 'evidence' | 'tookMs'>

export const NOT_RUN: Course = { repeats: [], direct: 'not run', evidence: null, tookMs: 0 }

export function checkResult(
  { check, protocol }: Job,
  { verdict, summary, values }: Verdict,
  course: Course,
): CheckResult {
  const hasReason = verdict === 'skip' || verdict === 'error'
  return {
    check,
    protocol,
    verdict,
    summary: hasReason ? '' : summary,
    reason: hasReason ? summary : null,
    values,
    ...course,
    tookMs: Math.round(course.tookMs),
  }
}
