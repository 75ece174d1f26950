/** Known findings, which do not count for the exit code. */
import { isRecord } from 'svc/toolkit'
import type { VerdictWord } from '../catalog/check.ts'
import { CATALOGUE } from '../catalog/version.ts'
import type { Report } from './report.ts'

export interface Baseline {
  /** Without `pair`, an entry covers all pairs of wires. */
  accepted: { id: string; protocol: string; pair?: string; verdict: string; note?: string }[]
}

const ORDER = ['pass', 'note', 'skip', 'warn', 'flaky', 'fail']

/** Reads a baseline or a report; returns a sentence for anything else. */
export function readBaseline(text: string, ids: ReadonlySet<string>): Baseline | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'the baseline is not JSON'
  }
  if (!isRecord(value)) return 'the baseline is not an object'
  const entries =
    value.svc_probe_baseline === 1
      ? value.accepted
      : value.svc_probe === 1 && Array.isArray(value.results)
        ? value.results.filter(one => isRecord(one) && ['fail', 'warn', 'flaky'].includes(String(one.verdict)))
        : null
  if (!Array.isArray(entries)) return 'neither a baseline (svc_probe_baseline: 1) nor a report (svc_probe: 1)'
  const accepted: Baseline['accepted'] = []
  for (const entry of entries) {
    if (!isRecord(entry) || typeof entry.id !== 'string' || typeof entry.verdict !== 'string')
      return 'each entry of the baseline needs "id" and "verdict"'
    if (!ids.has(entry.id)) return `the baseline names a check that does not exist: ${entry.id.slice(0, 100)}`
    accepted.push({
      id: entry.id,
      protocol: typeof entry.protocol === 'string' ? entry.protocol : '1.1',
      ...(typeof entry.pair === 'string' ? { pair: entry.pair } : {}),
      verdict: entry.verdict,
    })
  }
  return { accepted }
}

/** Whether the baseline covers a finding: its id, protocol and pair, and a verdict that is not worse. */
export function accepts(
  baseline: Baseline,
  id: string,
  found: { protocol: string; pair?: string | null; verdict: VerdictWord },
): boolean {
  return baseline.accepted.some(
    entry =>
      entry.id === id &&
      entry.protocol === found.protocol &&
      (entry.pair === undefined || entry.pair === found.pair) &&
      ORDER.indexOf(found.verdict) <= ORDER.indexOf(entry.verdict),
  )
}

/** The present findings as a baseline file. */
export function baselineOf({ results }: Report): string {
  const accepted = results
    .filter(({ verdict }) => ['fail', 'warn', 'flaky'].includes(verdict))
    .map(({ id, protocol, pair = null, verdict }) => ({
      id,
      protocol,
      ...(pair === null ? {} : { pair }),
      verdict,
      note: '',
    }))
  return `${JSON.stringify({ svc_probe_baseline: 1, catalogue: CATALOGUE, accepted }, null, 2)}\n`
}
