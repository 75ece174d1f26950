/** Headers of the Anthropic format: always the request id; rate limits on success and for rate limit errors. */
import type { Dimension, HeaderFacts, LimitState } from '../llm/types.ts'
import { requestIdOf } from './errors.ts'

const limits = { requests: 4000, tokens: 400_000, input: 200_000, output: 80_000 }
const resetMs = 60_000

export function anthropicHeaders({
  requestId,
  status,
  prompt,
  completion,
  kind,
  now,
  limits: state,
  retryAfterSecs = 2,
}: HeaderFacts): Record<string, string> {
  const id = requestIdOf(requestId).replace(/[^\x20-\x7e]/g, '?')
  if (state !== undefined) return { 'request-id': id, ...limitHeaders(state, now, kind === 'rate_limit') }
  const isLimited = kind === 'rate_limit' || kind === 'overloaded'
  if (!isLimited && (kind !== undefined || status !== 200)) return { 'request-id': id }
  // RFC 3339 without fractional seconds.
  const reset = `${new Date(now + (isLimited ? retryAfterSecs * 1000 : resetMs)).toISOString().slice(0, 19)}Z`
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

const UNITS: readonly [name: string, dimensions: readonly Dimension[]][] = [
  ['requests', ['rpm', 'rpd']],
  ['tokens', ['tpm', 'tpd']],
  ['input-tokens', ['itpm']],
  ['output-tokens', ['otpm']],
]
const EPSILON = 1e-6

/** The headers of the configured limits; the scarcer of two is shown. */
function limitHeaders(state: LimitState, now: number, isRejected: boolean): Record<string, string> {
  const headers: Record<string, string> = {}
  let fullAt = now
  for (const [unit, dimensions] of UNITS) {
    const left = dimensions
      .flatMap(dimension => state[dimension] ?? [])
      .sort((one, other) => one.remaining - other.remaining)
      .at(0)
    if (left === undefined) continue
    fullAt = Math.max(fullAt, left.fullAt)
    headers[`anthropic-ratelimit-${unit}-limit`] = String(left.limit)
    headers[`anthropic-ratelimit-${unit}-remaining`] = String(Math.max(0, Math.floor(left.remaining + EPSILON)))
    headers[`anthropic-ratelimit-${unit}-reset`] = `${new Date(wholeSecond(left.fullAt)).toISOString().slice(0, 19)}Z`
  }
  headers['anthropic-ratelimit-unified-status'] = isRejected ? 'rejected' : 'allowed'
  headers['anthropic-ratelimit-unified-reset'] = String(wholeSecond(fullAt) / 1000)
  return headers
}

function wholeSecond(time: number): number {
  return Math.ceil(time / 1000) * 1000
}
