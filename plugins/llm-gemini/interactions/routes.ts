/** The routes of interactions. */
import { isOutputError, Pacer } from 'svc/plugin'
import type {
  ChatResult,
  Engine,
  ErrorFacts,
  HandlerRoute,
  LlmRoute,
  ProviderRoute,
  RenderContext,
  Rendered,
  RouteInput,
  StreamEvent,
} from '../../llm/types.ts'
import { finishReasons } from '../generate.ts'
import { interactionAt, eventNumber, eventsOf, outputSteps, type Interaction } from './interaction.ts'
import { interactionError } from './errors.ts'
import type { InteractionStore } from './interaction-store.ts'
import {
  checkParameters,
  parseInteraction,
  revisionOf,
  type InteractionParsed,
  type InteractionWire,
} from './request.ts'
import { givenSteps, type Step } from './steps.ts'

/** Interactions exist in the versions v1beta, v1beta2 and v1. */
const ALIASES = ['/ai/gemini/v1', '/ai/gemini/v1beta2/interactions']
const PATH = '/v1beta/interactions'
/** Interactions of a chain, the new one included. */
const MAX_CHAIN = 200
const UNKNOWN = 'unknown'

export function interactionRoutes(engine: Engine, store: InteractionStore): ProviderRoute[] {
  const find = async (input: RouteInput): Promise<Interaction> => {
    const id = input.params.interaction ?? ''
    const found = await store.get(input, id)
    if (found === undefined) throw missing(engine, id)
    return found
  }
  const replyTo = (input: RouteInput, body: object): Rendered => ({
    body,
    headers: revisionHeader(revisionOf(engine, input)),
  })
  const describeUnknown = (method: string, tail: string, summary: string): LlmRoute['describe'] => ({
    summary,
    examples: [{ name: 'Unknown id', method, path: `/ai/gemini${PATH}/${UNKNOWN}${tail}`, expectStatus: 404 }],
  })
  const get: HandlerRoute = {
    method: 'GET',
    path: `${PATH}/{interaction}`,
    aliases: ALIASES,
    op: 'other',
    describe: {
      ...describeUnknown('GET', '', 'get an interaction'),
      parameters: [
        { name: 'stream', in: 'query', description: 'Send its events', schema: { type: 'boolean' } },
        {
          name: 'last_event_id',
          in: 'query',
          description: 'Send only the events after this one',
          schema: { type: 'string' },
        },
        {
          name: 'include_input',
          in: 'query',
          description: 'Begin the steps with the input',
          schema: { type: 'boolean' },
        },
      ],
    },
    framing: 'sse',
    asksForStream,
    async handle(input) {
      const found = await find(input)
      if (!asksForStream(input.query)) {
        const shown = interactionAt(engine, found, Date.now())
        const before = input.query.get('include_input') === 'true' ? found.input : []
        const body = { ...shown, steps: [...before, ...shown.steps] }
        input.output().takeJson(body)
        return replyTo(input, body)
      }
      const until = found.cancelledAt ?? Infinity
      const last = input.query.get('last_event_id')
      const place = last === null ? -1 : eventNumber(engine, found, last)
      if (place === null) throw engine.badInput('last_event_id: no such event.')
      const rest = await engine.eventsAfter(() => eventsOf(engine, found), place, until)
      const headers = revisionHeader(revisionOf(engine, input))
      return { events: rest, headers, ending: store.endingOf(found, found.head.id) }
    },
    streamError,
  }
  const cancel: HandlerRoute = {
    method: 'POST',
    path: `${PATH}/{interaction}/cancel`,
    aliases: ALIASES,
    op: 'other',
    describe: describeUnknown('POST', '/cancel', 'cancel an interaction'),
    async handle(input) {
      const found = await find(input)
      if (!found.head.isBackground) throw engine.badInput('Only interactions in the background can be cancelled.')
      const now = Date.now()
      const isOpen = interactionAt(engine, found, now).status === 'in_progress'
      const cancelled = isOpen ? await store.cancel(found, now) : undefined
      return replyTo(input, interactionAt(engine, cancelled ?? found, now))
    },
  }
  const remove: HandlerRoute = {
    method: 'DELETE',
    path: `${PATH}/{interaction}`,
    aliases: ALIASES,
    op: 'other',
    describe: describeUnknown('DELETE', '', 'delete an interaction'),
    async handle(input) {
      await store.delete(await find(input))
      return replyTo(input, {})
    },
  }
  return [createInteraction(engine, store) as LlmRoute, get, cancel, remove]
}

function createInteraction(engine: Engine, store: InteractionStore): LlmRoute<InteractionParsed> {
  const made = new WeakMap<InteractionWire, Interaction>()
  const recordOf = (result: ChatResult, { wire, request }: InteractionParsed, context: RenderContext): Interaction => {
    const known = made.get(wire)
    if (known !== undefined) return known
    const { promptTokens, cachedTokens = 0, completionTokens, reasoningTokens } = result
    const record: Interaction = {
      provider: wire.provider,
      session: context.session,
      head: { ...wire.head, created: context.nowMs, model: request.model },
      input: wire.input,
      previous: engine.json.textOf(wire.head.echo.previous_interaction_id) ?? null,
      choice: engine.packChoice(result.choices[0]!),
      tokens: {
        prompt: promptTokens,
        cached: cachedTokens,
        completion: completionTokens,
        reasoning: reasoningTokens,
      },
      plan: wire.head.isBackground ? context.plan() : null,
      cancelledAt: null,
    }
    made.set(wire, record)
    return record
  }
  return {
    method: 'POST',
    path: PATH,
    aliases: ALIASES,
    op: 'chat',
    describe: {
      summary: 'create an interaction',
      examples: [{ input: 'hello' }, { input: 'hello', stream: true }, { input: 'hello', background: true }].map(
        (body, index) => ({
          name: ['Hello', 'Stream', 'In the background'][index]!,
          path: `/ai/gemini${PATH}`,
          json: { model: 'svc-gemini', ...body },
        }),
      ),
    },
    framing: 'sse',
    finishReasons,
    async parse(input) {
      const body = input.json()
      checkParameters(engine, body)
      const previous = engine.json.textOf(body.previous_interaction_id)
      const steps = givenSteps(engine, body.input)
      const { steps: before, first } =
        previous === undefined ? { steps: [], first: undefined } : await chain(engine, store, input, previous)
      if (previous !== undefined) checkCalls(engine, before, steps)
      const parsed = parseInteraction(engine, input, body, { before, steps })
      const conversation = first ?? (parsed.wire.isStored ? parsed.wire.head.id : undefined)
      return {
        ...parsed,
        ...(conversation === undefined ? {} : { conversation }),
        ...(parsed.isBackground === true ? { ending: store.endingOf(input, parsed.wire.head.id) } : {}),
      }
    },
    readOnly(input) {
      const body = input.json()
      return parseInteraction(engine, input, body, { before: [], steps: givenSteps(engine, body.input) })
    },
    async keep(result, parsed, context) {
      const record = recordOf(result, parsed, context)
      if (parsed.wire.isStored) await store.put(record)
    },
    render(result, parsed, context) {
      const record = recordOf(result, parsed, context)
      return {
        body: interactionAt(engine, record, context.nowMs),
        headers: revisionHeader(parsed.wire.revision),
      }
    },
    shapes: { isEnd: ({ event }) => event.event === 'done' },
    stream: (result, parsed, context) => eventsOf(engine, recordOf(result, parsed, context)),
    streamHeaders: (_result, parsed) => revisionHeader(parsed.wire.revision),
    streamError,
  }
}

function asksForStream(query: URLSearchParams): boolean {
  return query.get('stream') === 'true'
}

/** The steps of all predecessors, the oldest first, and the id of the first. */
async function chain(
  engine: Engine,
  store: InteractionStore,
  input: RouteInput,
  latest: string,
): Promise<{ steps: Step[]; first: string }> {
  const pacer = new Pacer()
  const now = Date.now()
  const follow = engine.followChain(latest, MAX_CHAIN - 1, async id => {
    if (pacer.isDue) await pacer.pause()
    const found = await store.predecessor(input, id)
    if (found === undefined) throw missing(engine, id)
    const { status } = interactionAt(engine, found, now)
    if (status === 'failed') throw missing(engine, id)
    if (status === 'in_progress') throw engine.badInput(`Interaction ${id} is still in progress.`)
    return { previous: found.previous, steps: [...found.input, ...outputSteps(engine, found)] }
  })
  const links = await follow.catch((error: unknown) => {
    if (isOutputError(error) && error.code === 'SVC_OUTPUT_TOO_LARGE')
      throw engine.badInput(`The chain of interactions exceeds the context window (${engine.historyTooLong(error)}).`)
    throw error
  })
  if (links === null) throw engine.badInput('The chain of interactions exceeds the context window.')
  return { steps: links.flatMap(({ record }) => record.steps), first: links[0]!.id }
}

/** Each result has its call, and each call its result. */
function checkCalls(engine: Engine, before: readonly Step[], given: readonly Step[]): void {
  const all = [...before, ...given]
  const calls = new Set(all.filter(({ type }) => type === 'function_call').map(({ id }) => id))
  const results = new Set(all.filter(({ type }) => type === 'function_result').map(step => step.call_id))
  for (const id of results)
    if (!calls.has(id)) throw engine.badInput(`No function call found for the result of ${String(id).slice(0, 100)}.`)
  for (const id of calls)
    if (!results.has(id)) throw engine.badInput(`No result found for the function call ${String(id).slice(0, 100)}.`)
}

function missing(engine: Engine, id: string): Error {
  return engine.badInput(`Interaction ${id.slice(0, 100)} not found.`, { kind: 'not_found', status: 404 })
}

function revisionHeader(revision: string | null): Record<string, string> {
  return revision === null ? {} : { 'Api-Revision': revision }
}

function streamError(facts: ErrorFacts): StreamEvent {
  return { event: 'error', data: { event_type: 'error', ...interactionError(facts).body } }
}
