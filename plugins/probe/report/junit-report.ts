/** The report as JUnit XML. */
import { counts, groupsOf, type FailOn, type Report, type ReportedResult } from './report.ts'
import { otherAttemptText, protocolText, resultText } from './result-text.ts'
import { visible, visibleLines } from './visible.ts'
import { textOf } from './side-lines.ts'
import type { ReportedExchange, Side } from './sides.ts'

export function junitReport(report: Report, failOn: readonly FailOn[]): string {
  const suites = groupsOf(report.results).map(group =>
    suite(
      group,
      report.results.filter(one => one.group === group),
      failOn,
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="svc probe">\n${suites.join('')}</testsuites>\n`
}

function suite(group: string, results: readonly ReportedResult[], failOn: readonly FailOn[]): string {
  const failures = results.filter(result => isFailure(result, failOn)).length
  const errors = results.filter(({ verdict }) => verdict === 'error').length
  const skipped = results.filter(({ verdict }) => verdict === 'skip').length
  const cases = results.map(result => testCase(group, result, failOn)).join('')
  return `  <testsuite name="${escape(group)}" tests="${results.length}" failures="${failures}" errors="${errors}" skipped="${skipped}">\n${cases}  </testsuite>\n`
}

function isFailure(result: ReportedResult, failOn: readonly FailOn[]): boolean {
  return result.verdict !== 'error' && counts(result, failOn)
}

function testCase(group: string, result: ReportedResult, failOn: readonly FailOn[]): string {
  const { id, title, took_ms: took, verdict, pair = null } = result
  const className = `probe.${group}${pair === null ? '' : `.${pair.replace(':', '-')}`}`
  const name = `${id} ${title}${protocolText(result)}`
  const open = `    <testcase classname="${escape(className)}" name="${escape(name)}" time="${(took / 1000).toFixed(3)}"`
  const text = [resultText(result), otherAttemptText(result) ?? ''].filter(part => part !== '').join('. ')
  const inner =
    verdict === 'skip'
      ? `<skipped message="${escape(text)}"/>`
      : verdict === 'error'
        ? `<error message="${escape(text)}">${escape(sidesText(result))}</error>`
        : isFailure(result, failOn)
          ? `<failure message="${escape(text)}" type="${verdict}">${escape(sidesText(result))}</failure>`
          : verdict === 'pass'
            ? ''
            : `<system-out>${escape(`${verdict}: ${text}`)}</system-out>`
  return inner === '' ? `${open}/>\n` : `${open}>${inner}</testcase>\n`
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

/** Text of XML 1.0, which has no control characters. */
function escape(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replaceAll(/[\ud800-\udfff\ufffe\uffff]/g, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
