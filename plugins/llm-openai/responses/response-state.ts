/** The state of a response at an instant: a function of its record and the clock. */
import type { Choice, Engine, Schedule, StreamEvent } from '../../llm/types.ts'
import { streamResponse, streamWarmup } from './events.ts'
import {
  finished,
  outputBlocks,
  outputItems,
  pendingResponse,
  showsReasoning,
  usageOf,
  type OutputItem,
  type Reply,
  type ResponseHead,
} from './response-object.ts'
import type { StoredReply, StoredResponse } from './response-store.ts'

type Planned = StoredResponse & { plan: NonNullable<StoredResponse['plan']> }

/** The events of a stored response, in order, with the time at which each is due. They are made as they are read. */
export function timedEvents(engine: Engine, stored: StoredResponse, secret: Buffer): Iterable<StreamEvent> {
  if (stored.reply === null) return streamWarmup(warmupResponse(engine, stored))
  const reply = unpacked(engine, stored.reply)
  if (!isPlanned(stored))
    return streamResponse(engine, stored.head, reply, { secret, completedAt: stored.head.created })
  return plannedEvents(engine, stored, reply, secret)
}

function unpacked(engine: Engine, reply: StoredReply): Reply {
  return { ...reply, choice: engine.unpackChoice(reply.choice) }
}

function isPlanned(stored: StoredResponse): stored is Planned {
  return stored.plan !== null
}

/** A response for which nothing was generated. */
export function warmupResponse(engine: Engine, { head }: Pick<StoredResponse, 'head'>): Record<string, unknown> {
  const none = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0 }
  return { ...pendingResponse(engine, head, 'completed'), completed_at: head.created, usage: usageOf(none) }
}

function* plannedEvents(engine: Engine, stored: Planned, reply: Reply, secret: Buffer): Iterable<StreamEvent> {
  const { head } = stored
  const output = outputItems(engine, reply.choice, head, secret)
  const schedule = scheduleOf(engine, stored, reply)
  const endsAt = schedule.dueAfter(schedule.sent)!
  const all = streamResponse(engine, head, reply, { secret, completedAt: Math.ceil(endsAt / 1000) })
  let number = 0
  for (const event of schedule.timed(all)) {
    // A failed reply has another end.
    if (schedule.hasFailed && isEnd(event)) break
    number += 1
    yield event
  }
  if (!schedule.hasFailed) return
  const response = failedResponse(
    engine,
    head,
    doneItems(output, tokensOfItems(engine, head, reply.choice), schedule, endsAt),
  )
  const data = { type: 'response.failed', response, sequence_number: number }
  yield { event: 'response.failed', data, dueAt: endsAt }
}

function isEnd({ event }: StreamEvent): boolean {
  return event === 'response.completed' || event === 'response.incomplete'
}

function scheduleOf(engine: Engine, { plan, head }: Planned, reply: Reply): Schedule {
  const { beganAt, ...pace } = plan
  return engine.schedule({
    beganAt,
    plan: pace,
    tokens: tokensOfItems(engine, head, reply.choice).reduce((sum, tokens) => sum + tokens, 0),
    begins: ({ event }) => event === 'response.in_progress',
  })
}

/** The number of events with tokens that each item has. */
function tokensOfItems(engine: Engine, head: ResponseHead, choice: Choice): number[] {
  return outputBlocks(engine, choice).map(block => {
    if (block.type === 'call') return block.call.jsonPieces.length
    return block.type === 'text' || showsReasoning(block, head) ? block.pieces.length : 0
  })
}

/** The items that are complete at `now`. */
function doneItems(
  output: readonly OutputItem[],
  tokensOf: readonly number[],
  schedule: Schedule,
  now: number,
): OutputItem[] {
  let tokens = 0
  return output.filter((_item, index) => {
    tokens += tokensOf[index]!
    const dueAt = schedule.dueAfter(tokens)
    return dueAt !== null && dueAt <= now
  })
}

function failedResponse(engine: Engine, head: ResponseHead, output: OutputItem[]): Record<string, unknown> {
  const error = { code: 'server_error', message: 'The server had an error while processing your request (simulated)' }
  return { ...pendingResponse(engine, head, 'failed'), output, error }
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
  const { head, cancelledAt } = stored
  if (stored.reply === null) return warmupResponse(engine, stored)
  const inProgress = pendingResponse(engine, head, 'in_progress')
  if (!isPlanned(stored)) {
    const whole = { ...stored.reply, choice: engine.wholeChoice(stored.reply.choice) }
    return finished(inProgress, outputItems(engine, whole.choice, head, secret), whole, head.created)
  }
  const reply = unpacked(engine, stored.reply)
  const output = outputItems(engine, reply.choice, head, secret)
  const schedule = scheduleOf(engine, stored, reply)
  const until = Math.min(now, cancelledAt ?? now)
  const endsAt = schedule.dueAfter(schedule.sent)!
  const done = doneItems(output, tokensOfItems(engine, head, reply.choice), schedule, until)
  if (endsAt <= until)
    return schedule.hasFailed
      ? failedResponse(engine, head, done)
      : finished(inProgress, output, reply, Math.ceil(endsAt / 1000))
  const status = cancelledAt !== null ? 'cancelled' : schedule.dueAfter(0)! <= until ? 'in_progress' : 'queued'
  return { ...pendingResponse(engine, head, status), output: done }
}
