/** What requests ask of counters that all replicas share, and what they get. */
import type { Dimension } from './plan-limiter.ts'

/** A set of counters. Members that are absent do not apply. */
export interface QuotaSubject {
  id: string
  group?: string
  /** The wall clock and its period, in milliseconds. */
  wall: number
  start: number
  finish: number
  /** The life of the counters in milliseconds. */
  life: number
  /** What this replica knows, in case the store has lost it. */
  known: { requests: number; egress: number }
  /** Requests per second, and the size of the bucket. */
  rate?: { rps: number; burst: number }
  limits?: { requests?: number; egress?: number; concurrency?: number; streams?: number }
}

/** What a request asks of a set of counters. */
export interface QuotaClaim extends QuotaSubject {
  /** In this order. */
  checks: ('requests' | 'egress' | 'rps' | 'concurrency' | 'streams')[]
  /** Whether it counts as a request. */
  isCounted: boolean
  takesToken: boolean
  slots?: 'flight' | 'stream'
  /** Whether rejections and the time of use are noted. */
  isNoted?: boolean
}

/** What a replica adds to a set of counters. */
export interface QuotaChange extends QuotaSubject {
  /** Requests by the start of their period. */
  requests: { start: number; by: number }[]
  egress: number
  tokens: number
  flights: number
  streams: number
  /** Slots replace those that were reported before. */
  isAbsolute: boolean
}

/** What is used, of all replicas together. */
export interface QuotaState {
  /** Start of the period, in milliseconds. */
  start: number
  requests: number
  egress: number
  /** Whole tokens. */
  tokens: number
  /** Requests in flight and open streams: of the other replicas, or of all when they are read. */
  flights: number
  streams: number
}

export interface QuotaReading extends QuotaState {
  rejectedByRate: number
  rejectedByQuota: number
  /** Milliseconds since 1970. */
  lastSeen: number | null
}

export type QuotaOutcome =
  | { isAdmitted: true; states: QuotaState[] }
  | { isAdmitted: false; failed: number; dimension: Dimension; states: QuotaState[] }
