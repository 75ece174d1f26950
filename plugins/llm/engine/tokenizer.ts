/** Tokenizers: how a text is split into tokens, and how many tokens a prompt has. */
import type { NeutralRequest } from '../neutral.ts'
import { count, pieces } from './tokens.ts'

export interface Tokenizer {
  readonly name: string
  count(text: string): number
  /** Joined, they are equal to the text. A token that ends within a character is empty: the next one has all of it. */
  pieces(text: string): string[]
  /** Ids of the tokens. */
  ids(text: string): number[]
  /** Tokens of a whole request; absent: those of its rendered text and its tools. */
  promptTokens?(request: NeutralRequest): number
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** The first 31 bits of the FNV-1a hash of a piece. */
function pieceId(piece: string): number {
  let hash = FNV_OFFSET
  for (const byte of Buffer.from(piece)) hash = Math.imul(hash ^ byte, FNV_PRIME)
  return hash >>> 1
}

/** The default: words in pieces of four letters. */
export const RULE: Tokenizer = { name: 'rule', count, pieces, ids: text => pieces(text).map(pieceId) }

/** The tokenizer of a request. */
export function tokenizerOf({ tokenizer = RULE }: NeutralRequest): Tokenizer {
  return tokenizer
}
