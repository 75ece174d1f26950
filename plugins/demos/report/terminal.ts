/** Steps and verdicts as lines. */
import { visible } from 'svc/toolkit'
import type { DemoResult, StepResult } from '../run/demo-run.ts'
import type { SentRequest } from '../run/sent.ts'
import type { ControlResult } from './report.ts'
import { controlText, resultText } from './words.ts'

/** Of a step that is not seen, the words of its first expectation that failed; with `isVerbose`, all of them. */
export function stepLines(
  { number, title, verdict, sent, arrived, results }: StepResult,
  { isVerbose }: { isVerbose: boolean },
): string {
  const failed = results.find(result => result.verdict !== 'seen' && !result.soft)
  const shown = results.filter(result => isVerbose || result === failed || result.soft)
  return [
    `  ${number}. ${title}: ${verdict} (${sent} sent, ${arrived} arrived)`,
    ...shown.map(result => `     ${resultText(result)}`),
  ]
    .map(line => `${visible(line)}\n`)
    .join('')
}

export function demoLine({ demo, verdict, reason }: DemoResult): string {
  return `${visible(`${demo}: ${verdict}${reason === null ? '' : `, ${reason}`}`)}\n`
}

export function controlLine(control: ControlResult): string {
  return `  ${controlText(control)}\n`
}

export function responseLine({ method, target, status, error, ms }: SentRequest): string {
  return `${visible(`     ${method} ${target}: ${status ?? error ?? 'nothing'} in ${Math.round(ms)} ms`)}\n`
}
