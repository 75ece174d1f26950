/** Parses a request of the Responses API. */
import type { ChatParsed, Engine, Message, NeutralRequest, RouteInput } from '../../llm/types.ts'
import { readFormat } from '../format/messages.ts'
import { readTooling } from '../format/tools.ts'
import type { Context } from './context.ts'
import { givenItems, readItems, storedItem, type Item } from '../items/items.ts'
import type { ResponseHead } from './response-object.ts'
import type { StoredResponse } from './response-store.ts'

export interface ResponsesWire {
  head: Omit<ResponseHead, 'created'>
  /** The new items of the input, as they are stored. */
  input: Item[]
  context: Context
  provider: string
  /** The response can be retrieved and continued. */
  isStored: boolean
  secret: Buffer
  /** The socket that the request came from. */
  socket?: ResponsesSocketData
}
export type ResponsesParsed = ChatParsed<ResponsesWire>

/** What a socket knows: its latest responses, stored or not. */
export interface ResponsesSocketData {
  recall(id: string): { response: StoredResponse; bytes: number } | undefined
  remember(response: StoredResponse): void
  /** The response has locked a conversation, to be released when it has been sent. */
  lock(release: () => Promise<void>): void
}

/** A context without predecessors, for requests that are only read. */
export const NO_CONTEXT: Context = { before: [], resolved: null, previous: null, first: null, conversation: null }

export function parseResponses(
  engine: Engine,
  input: RouteInput,
  body: Record<string, unknown>,
  given: { context: Context; secret: Buffer },
): ResponsesParsed {
  const { json } = engine
  const { context, secret } = given
  const { input: _input, ...echo } = input.storesResponses ? body : { ...body, store: false }
  const id = `resp_${engine.randomId(48)}`
  const showsSummary = json.textOf(json.own(body.reasoning, 'summary')) !== undefined
  const isBackground = body.background === true
  const isStored = input.storesResponses && body.store !== false
  if (isBackground && !isStored)
    throw engine.badInput("Background mode requires 'store' to be true.", {
      param: 'background',
      code: 'invalid_value',
    })
  const request = neutralRequest(engine, input, body, given)
  const items = context.resolved ?? givenItems(engine, body.input)
  const socket = input.socketData as ResponsesSocketData | undefined
  return {
    op: 'chat',
    model: request.model,
    stream: body.stream === true,
    ...(isBackground ? { isBackground } : {}),
    ...conversationOf(context, isStored ? id : undefined),
    request,
    wire: {
      head: {
        id,
        model: request.model,
        body: echo,
        showsSummary,
        sealsReasoning: json.listOf(body.include).includes('reasoning.encrypted_content'),
        isBackground,
        conversation: context.conversation?.id ?? null,
      },
      input: items.map((item, place) => storedItem(engine, item, id, `input ${place}`)),
      context,
      provider: input.provider,
      isStored,
      secret,
      ...(socket === undefined ? {} : { socket }),
    },
  }
}

/** A conversation, or the response that began the chain. */
function conversationOf({ conversation, first }: Context, own: string | undefined): { conversation?: string } {
  const id = conversation?.id ?? first ?? own
  return id === undefined ? {} : { conversation: id }
}

/** The request as the engine sees it: everything before, then the new input. Instructions are not inherited. */
export function neutralRequest(
  engine: Engine,
  input: RouteInput,
  body: Record<string, unknown>,
  { context, secret }: { context: Context; secret: Buffer },
): NeutralRequest {
  const { json } = engine
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-gpt'
  const maxTokens = json.countOf(body.max_output_tokens)
  const effort = json.textOf(json.own(body.reasoning, 'effort'))
  const showsSummary = json.textOf(json.own(body.reasoning, 'summary')) !== undefined
  const instructions = json.textOf(body.instructions)
  const items = context.resolved ?? givenItems(engine, body.input)
  const { system, messages }: { system: string[]; messages: Message[] } = readItems(
    engine,
    [...context.before, ...items],
    sealed => {
      const text = engine.openText(secret, sealed)
      if (text !== null) return text
      throw engine.badInput('The encrypted content of a compaction item could not be verified.', {
        param: 'input',
        code: 'invalid_encrypted_content',
      })
    },
  )
  return {
    model,
    system: instructions === undefined ? system : [instructions, ...system],
    messages,
    ...readTooling(engine, { tools: body.tools, choice: body.tool_choice, isNested: false, hasNamespaces: true }),
    hasNamespaces: true,
    format: readFormat(engine, json.own(body.text, 'format')),
    stop: [],
    n: 1,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...((effort !== undefined && effort !== 'none') || showsSummary ? { reasoning: {} } : {}),
  }
}
