/** When the events of a reply are due, for replies that nobody waits for: a function of the events and their plan. */
import { Pacer } from 'svc/plugin'
import type { StreamEvent } from '../contract/stream.ts'
import type { ReplyPlan } from '../contract/route.ts'

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
  const all = [...events]
  const tokens = all.reduce((sum, { paced }) => sum + (paced === true ? 1 : 0), 0)
  const schedule = createSchedule({ beganAt, plan, tokens, ...(begins === undefined ? {} : { begins }) })
  const timed = [...schedule.timed(all)]
  return {
    events: timed,
    hasFailed: schedule.hasFailed,
    endsAt: timed.at(-1)?.dueAt ?? beganAt,
    due: now => timed.filter(event => (event.dueAt ?? 0) <= now),
  }
}

/** A timeline of events that are made as they are read: a long reply has a million of them. */
export interface Schedule {
  hasFailed: boolean
  /** The number of tokens that are sent. */
  sent: number
  /** When this number of tokens has been sent; null: it never is. 0: when the work begins. */
  dueAfter(tokens: number): number | null
  /** The events that are sent, each with `dueAt`. */
  timed(events: Iterable<StreamEvent>): Iterable<StreamEvent>
}

export interface ScheduleOptions extends TimelineOptions {
  /** The number of events with `paced`. */
  tokens: number
}

export function createSchedule({ beganAt, plan, tokens, begins }: ScheduleOptions): Schedule {
  const { ttftMs, gapMs, failsAfter } = plan
  const sent = Math.min(tokens, failsAfter ?? Infinity)
  const dueAfter = (number: number): number | null =>
    number > sent ? null : beganAt + ttftMs + gapMs * Math.max(0, number - 1)
  return {
    hasFailed: failsAfter !== null && failsAfter <= tokens,
    sent,
    dueAfter,
    *timed(events) {
      let number = 0
      let dueAt = beganAt
      for (const event of events) {
        if (event.paced === true && number === sent) return
        if (begins?.(event) === true) dueAt = beganAt + ttftMs
        if (event.paced === true) dueAt = dueAfter(++number)!
        yield { ...event, dueAt }
      }
    },
  }
}

/**
 * The events after a number that are due at `until`, in milliseconds since 1970: those without a due time are overdue,
 * since the pace of this request does not matter. The ones before are made too, in a turn of the event loop of their own.
 */
export async function eventsAfter(
  eventsOf: () => Iterable<StreamEvent>,
  after: number,
  until: number,
): Promise<Iterable<StreamEvent>> {
  const pacer = new Pacer()
  await pacer.pause()
  const events = eventsOf()[Symbol.iterator]()
  for (let number = 0; number <= after; number++) {
    if (events.next().done === true) return []
    if (pacer.isDue) await pacer.pause()
  }
  return eventsUntil({ [Symbol.iterator]: () => events }, until)
}

function* eventsUntil(events: Iterable<StreamEvent>, until: number): Iterable<StreamEvent> {
  for (const event of events) {
    const dueAt = event.dueAt ?? 0
    if (dueAt > until) return
    yield { ...event, dueAt }
  }
}
