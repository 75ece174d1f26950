/** The report of `svc demo run`, as JSON. */
import type { Verdict } from '../file/demo.ts'
import type { DemoResult } from '../run/demo-run.ts'

export interface ControlResult {
  verdict: Verdict
  wanted: Verdict
}

export interface ReportFacts {
  id: string
  startedAt: Date
  tookMs: number
  version: string
  url: string
  prefix: string
}

export function createReport(
  results: readonly { result: DemoResult; control: ControlResult | null }[],
  { id, startedAt, tookMs, version, url, prefix }: ReportFacts,
): object {
  const count = (verdict: Verdict): number => results.filter(({ result }) => result.verdict === verdict).length
  return {
    svc_demo: 1,
    run: { id, started_at: startedAt.toISOString(), took_ms: Math.round(tookMs) },
    svc: { version },
    target: { url, prefix, mark: results[0]?.result.mark ?? null },
    summary: { seen: count('seen'), not_seen: count('not-seen'), not_judged: count('not-judged') },
    demos: results.map(({ result: { demo, title, verdict, reason, steps }, control }) => ({
      demo,
      title,
      verdict,
      reason,
      control,
      steps: steps.map(({ tookMs: stepMs, ...step }) => ({ ...step, took_ms: stepMs })),
    })),
  }
}
