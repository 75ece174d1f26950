/** The report as one HTML file without scripts. */
import { escapeHtml, isRecord } from 'svc/toolkit'
import { CATALOG } from '../checks/index.ts'
import { groupsOf } from './report.ts'
import type { Report, ReportedResult } from './report.ts'
import type { ReportedExchange, Side } from './sides.ts'
import { differingLines, linesOf } from './side-lines.ts'
import { HTML_STYLE } from './html-style.ts'
import { otherAttemptText, protocolText, resultText } from './result-text.ts'
import { goneText } from './upstream-text.ts'
import { visible } from './visible.ts'

const WORST_FIRST = ['fail', 'flaky', 'warn', 'error']
const MAX_BYTES = 3 * 1024 * 1024
const MAX_LINES = 60
const MAX_EXCHANGES = 12
/** Characters of a value. */
const MAX_VALUE = 600
const ENDS = { LF: '␊', 'CR LF': '␍␊' }

export function htmlReport(report: Report): string {
  const full = page(report, 2_000)
  return Buffer.byteLength(full) <= MAX_BYTES ? full : page(report, 200)
}

function page(report: Report, maxSide: number): string {
  const { gateway, summary, results, svc, run } = report
  const name = text(gateway.name ?? gateway.url)
  const gone = goneText(report)
  const rows = summary.groups.map(
    ({ group, musts, verdicts }) =>
      `<tr><th scope="row"><a href="#${text(group)}">${text(group)}</a></th><td>${musts.tried === 0 ? '–' : `${musts.kept} of ${musts.tried}`}</td><td>${verdicts.fail}</td><td>${verdicts.warn}</td><td>${verdicts.note}</td><td>${verdicts.skip}</td><td>${verdicts.error + verdicts.flaky}</td></tr>`,
  )
  const sections = groupsOf(results).map(group =>
    section(
      group,
      results.filter(one => one.group === group),
      maxSide,
    ),
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report of ${name}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
<main>
<h1>Report of ${name}</h1>
<p>Gateway ${text(gateway.url)}, software ${text(gateway.seen.server ?? 'not named')}. svc ${text(svc.version)}, catalog ${text(report.catalogue)}, ${text(run.started_at.slice(0, 10))}, ${(run.took_ms / 1000).toFixed(1)} s.</p>
${gone === null ? '' : `<p>Upstream: ${text(gone)}</p>`}
${report.complete ? '' : '<p><strong>The run is not complete.</strong></p>'}
<p>${counted(summary.verdicts.fail, 'failure')}, ${counted(summary.verdicts.warn, 'warning')}, ${counted(summary.verdicts.note, 'note')}, ${summary.verdicts.pass} passed, ${summary.verdicts.skip} skipped.</p>
${findingsList(results)}
<p>svc was on both sides of the gateway. What was <strong>sent</strong> and what <strong>arrived</strong> show what the gateway does to requests; what the upstream <strong>answered</strong> and what <strong>came back</strong>, what it does to responses. Lines are marked that <del>did not get through as they are</del>, and that <ins>the gateway added or changed</ins>.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Groups"><table>
<caption>Groups</caption>
<thead><tr><th scope="col">Group</th><th scope="col">Musts kept</th><th scope="col">Fail</th><th scope="col">Warn</th><th scope="col">Note</th><th scope="col">Skip</th><th scope="col">Error, flaky</th></tr></thead>
<tbody>${rows.join('')}</tbody>
</table></div>
${sections.join('\n')}
</main>
</body>
</html>
`
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

const isFinding = ({ verdict }: ReportedResult): boolean => ['fail', 'warn', 'flaky', 'error'].includes(verdict)

/** What was found, the worst first. */
function findingsList(results: readonly ReportedResult[]): string {
  const rank = ({ verdict, impact }: ReportedResult): number =>
    WORST_FIRST.indexOf(verdict) * 3 + ['high', 'medium', 'low'].indexOf(impact)
  const items = results
    .filter(isFinding)
    .toSorted((a, b) => rank(a) - rank(b))
    .map(result => ({ result, why: whyOf(result) }))
    .map(
      ({ why, result, result: { id, protocol, verdict, impact, title } }) =>
        `<li><span class="${verdict}">${verdict}</span> <a href="#${anchor(id, protocol)}">${text(id)} ${text(title)}</a>${text(protocolText(result))}: ${text(resultText(result))}<br><span class="quiet">Impact ${impact}. ${text(why)}</span></li>`,
    )
  return items.length === 0
    ? '<h2>Findings</h2>\n<p>None.</p>'
    : `<h2>Findings</h2>\n<p>What broke a rule, or is known to cause trouble, and why it matters; the messages follow below.</p>\n<ol>${items.join('\n')}</ol>`
}

function whyOf({ id, why }: ReportedResult): string {
  return why ?? CATALOG.find(check => check.id === id)?.page.why ?? ''
}

/** A check may have a result in each protocol. */
function anchor(id: string, protocol: string): string {
  return text(protocol === '1.1' ? id : `${id}-h${protocol}`)
}

function section(group: string, results: readonly ReportedResult[], maxSide: number): string {
  const findings = results.filter(isFinding).map(result => finding(result, maxSide))
  const others = results
    .filter(result => !isFinding(result))
    .map(
      result =>
        `<tr><th scope="row">${text(result.id)}${text(protocolText(result))}</th><td>${text(result.title)}</td><td class="${result.verdict}">${result.verdict}</td><td>${text(resultText(result))}</td></tr>`,
    )
  return `<section id="${text(group)}" aria-labelledby="${text(group)}-title">
<h2 id="${text(group)}-title">${text(group)}</h2>
${findings.join('\n')}
${others.length === 0 ? '' : `<div class="scroll" tabindex="0" role="region" aria-label="Other checks of ${text(group)}"><table><caption>Other checks</caption><thead><tr><th scope="col">Check</th><th scope="col">Title</th><th scope="col">Verdict</th><th scope="col">Result</th></tr></thead><tbody>${others.join('')}</tbody></table></div>`}
</section>`
}

function finding(result: ReportedResult, maxSide: number): string {
  const { id, title, protocol, verdict, impact, baseline, owner_note: note, exchanges } = result
  const other = otherAttemptText(result)
  const why = whyOf(result)
  const sources = result.sources.map(source => sourceLink(source.spec, source.section)).join(', ')
  return `<details open id="${anchor(id, protocol)}">
<summary><span class="${verdict}">${verdict}</span> ${text(id)} ${text(title)}${text(protocolText(result))}${baseline === 'known' ? ' (known)' : ''}</summary>
<p>${text(resultText(result))}. Impact ${impact}.${sources === '' ? '' : ` Source: ${sources}.`}</p>
${why === '' ? '' : `<p>Why it matters: ${text(why)}</p>`}
${note === null ? '' : `<p>Owner: ${text(note)}</p>`}
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
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `<tr><th scope="row">${text(name)}</th><td>${valueCell(value)}</td></tr>`)
  return rows.length === 0
    ? ''
    : `<div class="scroll" tabindex="0" role="region" aria-label="Values"><table><caption>Values</caption><tbody>${rows.join('')}</tbody></table></div>`
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
