/** What comes before the input of a response: its predecessors, or a conversation. */
import { isOutputError, Pacer } from 'svc/plugin'
import type { Documents, Engine, RouteInput } from '../../llm/types.ts'
import type { Conversation, ConversationStore } from '../conversations/conversation-store.ts'
import { nameFiles } from '../files/name-files.ts'
import { givenItems, isReference, ownerOf, type Item } from '../items/items.ts'
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

/**
 * Finds what comes before. `isInputOptional`: a request without input is taken, if it has a predecessor. What is stored
 * is taken from the budget of the answer before it is read.
 */
export async function readContext(
  services: ContextServices,
  input: RouteInput,
  body: Record<string, unknown>,
  options: { isInputOptional?: boolean } = {},
): Promise<Context> {
  try {
    return await readParts(services, input, body, options)
  } catch (error) {
    if (!isOutputError(error) || error.code !== 'SVC_OUTPUT_TOO_LARGE') throw error
    throw tooLong(services.engine, services.engine.historyTooLong(error))
  }
}

async function readParts(
  services: ContextServices,
  input: RouteInput,
  body: Record<string, unknown>,
  { isInputOptional = false }: { isInputOptional?: boolean },
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
  const found = await conversations.predecessor(input, id)
  if (found?.id !== id) throw engine.badInput(`Conversation with id '${id.slice(0, 100)}' not found.`, { status: 404 })
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
  const pacer = new Pacer()
  const find = async (id: string): Promise<StoredResponse | undefined> => {
    const recalled = socket?.recall(id)
    if (recalled === undefined) return responses.predecessor(input, id)
    engine.takeHistory(input.output(), recalled.bytes)
    return recalled.response
  }
  const links = await engine.followChain(latest, MAX_CHAIN - 1, async id => {
    if (pacer.isDue) await pacer.pause()
    const found = await find(id)
    const state = found?.head.id !== id ? null : outputAt(engine, found, await secret(), now)
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
  if (links === null) throw tooLong(engine)
  return { items: links.flatMap(({ record }) => record.items), first: links[0]!.id }
}

/** What a request brings together is longer than the context window; `why`: because of a bound of this server. */
export function tooLong(engine: Engine, why?: string): Error {
  const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.'
  return engine.badInput(why === undefined ? message : `${message} (${why})`, {
    param: 'input',
    code: 'context_length_exceeded',
  })
}

/** Replaces references to stored items. A request can have thousands of them: each owner is read once. */
async function resolve(
  { engine, responses, conversations, secret }: ContextServices,
  input: RouteInput,
  items: Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const sealing = await secret()
  const now = Date.now()
  const pacer = new Pacer()
  const known = new Map<string, Map<string, StoredItem>>()
  const itemsOf = async (id: string): Promise<Map<string, StoredItem>> => {
    const owner = ownerOf(id) ?? ''
    let found = known.get(owner)
    if (found === undefined) {
      const response = await responses.predecessor(input, id)
      const stored =
        response === undefined
          ? ((await conversations.predecessor(input, id))?.items ?? [])
          : [...response.input, ...outputAt(engine, response, sealing, now).output]
      found = new Map(stored.map(item => [item.id, { item, characters: null }]))
      known.set(owner, found)
    }
    return found
  }
  const resolved: Record<string, unknown>[] = []
  for (const item of items) {
    if (pacer.isDue) await pacer.pause()
    if (!isReference(item)) {
      resolved.push(item)
      continue
    }
    const found = (await itemsOf(item.id)).get(item.id)
    if (found === undefined)
      throw engine.badInput(`Item with id '${item.id.slice(0, 100)}' not found.`, { status: 404, param: 'input' })
    found.characters ??= JSON.stringify(found.item).length
    engine.takeHistory(input.output(), found.characters)
    resolved.push(found.item)
  }
  return resolved
}

interface StoredItem {
  item: Item
  /** Of its JSON; null: not counted yet. */
  characters: number | null
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
