/** Steps and verdicts as lines. */
import type { DemoResult, StepResult } from '../run/demo-run.ts'
import type { ControlResult } from './report.ts'

export function stepLines({ number, title, verdict, sent, arrived, results }: StepResult): string {
  const lines = [`  ${number}. ${title}: ${verdict} (${sent} sent, ${arrived} arrived)`]
  for (const { verdict: one, expected, got, why, soft } of results)
    lines.push(
      `     ${one === 'seen' ? 'seen' : one}${soft ? ' (not judged)' : ''}: ${expected}; ${got}${why === null ? '' : ` (${why})`}`,
    )
  return `${lines.join('\n')}\n`
}

export function demoLine({ demo, verdict, reason }: DemoResult): string {
  return `${demo}: ${verdict}${reason === null ? '' : `, ${reason}`}\n`
}

export function controlLine({ verdict, wanted }: ControlResult): string {
  return `  without the gateway: ${verdict}${verdict === wanted ? '' : `, expected ${wanted}`}\n`
}
