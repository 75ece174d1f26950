/** What `rate_limits.updated` says. */
import type { Dimension, LimitState } from '../llm/types.ts'

/** Where nothing limits the requests. */
const CONSTANT = { requests: 10_000, tokens: 2_000_000 }
const SECOND_MS = 1000

export function rateLimitsOf(state: LimitState | null, usedTokens: number, now: number): object[] {
  if (state === null)
    return [
      { name: 'requests', limit: CONSTANT.requests, remaining: CONSTANT.requests - 1, reset_seconds: 0.006 },
      {
        name: 'tokens',
        limit: CONSTANT.tokens,
        remaining: Math.max(0, CONSTANT.tokens - usedTokens),
        reset_seconds: 0,
      },
    ]
  const units: [name: string, dimensions: Dimension[]][] = [
    ['requests', ['rpm', 'rpd']],
    ['tokens', ['tpm', 'tpd']],
  ]
  return units.flatMap(([name, dimensions]) => {
    const [left] = dimensions
      .flatMap(dimension => state[dimension] ?? [])
      .toSorted((one, other) => one.remaining - other.remaining)
    if (left === undefined) return []
    return {
      name,
      limit: left.limit,
      remaining: Math.max(0, Math.floor(left.remaining)),
      reset_seconds: Math.max(0, Math.ceil(left.fullAt - now) / SECOND_MS),
    }
  })
}
