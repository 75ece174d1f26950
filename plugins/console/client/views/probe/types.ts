/** Reports of the gateway probe, as `/_svc/probe/runs` and `svc probe` write them. */

export const VERDICTS = ['fail', 'warn', 'flaky', 'error', 'note', 'pass', 'skip'] as const
export type Verdict = (typeof VERDICTS)[number]

/** One side of an exchange; the bytes are text in ISO 8859-1. */
export interface Side {
  bytes: string
  size: number
  truncated: boolean
  ended: string | null
}

export interface Exchange {
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
  verdict: Verdict
  summary: string
  reason: string | null
  /** Absent in events. */
  exchanges?: Exchange[]
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

/** The same check may run in several versions of HTTP. */
export function keyOf({ id, protocol }: Pick<Result, 'id' | 'protocol'>): string {
  return `${id} ${protocol}`
}
