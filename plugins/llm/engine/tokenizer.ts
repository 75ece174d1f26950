/** Tokenizers: how a text is split into tokens, and how many tokens a prompt has. */
import type { NeutralRequest, Tokenizer } from '../contract/neutral.ts'
import { count, pieces } from './tokens.ts'

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
