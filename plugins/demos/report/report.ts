/** The report of runs, as JSON. */
import type { Verdict } from '../file/demo.ts'
import type { Mark } from '../run/context.ts'
import type { DemoResult } from '../run/demo-run.ts'
import type { ExpectationResult } from '../run/expect/result.ts'

export interface ControlResult {
  verdict: Verdict
  wanted: Verdict
  /** Of the steps, in their order. */
  steps: { number: number; verdict: Verdict }[]
}

export interface ReportFacts {
  id: string
  startedAt: Date
  tookMs: number
  /** Of the command line; credentials are masked. */
  arguments: string[]
  version: string
  url: string
  prefix: string
}

export interface ReportedStep {
  number: number
  id: string
  title: string
  verdict: Verdict
  sent: number
  arrived: number
  took_ms: number
  results: ExpectationResult[]
}

export interface ReportedDemo {
  demo: string
  title: string
  verdict: Verdict
  reason: string | null
  control: ControlResult | null
  steps: ReportedStep[]
}

export interface DemoReport {
  svc_demo: 1
  run: { id: string; started_at: string; took_ms: number; arguments: string[] }
  svc: { version: string }
  target: { url: string; prefix: string; mark: Mark | null }
  summary: { seen: number; not_seen: number; not_judged: number }
  demos: ReportedDemo[]
}

export interface JudgedDemo {
  result: DemoResult
  control: ControlResult | null
}

export function createReport(results: readonly JudgedDemo[], facts: ReportFacts): DemoReport {
  const count = (verdict: Verdict): number => results.filter(({ result }) => result.verdict === verdict).length
  return {
    svc_demo: 1,
    run: {
      id: facts.id,
      started_at: facts.startedAt.toISOString(),
      took_ms: Math.round(facts.tookMs),
      arguments: facts.arguments,
    },
    svc: { version: facts.version },
    target: { url: facts.url, prefix: facts.prefix, mark: results[0]?.result.mark ?? null },
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

/** The run without the gateway, compared with what the file says. */
export function controlOf({ verdict, steps }: DemoResult, wanted: Verdict): ControlResult {
  return { verdict, wanted, steps: steps.map(step => ({ number: step.number, verdict: step.verdict })) }
}

/** `seen`, `not seen`, `not judged`. */
export function verdictWords(verdict: Verdict): string {
  return verdict.replace('-', ' ')
}

/** Whether the run gives exit code 1: something is not seen, or a control run is not as the file says. */
export function isFailed({ verdict, control }: Pick<ReportedDemo, 'verdict' | 'control'>): boolean {
  return verdict === 'not-seen' || (control !== null && control.verdict !== control.wanted)
}
