/** Compares two reports by check, protocol and pair of wires. */
import type { VerdictWord } from '../catalog/check.ts'
import { shownPair } from '../pairs/pair.ts'
import type { Report, ReportedResult } from './report.ts'

export interface Change {
  id: string
  protocol: string
  /** Absent: the check is not one for pairs. */
  pair?: string
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
    const change: Change = { ...placeOf(result), from: old?.verdict ?? null, to: result.verdict }
    if (old === undefined) found.new.push(change)
    else if (old.verdict === 'error' || result.verdict === 'error') {
      if (old.verdict !== result.verdict) found.changed.push(change)
    } else if (RANK[result.verdict] > RANK[old.verdict]) found.worse.push(change)
    else if (RANK[result.verdict] < RANK[old.verdict]) found.better.push(change)
    else if (old.verdict !== result.verdict || JSON.stringify(old.values) !== JSON.stringify(result.values))
      found.changed.push(change)
  }
  for (const old of known.values()) found.gone.push({ ...placeOf(old), from: old.verdict, to: null })
  return found
}

function keyOf({ id, protocol, pair = null }: ReportedResult): string {
  return `${id} ${protocol} ${pair ?? ''}`
}

function placeOf({ id, protocol, pair = null }: ReportedResult): Pick<Change, 'id' | 'protocol' | 'pair'> {
  return { id, protocol, ...(pair === null ? {} : { pair }) }
}

const KINDS = ['worse', 'better', 'new', 'gone', 'changed'] as const

export function comparisonText(comparison: Comparison): string {
  const lines = KINDS.flatMap(kind => comparison[kind].map(change => `${kind.padEnd(7)}  ${changeText(change)}`))
  return lines.length === 0 ? 'no difference\n' : `${lines.join('\n')}\n`
}

export function comparisonMarkdown(comparison: Comparison): string {
  const rows = KINDS.flatMap(kind =>
    comparison[kind].map(
      ({ id, protocol, pair, from, to }) =>
        `| ${kind} | ${id}${pair === undefined ? '' : ` ${shownPair(pair)}`} | ${protocol} | ${from ?? '–'} | ${to ?? '–'} |`,
    ),
  )
  return ['| Change | Check | Protocol | Before | After |', '|---|---|---|---|---|', ...rows, ''].join('\n')
}

function changeText({ id, protocol, pair, from, to }: Change): string {
  return `${id}${pair === undefined ? '' : ` ${shownPair(pair)}`} (${protocol}): ${from ?? 'not there'} → ${to ?? 'not there'}`
}
