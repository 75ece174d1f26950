/** The reply object of the Responses API. */
import type { ChatResult, Choice, ChoiceBlock, Engine, Finish } from '../../llm/types.ts'
import { itemId, type Item } from '../items/items.ts'

/** Finish reasons, for records. */
export const finishReasons: Record<Finish, string> = {
  stop: 'completed',
  stop_sequence: 'completed',
  tool_calls: 'completed',
  length: 'incomplete',
  content_filter: 'incomplete',
  prompt_filter: 'incomplete',
}

/** What a reply object shows of its request. Plain data. */
export interface ResponseHead {
  id: string
  /** Seconds since 1970. */
  created: number
  model: string
  /** The request without its input: the reply echoes many of its fields. */
  body: Record<string, unknown>
  /** The client requests a summary of the reasoning. */
  showsSummary: boolean
  /** Reasoning items have `encrypted_content`. */
  sealsReasoning: boolean
  isBackground: boolean
  conversation: string | null
}

/** What the model replied, as far as a reply object needs it. */
export type Reply = Pick<
  ChatResult,
  'promptTokens' | 'completionTokens' | 'reasoningTokens' | 'cachedTokens' | 'cacheWriteTokens'
> & { choice: Choice }

export type OutputItem = Item & { status: string }

export function replyOf(result: ChatResult): Reply {
  const { promptTokens, completionTokens, reasoningTokens, cachedTokens, cacheWriteTokens } = result
  const tokens = { promptTokens, completionTokens, reasoningTokens }
  return {
    choice: result.choices[0] as Choice,
    ...tokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  }
}

export function isIncomplete(choice: Choice): boolean {
  return choice.finish === 'length' || (choice.finish === 'content_filter' && choice.isRefusal !== true)
}

/** The parts of a reply; one that a filter withheld has none. */
export function outputBlocks(engine: Engine, choice: Choice): ChoiceBlock[] {
  return choice.finish === 'content_filter' && choice.text === '' ? [] : engine.blocksOf(choice)
}

/** The items of a reply, one for each of its parts. Their ids follow from that of the response. */
export function outputItems(engine: Engine, choice: Choice, head: ResponseHead, secret: Buffer): OutputItem[] {
  return outputBlocks(engine, choice).map((block, number) => {
    const idOf = (type: string): string => itemId(engine, type, head.id, `output ${number}`)
    if (block.type === 'reasoning')
      return {
        type: 'reasoning',
        id: idOf('reasoning'),
        summary: showsReasoning(block, head) ? [{ type: 'summary_text', text: block.text }] : [],
        ...(head.sealsReasoning ? { encrypted_content: engine.sealText(secret, block.text) } : {}),
        status: 'completed',
      }
    if (block.type === 'text')
      return {
        type: 'message',
        id: idOf('message'),
        status: isIncomplete(choice) ? 'incomplete' : 'completed',
        role: 'assistant',
        content: [contentPart(choice, block.text)],
      }
    const { call } = block
    const type = call.isText === true ? 'custom_tool_call' : 'function_call'
    const { name, namespace } = call
    return {
      type,
      id: idOf(type),
      call_id: call.givenId ?? `call_${call.id}`,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      ...(call.isText === true ? { input: call.json } : { arguments: call.json }),
      status: 'completed',
    }
  })
}

/** Redacted reasoning has no summary. */
export function showsReasoning(
  { isRedacted }: Extract<ChoiceBlock, { type: 'reasoning' }>,
  { showsSummary }: Pick<ResponseHead, 'showsSummary'>,
): boolean {
  return showsSummary && isRedacted !== true
}

/** A refusal has a part of its own. */
export function contentPart({ isRefusal }: Choice, text: string): object {
  return isRefusal === true
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] }
}

/** The reply object without output; echoes fields of the request. */
export function pendingResponse({ json }: Engine, head: ResponseHead, status: string): Record<string, unknown> {
  const { body } = head
  return {
    id: head.id,
    object: 'response',
    created_at: head.created,
    completed_at: null,
    status,
    background: head.isBackground,
    conversation: head.conversation === null ? null : { id: head.conversation },
    access_programs: null,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: head.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    reasoning: {
      effort: json.own(body.reasoning, 'effort') ?? null,
      summary: json.own(body.reasoning, 'summary') ?? null,
    },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, ...json.objectOf(body.text) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: json.listOf(body.tools).map(tool => shownTool(json, tool)),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: null,
    user: body.user ?? null,
    metadata: json.objectOf(body.metadata),
  }
}

/** A function has all members, as the API shows them. */
function shownTool(json: Engine['json'], tool: unknown): unknown {
  return json.own(tool, 'type') === 'function'
    ? { description: null, parameters: null, strict: true, ...json.objectOf(tool) }
    : tool
}

/** The final reply object. `completedAt` in seconds. */
export function finished(
  pending: Record<string, unknown>,
  output: OutputItem[],
  reply: Reply,
  completedAt: number,
): Record<string, unknown> {
  const { choice } = reply
  const reason = choice.finish === 'length' ? 'max_output_tokens' : 'content_filter'
  return {
    ...pending,
    status: isIncomplete(choice) ? 'incomplete' : 'completed',
    completed_at: isIncomplete(choice) ? null : completedAt,
    incomplete_details: isIncomplete(choice) ? { reason } : null,
    output,
    usage: usageOf(reply),
  }
}

export function usageOf(reply: Omit<Reply, 'choice'>): object {
  return {
    input_tokens: reply.promptTokens,
    input_tokens_details: {
      cached_tokens: reply.cachedTokens ?? 0,
      cache_write_tokens: reply.cacheWriteTokens ?? 0,
    },
    output_tokens: reply.completionTokens,
    output_tokens_details: { reasoning_tokens: reply.reasoningTokens },
    total_tokens: reply.promptTokens + reply.completionTokens,
  }
}
