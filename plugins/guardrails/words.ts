/** Splits a text into words (runs of word characters) and the gaps between them. */
import { codePointIndex, isWordAt } from './code-points.ts'

/** The separator between a word and the previous one. */
export type Gap = 'space' | 'hyphen' | 'other'

export interface Words {
  readonly count: number
  /** In lower case; empty for a word longer than every word of a term, and after the last word. */
  word(index: number): string
  gapBefore(index: number): Gap
  /** Code points. */
  start(index: number): number
  end(index: number): number
}

/** Terms contain no longer words. */
const LONGEST = 24
/** Up to this text length, words are computed once and cached, since every detector reads all of them. */
const LONGEST_KEPT = 100_000
const SPACES_ONLY = /^\s+$/u

/** Splits a text once for all word detectors, in linear time. */
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
