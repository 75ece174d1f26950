/** Headers of OpenAI and Azure: version and duration on success; rate limits on success and for rate limit errors. */
import type { HeaderFacts } from '../../llm/types.ts'
import { limitHeaders } from './rate-limits.ts'

const limits = { requests: 10_000, tokens: 2_000_000 }
const shownLimits = { requests: String(limits.requests), tokens: String(limits.tokens) }

export function openAiHeaders(facts: HeaderFacts): Record<string, string> {
  const { status, prompt, completion, kind, elapsedMs, limits: state, now, retryAfterSecs = 2 } = facts
  const version = { 'openai-version': '2020-10-01', 'openai-processing-ms': String(elapsedMs) }
  if (state !== undefined)
    return { ...limitHeaders(state, now), ...(kind === undefined && status === 200 ? version : {}) }
  if (kind === 'rate_limit' || kind === 'overloaded')
    return rateLimits(0, 0, `${retryAfterSecs}s`, `${retryAfterSecs}s`)
  if (kind !== undefined || status !== 200) return {}
  const headers = rateLimits(limits.requests - 1, limits.tokens - prompt - completion, '6ms', '0s')
  headers['openai-version'] = version['openai-version']
  headers['openai-processing-ms'] = version['openai-processing-ms']
  return headers
}

function rateLimits(
  requests: number,
  tokens: number,
  resetRequests: string,
  resetTokens: string,
): Record<string, string> {
  return {
    'x-ratelimit-limit-requests': shownLimits.requests,
    'x-ratelimit-limit-tokens': shownLimits.tokens,
    'x-ratelimit-remaining-requests': String(requests),
    'x-ratelimit-remaining-tokens': String(tokens),
    'x-ratelimit-reset-requests': resetRequests,
    'x-ratelimit-reset-tokens': resetTokens,
  }
}
