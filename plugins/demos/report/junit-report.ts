/** The report as JUnit XML: a suite for each demo, a case for each step. */
import { junitXml, type JunitCase } from 'svc/toolkit'
import { controlText, resultText } from './words.ts'
import type { DemoReport, ReportedDemo, ReportedStep } from './report.ts'

export function junitReport({ demos }: DemoReport): string {
  return junitXml(
    'svc demo',
    demos.map(demo => ({ name: demo.demo, cases: casesOf(demo) })),
  )
}

function casesOf(demo: ReportedDemo): JunitCase[] {
  const className = `demo.${demo.demo}`
  const steps = demo.steps.map(step => stepCase(className, step))
  const whole = (outcome: JunitCase['outcome']): JunitCase => ({ className, name: demo.title, tookMs: 0, outcome })
  // A demo that could not be judged has no step that says why.
  if (demo.verdict === 'not-judged' && !demo.steps.some(({ verdict }) => verdict === 'not-judged'))
    steps.push(whole({ kind: 'skipped', message: demo.reason ?? 'not judged' }))
  const { control } = demo
  if (control !== null && control.verdict !== control.wanted)
    steps.push(whole({ kind: 'failure', message: controlText(control), type: 'control', text: '' }))
  return steps
}

function stepCase(className: string, { number, title, verdict, took_ms, results }: ReportedStep): JunitCase {
  const failed = results.filter(result => result.verdict === verdict && !result.soft)
  const [first] = failed
  const message = first === undefined ? verdict : resultText(first)
  const text = results.map(resultText).join('\n')
  return {
    className,
    name: `${number}. ${title}`,
    tookMs: took_ms,
    outcome:
      verdict === 'seen'
        ? { kind: 'passed' }
        : verdict === 'not-judged'
          ? { kind: 'skipped', message }
          : { kind: 'failure', message, type: verdict, text },
  }
}
