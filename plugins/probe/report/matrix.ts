/** One table of several reports: a row for each check, a column for each report. */
import type { Report, ReportedResult } from './report.ts'
import { visible, visibleLines } from './visible.ts'

const MAX_NOTE = 60

export function matrix(reports: readonly Report[], { onlyDiffering }: { onlyDiffering: boolean }): string {
  const rows = [...new Map(reports.flatMap(({ results }) => results.map(result => [keyOf(result), result] as const)))]
  const cells = rows.map(([key, { id, title, protocol }]) => ({
    label: `${id}${protocol === '2' ? ' (HTTP/2)' : ''} ${escaped(title)}`,
    values: reports.map(({ results }) => cellOf(results.find(result => keyOf(result) === key))),
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

function keyOf({ id, protocol }: ReportedResult): string {
  return `${id} ${protocol}`
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
