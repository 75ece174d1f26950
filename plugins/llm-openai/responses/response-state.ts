/** The state of a response at an instant: a function of its record and the clock. */
import type { Engine, StreamEvent } from '../../llm/types.ts'
import { streamResponse, streamWarmup } from './events.ts'
import { pendingResponse, usageOf, type OutputItem, type Reply } from './response-object.ts'
import { unpackReply, type StoredResponse } from './response-store.ts'

/** The events of a stored response, in order, with the time at which each is due. */
export function timedEvents(engine: Engine, stored: StoredResponse, secret: Buffer): StreamEvent[] {
  const { plan, head } = stored
  if (stored.reply === null) return [...streamWarmup(warmupResponse(engine, stored))]
  const reply = unpackReply(engine, stored.reply)
  if (plan === null) return [...streamResponse(engine, head, reply, { secret, completedAt: head.created })]
  return timed(engine, stored, reply, secret)
}

/** A response for which nothing was generated. */
export function warmupResponse(engine: Engine, { head }: Pick<StoredResponse, 'head'>): object {
  const none = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0 }
  return { ...pendingResponse(engine, head, 'completed'), completed_at: head.created, usage: usageOf(none) }
}

function timed(engine: Engine, stored: StoredResponse, reply: Reply, secret: Buffer): StreamEvent[] {
  const { beganAt, ...plan } = stored.plan!
  const eventsUntil = (completedAt: number): StreamEvent[] => [
    ...streamResponse(engine, stored.head, reply, { secret, completedAt }),
  ]
  const { events, hasFailed, endsAt } = engine.timeline(eventsUntil(0).slice(0, -1), {
    beganAt,
    plan,
    begins: ({ event }) => event === 'response.in_progress',
  })
  if (!hasFailed) return [...events, { ...eventsUntil(Math.ceil(endsAt / 1000)).at(-1)!, dueAt: endsAt }]
  const output = doneItems(events)
  const error = { code: 'server_error', message: 'The server had an error while processing your request (simulated)' }
  const response = { ...pendingResponse(engine, stored.head, 'failed'), output, error }
  const data = { type: 'response.failed', response, sequence_number: events.length }
  return [...events, { event: 'response.failed', data, dueAt: endsAt }]
}

interface State {
  status: string
  output: OutputItem[]
}

/** The status and the items that are done. */
export function outputAt(engine: Engine, stored: StoredResponse, secret: Buffer, now: number): State {
  const response = responseAt(engine, stored, secret, now)
  return { status: String(response.status), output: response.output as OutputItem[] }
}

/** The response as it is at `now`. */
export function responseAt(
  engine: Engine,
  stored: StoredResponse,
  secret: Buffer,
  now: number,
): Record<string, unknown> {
  const events = timedEvents(engine, stored, secret)
  const last = events.at(-1)!
  const until = Math.min(now, stored.cancelledAt ?? now)
  if ((last.dueAt ?? 0) <= until) return (last.data as { response: Record<string, unknown> }).response
  const due = events.filter(({ dueAt = 0 }) => dueAt <= until)
  const hasBegun = due.some(({ event }) => event === 'response.in_progress')
  const status = stored.cancelledAt !== null ? 'cancelled' : hasBegun ? 'in_progress' : 'queued'
  return { ...pendingResponse(engine, stored.head, status), output: doneItems(due) }
}

function doneItems(events: readonly StreamEvent[]): OutputItem[] {
  return events
    .filter(({ event }) => event === 'response.output_item.done')
    .map(({ data }) => (data as { item: OutputItem }).item)
}
