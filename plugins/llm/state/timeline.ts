/** When the events of a reply are due, for replies that nobody waits for: a function of the events and their plan. */
import type { ReplyPlan, StreamEvent } from '../provider.ts'

export interface Timeline {
  /** The events that are sent, each with `dueAt`: up to the failure that the plan has. */
  events: readonly StreamEvent[]
  /** The plan makes the reply fail after these events. */
  hasFailed: boolean
  /** When the last event is due, in milliseconds since 1970. */
  endsAt: number
  /** The events that are due at `now`. */
  due(now: number): readonly StreamEvent[]
}

export interface TimelineOptions {
  /** Milliseconds since 1970. */
  beganAt: number
  plan: ReplyPlan
  /** The event with which the work begins, after the time to the first token. Default: the first paced event. */
  begins?(event: StreamEvent): boolean
}

/** The same events and plan give the same timeline, so that every replay has the same times. */
export function timeline(events: Iterable<StreamEvent>, { beganAt, plan, begins }: TimelineOptions): Timeline {
  const { ttftMs, gapMs, failsAfter } = plan
  const timed: StreamEvent[] = []
  let tokens = 0
  let dueAt = beganAt
  let hasFailed = false
  for (const event of events) {
    if (event.paced === true && failsAfter !== null && tokens >= failsAfter) {
      hasFailed = true
      break
    }
    if (begins?.(event) === true) dueAt = beganAt + ttftMs
    if (event.paced === true) dueAt = beganAt + ttftMs + gapMs * tokens++
    timed.push({ ...event, dueAt })
  }
  return {
    events: timed,
    hasFailed: hasFailed || (failsAfter !== null && failsAfter === tokens),
    endsAt: dueAt,
    due: now => timed.filter(event => (event.dueAt ?? 0) <= now),
  }
}
