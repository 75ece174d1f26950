/** Interactions: what is stored, and their state at an instant. */
import type { Choice, Engine, ReplyPlan, Schedule, StoredChoice, StreamEvent } from '../../llm/types.ts'
import type { Step } from './steps.ts'

export interface InteractionHead {
  id: string
  /** Milliseconds since 1970. */
  created: number
  model: string
  /** Fields of the request that the reply repeats. */
  echo: Record<string, unknown>
  showsSummary: boolean
  isBackground: boolean
}

/** An interaction with what is needed to continue it, and to replay its events. Plain data. */
export interface Interaction {
  provider: string
  session: string
  head: InteractionHead
  input: Step[]
  previous: string | null
  choice: StoredChoice
  tokens: { prompt: number; cached: number; completion: number; reasoning: number }
  /** When the tokens of a background interaction are due; null: it was complete at once. */
  plan: ReplyPlan | null
  cancelledAt: number | null
}

/** The steps of the reply. */
export function outputSteps(engine: Engine, { head, choice }: Pick<Interaction, 'head' | 'choice'>): Step[] {
  const steps: Step[] = []
  if (choice.reasoning !== '')
    steps.push({
      type: 'thought',
      signature: signatureOf(engine, head),
      ...(head.showsSummary ? { summary: [{ type: 'text', text: choice.reasoning }] } : {}),
    })
  if (choice.calls.length === 0 || choice.text !== '')
    steps.push({ type: 'model_output', content: [{ type: 'text', text: choice.text }] })
  const calls = choice.calls.map(call => ({
    type: 'function_call',
    id: call.givenId ?? call.id,
    name: call.name,
    arguments: call.args,
  }))
  return [...steps, ...calls]
}

function signatureOf(engine: Engine, { id }: InteractionHead): string {
  return Buffer.from(engine.digest(id, 'signature').slice(0, 48), 'hex').toString('base64')
}

function finalStatus({ choice }: Interaction): string {
  if (choice.finish === 'length' || choice.finish === 'content_filter') return 'incomplete'
  return choice.calls.length > 0 ? 'requires_action' : 'completed'
}

function headOf({ id, created, model }: InteractionHead, status: string, updated = created): Record<string, unknown> {
  const time = (ms: number): string => new Date(ms).toISOString()
  return { id, object: 'interaction', status, model, created: time(created), updated: time(updated) }
}

function usageOf({ prompt, cached, completion, reasoning }: Interaction['tokens']): object {
  const by = (tokens: number): object[] => [{ modality: 'text', tokens }]
  return {
    total_input_tokens: prompt,
    total_cached_tokens: cached,
    total_output_tokens: completion - reasoning,
    total_thought_tokens: reasoning,
    total_tool_use_tokens: 0,
    total_tokens: prompt + completion,
    input_tokens_by_modality: by(prompt),
    output_tokens_by_modality: by(completion - reasoning),
  }
}

const ID_DIGITS = 8
const FAILURE = { code: 'internal', message: 'An internal error has occurred. (simulated)' }

/**
 * The events of an interaction, each with the time at which it is due (0: at once). The same each time. They are made as
 * they are read.
 */
export function* eventsOf(engine: Engine, interaction: Interaction): Iterable<StreamEvent> {
  const { head } = interaction
  const choice = engine.unpackChoice(interaction.choice)
  const steps = outputSteps(engine, interaction)
  const schedule = scheduleOf(engine, interaction, choice, steps)
  const body = bodyEvents(engine, head, choice, steps)
  let number = 0
  for (const event of schedule?.timed(body) ?? body) {
    number += 1
    yield event
  }
  const timed = schedule === null ? {} : { dueAt: endOf(interaction, schedule) }
  const emit = emitter(engine, head, number)
  if (schedule?.hasFailed === true) yield { ...emit('error', { error: FAILURE }), ...timed }
  yield { ...emit('interaction.completed', { interaction: endedHead(interaction, schedule) }), ...timed }
  yield { event: 'done', data: '[DONE]', ...timed }
}

/** When its tokens are due; null: it was complete at once. */
function scheduleOf(
  engine: Engine,
  { head, plan }: Interaction,
  choice: Choice,
  steps: readonly Step[],
): Schedule | null {
  if (plan === null) return null
  const tokens = steps.reduce((sum, step) => sum + tokensOf(step, choice), 0)
  return engine.schedule({ beganAt: head.created, plan, tokens })
}

/** Without a token the work has not begun, and ends at once. */
function endOf({ head }: Interaction, schedule: Schedule): number {
  return schedule.sent === 0 ? head.created : schedule.dueAfter(schedule.sent)!
}

function endedHead(interaction: Interaction, schedule: Schedule | null): Record<string, unknown> {
  const { head, tokens } = interaction
  const hasFailed = schedule?.hasFailed === true
  const endsAt = schedule === null ? 0 : endOf(interaction, schedule)
  return {
    ...headOf(head, hasFailed ? 'failed' : finalStatus(interaction), Math.max(head.created, Math.ceil(endsAt))),
    ...(hasFailed ? { errors: [FAILURE] } : { usage: usageOf(tokens) }),
  }
}

type Emit = (type: string, data: object, paced?: boolean) => StreamEvent

/** The ids of events: hex digits that follow from the interaction, then the number of the event. */
function idsOf(
  engine: Engine,
  { id }: InteractionHead,
): { idOf(number: number): string; numberOf(id: string): number } {
  const prefix = engine.digest(id, 'events').slice(0, ID_DIGITS)
  const idOf = (number: number): string => prefix + number.toString(16).padStart(ID_DIGITS, '0')
  return {
    idOf,
    numberOf: given => {
      const number = parseInt(given.slice(ID_DIGITS), 16)
      return given === idOf(number) ? number : NaN
    },
  }
}

/** The number of the event with this id; null: there is none. */
export function eventNumber(engine: Engine, interaction: Interaction, id: string): number | null {
  const choice = engine.unpackChoice(interaction.choice)
  const steps = outputSteps(engine, interaction)
  const schedule = scheduleOf(engine, interaction, choice, steps)
  // Two at the beginning; two and the signature of a thought for each step; the last one, and perhaps an error.
  let count = 3 + (schedule?.hasFailed === true ? 1 : 0)
  for (const step of steps) count += 2 + tokensOf(step, choice) + (step.type === 'thought' ? 1 : 0)
  const number = idsOf(engine, interaction.head).numberOf(id)
  return number < count ? number : null
}

/** Numbers events. */
function emitter(engine: Engine, head: InteractionHead, from: number): Emit {
  const { idOf } = idsOf(engine, head)
  let number = from
  return (type, data, paced = false) => {
    const eventId = idOf(number++)
    return { event: type, data: { event_type: type, event_id: eventId, ...data }, paced }
  }
}

function* bodyEvents(
  engine: Engine,
  head: InteractionHead,
  choice: Choice,
  steps: readonly Step[],
): Iterable<StreamEvent> {
  const emit = emitter(engine, head, 0)
  yield emit('interaction.created', { interaction: headOf(head, 'in_progress') })
  yield emit('interaction.status_update', { interaction_id: head.id, status: 'in_progress' })
  for (const [index, step] of steps.entries()) {
    yield emit('step.start', { index, step: emptied(step) })
    for (const [delta, paced] of deltasOf(step, choice)) yield emit('step.delta', { index, delta }, paced)
    yield emit('step.stop', { index })
  }
}

/** A step before its deltas. */
function emptied(step: Step): Step {
  if (step.type === 'model_output') return { type: step.type, content: [] }
  return step.type === 'thought' ? { type: step.type } : { ...step, arguments: {} }
}

function* deltasOf(step: Step, choice: Choice): Iterable<[delta: object, paced: boolean]> {
  if (step.type === 'model_output') {
    for (const text of choice.pieces) yield [{ type: 'text', text }, true]
  } else if (step.type === 'thought') {
    if (step.summary !== undefined)
      for (const text of choice.reasoningPieces)
        yield [{ type: 'thought_summary', content: { type: 'text', text } }, true]
    yield [{ type: 'thought_signature', signature: step.signature }, false]
  } else {
    for (const piece of callOf(step, choice)?.jsonPieces ?? [])
      yield [{ type: 'arguments_delta', arguments: piece }, true]
  }
}

function callOf(step: Step, { calls }: Choice): Choice['calls'][number] | undefined {
  return calls.find(call => (call.givenId ?? call.id) === step.id)
}

/** The number of events with tokens that a step has. */
function tokensOf(step: Step, choice: Choice): number {
  if (step.type === 'model_output') return choice.pieces.length
  if (step.type === 'thought') return step.summary === undefined ? 0 : choice.reasoningPieces.length
  return callOf(step, choice)?.jsonPieces.length ?? 0
}

/** The interaction as it is at `now`. */
export function interactionAt(
  engine: Engine,
  interaction: Interaction,
  now: number,
): Record<string, unknown> & { status: string; steps: Step[] } {
  const { head, plan, cancelledAt } = interaction
  const until = Math.min(now, cancelledAt ?? now)
  const all = outputSteps(engine, interaction)
  if (plan === null) return shown(interaction, endedHead(interaction, null), all)
  const choice = engine.unpackChoice(interaction.choice)
  const schedule = scheduleOf(engine, interaction, choice, all)!
  let tokens = 0
  const done = all.filter(step => {
    tokens += tokensOf(step, choice)
    const dueAt = tokens === 0 ? head.created : schedule.dueAfter(tokens)
    return dueAt !== null && dueAt <= until
  })
  const isEnded = endOf(interaction, schedule) <= until
  return shown(interaction, isEnded ? endedHead(interaction, schedule) : null, done)
}

function shown(
  { head, cancelledAt }: Interaction,
  ended: Record<string, unknown> | null,
  steps: Step[],
): Record<string, unknown> & { status: string; steps: Step[] } {
  const status = ended === null ? (cancelledAt === null ? 'in_progress' : 'cancelled') : String(ended.status)
  return {
    ...headOf(head, status, cancelledAt ?? head.created),
    ...ended,
    status,
    role: 'model',
    steps,
    ...head.echo,
  }
}
