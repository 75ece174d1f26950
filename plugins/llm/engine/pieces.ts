/** The tokens of a text. Those of a long text are made as they are read, since they take ten times the memory of the text. */
import type { Pieces, Tokenizer } from '../contract/neutral.ts'
import { RULE } from './tokenizer.ts'
import { count, eachPiece, pieces } from './tokens.ts'

/** Characters of a text whose tokens are kept as a list. */
const LISTED_CHARACTERS = 16_384
/** Characters that are split at once. */
const WINDOW = 4096

/** The tokens of a text by a tokenizer; others than the rule of the engine take only texts of a limited size. */
export function piecesOf(text: string, tokenizer: Tokenizer = RULE): Pieces {
  if (tokenizer !== RULE) return tokenizer.pieces(text)
  return text.length <= LISTED_CHARACTERS ? pieces(text) : new LongText(text)
}

/** The first tokens of a text. */
export function firstPieces(all: Pieces, most: number): Pieces {
  if (all instanceof LongText) return all.first(most)
  const first: string[] = []
  for (const piece of all) {
    if (first.length >= most) break
    first.push(piece)
  }
  return first
}

/** The text of tokens. */
export function joined(all: Pieces): string {
  return all instanceof LongText ? all.text : [...all].join('')
}

/** Whether the tokens are those that the rule of the engine makes of a text. */
export function areUsual(all: Pieces, text: string): boolean {
  if (all instanceof LongText) return all.text === text
  const usual = piecesOf(text)
  if (all.length !== usual.length) return false
  const others = usual[Symbol.iterator]()
  for (const piece of all) if (piece !== others.next().value) return false
  return true
}

class LongText implements Pieces {
  readonly length: number
  readonly text: string

  constructor(text: string) {
    this.text = text
    this.length = count(text)
  }

  first(most: number): Pieces {
    if (most >= this.length) return this
    let found = 0
    let end = 0
    if (most > 0)
      eachPiece(this.text, at => {
        end = at
        return ++found < most
      })
    // The tokens of a text begin with those of its beginning.
    return piecesOf(this.text.slice(0, end))
  }

  *[Symbol.iterator](): Generator<string> {
    const { text } = this
    let size = WINDOW
    for (let start = 0; start < text.length; ) {
      let end = start + size
      // A surrogate pair is one character.
      if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1
      const isLast = end >= text.length
      const part = text.slice(start, end)
      const ends = endsOf(part)
      // What follows the window may belong to its last token.
      if (!isLast) ends.pop()
      if (ends.length === 0) {
        size *= 2
        continue
      }
      size = WINDOW
      let from = 0
      for (const to of ends) {
        yield part.slice(from, to)
        from = to
      }
      start += from
    }
  }
}

function endsOf(text: string): number[] {
  const ends: number[] = []
  eachPiece(text, end => {
    ends.push(end)
    return true
  })
  return ends
}
