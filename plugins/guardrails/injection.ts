/** Prompt injection: nine rules that match sequences of words separated by white space. */
import type { Words } from './words.ts'
import type { Match } from './types.ts'

/** Matches one word of a set, or up to `upTo` words of a set in any order. */
type Step = { one: Set<string> } | { upTo: number; of: Set<string> }
interface Rule {
  id: string
  /** Alternatives. */
  patterns: Step[][]
}

const set = (words: string): Set<string> => new Set(words.split(' '))
const one = (words: string): Step => ({ one: set(words) })
const upTo = (count: number, words: string): Step => ({ upTo: count, of: set(words) })
const phrase = (words: string): Step[] => words.split(' ').map(word => one(word))

const PERSONA_VERBS = [
  'you are',
  'act as',
  'act like',
  'behave as',
  'respond as',
  'answer as',
  'pretend to be',
  'become',
]

const RULES: readonly Rule[] = [
  {
    id: 'ignore-instructions',
    patterns: [
      [
        one('ignore disregard forget'),
        upTo(
          4,
          'all any every each of the your my our these those this that previous prior earlier preceding above foregoing initial original existing system', // language: attack words
        ),
        one(
          'instruction instructions prompt prompts rule rules guideline guidelines direction directions directive directives command commands',
        ),
      ],
    ],
  },
  {
    id: 'ignore-above',
    patterns: [
      [
        one('ignore disregard forget'),
        upTo(4, 'all anything everything of the that text was is said written'),
        one('above foregoing'), // language: attack words
      ],
    ],
  },
  {
    id: 'dan-persona',
    patterns: [
      ...PERSONA_VERBS.map(verb => [...phrase(verb), upTo(2, 'now a the called named'), one('dan')]),
      phrase('dan mode'),
    ],
  },
  { id: 'do-anything-now', patterns: [phrase('do anything now')] },
  { id: 'developer-mode', patterns: [phrase('developer mode')] },
  { id: 'jailbreak', patterns: [[one('jailbreak jailbreaks jailbreaking jailbroken')]] },
  {
    id: 'no-restrictions',
    patterns: [
      [
        one('pretend act behave respond answer imagine assume'),
        upTo(6, 'as if though that like you to be have had are were an ai a model assistant'),
        one('no without zero'),
        upTo(2, 'any content ethical moral safety'),
        one(
          'restriction restrictions limit limits limitation limitations filter filters rules guidelines constraints guardrails',
        ),
      ],
    ],
  },
  {
    id: 'reveal-system-prompt',
    patterns: [
      [
        one('reveal print show display output repeat expose leak dump disclose'),
        upTo(4, 'me us out all of the your its full entire complete exact hidden secret'),
        one('system hidden initial original'),
        one('prompt prompts message instructions'),
      ],
    ],
  },
  {
    id: 'bypass-safety',
    patterns: [
      [
        one('bypass circumvent disable evade override'),
        upTo(3, 'all any of the your its these those content'),
        one('safety guardrail guardrails filter filters safeguard safeguards moderation restrictions'),
      ],
    ],
  },
]

interface Anchored {
  rule: number
  pattern: Step[]
}

/**
 * All matches; those of one rule do not overlap. Patterns are bounded, so the cost is linear in the number of words.
 */
export function findInjections(words: Words): Match[] {
  const matches: Match[] = []
  const nextFree = RULES.map(() => 0)
  for (let index = 0; index < words.count; index++) {
    for (const { rule, pattern } of ANCHORS.get(words.word(index)) ?? []) {
      if (index < nextFree[rule]!) continue
      const end = matchFrom(pattern, 0, words, index, index)
      if (end === null) continue
      nextFree[rule] = end
      matches.push({ start: words.start(index), end: words.end(end - 1), rule: RULES[rule]!.id })
    }
  }
  return matches
}

const ANCHORS: ReadonlyMap<string, readonly Anchored[]> = anchors()

function anchors(): Map<string, Anchored[]> {
  const byWord = new Map<string, Anchored[]>()
  RULES.forEach(({ patterns }, rule) => {
    for (const pattern of patterns) {
      for (const word of (pattern[0] as { one: Set<string> }).one)
        byWord.set(word, [...(byWord.get(word) ?? []), { rule, pattern }])
    }
  })
  return byWord
}

/**
 * Matches the steps from `step` on at word `index`. Returns the index after the match, or null. Prefers to match as many
 * optional words as possible.
 */
function matchFrom(pattern: readonly Step[], step: number, words: Words, index: number, first: number): number | null {
  const current = pattern[step]
  if (current === undefined) return index
  const isHere = (at: number, of: Set<string>): boolean =>
    at < words.count && of.has(words.word(at)) && (at === first || words.gapBefore(at) === 'space')
  if ('one' in current) return isHere(index, current.one) ? matchFrom(pattern, step + 1, words, index + 1, first) : null
  let taken = 0
  while (taken < current.upTo && isHere(index + taken, current.of)) taken++
  for (; taken >= 0; taken--) {
    const end = matchFrom(pattern, step + 1, words, index + taken, first)
    if (end !== null) return end
  }
  return null
}
