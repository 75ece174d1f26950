/** Headers of the Anthropic format: the request id always, rate limits on success and where they are the reason. */
import type { HeaderFacts } from '../llm/types.ts'
import { requestIdOf } from './errors.ts'

const limits = { 'requests': 4000, 'tokens': 400_000, 'input-tokens': 200_000, 'output-tokens': 80_000 }
const resetMs = 60_000
const refusedResetMs = 2000

export function anthropicHeaders({ requestId, status, prompt, completion, kind, now }: HeaderFacts): Record<string, string> {
  const id = { 'request-id': requestIdOf(requestId).replace(/[^\x20-\x7e]/g, '?') }
  const isRefused = kind === 'rate_limit' || kind === 'overloaded'
  if (!isRefused && (kind !== undefined || status !== 200)) return id
  const used = { 'requests': 1, 'tokens': prompt + completion, 'input-tokens': prompt, 'output-tokens': completion }
  // RFC 3339 with whole seconds.
  const reset = `${new Date(now + (isRefused ? refusedResetMs : resetMs)).toISOString().slice(0, 19)}Z`
  const headers: Record<string, string> = id
  for (const [what, limit] of Object.entries(limits) as [keyof typeof limits, number][]) {
    headers[`anthropic-ratelimit-${what}-limit`] = String(limit)
    headers[`anthropic-ratelimit-${what}-remaining`] = String(isRefused ? 0 : limit - used[what])
    headers[`anthropic-ratelimit-${what}-reset`] = reset
  }
  return headers
}
