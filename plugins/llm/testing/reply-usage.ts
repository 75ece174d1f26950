/** Tokens of a `reply` step. */
import type { Json } from 'svc/plugin'
import { asInteger, asObject, below, rejectUnknownKeys } from 'svc/toolkit'
import type { ChatResult } from '../contract/neutral.ts'

const USAGE = [
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cached_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
] as const
const MAX_TOKENS = 1_000_000_000

/** The prompt counts everything: what was read from the cache, written to it, and neither. */
export type ReplyUsage = Partial<Record<(typeof USAGE)[number], number>>

/** Throws an `InputProblem`. */
export function readTokens(value: Json, at: string): number {
  return asInteger(value, at, 0, MAX_TOKENS)
}

/** Throws an `InputProblem`. */
export function readUsage(value: Json, at: string): ReplyUsage {
  const given = asObject(value, at)
  rejectUnknownKeys(given, USAGE, at)
  return Object.fromEntries(Object.entries(given).map(([name, tokens]) => [name, readTokens(tokens, below(at, name))]))
}

/** What the reply says of the cache; nothing if it says nothing. More than the prompt is not cached. */
export function cacheTokens(
  { cached_tokens: cached, cache_write_5m_tokens: short, cache_write_1h_tokens: long }: ReplyUsage,
  promptTokens: number,
): Pick<ChatResult, 'cachedTokens' | 'cacheWriteTokens' | 'longCacheWriteTokens'> {
  const cachedTokens = Math.min(cached ?? 0, promptTokens)
  if (short === undefined && long === undefined) return cached === undefined ? {} : { cachedTokens }
  const cacheWriteTokens = Math.min((short ?? 0) + (long ?? 0), promptTokens - cachedTokens)
  return { cachedTokens, cacheWriteTokens, longCacheWriteTokens: Math.min(long ?? 0, cacheWriteTokens) }
}
