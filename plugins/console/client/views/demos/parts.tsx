/** Parts that the pages of a demo share. */
import { Badge } from '../../ui/badge.tsx'
import { hashOf } from '../../lib/shell/router.ts'
import type { FollowedRun, StepState } from './run-state.ts'
import { VERDICT_WORDS, type ExpectationResult, type Variable, type Verdict } from './types.ts'

const TONES = { seen: 'good', 'not-seen': 'bad', 'not-judged': 'warn' } as const

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  return <Badge tone={TONES[verdict]}>{VERDICT_WORDS[verdict]}</Badge>
}

/** Text of a demo: paragraphs, and code between backticks. */
export function DemoText({ text, class: extra }: { text: string; class?: string }) {
  return (
    <>
      {text
        .split(/\n{2,}/)
        .filter(paragraph => paragraph.trim() !== '')
        .map((paragraph, index) => (
          <p key={index} class={extra}>
            {paragraph.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
          </p>
        ))}
    </>
  )
}

/** A text as written, with the values of variables; other references stay. */
export function withVariables(text: string, values: Readonly<Record<string, Variable>>): string {
  return text.replace(/\{\{\s*([a-z_][a-z0-9_]*)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}

/** What was expected of a step, and what was got. */
export function Results({ results }: { results: readonly ExpectationResult[] }) {
  if (results.length === 0) return null
  return (
    <ul class="demo-results">
      {results.map((result, index) => (
        <li key={index}>
          <VerdictBadge verdict={result.verdict} />
          <div>
            <p>
              {result.expected}
              {result.why !== null && ` (${result.why})`}
              {result.soft && <span class="quiet-text"> (not counted)</span>}
            </p>
            <p class="quiet-text">
              {result.got}
              {result.entries.length > 0 && (
                <>
                  {' '}
                  <a href={hashOf('traffic', { id: result.entries[0] })}>Show what arrived</a>
                </>
              )}
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** All steps of a run with their results. */
export function StepList({ run }: { run: FollowedRun }) {
  const steps = Object.values(run.steps).toSorted((a, b) => a.number - b.number)
  return (
    <ol class="demo-steps">
      {steps.map(step => (
        <li key={step.number}>
          <h3>
            {step.number}. {step.title} {step.verdict !== null && <VerdictBadge verdict={step.verdict} />}
          </h3>
          <p class="quiet-text">{countsOf(step)}</p>
          <Results results={step.results} />
        </li>
      ))}
    </ol>
  )
}

function countsOf({ sent, arrived, state }: StepState): string {
  if (state === 'waiting') return 'waits'
  return `${sent} sent, ${arrived ?? 0} arrived${state === 'running' ? ' so far' : ''}`
}
