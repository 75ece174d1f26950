/** Reports of the gateway probe, as `/_svc/probe/runs` and `svc probe` write them. */

export const VERDICTS = ['fail', 'warn', 'flaky', 'error', 'note', 'pass', 'skip'] as const
export type Verdict = (typeof VERDICTS)[number]

interface SideFacts {
  size: number
  truncated: boolean
  ended: string | null
}

/** One side of an exchange in HTTP/1.1; the bytes are text in ISO 8859-1. */
export interface BytesSide extends SideFacts {
  bytes: string
}

export type Field = [name: string, value: string]

/** One side of an exchange in HTTP/2. */
export interface Http2Side extends SideFacts {
  fields: Field[]
  data: string
  interims?: Field[][]
  trailers?: Field[]
  error?: string
  frames?: string[]
}

export type Side = BytesSide | Http2Side

export interface ReportedExchange {
  step: number
  sent: Side
  arrived: Side[]
  answered: Side | null
  came_back: Side | null
}

export interface Result {
  id: string
  title: string
  group: string
  /** Version of HTTP with which the gateway was contacted. */
  protocol: string
  /** Client wire and upstream wire, such as `chat:messages`; null or absent for other checks. */
  pair?: string | null
  verdict: Verdict
  summary: string
  reason: string | null
  /** Of each attempt. */
  repeats?: Verdict[]
  /** Absent in events. */
  exchanges?: ReportedExchange[]
  /** The first attempt, if attempts disagree and it found something else. */
  other_attempt?: { verdict: Verdict; summary: string; exchanges: ReportedExchange[] }
}

export interface Report {
  svc_probe: 1
  gateway: { url: string }
  run: { started_at: string }
  results: Result[]
}

/** State of a run of this server. */
export interface Progress {
  id: string
  target: string
  state: 'running' | 'complete' | 'stopped' | 'failed'
  error: string | null
  started_at: string
  done: number
  total: number
}

/** The same check may run in several versions of HTTP, and for several pairs of wires. */
export function keyOf({ id, protocol, pair = null }: Pick<Result, 'id' | 'protocol' | 'pair'>): string {
  return `${id} ${protocol}${pair === null ? '' : ` ${pair}`}`
}
