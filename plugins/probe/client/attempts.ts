/** The attempts of a check: whether there is another one, and what they say together. */
import type { Check, Verdict, VerdictWord } from '../catalog/check.ts'

/** Findings are tried again. */
const REPEATED: readonly VerdictWord[] = ['fail', 'warn', 'error']

export function isFinding({ verdict }: Verdict): boolean {
  return REPEATED.includes(verdict)
}

/** A lag that only some attempts have is one of this machine. */
export function isRepeated({ when = {} }: Check, verdicts: readonly Verdict[]): boolean {
  const first = verdicts[0]!
  if (when.measuresLag === true && first.verdict === 'note') return verdicts.at(-1)!.verdict === 'note'
  return isFinding(first)
}

/** Only a lag is repeated after a note. A pass decides then, since load makes lags longer and never shorter. */
export function agreed(verdicts: readonly Verdict[]): Verdict {
  const [first] = verdicts as [Verdict]
  const last = verdicts.at(-1)!
  if (first.verdict === 'note') return last.verdict === 'pass' ? last : first
  return verdicts.every(({ verdict }) => verdict === first.verdict) ? first : { ...first, verdict: 'flaky' }
}
