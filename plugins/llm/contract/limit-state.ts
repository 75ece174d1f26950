/** What rate limits have left, and why they refuse a request. */

export const DIMENSIONS = ['rpm', 'tpm', 'itpm', 'otpm', 'rpd', 'tpd'] as const
/** Requests, tokens, input and output tokens per minute; requests and tokens per day. */
export type Dimension = (typeof DIMENSIONS)[number]

/** What a bucket has left. */
export interface Remaining {
  limit: number
  /** May be below 0, and is not rounded. */
  remaining: number
  /** When it is full again, in milliseconds since 1970. */
  fullAt: number
}
export type LimitState = Partial<Record<Dimension, Remaining>>

/** Why a request is refused. */
export interface Refusal {
  dimension: Dimension
  limit: number
  /** Taken already, at least 0. */
  used: number
  requested: number
  /** Milliseconds until it is admitted; null: it exceeds the limit itself. */
  waitMs: number | null
}
