/** The report as one HTML file without scripts, to print or save. */
import { escapeHtml, reportPage, visible } from 'svc/toolkit'
import type { Verdict } from '../file/demo.ts'
import { verdictWords, type DemoReport, type ReportedDemo, type ReportedStep } from './report.ts'
import { controlText } from './words.ts'

/** Classes of the chips in the style of reports. */
const CHIPS: Record<Verdict, string> = { seen: 'pass', 'not-seen': 'fail', 'not-judged': 'warn' }

export function htmlReport({ target, svc, run, summary, demos }: DemoReport): string {
  const [only] = demos
  const through = text(target.url + target.prefix)
  return reportPage({
    title: demos.length === 1 ? only!.title : 'Demos',
    brand: 'svc demo · report',
    head: `<p class="quiet">Through ${through}. svc ${text(svc.version)}, ${text(run.started_at.slice(0, 10))}, ${(run.took_ms / 1000).toFixed(1)} s.</p>`,
    body: `<dl class="counters">${[
      ['seen', summary.seen],
      ['not-seen', summary.not_seen],
      ['not-judged', summary.not_judged],
    ]
      .map(([verdict, count]) => counter(verdict as Verdict, Number(count)))
      .join('')}</dl>\n${demos.map(section).join('\n')}`,
  })
}

function counter(verdict: Verdict, count: number): string {
  const title = verdictWords(verdict)
  return `<div><dt>${title[0]!.toUpperCase()}${title.slice(1)}</dt><dd${count === 0 ? '' : ` class="${CHIPS[verdict]}"`}>${count}</dd></div>`
}

function section({ demo, title, verdict, reason, control, steps }: ReportedDemo): string {
  const id = text(demo)
  return `<section class="panel" aria-labelledby="${id}-title">
<h2 id="${id}-title">${text(title)} ${chip(verdict)}</h2>
${reason === null ? '' : `<p>${text(reason)}</p>`}
${control === null ? '' : `<p class="quiet">${text(controlText(control))}</p>`}
${steps.map(stepPart).join('\n')}
</section>`
}

function stepPart({ number, title, verdict, sent, arrived, took_ms, results }: ReportedStep): string {
  const rows = results.map(
    result =>
      `<tr><td>${chip(result.verdict)}${result.soft ? ' <span class="quiet">not counted</span>' : ''}</td><td>${text(result.expected)}${result.why === null ? '' : `<br><span class="quiet">${text(result.why)}</span>`}</td><td>${text(result.got)}</td></tr>`,
  )
  const table =
    rows.length === 0
      ? ''
      : `<div class="scroll" tabindex="0" role="region" aria-label="Step ${number}"><table><thead><tr><th scope="col">Verdict</th><th scope="col">Expected</th><th scope="col">Got</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
  return `<details open>
<summary>${chip(verdict)} ${number}. ${text(title)}</summary>
<p class="quiet">${sent} sent, ${arrived} arrived, ${took_ms} ms</p>
${table}
</details>`
}

function chip(verdict: Verdict): string {
  return `<span class="chip ${CHIPS[verdict]}">${verdictWords(verdict)}</span>`
}

function text(value: string): string {
  return escapeHtml(visible(value))
}
