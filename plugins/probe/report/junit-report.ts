/** The report as JUnit XML. */
import { counts, groupsOf, type FailOn, type Report, type ReportedResult } from './report.ts'
import { otherAttemptText, protocolText, resultText } from './result-text.ts'
import { junitXml, visibleLines, type JunitCase, type JunitOutcome } from 'svc/toolkit'
import { textOf } from './side-lines.ts'
import type { ReportedExchange, Side } from './sides.ts'

export function junitReport(report: Report, failOn: readonly FailOn[]): string {
  const suites = groupsOf(report.results).map(group => ({
    name: group,
    cases: report.results.filter(one => one.group === group).map(result => testCase(group, result, failOn)),
  }))
  return junitXml('svc probe', suites)
}

function testCase(group: string, result: ReportedResult, failOn: readonly FailOn[]): JunitCase {
  const { id, title, took_ms: took, pair = null } = result
  return {
    className: `probe.${group}${pair === null ? '' : `.${pair.replace(':', '-')}`}`,
    name: `${id} ${title}${protocolText(result)}`,
    tookMs: took,
    outcome: outcomeOf(result, failOn),
  }
}

function outcomeOf(result: ReportedResult, failOn: readonly FailOn[]): JunitOutcome {
  const { verdict } = result
  const message = [resultText(result), otherAttemptText(result) ?? ''].filter(part => part !== '').join('. ')
  if (verdict === 'skip') return { kind: 'skipped', message }
  if (verdict === 'error') return { kind: 'error', message, text: sidesText(result) }
  if (counts(result, failOn)) return { kind: 'failure', message, type: verdict, text: sidesText(result) }
  return verdict === 'pass' ? { kind: 'passed' } : { kind: 'noted', text: `${verdict}: ${message}` }
}

/** The four sides as text; those of the first attempt follow if it is another one. */
export function sidesText(result: Pick<ReportedResult, 'exchanges' | 'other_attempt'>): string {
  const { exchanges, other_attempt: other } = result
  return [
    textsOf(exchanges),
    ...(other === undefined ? [] : [otherAttemptText(result), textsOf(other.exchanges)]),
  ].join('\n')
}

function textsOf(exchanges: readonly ReportedExchange[]): string {
  const part = (title: string, side: Side | null): string[] =>
    side === null ? [`${title}: nothing`] : [`${title}:`, ...visibleLines(textOf(side)).map(line => `  ${line}`)]
  return exchanges
    .flatMap(({ step, sent, arrived, answered, came_back: back }) => [
      `step ${step}`,
      ...part('Sent', sent),
      ...(arrived.length === 0 ? ['Arrived: nothing'] : arrived.flatMap(side => part('Arrived', side))),
      ...part('Answered', answered),
      ...part('Came back', back),
    ])
    .join('\n')
}
