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

/** Takes each part of this many characters for a token. Surrogate pairs are not split. For texts of a limited size. */
export function evenTokenizer(size: number): Tokenizer {
  const partsOf = (text: string): string[] => {
    const parts: string[] = []
    for (let at = 0; at < text.length; ) {
      const end = Math.min(at + size, text.length)
      const isSplit = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
      parts.push(text.slice(at, isSplit ? end + 1 : end))
      at += parts.at(-1)!.length
    }
    return parts
  }
  return {
    name: `${size} characters`,
    count: text => partsOf(text).length,
    pieces: partsOf,
    ids: text => partsOf(text).map(pieceId),
  }
}

/** The tokenizer of a request. */
export function tokenizerOf({ tokenizer = RULE }: NeutralRequest): Tokenizer {
  return tokenizer
}
