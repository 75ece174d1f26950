/** Generates a string that matches a regular expression, from its syntax tree. */
import { RegExpParser, type AST } from '@eslint-community/regexpp'
import type { StepBudget } from 'svc/plugin'
import type { SeededRandom } from './seed.ts'

/** Maximum length of a string, because nested repetitions multiply. */
const MAX_LENGTH = 4096

/** Patterns with more characters are ignored. */
const MAX_PATTERN = 4096
/** Number and length of parsed patterns that are kept, since a tree takes a hundred times the memory of its text. */
const MAX_KEPT = 500
const MAX_KEPT_LENGTH = 256
/** Steps for parsing a character of a pattern, and for an element of its tree. */
const PARSE_STEPS = 25
const ELEMENT_STEPS = 15

/** The parsed patterns of one document. */
export class PatternTrees {
  readonly #kept = new Map<string, AST.Pattern | undefined>()

  /**
   * A string for the pattern; undefined if the pattern is invalid or no string can be built. Look-around is ignored. Throws
   * `TooExpensive`.
   */
  text(source: string, random: SeededRandom, steps: StepBudget): string | undefined {
    if (source.length > MAX_PATTERN) return undefined
    const pattern = this.#tree(source, steps)
    return pattern && new Builder(random, steps).alternatives(pattern.alternatives)
  }

  #tree(source: string, steps: StepBudget): AST.Pattern | undefined {
    if (this.#kept.has(source)) return this.#kept.get(source)
    steps.take(source.length * PARSE_STEPS)
    const pattern = parsePattern(new RegExpParser({ ecmaVersion: 2024 }), source)
    if (source.length <= MAX_KEPT_LENGTH && this.#kept.size < MAX_KEPT) this.#kept.set(source, pattern)
    return pattern
  }
}

/** Parses with the `u` flag first, then without, because older patterns have escapes that `u` forbids. */
function parsePattern(parser: RegExpParser, source: string): AST.Pattern | undefined {
  for (const unicode of [true, false]) {
    try {
      return parser.parsePattern(source, 0, source.length, { unicode })
    } catch {
      // Try without the flag.
    }
  }
  return undefined
}

class Builder {
  readonly #random: SeededRandom
  readonly #steps: StepBudget
  readonly #candidates = new Map<AST.Node, string[]>()
  #length = 0

  constructor(random: SeededRandom, steps: StepBudget) {
    this.#random = random
    this.#steps = steps
  }

  alternatives(list: readonly AST.Alternative[]): string {
    const chosen = this.#random.pick(list)
    // Also elements that produce no text count, since repetitions multiply them.
    this.#steps.take(ELEMENT_STEPS * (1 + (chosen?.elements.length ?? 0)))
    return chosen ? chosen.elements.map(element => this.#element(element)).join('') : ''
  }

  #element(element: AST.Element): string {
    if (this.#length > MAX_LENGTH) return ''
    switch (element.type) {
      case 'Character':
        return this.#emit(String.fromCodePoint(element.value))
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#emit(this.#member(element))
      case 'Group':
      case 'CapturingGroup':
        return this.alternatives(element.alternatives)
      case 'Quantifier':
        return this.#repeat(element)
      default:
        // Assertions (anchors, boundaries, look-around) match no text; back-references are left empty.
        return ''
    }
  }

  #emit(text: string): string {
    this.#length += text.length
    return text
  }

  #repeat(quantifier: AST.Quantifier): string {
    const high = Math.min(quantifier.max, quantifier.min + 2)
    let text = ''
    for (let count = this.#random.integer(quantifier.min, high); count > 0 && this.#length <= MAX_LENGTH; count--) {
      this.#steps.take(ELEMENT_STEPS)
      text += this.#element(quantifier.element)
    }
    return text
  }

  #member(set: AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass): string {
    let candidates = this.#candidates.get(set)
    if (candidates === undefined) {
      const elements = set.type === 'CharacterClass' ? set.elements.length : 1
      this.#steps.take(CANDIDATES.length * elements * ELEMENT_STEPS)
      candidates = CANDIDATES.filter(character => belongs(set, character))
      this.#candidates.set(set, candidates)
    }
    if (candidates.length > 0) return this.#random.pick(candidates.slice(0, 62)) ?? ''
    // None of the preferred characters matches: use the first one of the class.
    const first = set.type === 'CharacterClass' ? set.elements[0] : undefined
    if (first?.type === 'Character') return String.fromCodePoint(first.value)
    if (first?.type === 'CharacterClassRange') return String.fromCodePoint(first.min.value)
    return ''
  }
}

/** Candidate characters by preference. */
const CANDIDATES = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. /:,;!#$%&\'()*+<=>?@[\\]^`{|}~"\t\n',
]

function belongs(
  set: AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass | AST.CharacterClassElement,
  character: string,
): boolean {
  const code = character.codePointAt(0) ?? 0
  switch (set.type) {
    case 'Character':
      return set.value === code
    case 'CharacterClassRange':
      return code >= set.min.value && code <= set.max.value
    case 'CharacterClass':
      return set.elements.some(element => belongs(element, character)) !== set.negate
    case 'CharacterSet':
      return inNamedSet(set, character)
    default:
      return false
  }
}

function inNamedSet(set: AST.CharacterSet, character: string): boolean {
  switch (set.kind) {
    case 'any':
      return character !== '\n'
    case 'digit':
      return /\d/.test(character) !== set.negate
    case 'space':
      return /\s/.test(character) !== set.negate
    case 'word':
      return /\w/.test(character) !== set.negate
    default:
      // A property such as `\p{L}`; the parser has validated its name.
      return (
        new RegExp(`\\p{${set.value === null ? set.key : `${set.key}=${set.value}`}}`, 'u').test(character) !==
        set.negate
      )
  }
}
