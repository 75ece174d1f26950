/** The verdicts of each pair of wires, for all formats of reports. */
import { shownPair, type FoundPair } from '../pairs/pair.ts'
import type { Report, VerdictCounts } from './report.ts'

export const PAIR_COLUMNS = ['fail', 'warn', 'note', 'skip'] as const

export type ReportedPair = FoundPair & { verdicts: VerdictCounts }

/** Pairs that were tested, in the order of the report. */
export function testedPairs({ summary }: Pick<Report, 'summary'>): ReportedPair[] {
  return (summary.pairs ?? []).filter(({ state }) => state === 'tested')
}

/** The others, as a sentence each. */
export function untestedPairs({ summary }: Pick<Report, 'summary'>): string[] {
  return (summary.pairs ?? [])
    .filter(({ state }) => state !== 'tested')
    .map(
      ({ pair, model, state, reason }) =>
        `${shownPair(pair)} (${model}): ${state}${reason === null ? '' : `: ${reason}`}`,
    )
}

/** Wires in the order of the report: those of clients, and those of upstreams. */
export function wiresOf(pairs: readonly ReportedPair[]): { clients: string[]; upstreams: string[] } {
  return {
    clients: [...new Set(pairs.map(({ client }) => client))],
    upstreams: [...new Set(pairs.flatMap(({ upstream }) => upstream ?? []))],
  }
}
