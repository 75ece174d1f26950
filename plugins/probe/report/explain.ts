/** A finding in words, and as the text of an issue: what was lost on which way. */
import { isRecord, visible, visibleLines } from 'svc/toolkit'
import type { Check } from '../catalog/check.ts'
import { shownPair } from '../pairs/pair.ts'
import type { Report, ReportedResult } from './report.ts'
import { resultText } from './result-text.ts'
import { textOf } from './side-lines.ts'
import type { ReportedExchange, Side } from './sides.ts'

/** Bytes of the text of an issue. */
const MAX_ISSUE = 16 * 1024
const MAX_CONFIGURATION = 2_000
/** Lines around one that differs. */
const CONTEXT = 3
const MAX_LINES = 30

const SIDES = ['Sent', 'Arrived', 'Answered', 'Came back'] as const

/** For a terminal. */
export function explanation(result: ReportedResult, check: Check | undefined): string {
  const exchange = result.exchanges[0]
  const differences = differencesOf(result)
  return [
    `${result.id}  ${result.title}${pairText(result)}`,
    `verdict ${result.verdict}, impact ${result.impact}`,
    visible(resultText(result)),
    ...(exchange === undefined
      ? ['', 'The report has no evidence of it: run it with --verbose.']
      : sidesOf(exchange).flatMap(([title, side]) => ['', `${title}:`, ...linesOf(side).map(line => `  ${line}`)])),
    ...(differences.length === 0
      ? []
      : ['', 'Differences:', ...differences.map(one => `  ${visible(one.join('  '))}`)]),
    ...(check === undefined ? [] : ['', `Why it matters: ${check.page.why}`, `Expected: ${check.page.expected}`]),
    '',
  ].join('\n')
}

/** Markdown, at most 16 KiB. `command` is the one that shows it again. */
export function issueText(report: Report, result: ReportedResult, check: Check | undefined): string {
  const { gateway } = report
  const product = [gateway.name, gateway.seen.server].filter(one => one !== null).map(one => visible(one))
  const exchange = result.exchanges[0]
  const differences = differencesOf(result)
  const [configuration] = gateway.configuration
  const source = result.sources.map(({ spec, section }) =>
    section === undefined ? spec : `${spec} section ${section}`,
  )
  const parts = [
    `# ${markdown(titleOf(result))}`,
    '',
    `Product: ${product.length === 0 ? 'not named' : markdown(product.join(', '))}. Found by svc ${report.svc.version}, catalog ${report.catalogue}, check ${result.id}${markdown(pairText(result))}.`,
    '',
    ...(exchange === undefined
      ? ['The report has no evidence of it.', '']
      : sidesOf(exchange).flatMap(([title, side], index, all) => [
          `## ${title}`,
          '',
          ...fenced(cut(linesOf(side), linesOf(all[index ^ 1]![1]))),
          '',
        ])),
    ...(differences.length === 0
      ? []
      : [
          '| Side | Scene | Where | Kind | Sent | Got |',
          '|---|---|---|---|---|---|',
          ...differences.map(cells => `| ${cells.map(markdown).join(' | ')} |`),
          '',
        ]),
    '## Reproduce',
    '',
    ...fenced([commandOf(report, result)]),
    '',
    ...(configuration === undefined
      ? []
      : [
          `Configuration, ${markdown(configuration.file)}:`,
          '',
          ...fenced(visibleLines(configuration.text.slice(0, MAX_CONFIGURATION))),
          '',
        ]),
    source.length === 0 ? 'No standard says it: what a client sends has to arrive.' : `Source: ${source.join(', ')}.`,
    ...(check === undefined ? [] : ['', markdown(check.page.why)]),
    '',
    `The check: svc probe show ${result.id}`,
    '',
  ]
  return shortened(parts.join('\n'))
}

function titleOf({ summary, title, pair = null }: ReportedResult): string {
  const what = (summary === '' ? title : summary).slice(0, 160)
  return `${visible(what)}${pair === null ? '' : `, ${shownPair(pair)}`}`
}

function pairText({ pair = null }: ReportedResult): string {
  return pair === null ? '' : ` ${shownPair(pair)}`
}

function sidesOf({ sent, arrived, answered, came_back: back }: ReportedExchange): [string, Side | null][] {
  const sides = [sent, arrived.at(-1) ?? null, answered, back]
  return SIDES.map((title, index) => [title, sides[index]!])
}

function linesOf(side: Side | null): string[] {
  return side === null ? ['nothing'] : visibleLines(textOf(side))
}

/** Lines that the other side does not have, with some around them. */
function cut(lines: readonly string[], other: readonly string[]): string[] {
  const known = new Set(other)
  const shown = lines.flatMap((line, at) =>
    known.has(line) ? [] : Array.from({ length: 2 * CONTEXT + 1 }, (_, index) => at - CONTEXT + index),
  )
  const kept = [...new Set(shown)].filter(at => at >= 0 && at < lines.length).toSorted((a, b) => a - b)
  const chosen = (kept.length === 0 ? [...lines.keys()] : kept).slice(0, MAX_LINES)
  return chosen.flatMap((at, index) => [
    ...(index > 0 && chosen[index - 1] !== at - 1 ? ['…'] : []),
    lines[at]!.slice(0, 1_000),
  ])
}

function differencesOf({ values }: ReportedResult): string[][] {
  const list: unknown = values.differences
  if (!Array.isArray(list)) return []
  return list
    .filter(isRecord)
    .map(({ side, scene, mode, path, kind, sent, got }) =>
      [side, `${String(scene)} ${String(mode)}`, path, kind, shown(sent), shown(got)].map(String),
    )
}

function shown(value: unknown): string {
  if (value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function commandOf({ run }: Report, { id, pair = null }: ReportedResult): string {
  const own = ['--checks', '--groups', '--pairs']
  const kept = run.arguments.filter((one, at, all) => !own.includes(one) && !own.includes(all[at - 1] ?? ''))
  const words = ['svc', 'probe', ...kept, '--checks', id, ...(pair === null ? [] : ['--pairs', pair])]
  return words
    .map(word => (/^[\w./:,=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ')
}

function fenced(lines: readonly string[]): string[] {
  const longest = Math.max(2, ...lines.map(line => /^\s*(`+)/.exec(line)?.[1]?.length ?? 0))
  const fence = '`'.repeat(longest + 1)
  return [`${fence}text`, ...lines, fence]
}

function markdown(text: string): string {
  return visible(text).replaceAll(/[\\`*_{}[\]<>|#]/g, character => `\\${character}`)
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= MAX_ISSUE) return text
  return `${Buffer.from(text)
    .subarray(0, MAX_ISSUE - 64)
    .toString('utf8')
    .replace(/\uFFFD$/, '')}\n… cut at 16 KiB\n`
}
