/** Texts of an exact length: ASCII words. */
import type { Tokenizer } from '../contract/neutral.ts'
import { RULE } from './tokenizer.ts'

/** Words that all tokenizers take as one token, with the space before them. */
const WORDS = 'the cat sat on a mat and ran far off to its den as the sun set in the sea'.split(' ')
const LINE = `${WORDS.join(' ')} `

/** A text of this many bytes, at least 1, that ends in a letter. */
export function textOfBytes(bytes: number): string {
  const text = LINE.repeat(Math.ceil(bytes / LINE.length)).slice(0, bytes)
  return text.endsWith(' ') ? `${text.slice(0, -1)}s` : text
}

/** A text of this many tokens, at least 1. */
export function textOfTokens(tokens: number, tokenizer: Tokenizer = RULE): string {
  const words = (length: number): string =>
    LINE.repeat(Math.ceil(length / WORDS.length))
      .split(' ', length)
      .join(' ')
  const text = words(tokens)
  const count = tokenizer.count(text)
  // A tokenizer that counts something around a text, or splits a word.
  return count === tokens ? text : words(Math.max(1, tokens - (count - tokens)))
}
