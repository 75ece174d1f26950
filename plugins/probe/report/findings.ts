/** What was found: each result, or all results that have one cause. */
import { CAUSES, type Cause, type CauseId } from '../catalog/causes.ts'
import type { ReportedResult } from './report.ts'

/** The verdicts that a reader has to see. */
const FOUND = ['fail', 'warn', 'flaky', 'error']
const IMPACTS = ['high', 'medium', 'low']

export interface Finding {
  /** In the order of the report; at least one. */
  results: [ReportedResult, ...ReportedResult[]]
  /** Of several checks; null for a finding of one check alone. */
  cause: Cause | null
}

export function isFinding({ verdict }: Pick<ReportedResult, 'verdict'>): boolean {
  return FOUND.includes(verdict)
}

/** Findings in the order of their first result. */
export function findingsOf(results: readonly ReportedResult[]): Finding[] {
  const found: Finding[] = []
  const byCause = new Map<string, Finding>()
  for (const result of results.filter(isFinding)) {
    const key = causeKey(result)
    const known = key === null ? undefined : byCause.get(key)
    if (known !== undefined) {
      known.results.push(result)
      continue
    }
    const finding: Finding = { results: [result], cause: causeOf(result) }
    found.push(finding)
    if (key !== null) byCause.set(key, finding)
  }
  return found
}

/** How many findings these results are. */
export function countFindings(results: readonly ReportedResult[]): number {
  const keys = results.map(causeKey)
  return keys.filter(key => key === null).length + new Set(keys.filter(key => key !== null)).size
}

/** Findings of one cause and verdict are one, whether they are known or not. */
function causeKey({ cause, verdict, baseline }: ReportedResult): string | null {
  return cause === undefined ? null : `${cause} ${verdict} ${baseline ?? ''}`
}

export function causeOf({ cause }: Pick<ReportedResult, 'cause'>): Cause | null {
  // A report of another version may have causes that this one does not know.
  return cause !== undefined && Object.hasOwn(CAUSES, cause) ? CAUSES[cause as CauseId] : null
}

/** The highest impact of a finding. */
export function impactOfFinding({ results }: Finding): ReportedResult['impact'] {
  const ranks = results.map(({ impact }) => IMPACTS.indexOf(impact))
  return IMPACTS[Math.min(...ranks)] as ReportedResult['impact']
}

/** Ids of the checks of a finding. */
export function idsOf({ results }: Finding): string {
  return results.map(({ id }) => id).join(', ')
}
