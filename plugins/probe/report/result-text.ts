/** What a result says, in one line. */
import type { VerdictWord } from '../catalog/check.ts'
import { shownPair } from '../pairs/pair.ts'
import type { ReportedResult } from './report.ts'

/** Behind the id or title of a check, which may have a result in each protocol, and for each pair of wires. */
export function protocolText({ protocol, pair = null }: Pick<ReportedResult, 'protocol' | 'pair'>): string {
  return `${protocol === '1.1' ? '' : ` (HTTP/${protocol})`}${pair === null ? '' : ` ${shownPair(pair)}`}`
}

/** Of attempts that disagree, also how many of them found what. */
export function resultText({
  verdict,
  summary,
  reason,
  repeats,
}: Pick<ReportedResult, 'verdict' | 'summary' | 'reason' | 'repeats'>): string {
  const text = summary === '' ? (reason ?? '') : summary
  if (verdict !== 'flaky') return text
  return [attemptsText(repeats), text].filter(part => part !== '').join(': ')
}

/** The first attempt, if attempts disagree and it found something else; null otherwise. */
export function otherAttemptText({ other_attempt: other }: Pick<ReportedResult, 'other_attempt'>): string | null {
  return other === undefined ? null : `In the first attempt, ${other.verdict}: ${other.summary}`
}

/** `fail in 2 of 3 attempts, pass in 1`, the most frequent first. */
function attemptsText(repeats: readonly VerdictWord[]): string {
  const counts = new Map<VerdictWord, number>()
  for (const word of repeats) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([word, count], index) => `${word} in ${count}${index === 0 ? ` of ${repeats.length} attempts` : ''}`)
    .join(', ')
}
