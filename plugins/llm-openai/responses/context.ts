/** What comes before the input of a response: its predecessors, or a conversation. */
import type { Documents, Engine, RouteInput } from '../../llm/types.ts'
import type { Conversation, ConversationStore } from '../conversations/conversation-store.ts'
import { nameFiles } from '../files/name-files.ts'
import { givenItems, isReference, type Item } from './items.ts'
import { checkParameters } from './parameters.ts'
import { outputAt } from './response-state.ts'
import type { ResponseStore, StoredResponse } from './response-store.ts'
import type { ResponsesSocketData } from './request.ts'

export interface Context {
  /** The items of the predecessors or of the conversation. */
  before: Record<string, unknown>[]
  /** The new items with references resolved; null: as given. */
  resolved: Record<string, unknown>[] | null
  previous: string | null
  /** The first response of the chain; null without a chain. */
  first: string | null
  conversation: { id: string; conversation: Conversation } | null
}

export interface ContextServices {
  engine: Engine
  responses: ResponseStore
  conversations: ConversationStore
  documents: Documents
  secret(): Promise<Buffer>
}

/** Responses of a chain, the new one included. */
const MAX_CHAIN = 200
const CALLS = new Set(['function_call', 'custom_tool_call'])
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output'])

/** Finds what comes before. `isInputOptional`: a request without input is taken, if it has a predecessor. */
export async function readContext(
  services: ContextServices,
  input: RouteInput,
  body: Record<string, unknown>,
  { isInputOptional = false } = {},
): Promise<Context> {
  const { engine } = services
  const { json } = engine
  checkParameters(engine, body)
  const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const previous = stringOf(body.previous_response_id)
  const conversationId = stringOf(body.conversation) ?? stringOf(json.own(body.conversation, 'id'))
  if (previous !== null && conversationId !== null)
    throw engine.badInput("Mutually exclusive parameters: 'previous_response_id' and 'conversation'.", {
      param: 'previous_response_id',
      code: 'mutually_exclusive_parameters',
    })
  const given =
    body.input == null && isInputOptional && (previous !== null || conversationId !== null)
      ? []
      : givenItems(engine, body.input)
  const named = await nameFiles(services, input, given)
  const resolved = named.some(isReference) ? await resolve(services, input, named) : named
  if (previous === null && conversationId === null)
    return { before: [], resolved, previous, first: null, conversation: null }
  const conversation =
    conversationId === null
      ? null
      : { id: conversationId, conversation: await openConversation(services, input, conversationId) }
  const chained = previous === null ? null : await chain(services, input, previous)
  const before: Record<string, unknown>[] = chained?.items ?? conversation!.conversation.items
  checkCalls(engine, before, resolved, { isChain: previous !== null })
  return { before, resolved, previous, first: chained?.first ?? null, conversation }
}

async function openConversation(
  { engine, conversations }: ContextServices,
  input: RouteInput,
  id: string,
): Promise<Conversation> {
  const found = await conversations.get(input, id)
  if (found === undefined)
    throw engine.badInput(`Conversation with id '${id.slice(0, 100)}' not found.`, { status: 404 })
  if (found.busyUntil > Date.now()) throw locked(engine)
  return found
}

export function locked(engine: Engine): Error {
  return engine.badInput(
    'Another process is currently operating on this conversation. Please retry in a few seconds.',
    {
      status: 409,
      code: 'conversation_locked',
    },
  )
}

/** The items of all predecessors, the oldest first, and the id of the first. */
async function chain(
  { engine, responses, secret }: ContextServices,
  input: RouteInput,
  latest: string,
): Promise<{ items: Item[]; first: string }> {
  const socket = input.socketData as ResponsesSocketData | undefined
  const now = Date.now()
  const links = await engine.followChain(latest, MAX_CHAIN - 1, async id => {
    const found: StoredResponse | undefined = socket?.recall(id) ?? (await responses.get(input, id))
    const state = found === undefined ? null : outputAt(engine, found, await secret(), now)
    if (found === undefined || state === null || state.status === 'failed')
      throw engine.badInput(`Previous response with id '${id.slice(0, 100)}' not found.`, {
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      })
    if (state.status === 'queued' || state.status === 'in_progress')
      throw engine.badInput(`Previous response with id '${id.slice(0, 100)}' is still in progress.`, {
        param: 'previous_response_id',
        code: 'previous_response_in_progress',
      })
    return { previous: found.previous, items: [...found.input, ...state.output] }
  })
  if (links === null)
    throw engine.badInput(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      { param: 'input', code: 'context_length_exceeded' },
    )
  return { items: links.flatMap(({ record }) => record.items), first: links[0]!.id }
}

/** Replaces references to stored items. */
async function resolve(
  { engine, responses, conversations, secret }: ContextServices,
  input: RouteInput,
  items: Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const resolved: Record<string, unknown>[] = []
  for (const item of items) {
    if (!isReference(item)) {
      resolved.push(item)
      continue
    }
    const response = await responses.owner(input, item.id)
    const stored =
      response === undefined
        ? (await conversations.owner(input, item.id))?.items
        : [...response.input, ...outputAt(engine, response, await secret(), Date.now()).output]
    const found = stored?.find(({ id }) => id === item.id)
    if (found === undefined)
      throw engine.badInput(`Item with id '${item.id.slice(0, 100)}' not found.`, { status: 404, param: 'input' })
    resolved.push(found)
  }
  return resolved
}

/** Each output has its call, and each call of a predecessor its output. */
function checkCalls(
  engine: Engine,
  before: readonly Record<string, unknown>[],
  given: readonly Record<string, unknown>[],
  { isChain }: { isChain: boolean },
): void {
  const all = [...before, ...given]
  const idsOf = (items: readonly Record<string, unknown>[], types: ReadonlySet<string>): Set<unknown> =>
    new Set(items.filter(({ type }) => types.has(String(type))).map(item => item.call_id))
  const calls = idsOf(all, CALLS)
  const outputs = idsOf(all, OUTPUTS)
  for (const id of idsOf(given, OUTPUTS))
    if (!calls.has(id))
      throw engine.badInput(`No tool call found for function call output with call_id ${String(id).slice(0, 100)}.`, {
        param: 'input',
      })
  if (!isChain) return
  for (const id of idsOf(before, CALLS))
    if (!outputs.has(id))
      throw engine.badInput(`No tool output found for function call ${String(id).slice(0, 100)}.`, { param: 'input' })
}
