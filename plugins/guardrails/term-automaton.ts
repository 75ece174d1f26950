/**
 * Finds the terms that occur in a text, in linear time: an Aho-Corasick automaton over tokens (words and punctuation
 * marks) instead of characters.
 */

/** A run of word characters, or any other character that is not white space. */
const TOKEN = /\s+|[\p{L}\p{N}\p{M}_]+|./gsu
const SPACE = /^\s/u
/** Exceeds the number of possible keys, which is two per token of the terms. */
const KEY_SPAN = 2 ** 24

interface Token {
  text: string
  /** 1 after white space, otherwise 0. */
  gap: 0 | 1
}

/** Tokens in lower case. */
function* tokensOf(text: string): Iterable<Token> {
  let gap: 0 | 1 = 0
  for (const [token] of text.matchAll(TOKEN)) {
    if (SPACE.test(token)) {
      gap = 1
      continue
    }
    yield { text: token.toLowerCase(), gap }
    gap = 0
  }
}

/** Whether a text is a valid term: not blank. */
export function isTerm(text: string): boolean {
  return text.trim() !== ''
}

/** A term matches whole words in any case; a space in it matches any white space. */
export class TermAutomaton {
  /** Ids of the tokens that occur in terms. */
  readonly #ids = new Map<string, number>()
  /** Maps state and key to the next state; state 0 is the root, where white space before a token does not matter. */
  readonly #edges = new Map<number, number>()
  /** By state: its depth, and the edge that leads to it. */
  readonly #depths = [0]
  readonly #origins: { parent: number; id: number; gap: 0 | 1 }[] = [{ parent: 0, id: 0, gap: 0 }]
  /** By state: the state of its longest proper suffix. */
  readonly #suffixes: number[] = [0]
  /** By term: its last state. */
  readonly #ends: number[] = []
  readonly #byDepth: number[]

  constructor(terms: readonly string[]) {
    for (const term of terms) this.#ends.push(this.#add(term))
    this.#byDepth = this.#depths.map((_, state) => state).sort((a, b) => this.#depths[a]! - this.#depths[b]!)
    for (const state of this.#byDepth) {
      const { parent, id, gap } = this.#origins[state]!
      this.#suffixes[state] = this.#depths[state]! <= 1 ? 0 : this.#next(this.#suffixes[parent]!, id, gap)
    }
  }

  #add(term: string): number {
    let state = 0
    for (const { text, gap } of tokensOf(term)) {
      const id = this.#ids.get(text) ?? this.#ids.size
      this.#ids.set(text, id)
      const edge = edgeOf(state, id, gap)
      let next = this.#edges.get(edge)
      if (next === undefined) {
        next = this.#origins.push({ parent: state, id, gap }) - 1
        this.#depths.push(this.#depths[state]! + 1)
        this.#edges.set(edge, next)
      }
      state = next
    }
    return state
  }

  #next(from: number, id: number, gap: 0 | 1): number {
    for (let state = from; ; state = this.#suffixes[state]!) {
      const next = this.#edges.get(edgeOf(state, id, gap))
      if (next !== undefined) return next
      if (state === 0) return 0
    }
  }

  /** By term: whether it is in the text. */
  search(text: string): boolean[] {
    const seen = new Uint8Array(this.#depths.length)
    let state = 0
    for (const token of tokensOf(text)) {
      const id = this.#ids.get(token.text)
      state = id === undefined ? 0 : this.#next(state, id, token.gap)
      seen[state] = 1
    }
    // A match of a state is also a match of all of its suffixes.
    for (let index = this.#byDepth.length - 1; index > 0; index--) {
      const deeper = this.#byDepth[index]!
      if (seen[deeper] === 1) seen[this.#suffixes[deeper]!] = 1
    }
    return this.#ends.map(end => end !== 0 && seen[end] === 1)
  }
}

function edgeOf(state: number, id: number, gap: 0 | 1): number {
  return state * KEY_SPAN + id * 2 + (state === 0 ? 0 : gap)
}
