/** Headers of the Anthropic format: always the request id; rate limits on success and for rate limit errors. */
import type { HeaderFacts } from '../llm/types.ts'
import { requestIdOf } from './errors.ts'

const limits = { requests: 4000, tokens: 400_000, input: 200_000, output: 80_000 }
const resetMs = 60_000
const limitedResetMs = 2000

export function anthropicHeaders({
  requestId,
  status,
  prompt,
  completion,
  kind,
  now,
}: HeaderFacts): Record<string, string> {
  const id = requestIdOf(requestId).replace(/[^\x20-\x7e]/g, '?')
  const isLimited = kind === 'rate_limit' || kind === 'overloaded'
  if (!isLimited && (kind !== undefined || status !== 200)) return { 'request-id': id }
  // RFC 3339 without fractional seconds.
  const reset = `${new Date(now + (isLimited ? limitedResetMs : resetMs)).toISOString().slice(0, 19)}Z`
  const left = (limit: number, used: number): string => String(isLimited ? 0 : limit - used)
  return {
    'request-id': id,
    'anthropic-ratelimit-requests-limit': String(limits.requests),
    'anthropic-ratelimit-requests-remaining': left(limits.requests, 1),
    'anthropic-ratelimit-requests-reset': reset,
    'anthropic-ratelimit-tokens-limit': String(limits.tokens),
    'anthropic-ratelimit-tokens-remaining': left(limits.tokens, prompt + completion),
    'anthropic-ratelimit-tokens-reset': reset,
    'anthropic-ratelimit-input-tokens-limit': String(limits.input),
    'anthropic-ratelimit-input-tokens-remaining': left(limits.input, prompt),
    'anthropic-ratelimit-input-tokens-reset': reset,
    'anthropic-ratelimit-output-tokens-limit': String(limits.output),
    'anthropic-ratelimit-output-tokens-remaining': left(limits.output, completion),
    'anthropic-ratelimit-output-tokens-reset': reset,
  }
}
