/** Reads the header `X-Svc-Reply-Size`: `bytes=<n>` or `tokens=<n>`. */
import { wrong } from './reply-header.ts'

export const SIZE = 'X-Svc-Reply-Size'

export interface ReplySize {
  unit: 'bytes' | 'tokens'
  count: number
}

const BOUNDS = {
  normal: { bytes: 4_194_304, tokens: 200_000 },
  public: { bytes: 65_536, tokens: 4000 },
} as const

/** Throws `BadInput` for a wrong value. */
export function readReplySize(text: string, isPublic: boolean): ReplySize {
  const bounds = BOUNDS[isPublic ? 'public' : 'normal']
  const [, word, digits] = /^\s*(bytes|tokens)=(\d{1,9})\s*$/.exec(text) ?? []
  const unit = word === 'bytes' || word === 'tokens' ? word : null
  const count = Number(digits)
  if (unit === null || count < 1 || count > bounds[unit])
    throw wrong(SIZE, `expected bytes=<n> with 1 to ${bounds.bytes}, or tokens=<n> with 1 to ${bounds.tokens}`)
  return { unit, count }
}
