/** The report for a terminal. */
import type { Cause } from '../catalog/causes.ts'
import { shownPair } from '../pairs/pair.ts'
import { findingsOf, type Finding } from './findings.ts'
import { type FailOn, type Report, type ReportedResult, groupsOf } from './report.ts'
import { PAIR_COLUMNS, testedPairs } from './pair-table.ts'
import { otherAttemptText, protocolText, resultText } from './result-text.ts'
import { skipReasons, skipText } from './skip-reasons.ts'
import { goneText } from './upstream-text.ts'
import { visible } from 'svc/toolkit'

/** Reasons of skipped checks that are shown. */
const MAX_REASONS = 12

export function terminalReport(report: Report, _failOn: readonly FailOn[]): string {
  const { gateway, summary, results, run } = report
  const { seen } = gateway
  const lines = [
    `gateway    ${visible(gateway.name ?? gateway.url)}${gateway.name === null ? '' : ` (${gateway.url})`}`,
    `software   ${visible(seen.server ?? 'not named')}; upstream spoken to in HTTP/${seen.upstream_protocols.join(', ')}; forwarding ${seen.forwarding}`,
    `svc        ${report.svc.version}, catalog ${report.catalogue}`,
    '',
  ]
  const gone = goneText(report)
  if (gone !== null) lines.splice(-1, 0, `upstream   ${gone}`)
  const width = Math.max(...summary.groups.map(({ group }) => group.length), 0)
  for (const { group, musts, verdicts } of summary.groups) {
    const others = [
      verdicts.error > 0 ? `  ${verdicts.error} error` : '',
      verdicts.flaky > 0 ? `  ${verdicts.flaky} flaky` : '',
    ]
    lines.push(
      `${group.padEnd(width)}  ${String(musts.kept).padStart(2)} of ${String(musts.tried).padStart(2)} musts  ${verdicts.fail} fail  ${verdicts.warn} warn  ${verdicts.note} note  ${verdicts.skip} skip${others.join('')}`,
    )
  }
  lines.push(...pairLines(report))
  const findings = findingsOf(results)
  for (const group of groupsOf(findings.map(({ results: [first] }) => first))) {
    lines.push('')
    const own = findings.filter(({ results: [first] }) => first.group === group)
    for (const finding of own.filter(({ results: [first] }) => (first.pair ?? null) === null))
      lines.push(...findingLines(finding))
    lines.push(...pairFindingLines(own.map(({ results: [first] }) => first)))
  }
  if (findings.length > 0) lines.push('', `svc probe show ${findings[0]!.results[0].id}`)
  lines.push(...skipLines(results))
  if (!report.complete) lines.push('', 'The run is not complete.')
  for (const { id, pair, verdict } of report.fixed)
    lines.push(`fixed since the baseline: ${id}${pair === undefined ? '' : ` ${shownPair(pair)}`} (${verdict})`)
  lines.push('', `${(run.took_ms / 1000).toFixed(1)} s`, lastWord(report))
  return `${lines.join('\n')}\n`
}

/** Rows are pairs of wires. */
function pairLines(report: Report): string[] {
  const pairs = testedPairs(report)
  if (pairs.length === 0) return []
  const width = Math.max(...pairs.map(({ pair }) => shownPair(pair).length))
  const cell = (text: string): string => text.padStart(5)
  return [
    '',
    `${'Pairs'.padEnd(width)} ${PAIR_COLUMNS.map(cell).join(' ')}`,
    ...pairs.map(
      ({ pair, verdicts }) =>
        `${shownPair(pair).padEnd(width)} ${PAIR_COLUMNS.map(word => cell(String(verdicts[word]))).join(' ')}`,
    ),
  ]
}

/** Findings of one check and verdict, with all their pairs in the heading. */
function pairFindingLines(results: readonly ReportedResult[]): string[] {
  const groups = new Map<string, ReportedResult[]>()
  for (const result of results) {
    if ((result.pair ?? null) === null) continue
    const key = `${result.id} ${result.verdict} ${result.baseline ?? ''}`
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  return [...groups.values()].flatMap(own => {
    const [{ verdict, id, title, baseline }] = own as [ReportedResult, ...ReportedResult[]]
    return [
      `${verdict.padEnd(5)} ${id}  ${own.map(({ pair }) => shownPair(pair!)).join(', ')}${baseline === 'known' ? ' (known)' : ''}`,
      `      ${title}`,
      ...own.map(result => `      ${shownPair(result.pair!)}: ${visible(resultText(result))}`),
    ]
  })
}

export function lastWord({ summary }: Report): string {
  if (summary.counted === 0) return 'no findings that count'
  return summary.counted === 1 ? '1 finding that counts' : `${summary.counted} findings that count`
}

export function sourceText({ sources }: Pick<ReportedResult, 'sources'>): string {
  return sources.map(({ spec, section }) => (section === undefined ? spec : `${spec} section ${section}`)).join(', ')
}

/** Why checks were skipped, and what to change. */
function skipLines(results: readonly ReportedResult[]): string[] {
  const reasons = skipReasons(results)
  if (reasons.length === 0) return []
  const left = reasons.slice(MAX_REASONS)
  const rest = left.reduce((sum, { count }) => sum + count, 0)
  return [
    '',
    `Skipped: ${results.filter(({ verdict }) => verdict === 'skip').length} of ${results.length} results`,
    ...reasons.slice(0, MAX_REASONS).map(reason => `  ${visible(skipText(reason))}`),
    ...(rest === 0
      ? []
      : [`  ${rest} more for ${left.length} other reason${left.length === 1 ? '' : 's'}; see --format json`]),
  ]
}

function findingLines({ results: [first, ...others], cause }: Finding): string[] {
  if (cause === null || others.length === 0) return resultLines(first, cause)
  const all = [first, ...others]
  return [
    `${first.verdict.padEnd(5)} ${all.map(({ id }) => id).join(', ')}  ${cause.title}${first.baseline === 'known' ? ' (known)' : ''}`,
    ...all.flatMap(result => [
      `      ${result.id}${protocolText(result)}: ${visible(resultText(result))}`,
      ...(result.owner_note === null ? [] : [`      owner: ${visible(result.owner_note)}`]),
    ]),
    `      ${cause.remedy}`,
  ]
}

function resultLines(finding: ReportedResult, cause: Cause | null): string[] {
  const { verdict, id, title, baseline, owner_note: note } = finding
  const source = sourceText(finding)
  const other = otherAttemptText(finding)
  return [
    `${verdict.padEnd(5)} ${id}  ${title}${protocolText(finding)}${baseline === 'known' ? ' (known)' : ''}`,
    `      ${visible(resultText(finding))}${source === '' ? '' : ` [${source}]`}`,
    ...(other === null ? [] : [`      ${visible(other)}`]),
    ...(note === null ? [] : [`      owner: ${visible(note)}`]),
    ...(cause === null ? [] : [`      ${cause.remedy}`]),
  ]
}
