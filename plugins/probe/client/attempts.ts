/** The attempts of a check: whether there is another one, and what they say together. */
import type { Check, Verdict, VerdictWord } from '../catalog/check.ts'
import type { Evidence } from './evidence.ts'

export interface Attempt {
  verdict: Verdict
  evidence: Evidence | null
}

/** Findings are tried again. */
const REPEATED: readonly VerdictWord[] = ['fail', 'warn', 'error']

export function isFinding({ verdict }: Verdict): boolean {
  return REPEATED.includes(verdict)
}

/** Those that count, of one check. */
export class Attempts {
  readonly #measuresLag: boolean
  readonly #all: Attempt[] = []

  constructor({ when = {} }: Pick<Check, 'when'>) {
    this.#measuresLag = when.measuresLag === true
  }

  add(attempt: Attempt): void {
    this.#all.push(attempt)
  }

  get count(): number {
    return this.#all.length
  }

  get words(): VerdictWord[] {
    return this.#all.map(({ verdict: { verdict } }) => verdict)
  }

  /** A lag that only some attempts have is one of this machine. */
  wantsMore(repeat: number): boolean {
    const first = this.#all[0]
    if (first === undefined) return true
    if (this.count >= repeat) return false
    if (this.#measuresLag && first.verdict.verdict === 'note') return this.words.at(-1) === 'note'
    return isFinding(first.verdict)
  }

  get verdict(): Verdict {
    const { verdict } = this.#chosen
    return this.#isFlaky ? { ...verdict, verdict: 'flaky' } : verdict
  }

  get evidence(): Evidence | null {
    return this.#chosen.evidence
  }

  /** If the attempts disagree: the first one, unless it says what the chosen one does. */
  get otherAttempt(): Attempt | null {
    const [first] = this.#all as [Attempt]
    const { verdict, summary } = this.#chosen.verdict
    const isSame = first.verdict.verdict === verdict && first.verdict.summary === summary
    return this.#isFlaky && !isSame ? first : null
  }

  /** Only a lag is repeated after a note. */
  get #isFlaky(): boolean {
    const [first] = this.words
    return first !== 'note' && this.words.some(word => word !== first)
  }

  /** Of attempts that disagree, the last one that did not pass. */
  get #chosen(): Attempt {
    const [first] = this.#all as [Attempt]
    const last = this.#all.at(-1)!
    // A pass decides, since load makes lags longer and never shorter.
    if (first.verdict.verdict === 'note') return last.verdict.verdict === 'pass' ? last : first
    return this.#all.findLast(({ verdict }) => verdict.verdict !== 'pass') ?? last
  }
}
