/** Compares two reports by check and protocol. */
import type { VerdictWord } from '../catalog/check.ts'
import type { Report, ReportedResult } from './report.ts'

export interface Change {
  id: string
  protocol: string
  from: VerdictWord | null
  to: VerdictWord | null
}

export interface Comparison {
  worse: Change[]
  better: Change[]
  new: Change[]
  gone: Change[]
  /** The same verdict with other values. */
  changed: Change[]
}

const RANK: Record<Exclude<VerdictWord, 'error'>, number> = { pass: 0, note: 0, skip: 1, warn: 2, flaky: 3, fail: 4 }

export function compareReports(before: Report, after: Report): Comparison {
  const found: Comparison = { worse: [], better: [], new: [], gone: [], changed: [] }
  const known = new Map(before.results.map(result => [keyOf(result), result]))
  for (const result of after.results) {
    const old = known.get(keyOf(result))
    known.delete(keyOf(result))
    const change: Change = { id: result.id, protocol: result.protocol, from: old?.verdict ?? null, to: result.verdict }
    if (old === undefined) found.new.push(change)
    else if (old.verdict === 'error' || result.verdict === 'error') {
      if (old.verdict !== result.verdict) found.changed.push(change)
    } else if (RANK[result.verdict] > RANK[old.verdict]) found.worse.push(change)
    else if (RANK[result.verdict] < RANK[old.verdict]) found.better.push(change)
    else if (old.verdict !== result.verdict || JSON.stringify(old.values) !== JSON.stringify(result.values))
      found.changed.push(change)
  }
  for (const { id, protocol, verdict } of known.values()) found.gone.push({ id, protocol, from: verdict, to: null })
  return found
}

function keyOf({ id, protocol }: ReportedResult): string {
  return `${id} ${protocol}`
}

const KINDS = ['worse', 'better', 'new', 'gone', 'changed'] as const

export function comparisonText(comparison: Comparison): string {
  const lines = KINDS.flatMap(kind => comparison[kind].map(change => `${kind.padEnd(7)}  ${changeText(change)}`))
  return lines.length === 0 ? 'no difference\n' : `${lines.join('\n')}\n`
}

export function comparisonMarkdown(comparison: Comparison): string {
  const rows = KINDS.flatMap(kind =>
    comparison[kind].map(
      ({ id, protocol, from, to }) => `| ${kind} | ${id} | ${protocol} | ${from ?? '–'} | ${to ?? '–'} |`,
    ),
  )
  return ['| Change | Check | Protocol | Before | After |', '|---|---|---|---|---|', ...rows, ''].join('\n')
}

function changeText({ id, protocol, from, to }: Change): string {
  return `${id} (${protocol}): ${from ?? 'not there'} → ${to ?? 'not there'}`
}
