/** One table of several reports: a row for each check, a column for each report. */
import { shownPair } from '../pairs/pair.ts'
import type { Report, ReportedResult } from './report.ts'
import { visible, visibleLines } from 'svc/toolkit'

const MAX_NOTE = 60

export function matrix(
  reports: readonly Report[],
  { onlyDiffering, byPair = false }: { onlyDiffering: boolean; byPair?: boolean },
): string {
  const keyOf = byPair ? keyOfPair : keyOfCheck
  const rows = [...new Map(reports.flatMap(({ results }) => results.map(result => [keyOf(result), result] as const)))]
  const cells = rows.map(([key, { id, title, protocol, pair = null }]) => ({
    label: `${id}${protocol === '2' ? ' (HTTP/2)' : ''} ${escaped(title)}${byPair && pair !== null ? ` ${shownPair(pair)}` : ''}`,
    values: reports.map(report =>
      cellOfAll(
        report.results.filter(result => keyOf(result) === key),
        report,
      ),
    ),
  }))
  const shown = onlyDiffering ? cells.filter(({ values }) => new Set(values).size > 1) : cells
  const row = (label: string, values: readonly string[]): string => `| ${[label, ...values].join(' | ')} |`
  return [
    row(
      'Check',
      reports.map(report => escaped(nameOf(report))),
    ),
    row(
      '---',
      reports.map(() => '---'),
    ),
    row(
      'software',
      reports.map(({ gateway }) => escaped(gateway.seen.server ?? '–')),
    ),
    row(
      'svc, catalog',
      reports.map(({ svc, catalogue }) => escaped(`${svc.version}, ${catalogue}`)),
    ),
    row(
      'date',
      reports.map(({ run }) => run.started_at.slice(0, 10)),
    ),
    ...shown.map(({ label, values }) => row(label, values)),
    '',
    ...reports.flatMap(configurationOf),
  ].join('\n')
}

function keyOfCheck({ id, protocol }: ReportedResult): string {
  return `${id} ${protocol}`
}

function keyOfPair(result: ReportedResult): string {
  return `${keyOfCheck(result)} ${result.pair ?? ''}`
}

/** Groups about models, in which a gateway that only forwards has nothing to get right. */
const MODEL_GROUPS: readonly string[] = ['llm', 'translate', 'guardrails', 'realtime', 'mcp', 'a2a']
const SHOWN_FIRST = ['fail', 'flaky', 'error', 'warn', 'note', 'pass']

/** The results of all pairs of a check as one cell: the worst, and how many failed. */
function cellOfAll(results: readonly ReportedResult[], { gateway }: Report): string {
  const [first] = results
  if (first === undefined) return '–'
  const forwards = gateway.seen.models === 'bytes' && MODEL_GROUPS.includes(first.group)
  if (forwards && (first.verdict === 'pass' || first.reason === 'forwards, does not interpret')) return 'forwards'
  if (results.length === 1) return cellOf(first)
  const tried = results.filter(({ verdict }) => verdict !== 'skip')
  const fails = tried.filter(({ verdict }) => verdict === 'fail').length
  if (fails > 0) return `FAIL ${fails}/${tried.length}`
  return cellOf(SHOWN_FIRST.map(word => tried.find(({ verdict }) => verdict === word)).find(one => one !== undefined))
}

function nameOf({ gateway }: Report): string {
  return gateway.name ?? new URL(gateway.url).host
}

function cellOf(result: ReportedResult | undefined): string {
  if (result === undefined || result.verdict === 'skip') return '–'
  const { verdict, summary } = result
  if (verdict === 'pass') return 'ok'
  if (verdict === 'fail') return 'FAIL'
  if (verdict !== 'note') return verdict
  return escaped(summary.length > MAX_NOTE ? `${summary.slice(0, MAX_NOTE)}…` : summary)
}

function configurationOf(report: Report): string[] {
  return report.gateway.configuration.flatMap(({ file, text }) => {
    const lines = visibleLines(text)
    const fence = '`'.repeat(Math.max(3, ...lines.map(line => (/`+/.exec(line)?.[0].length ?? 0) + 1)))
    return [
      `<details><summary>${html(nameOf(report))}: ${html(file)}</summary>`,
      '',
      `${fence}text`,
      ...lines,
      fence,
      '',
      '</details>',
      '',
    ]
  })
}

function html(text: string): string {
  return visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escaped(text: string): string {
  return visible(text).replaceAll(/[\\`*_{}[\]<>|#]/g, character => `\\${character}`)
}
