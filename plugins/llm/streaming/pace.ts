/** Latency of replies and speed of streams: `X-Svc-Latency-Ms`, `-TTFT-Ms`, `-Tokens-Per-Second`, `-Jitter`. */
import { header } from '../headers/credentials.ts'
import { digest, generator } from '../engine/seed.ts'
import type { RequestHeaders } from '../contract/provider.ts'

export interface Latency {
  /** Milliseconds before the response headers. */
  latencyMs: number
  /** Milliseconds between the headers and the first token. */
  ttftMs: number
  /** 0: unlimited. */
  tokensPerSecond: number
  /** Maximum deviation of a gap, in percent. */
  jitterPercent: number
}

/** A reply that says nothing about its pace. */
export const NO_PACE: Partial<Latency> = {}

/** Nobody waits for the reply. */
export const NO_LATENCY: Latency = { latencyMs: 0, ttftMs: 0, tokensPerSecond: 0, jitterPercent: 0 }

export const defaultLatency: Latency = { latencyMs: 0, ttftMs: 0, tokensPerSecond: 100, jitterPercent: 0 }

/** Upper bound of all gaps of a stream. */
export const MAX_GAPS_MS = { normal: 60_000, public: 20_000 }

const maxTokensPerSecond = 100_000
const maxJitterPercent = 100

/** Reads the request headers, with defaults; ignores values that are not whole numbers. */
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

/** Whether the request itself states the time to the first token, and the gaps. */
export function statesTtft(headers: RequestHeaders): boolean {
  return headers['x-svc-ttft-ms'] !== undefined && whole(headers, 'x-svc-ttft-ms') !== undefined
}

export function statesGap(headers: RequestHeaders): boolean {
  return headers['x-svc-tokens-per-second'] !== undefined && whole(headers, 'x-svc-tokens-per-second') !== undefined
}

function whole(headers: RequestHeaders, name: string): number | undefined {
  const text = header(headers, name)?.trim()
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/**
 * Returns a function that is called once per token for the gap in milliseconds. The total stays within `maxTotalMs`, so
 * a long stream may be faster than requested. The seed determines the jitter, so equal requests have equal gaps.
 */
export function gaps(latency: Latency, tokens: number, maxTotalMs: number, seed: () => string): () => number {
  if (latency.tokensPerSecond === 0) return () => 0
  const jitter = latency.jitterPercent / 100
  const gap = Math.min(1000 / latency.tokensPerSecond, maxTotalMs / Math.max(1, tokens) / (1 + jitter))
  if (jitter === 0) return () => gap
  const next = generator(digest('jitter', seed()))
  return () => gap * (1 + jitter * (2 * next() - 1))
}
