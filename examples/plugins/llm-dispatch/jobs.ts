/** What is kept of a job, and what a client sees of it at a time. */
import { createTextRecords, type RecordStore, type StoredRecord, type Svc } from 'svc/plugin'
import type { Engine, ReplyPlan, StreamEvent, Timeline } from 'svc/plugins/llm'

/** The complete reply and its plan. What has been "generated" at a time follows from both: nothing runs meanwhile. */
export interface Job {
  model: string
  text: string
  /** Why the reply ends, in the words of the format. */
  end: string
  promptTokens: number
  /** Milliseconds since 1970. */
  beganAt: number
  plan: ReplyPlan
  /** Milliseconds since 1970; null: not canceled. */
  canceledAt: number | null
}

export type JobStore = RecordStore<Job>

/** Bounded by count, bytes and age, and for each session. */
const BOUNDS = { maxCount: 1000, maxPerGroup: 100, maxBytes: 16 * 1024 * 1024, ttlMs: 3_600_000 }
/** Characters of a job as JSON. */
const MAX_CHARACTERS = 100_000

export function createJobs(svc: Svc<unknown>): JobStore {
  // `watched` and `isOver`: canceling a job ends its open streams, on all replicas.
  const store = svc.state<StoredRecord<string>>('jobs', { ...BOUNDS, watched: true })
  return createTextRecords<Job>(svc, store, {
    maxCharacters: MAX_CHARACTERS,
    isOver: ({ canceledAt }) => canceledAt !== null,
  })
}

/** The events of a job with the times at which they are due: the same for each client that asks. */
export function timelineOf(engine: Engine, job: Job): Timeline {
  const words: StreamEvent[] = engine.pieces(job.text).map(text => ({ data: { text }, paced: true }))
  return engine.timeline([...words, { data: { end: job.end } }], job)
}

export type State = 'waiting' | 'running' | 'done' | 'failed' | 'canceled'

export interface ShownJob {
  id: string
  state: State
  model: string
  /** What has been generated so far. */
  text: string
  tokens: { prompt: number; reply: number }
  end?: string
  error?: { kind: string; message: string }
}

/** A job as the API shows it at `now`. */
export function shownAt(engine: Engine, id: string, job: Job, now: number): ShownJob {
  const timeline = timelineOf(engine, job)
  const texts = timeline.due(job.canceledAt ?? now).flatMap(({ data }) => textOf(data))
  const state = stateAt(timeline, job, now)
  return {
    id,
    state,
    model: job.model,
    text: texts.join(''),
    tokens: { prompt: job.promptTokens, reply: texts.length },
    ...(state === 'done' ? { end: job.end } : {}),
    ...(state === 'failed' ? { error: { kind: 'server_error', message: 'The courier got lost' } } : {}),
  }
}

export function stateAt({ endsAt, hasFailed }: Timeline, { beganAt, plan, canceledAt }: Job, now: number): State {
  if (canceledAt !== null) return 'canceled'
  if (endsAt <= now) return hasFailed ? 'failed' : 'done'
  return now < beganAt + plan.ttftMs ? 'waiting' : 'running'
}

function textOf(data: StreamEvent['data']): string[] {
  return typeof data === 'object' && 'text' in data ? [String(data.text)] : []
}
