/** The report as one HTML file without scripts. */
import { escapeHtml, isRecord, reportPage, visible } from 'svc/toolkit'
import type { VerdictWord } from '../catalog/check.ts'
import { CATALOG } from '../checks/index.ts'
import { findingsOf, idsOf, impactOfFinding, isFinding, type Finding } from './findings.ts'
import { groupsOf, type Report, type ReportedResult, type VerdictCounts } from './report.ts'
import type { ReportedExchange, Side } from './sides.ts'
import { differingLines, linesOf } from './side-lines.ts'
import { testedPairs, untestedPairs, wiresOf } from './pair-table.ts'
import { otherAttemptText, protocolText, resultText } from './result-text.ts'
import { skipReasons, skipText } from './skip-reasons.ts'
import { goneText } from './upstream-text.ts'

const WORST_FIRST = ['fail', 'flaky', 'warn', 'error']
const MAX_BYTES = 3 * 1024 * 1024
const MAX_LINES = 60
const MAX_EXCHANGES = 12
/** Characters of a value. */
const MAX_VALUE = 600
const ENDS = { LF: String.raw`\n`, 'CR LF': String.raw`\r\n` }

export function htmlReport(report: Report): string {
  const full = page(report, 2_000)
  return Buffer.byteLength(full) <= MAX_BYTES ? full : page(report, 200)
}

function page(report: Report, maxSide: number): string {
  const { gateway, summary, results, svc, run } = report
  const gone = goneText(report)
  const sections = groupsOf(results).map(group =>
    section(
      group,
      results.filter(one => one.group === group),
      maxSide,
    ),
  )
  return reportPage({
    title: `Report of ${gateway.name ?? gateway.url}`,
    brand: 'svc probe · gateway report',
    head: `<p class="quiet">Gateway ${text(gateway.url)}, software ${text(gateway.seen.server ?? 'not named')}. svc ${text(svc.version)}, catalog ${text(report.catalogue)}, ${text(run.started_at.slice(0, 10))}, ${(run.took_ms / 1000).toFixed(1)} s.</p>
${gone === null ? '' : `<p>Upstream: ${text(gone)}</p>`}
${report.complete ? '' : '<p><strong>The run is not complete.</strong></p>'}`,
    body: `${counters(summary.verdicts)}
${groupsTable(summary.groups)}
${pairsTable(report)}
${findingsList(results)}
${skippedList(results)}
<p class="panel quiet">svc was on both sides of the gateway. What was <strong>sent</strong> and what <strong>arrived</strong> show what the gateway does to requests; what the upstream <strong>answered</strong> and what <strong>came back</strong>, what it does to responses. Lines are marked that <del>did not get through as they are</del>, and that <ins>the gateway added or changed</ins>; line ends are shown as <span class="end">\\r\\n</span>.</p>
${sections.join('\n')}`,
  })
}

const COUNTERS: [verdict: VerdictWord, title: string][] = [
  ['fail', 'Failures'],
  ['warn', 'Warnings'],
  ['flaky', 'Flaky'],
  ['error', 'Errors'],
  ['note', 'Notes'],
  ['pass', 'Passed'],
  ['skip', 'Skipped'],
]

/** How many results have each verdict; those that only trouble has are left out without any. */
function counters(verdicts: VerdictCounts): string {
  const tiles = COUNTERS.filter(([word]) => verdicts[word] > 0 || !['flaky', 'error'].includes(word)).map(
    ([word, title]) =>
      `<div><dt>${title}</dt><dd${verdicts[word] === 0 ? '' : ` class="${word}"`}>${verdicts[word]}</dd></div>`,
  )
  return `<dl class="counters">${tiles.join('')}</dl>`
}

const GROUP_COLUMNS = ['fail', 'warn', 'note', 'skip'] as const

function groupsTable(groups: Report['summary']['groups']): string {
  const cell = (count: number, word: string): string =>
    count === 0 ? '<td class="none">0</td>' : `<td><span class="chip ${word}">${count}</span></td>`
  const rows = groups.map(({ group, musts, verdicts }) => {
    const kept = musts.tried === 0 ? '–' : `${musts.kept} of ${musts.tried}`
    const cells = GROUP_COLUMNS.map(word => cell(verdicts[word], word)).join('')
    return `<tr><th scope="row"><a href="#${text(group)}">${text(group)}</a></th><td>${kept}</td>${cells}${cell(verdicts.error + verdicts.flaky, 'error')}</tr>`
  })
  return `<div class="panel scroll" tabindex="0" role="region" aria-label="Groups"><table>
<caption>Groups</caption>
<thead><tr><th scope="col">Group</th><th scope="col">Musts kept</th><th scope="col">Fail</th><th scope="col">Warn</th><th scope="col">Note</th><th scope="col">Skip</th><th scope="col">Error, flaky</th></tr></thead>
<tbody>${rows.join('')}</tbody>
</table></div>`
}

/** Client wires as rows, upstream wires as columns, the number of failures in each cell. */
function pairsTable(report: Report): string {
  const pairs = testedPairs(report)
  if (pairs.length === 0) return ''
  const { clients, upstreams } = wiresOf(pairs)
  const cell = (client: string, upstream: string): string => {
    const fails = pairs.find(one => one.client === client && one.upstream === upstream)?.verdicts.fail
    if (fails === undefined) return '<td class="none">–</td>'
    return fails === 0 ? '<td class="none">0</td>' : `<td><span class="chip fail">${fails}</span></td>`
  }
  const rows = clients.map(
    client =>
      `<tr><th scope="row">${text(client)}</th>${upstreams.map(upstream => cell(client, upstream)).join('')}</tr>`,
  )
  const others = untestedPairs(report).map(one => `<li>${text(one)}</li>`)
  return `<div class="panel scroll" tabindex="0" role="region" aria-label="Pairs"><table>
<caption>Pairs</caption>
<thead><tr><th scope="col">Client</th>${upstreams.map(upstream => `<th scope="col">${text(upstream)}</th>`).join('')}</tr></thead>
<tbody>${rows.join('')}</tbody>
</table>${others.length === 0 ? '' : `<ul>${others.join('')}</ul>`}</div>`
}

/** What was found, the worst first. */
function findingsList(results: readonly ReportedResult[]): string {
  const rank = (finding: Finding): number =>
    WORST_FIRST.indexOf(finding.results[0].verdict) * 3 + ['high', 'medium', 'low'].indexOf(impactOfFinding(finding))
  const items = findingsOf(results)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(finding => `<li>${finding.results.length === 1 ? findingItem(finding) : causeItem(finding)}</li>`)
  const list =
    items.length === 0
      ? '<p>None.</p>'
      : `<p class="quiet">What broke a rule, or is known to cause trouble, and why it matters; the messages follow below.</p>\n<ol>${items.join('\n')}</ol>`
  return `<section class="panel" aria-labelledby="findings-title">\n<h2 id="findings-title">Findings</h2>\n${list}\n</section>`
}

function findingItem({ results: [result], cause }: Finding): string {
  const { id, verdict, impact, title } = result
  const remedy = cause === null ? '' : `<br><span class="quiet">What to change: ${text(cause.remedy)}</span>`
  return `${chip(verdict)} <a href="#${anchor(result)}">${text(id)} ${text(title)}</a>${text(protocolText(result))}: ${text(resultText(result))}<br><span class="quiet">Impact ${impact}. ${text(whyOf(result))}</span>${remedy}`
}

/** Several results of one cause. */
function causeItem(finding: Finding): string {
  const { results, cause } = finding
  const parts = results.map(
    result =>
      `<li><a href="#${anchor(result)}">${text(result.id)} ${text(result.title)}</a>${text(protocolText(result))}: ${text(resultText(result))}</li>`,
  )
  return `${chip(results[0].verdict)} ${text(cause?.title ?? idsOf(finding))}<ul>${parts.join('')}</ul><span class="quiet">Impact ${impactOfFinding(finding)}.${cause === null ? '' : ` What to change: ${text(cause.remedy)}`}</span>`
}

/** Why checks were skipped, and what to change. */
function skippedList(results: readonly ReportedResult[]): string {
  const items = skipReasons(results).map(reason => `<li>${text(skipText(reason))}</li>`)
  return items.length === 0
    ? ''
    : `<section class="panel" aria-labelledby="skipped-title">\n<h2 id="skipped-title">Skipped</h2>\n<ul>${items.join('\n')}</ul>\n</section>`
}

function chip(verdict: VerdictWord): string {
  return `<span class="chip ${verdict}">${verdict}</span>`
}

function whyOf({ id, why }: ReportedResult): string {
  return why ?? CATALOG.find(check => check.id === id)?.page.why ?? ''
}

/** A check may have a result in each protocol, and for each pair of wires. */
function anchor({ id, protocol, pair = null }: ReportedResult): string {
  return text(`${id}${protocol === '1.1' ? '' : `-h${protocol}`}${pair === null ? '' : `-${pair.replace(':', '-')}`}`)
}

function section(group: string, results: readonly ReportedResult[], maxSide: number): string {
  const findings = results.filter(isFinding).map(result => finding(result, maxSide))
  const others = results
    .filter(result => !isFinding(result))
    .map(
      result =>
        `<tr><th scope="row">${text(result.id)}${text(protocolText(result))}</th><td>${text(result.title)}</td><td>${chip(result.verdict)}</td><td>${text(resultText(result))}</td></tr>`,
    )
  return `<section class="panel" id="${text(group)}" aria-labelledby="${text(group)}-title">
<h2 id="${text(group)}-title">${text(group)}</h2>
${findings.join('\n')}
${others.length === 0 ? '' : `<div class="scroll" tabindex="0" role="region" aria-label="Other checks of ${text(group)}"><table><caption>Other checks</caption><thead><tr><th scope="col">Check</th><th scope="col">Title</th><th scope="col">Verdict</th><th scope="col">Result</th></tr></thead><tbody>${others.join('')}</tbody></table></div>`}
</section>`
}

function finding(result: ReportedResult, maxSide: number): string {
  const { id, title, verdict, impact, baseline, owner_note: note, exchanges } = result
  const other = otherAttemptText(result)
  const why = whyOf(result)
  const sources = result.sources.map(source => sourceLink(source.spec, source.section)).join(', ')
  return `<details open id="${anchor(result)}">
<summary>${chip(verdict)} ${text(id)} ${text(title)}${text(protocolText(result))}${baseline === 'known' ? ' (known)' : ''}</summary>
<p>${text(resultText(result))}. Impact ${impact}.${sources === '' ? '' : ` Source: ${sources}.`}</p>
${why === '' ? '' : `<p>Why it matters: ${text(why)}</p>`}
${note === null ? '' : `<p>Owner: ${text(note)}</p>`}
${differencesTable(result.values.differences)}
${valuesTable(result.values)}
${sidesOfAll(exchanges, maxSide)}
${other === null ? '' : `<p>${text(other)}</p>\n${sidesOfAll(result.other_attempt!.exchanges, maxSide)}`}
</details>`
}

function sidesOfAll(exchanges: readonly ReportedExchange[], maxSide: number): string {
  const shown = exchanges.slice(0, MAX_EXCHANGES).map(exchange => sides(exchange, maxSide))
  const left = exchanges.length - shown.length
  return [...shown, left > 0 ? `<p>${left} more exchanges are in the report as JSON.</p>` : ''].join('\n')
}

function sourceLink(spec: string, section: string | undefined): string {
  const number = /^RFC (\d+)$/.exec(spec)?.[1]
  const shown = text(section === undefined ? spec : `${spec} section ${section}`)
  if (number === undefined) return shown
  const anchor = section === undefined ? '' : `#section-${section}`
  return `<a href="https://www.rfc-editor.org/rfc/rfc${number}.html${text(anchor)}">${shown}</a>`
}

/** What the check measured or counted. */
function valuesTable(values: Record<string, unknown>): string {
  const rows = Object.entries(values)
    .filter(([name, value]) => value !== null && value !== '' && name !== 'differences')
    .map(([name, value]) => `<tr><th scope="row">${text(name)}</th><td>${valueCell(value)}</td></tr>`)
  return rows.length === 0
    ? ''
    : `<div class="scroll" tabindex="0" role="region" aria-label="Values"><table><caption>Values</caption><tbody>${rows.join('')}</tbody></table></div>`
}

const DIFFERENCE_COLUMNS = ['side', 'scene', 'mode', 'path', 'kind', 'sent', 'got'] as const

/** What is not the same on both sides of a gateway that translates. */
function differencesTable(differences: unknown): string {
  if (!Array.isArray(differences) || differences.length === 0) return ''
  const rows = differences
    .filter(isRecord)
    .map(
      one =>
        `<tr>${DIFFERENCE_COLUMNS.map(name => `<td>${one[name] === undefined ? '–' : text(valueText(one[name]))}</td>`).join('')}</tr>`,
    )
  return `<div class="scroll" tabindex="0" role="region" aria-label="Differences"><table><caption>Differences</caption><thead><tr>${DIFFERENCE_COLUMNS.map(name => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function valueCell(value: unknown): string {
  if (!isRecord(value)) return text(valueText(value))
  return Object.entries(value)
    .map(([name, inner]) => `${text(name)}: ${text(valueText(inner))}`)
    .join('<br>')
}

function valueText(value: unknown): string {
  const shown =
    typeof value === 'string'
      ? value
      : Array.isArray(value) && value.every(one => typeof one !== 'object')
        ? value.join(', ')
        : JSON.stringify(value)
  return shown.length > MAX_VALUE ? `${shown.slice(0, MAX_VALUE)}…` : shown
}

function sides({ label, sent, arrived, answered, came_back: back }: ReportedExchange, maxSide: number): string {
  const first = arrived[0] ?? null
  const times = arrived.length > 1 ? `arrived ${arrived.length} times; the first is shown` : ''
  const heading = [label === undefined ? '' : `Request: ${text(label)}`, times].filter(part => part !== '').join('; ')
  return `${heading === '' ? '' : `<p class="step">${heading}</p>`}<div class="sides">
${side('Sent', sent, first, 'del', maxSide)}
${side('Arrived', first, sent, 'ins', maxSide)}
${side('Answered', answered, back, 'del', maxSide)}
${side('Came back', back, answered, 'ins', maxSide)}
</div>`
}

/** Lines that the other side does not have are marked. */
function side(title: string, shown: Side | null, other: Side | null, mark: 'ins' | 'del', maxSide: number): string {
  const lines = shown === null ? [] : linesOf(shown)
  if (shown === null || lines.every(({ text: line }) => line === ''))
    return `<div><h3>${title}</h3><p>nothing</p></div>`
  const differs = other === null ? [] : differingLines(shown, other)
  let left = maxSide
  const marked = lines.slice(0, MAX_LINES).flatMap(({ text: line, end }, index) => {
    if (left <= 0) return []
    const content = `${text(line.slice(0, left))}${end === '' ? '' : `<span class="end">${ENDS[end]}</span>`}`
    left -= line.length + 1
    return [differs[index] === true ? `<${mark}>${content}</${mark}>` : content]
  })
  const isCut = shown.truncated || left < 0 || lines.length > MAX_LINES
  const rest = isCut ? `\n… ${shown.size} bytes${'bytes' in shown ? '' : ' of content'}` : ''
  return `<div><h3>${title}</h3><pre tabindex="0">${marked.join('\n')}${rest}</pre></div>`
}

function text(value: string): string {
  return escapeHtml(visible(value))
}
