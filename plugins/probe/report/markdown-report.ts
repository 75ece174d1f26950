/** The report as Markdown. */
import { findingsOf, impactOfFinding, type Finding } from './findings.ts'
import { groupsOf, type Report, type ReportedResult } from './report.ts'
import { testedPairs, untestedPairs, wiresOf } from './pair-table.ts'
import { otherAttemptText, protocolText, resultText } from './result-text.ts'
import { headTextOf } from './side-lines.ts'
import { skipReasons, skipText } from './skip-reasons.ts'
import { sourceText } from './terminal-report.ts'
import { goneText } from './upstream-text.ts'
import { markdownText, visibleLines } from 'svc/toolkit'

const IMPACTS = ['high', 'medium', 'low'] as const

export function markdownReport(report: Report): string {
  const { gateway, results, summary, svc, run } = report
  const findings = findingsOf(results)
  const skipped = skipReasons(results)
  const gone = goneText(report)
  const notes = results.filter(({ verdict }) => verdict === 'note')
  return [
    `# Report of ${markdownText(gateway.name ?? gateway.url)}`,
    '',
    `Gateway ${markdownText(gateway.url)}, software ${markdownText(gateway.seen.server ?? 'not named')}, svc ${svc.version}, catalog ${report.catalogue}, ${run.started_at.slice(0, 10)}, ${(run.took_ms / 1000).toFixed(1)} s.${report.complete ? '' : ' **The run is not complete.**'}`,
    '',
    ...(gone === null ? [] : [`Upstream: ${markdownText(gone)}`, '']),
    '| Group | Musts kept | Fail | Warn | Note | Skip | Error |',
    '|---|---|---|---|---|---|---|',
    ...summary.groups.map(
      ({ group, musts, verdicts }) =>
        `| ${group} | ${musts.kept} of ${musts.tried} | ${verdicts.fail} | ${verdicts.warn} | ${verdicts.note} | ${verdicts.skip} | ${verdicts.error} |`,
    ),
    '',
    ...pairsTable(report),
    '## Findings',
    '',
    ...(findings.length === 0 ? ['None.', ''] : []),
    ...IMPACTS.flatMap(impact => findings.filter(one => impactOfFinding(one) === impact).flatMap(findingText)),
    ...(skipped.length === 0 ? [] : ['## Skipped', '', ...skipped.map(one => `- ${markdownText(skipText(one))}`), '']),
    '## Notes',
    '',
    '| Check | Note |',
    '|---|---|',
    ...groupsOf(notes).flatMap(group =>
      notes
        .filter(one => one.group === group)
        .map(result => `| ${result.id}${protocolText(result)} | ${markdownText(result.summary)} |`),
    ),
    '',
    '## Run it again',
    '',
    '```sh',
    `svc probe ${run.arguments.map(quote).join(' ')}`,
    '```',
    '',
  ].join('\n')
}

/** Client wires as rows, upstream wires as columns, the number of failures in each cell. */
function pairsTable(report: Report): string[] {
  const pairs = testedPairs(report)
  if (pairs.length === 0) return []
  const { clients, upstreams } = wiresOf(pairs)
  const failures = (client: string, upstream: string): string =>
    String(pairs.find(one => one.client === client && one.upstream === upstream)?.verdicts.fail ?? '–')
  const others = untestedPairs(report)
  return [
    '## Pairs',
    '',
    'Failures by client wire (rows) and upstream wire (columns).',
    '',
    `| Client | ${upstreams.join(' | ')} |`,
    `|---|${upstreams.map(() => '---').join('|')}|`,
    ...clients.map(client => `| ${client} | ${upstreams.map(upstream => failures(client, upstream)).join(' | ')} |`),
    '',
    ...(others.length === 0 ? [] : [...others.map(one => `- ${markdownText(one)}`), '']),
  ]
}

/** Results of one cause have one remedy. */
function findingText({ results, cause }: Finding): string[] {
  if (cause === null) return results.flatMap(finding)
  const intro =
    results.length === 1 ? [] : [`**${markdownText(cause.title)}:** ${results.map(({ id }) => id).join(', ')}.`, '']
  return [...intro, ...results.flatMap(finding), `What to change: ${markdownText(cause.remedy)}`, '']
}

function finding(result: ReportedResult): string[] {
  const { id, title, verdict, impact, exchanges, owner_note: note } = result
  const [exchange] = exchanges
  const arrived = exchange?.arrived[0]
  const source = sourceText(result)
  const other = otherAttemptText(result)
  return [
    `### ${id}: ${title}${protocolText(result)}`,
    '',
    `**${verdict}**, impact ${impact}${source === '' ? '' : `, ${source}`}. ${markdownText(resultText(result))}`,
    '',
    ...(other === null ? [] : [markdownText(other), '']),
    ...(note === null ? [] : [`Owner: ${markdownText(note)}`, '']),
    ...(arrived === undefined
      ? []
      : ['Arrived:', '', ...fenced(visibleLines(headTextOf(arrived).slice(0, 4_000))), '']),
  ]
}

/** A code block whose fence is longer than any in the text. */
function fenced(lines: readonly string[]): string[] {
  const longest = Math.max(2, ...lines.map(line => /^\s*(`+)/.exec(line)?.[1]?.length ?? 0))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}text`, ...lines, fence]
}

function quote(argument: string): string {
  return /^[\w./:,=@%+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
}
