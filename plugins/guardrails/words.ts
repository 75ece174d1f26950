/** A text as words: runs of word characters, what they say as far as any term cares, and what stands between them. */
import { codePointIndex, isWordAt } from './code-points.ts'

/** What separates a word from the one before it. */
export type Gap = 'space' | 'hyphen' | 'other'

export interface Words {
  readonly count: number
  /** Lower case; empty for a word that is longer than any term's, and behind the last. */
  word(index: number): string
  gapBefore(index: number): Gap
  /** Code points. */
  start(index: number): number
  end(index: number): number
}

/** Longer words are in no term. */
const LONGEST = 24
/** Characters of a text whose words are made once: every detector goes through all of them. */
const LONGEST_KEPT = 100_000
const SPACES_ONLY = /^\s+$/u

/** Splits once for all detectors of words; linear in the text. */
export function splitWords(text: string): Words {
  const starts: number[] = []
  const ends: number[] = []
  for (let index = 0; index < text.length; ) {
    if (!isWordAt(text, index)) {
      index += text.codePointAt(index)! > 0xffff ? 2 : 1
      continue
    }
    starts.push(index)
    while (index < text.length && isWordAt(text, index)) index += text.codePointAt(index)! > 0xffff ? 2 : 1
    ends.push(index)
  }
  const wordAt = (index: number): string =>
    ends[index]! - starts[index]! <= LONGEST ? text.slice(starts[index], ends[index]).toLowerCase() : ''
  const kept = text.length <= LONGEST_KEPT ? starts.map((_, index) => wordAt(index)) : null
  const toPoint = codePointIndex(text)
  return {
    count: starts.length,
    word: index => (kept === null ? wordAt(index) : (kept[index] ?? '')),
    gapBefore(index) {
      const gap = text.slice(ends[index - 1] ?? 0, starts[index])
      return gap === '-' ? 'hyphen' : SPACES_ONLY.test(gap) ? 'space' : 'other'
    },
    start: index => toPoint(starts[index]!),
    end: index => toPoint(ends[index]!),
  }
}
