/** Rate limits of OpenAI and Azure: the headers that tell what is left, and the refusal. */
import type { Dimension, LimitState, Refusal, Remaining } from '../../llm/types.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** A duration as Go prints it, in steps of a millisecond: `0s`, `340ms`, `1.2s`, `6m0s`, `1m12.5s`. */
export function goDuration(ms: number): string {
  const whole = Math.ceil(ms)
  if (whole <= 0) return '0s'
  if (whole < SECOND_MS) return `${whole}ms`
  const hours = Math.floor(whole / HOUR_MS)
  const minutes = Math.floor((whole % HOUR_MS) / MINUTE_MS)
  const seconds = `${(whole % MINUTE_MS) / SECOND_MS}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}

/** The one with the least left. */
export function scarcest(state: LimitState, dimensions: readonly Dimension[]): Remaining | undefined {
  return dimensions
    .flatMap(dimension => state[dimension] ?? [])
    .sort((one, other) => one.remaining - other.remaining)
    .at(0)
}

const EPSILON = 1e-6

/** The headers of the configured limits; `reset` formats the time until a bucket is full. */
export function limitHeaders(
  state: LimitState,
  now: number,
  reset: (ms: number) => string = goDuration,
): Record<string, string> {
  const headers: Record<string, string> = {}
  const units = [
    ['requests', scarcest(state, ['rpm', 'rpd'])],
    ['tokens', scarcest(state, ['tpm', 'tpd'])],
  ] as const
  for (const [unit, left] of units) {
    if (left === undefined) continue
    headers[`x-ratelimit-limit-${unit}`] = String(left.limit)
    headers[`x-ratelimit-remaining-${unit}`] = String(Math.max(0, Math.floor(left.remaining + EPSILON)))
    headers[`x-ratelimit-reset-${unit}`] = reset(left.fullAt - now)
  }
  return headers
}

/** `Retry-After` in milliseconds, which the SDKs prefer. */
export function retryAfterMs({ waitMs }: Refusal): Record<string, string> {
  return waitMs === null ? {} : { 'retry-after-ms': String(Math.ceil(waitMs)) }
}

const NAMES: Readonly<Record<Dimension, string>> = {
  rpm: 'requests per min (RPM)',
  rpd: 'requests per day (RPD)',
  tpm: 'tokens per min (TPM)',
  tpd: 'tokens per day (TPD)',
  itpm: 'input tokens per min (ITPM)',
  otpm: 'output tokens per min (OTPM)',
}

/** Which unit a limit counts, as `error.type`. */
export function unitOf(dimension: Dimension): 'requests' | 'tokens' {
  return dimension === 'rpm' || dimension === 'rpd' ? 'requests' : 'tokens'
}

export function limitMessage({
  dimension,
  limit,
  used,
  requested,
  waitMs,
  model,
}: Refusal & { model: string }): string {
  const place = `for ${model} in organization org-svc on ${NAMES[dimension]}`
  if (waitMs === null)
    return `Request too large ${place}: Limit ${limit}, Requested ${requested}. The input or output tokens must be reduced in order to run successfully.`
  return `Rate limit reached ${place}: Limit ${limit}, Used ${used}, Requested ${requested}. Please try again in ${goDuration(waitMs)}.`
}
