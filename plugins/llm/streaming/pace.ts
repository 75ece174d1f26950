/** How long a reply waits and how fast a stream flows: `X-Svc-Latency-Ms`, `-TTFT-Ms`, `-Tokens-Per-Second`, `-Jitter`. */
import { header } from '../exchange/credentials.ts'
import { digest, generator } from '../engine/seed.ts'
import type { RequestHeaders } from '../provider.ts'

export interface Latency {
  /** Milliseconds before the response headers. */
  latencyMs: number
  /** Milliseconds between the headers and the first token. */
  ttftMs: number
  /** 0: no pace. */
  tokensPerSecond: number
  /** Percent by which a gap varies either way. */
  jitterPercent: number
}

export const defaultLatency: Latency = { latencyMs: 0, ttftMs: 0, tokensPerSecond: 100, jitterPercent: 0 }

const maxTokensPerSecond = 100_000
const maxJitterPercent = 100

/** What the request's headers say over what holds without them; values that are no whole numbers are ignored. */
export function readLatency(headers: RequestHeaders, defaults: Latency, maxDelayMs: number): Latency {
  return {
    latencyMs: Math.min(whole(headers, 'x-svc-latency-ms') ?? defaults.latencyMs, maxDelayMs),
    ttftMs: Math.min(whole(headers, 'x-svc-ttft-ms') ?? defaults.ttftMs, maxDelayMs),
    tokensPerSecond: Math.min(
      whole(headers, 'x-svc-tokens-per-second') ?? defaults.tokensPerSecond,
      maxTokensPerSecond,
    ),
    jitterPercent: Math.min(whole(headers, 'x-svc-jitter') ?? defaults.jitterPercent, maxJitterPercent),
  }
}

function whole(headers: RequestHeaders, name: string): number | undefined {
  const text = header(headers, name)?.trim()
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/**
 * The gaps of one stream in milliseconds, called once for every token. All together stay within `maxTotalMs`: a long
 * stream flows faster than asked. Jitter is fixed by the seed, so a request repeats its own rhythm.
 */
export function gaps(latency: Latency, tokens: number, maxTotalMs: number, seed: () => string): () => number {
  if (latency.tokensPerSecond === 0) return () => 0
  const jitter = latency.jitterPercent / 100
  const gap = Math.min(1000 / latency.tokensPerSecond, maxTotalMs / Math.max(1, tokens) / (1 + jitter))
  if (jitter === 0) return () => gap
  const next = generator(digest('jitter', seed()))
  return () => gap * (1 + jitter * (2 * next() - 1))
}
