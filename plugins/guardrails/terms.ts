/** The fixed terms of the harm categories and the demo blocklist, and the search for them. */
import type { Gap, Words } from './words.ts'
import type { Match } from './types.ts'

/** A word, or words joined by a space (matches any white space) or a hyphen. */
export interface Term {
  text: string
  severity?: number
  /** Id of a blocklist item. */
  rule?: string
}

export const HARM_TERMS: Readonly<Record<string, readonly Term[]>> = {
  Hate: [
    { text: 'hateful', severity: 2 },
    { text: 'bigot', severity: 3 },
    { text: 'racist', severity: 4 },
    { text: 'subhuman', severity: 6 },
  ],
  SelfHarm: [
    { text: 'self-harm', severity: 4 },
    { text: 'hurt myself', severity: 4 },
    { text: 'suicide', severity: 6 },
    { text: 'kill myself', severity: 6 },
  ],
  Sexual: [
    { text: 'explicit', severity: 2 },
    { text: 'nsfw', severity: 4 },
    { text: 'porn', severity: 6 },
  ],
  Violence: [
    { text: 'fight', severity: 2 },
    { text: 'weapon', severity: 4 },
    { text: 'kill', severity: 4 },
    { text: 'bomb', severity: 6 },
    { text: 'murder', severity: 6 },
  ],
}

export const BLOCKLIST_NAME = 'demo-blocklist'
export const BLOCKLIST: readonly Required<Pick<Term, 'text' | 'rule'>>[] = [
  { rule: 'b10c0000-0000-4000-8000-000000000001', text: 'blockedword' },
  { rule: 'b10c0000-0000-4000-8000-000000000002', text: 'acme-internal' },
  { rule: 'b10c0000-0000-4000-8000-000000000003', text: 'secret recipe' },
]

interface CompiledTerm {
  term: Term
  words: string[]
  gaps: Gap[]
}

/** Creates a search for terms. Matches of one term do not overlap; matches of different terms may. */
export function termFinder(terms: readonly Term[], split: (text: string) => Words): (text: string) => Match[] {
  const byFirstWord = new Map<string, CompiledTerm[]>()
  for (const term of terms) {
    const compiled = compile(term)
    byFirstWord.set(compiled.words[0]!, [...(byFirstWord.get(compiled.words[0]!) ?? []), compiled])
  }
  return text => {
    const words = split(text)
    const matches: Match[] = []
    for (let index = 0; index < words.count; index++) {
      for (const compiled of byFirstWord.get(words.word(index)) ?? []) {
        if (!matchesAt(compiled, words, index)) continue
        const { severity, rule } = compiled.term
        matches.push({
          start: words.start(index),
          end: words.end(index + compiled.words.length - 1),
          ...(severity === undefined ? {} : { severity }),
          ...(rule === undefined ? {} : { rule }),
        })
      }
    }
    return matches
  }
}

function compile(term: Term): CompiledTerm {
  const words = term.text.split(/[ -]/)
  const gaps = [...term.text.matchAll(/[ -]/g)].map(([gap]): Gap => (gap === '-' ? 'hyphen' : 'space'))
  return { term, words, gaps }
}

function matchesAt({ words: wanted, gaps }: CompiledTerm, words: Words, index: number): boolean {
  return (
    wanted.every(
      (word, offset) =>
        words.word(index + offset) === word && (offset === 0 || words.gapBefore(index + offset) === gaps[offset - 1]),
    ) && index + wanted.length <= words.count
  )
}
