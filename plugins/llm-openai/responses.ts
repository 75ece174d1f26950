/** `POST /responses`: the reply object of the Responses API. */
import type {
  ChatResult,
  Choice,
  Engine,
  ErrorFacts,
  Finish,
  LlmRoute,
  RenderContext,
  StreamEvent,
} from '../llm/types.ts'
import { responsesContextError } from './context-error.ts'
import { describePost } from './describe.ts'
import { parseResponses, type ResponsesParsed } from './responses-request.ts'
import { streamResponse } from './responses-stream.ts'
import { responseShapes } from './responses-shapes.ts'

/** Finish reasons, for records. */
const finishReasons: Record<Finish, string> = {
  stop: 'completed',
  stop_sequence: 'completed',
  tool_calls: 'completed',
  length: 'incomplete',
  content_filter: 'incomplete',
  prompt_filter: 'incomplete',
}

export function responses(engine: Engine): LlmRoute<ResponsesParsed> {
  return {
    method: 'POST',
    path: '/responses',
    op: 'chat',
    describe: describePost('/responses', 'create a response', [
      { name: 'Hello', body: { model: 'svc-gpt', input: 'hello' } },
      { name: 'Stream', body: { model: 'svc-gpt', input: 'hello', stream: true } },
    ]),
    framing: 'sse',
    finishReasons,
    parse: input => parseResponses(engine, input),
    render: (result, parsed, context) => ({ body: completeResponse(engine, result, parsed, context) }),
    contextError: responsesContextError,
    reportsCacheWrites: true,
    shapes: responseShapes,
    stream: (result, parsed, context) => streamResponse(engine, result, parsed, context),
    streamError,
  }
}

function streamError(facts: ErrorFacts): StreamEvent {
  return {
    event: 'error',
    data: { type: 'error', code: 'server_error', message: facts.message, param: null, sequence_number: 0 },
  }
}

export type OutputItem = { type: string; id: string; status: string } & Record<string, unknown>

export function isIncomplete(choice: Choice): boolean {
  return choice.finish === 'length' || (choice.finish === 'content_filter' && choice.isRefusal !== true)
}

/** The items of a reply: the reasoning, if any, then a message or calls. */
export function outputItems(engine: Engine, choice: Choice, parsed: ResponsesParsed): OutputItem[] {
  if (choice.finish === 'content_filter' && choice.text === '') return []
  const items: OutputItem[] = []
  if (choice.reasoning !== '') {
    items.push({
      type: 'reasoning',
      id: `rs_${engine.randomId(48)}`,
      summary: parsed.wire.showsSummary ? [{ type: 'summary_text', text: choice.reasoning }] : [],
      status: 'completed',
    })
  }
  const message: OutputItem[] = []
  const calls: OutputItem[] = []
  if (choice.calls.length === 0 || choice.text !== '') {
    message.push({
      type: 'message',
      id: `msg_${engine.randomId(48)}`,
      status: isIncomplete(choice) ? 'incomplete' : 'completed',
      role: 'assistant',
      content: [contentPart(choice, choice.text)],
    })
  }
  for (const call of choice.calls) {
    if (call.isText === true)
      calls.push({
        type: 'custom_tool_call',
        id: `ctc_${engine.randomId(48)}`,
        call_id: call.givenId ?? `call_${call.id}`,
        name: call.name,
        input: call.json,
        status: 'completed',
      })
    else
      calls.push({
        type: 'function_call',
        id: `fc_${engine.randomId(48)}`,
        call_id: call.givenId ?? `call_${call.id}`,
        name: call.name,
        arguments: call.json,
        status: 'completed',
      })
  }
  return [...items, ...(choice.callsFirst === true ? [...calls, ...message] : [...message, ...calls])]
}

/** A refusal has a part of its own. */
export function contentPart({ isRefusal }: Choice, text: string): object {
  return isRefusal === true
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] }
}

/** The initial reply object without output; echoes fields of the request. */
export function pendingResponse(
  engine: Engine,
  parsed: ResponsesParsed,
  context: RenderContext,
): Record<string, unknown> {
  const { body } = parsed.wire
  const { json } = engine
  return {
    id: `resp_${engine.randomId(48)}`,
    object: 'response',
    created_at: context.created,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: parsed.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: {
      effort: json.own(body.reasoning, 'effort') ?? null,
      summary: json.own(body.reasoning, 'summary') ?? null,
    },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, ...json.objectOf(body.text) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: json.listOf(body.tools),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: null,
    user: body.user ?? null,
    metadata: json.objectOf(body.metadata),
  }
}

/** The final reply object. */
export function finished(
  pending: Record<string, unknown>,
  output: OutputItem[],
  choice: Choice,
  result: ChatResult,
  context: RenderContext,
): Record<string, unknown> {
  const reason = choice.finish === 'length' ? 'max_output_tokens' : 'content_filter'
  return {
    ...pending,
    status: isIncomplete(choice) ? 'incomplete' : 'completed',
    completed_at: isIncomplete(choice) ? null : context.created,
    incomplete_details: isIncomplete(choice) ? { reason } : null,
    output,
    usage: {
      input_tokens: result.promptTokens,
      input_tokens_details: {
        cached_tokens: result.cachedTokens ?? 0,
        cache_write_tokens: result.cacheWriteTokens ?? 0,
      },
      output_tokens: result.completionTokens,
      output_tokens_details: { reasoning_tokens: result.reasoningTokens },
      total_tokens: result.promptTokens + result.completionTokens,
    },
  }
}

function completeResponse(engine: Engine, result: ChatResult, parsed: ResponsesParsed, context: RenderContext): object {
  const choice = result.choices[0] as Choice
  return finished(
    pendingResponse(engine, parsed, context),
    outputItems(engine, choice, parsed),
    choice,
    result,
    context,
  )
}
