/** Seeded draws from a profile, and what many of them look like. */
import { randomBytes } from 'node:crypto'
import type { Distribution } from 'svc/toolkit'
import { digest, generator } from '../engine/seed.ts'

/** Seed of a sequence of draws: the same for the same request, or a new one (`seed` null). */
export function drawSeed(seed: string | null, ...request: readonly string[]): string {
  return seed === null ? randomBytes(4).toString('hex') : digest('profile', seed, ...request)
}

/** Draws in order; the seed is one of `drawSeed`. */
export function drawer(distribution: Distribution, seed: string): () => number {
  const next = generator(seed)
  return () => distribution.at(next())
}

/** Statistics of a list of numbers that is not empty. */
export function summarize(draws: readonly number[]): Record<string, number> {
  const sorted = [...draws].sort((one, other) => one - other)
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length
  const variance = draws.reduce((sum, draw) => sum + (draw - mean) ** 2, 0) / draws.length
  const percentile = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
  return {
    mean: rounded(mean),
    sd: rounded(Math.sqrt(variance)),
    p50: rounded(percentile(0.5)),
    p90: rounded(percentile(0.9)),
    p99: rounded(percentile(0.99)),
    min: rounded(sorted[0]!),
    max: rounded(sorted.at(-1)!),
  }
}

/** Points at which a distribution is read for its mean. */
const MEAN_POINTS = 4000

export function meanOf({ at }: Distribution): number {
  let sum = 0
  for (let point = 0; point < MEAN_POINTS; point++) sum += at((point + 0.5) / MEAN_POINTS)
  return rounded(sum / MEAN_POINTS)
}

/** Milliseconds to a thousandth. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
