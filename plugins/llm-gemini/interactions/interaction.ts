/** Interactions: what is stored, and their state at an instant. */
import type { Choice, Engine, ReplyPlan, StreamEvent } from '../../llm/types.ts'
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
  choice: Choice
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

const FAILURE = { code: 'internal', message: 'An internal error has occurred. (simulated)' }

/** The events of an interaction, each with the time at which it is due (0: at once). The same each time. */
export function eventsOf(engine: Engine, interaction: Interaction): StreamEvent[] {
  const { head, plan } = interaction
  const body = [...bodyEvents(engine, interaction)]
  const { events, hasFailed, endsAt } =
    plan === null
      ? { events: body, hasFailed: false, endsAt: undefined }
      : engine.timeline(body, { beganAt: head.created, plan })
  const end = hasFailed ? 'failed' : finalStatus(interaction)
  const timed = endsAt === undefined ? {} : { dueAt: endsAt }
  const emit = emitter(engine, head, events.length)
  const completed = {
    interaction: {
      ...headOf(head, end, Math.max(head.created, Math.ceil(endsAt ?? 0))),
      ...(hasFailed ? { errors: [FAILURE] } : { usage: usageOf(interaction.tokens) }),
    },
  }
  return [
    ...events,
    ...(hasFailed ? [{ ...emit('error', { error: FAILURE }), ...timed }] : []),
    { ...emit('interaction.completed', completed), ...timed },
    { event: 'done', data: '[DONE]', ...timed },
  ]
}

type Emit = (type: string, data: object, paced?: boolean) => StreamEvent

/** Numbers events; their ids follow from the interaction. */
function emitter(engine: Engine, { id }: InteractionHead, from: number): Emit {
  let number = from
  return (type, data, paced = false) => {
    const eventId = engine.digest(id, number++).slice(0, 16)
    return { event: type, data: { event_type: type, event_id: eventId, ...data }, paced }
  }
}

function* bodyEvents(engine: Engine, interaction: Interaction): Iterable<StreamEvent> {
  const { head, choice } = interaction
  const emit = emitter(engine, head, 0)
  yield emit('interaction.created', { interaction: headOf(head, 'in_progress') })
  yield emit('interaction.status_update', { interaction_id: head.id, status: 'in_progress' })
  for (const [index, step] of outputSteps(engine, interaction).entries()) {
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
    const call = choice.calls.find(candidate => (candidate.givenId ?? candidate.id) === step.id)
    for (const piece of call?.jsonPieces ?? []) yield [{ type: 'arguments_delta', arguments: piece }, true]
  }
}

/** The interaction as it is at `now`. */
export function interactionAt(
  engine: Engine,
  interaction: Interaction,
  now: number,
): Record<string, unknown> & { status: string; steps: Step[] } {
  const { head, cancelledAt } = interaction
  const until = Math.min(now, cancelledAt ?? now)
  const events = eventsOf(engine, interaction)
  const end = events.findLast(({ event }) => event === 'interaction.completed')!
  const all = outputSteps(engine, interaction)
  const isEnded = (end.dueAt ?? 0) <= until
  const ended = isEnded ? (end.data as { interaction: Record<string, unknown> }).interaction : null
  const done = events.filter(({ event, dueAt = 0 }) => event === 'step.stop' && dueAt <= until).length
  const status = ended === null ? (cancelledAt === null ? 'in_progress' : 'cancelled') : String(ended.status)
  return {
    ...headOf(head, status, cancelledAt ?? head.created),
    ...ended,
    status,
    role: 'model',
    steps: all.slice(0, done),
    ...head.echo,
  }
}
