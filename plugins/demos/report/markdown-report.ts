/** The report as Markdown, for pull requests and job summaries. */
import { markdownText } from 'svc/toolkit'
import { verdictWords, type DemoReport, type ReportedDemo } from './report.ts'
import { controlText } from './words.ts'

export function markdownReport({ target, svc, run, summary, demos }: DemoReport): string {
  return `${[
    '# Demos',
    '',
    `Through ${markdownText(target.url + target.prefix)}, svc ${svc.version}, ${run.started_at.slice(0, 10)}: ${summary.seen} seen, ${summary.not_seen} not seen, ${summary.not_judged} not judged.`,
    ...demos.flatMap(demoText),
  ].join('\n')}\n`
}

function demoText({ demo, title, verdict, reason, control, steps }: ReportedDemo): string[] {
  const rows = steps.map(step => {
    const got = step.results.map(
      result =>
        `${verdictWords(result.verdict)}: ${result.expected}; got ${result.got}${result.soft ? ' (not counted)' : ''}`,
    )
    return `| ${step.number} | ${markdownText(step.title)} | ${verdictWords(step.verdict)} | ${step.sent} | ${step.arrived} | ${got.map(markdownText).join('<br>')} |`
  })
  return [
    '',
    `## ${markdownText(title)}: ${verdictWords(verdict)}`,
    '',
    `\`${demo}\`${reason === null ? '' : `: ${markdownText(reason)}`}${control === null ? '' : `; ${controlText(control)}`}`,
    ...(rows.length === 0
      ? []
      : ['', '| Step | Title | Verdict | Sent | Arrived | Expected and got |', '|---|---|---|---|---|---|', ...rows]),
  ]
}
