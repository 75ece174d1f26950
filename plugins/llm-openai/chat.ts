/** `POST /chat/completions`, plain and streamed. */
import type { ChatParsed, ChatResult, Choice, Engine, LlmRoute, NeutralRequest, RenderContext, RouteInput, StreamEvent } from '../llm/types.ts'
import { describePost } from './describe.ts'
import { logprobOf } from './logprobs.ts'
import { readFormat, readMessages, readToolChoice, readTools } from './messages.ts'
import type { ChatExtras } from './types.ts'

interface ChatWire {
  includeUsage: boolean
  /** Number of alternatives; null: no log probabilities. */
  topLogprobs: number | null
}
type Parsed = ChatParsed<ChatWire>

const mostStops = 4
const mostLogprobs = 20

export function chatCompletions(engine: Engine, extras?: ChatExtras): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/chat/completions',
    op: 'chat',
    describe: describePost('/chat/completions', 'chat completion', [
      { name: 'Hello', body: { model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] } },
      { name: 'Stream', body: { model: 'svc-gpt', stream: true, stream_options: { include_usage: true }, messages: [{ role: 'user', content: 'hello' }] } },
      { name: 'Invented personal data', body: { model: 'svc-scripted', messages: [{ role: 'user', content: 'show me a customer record' }] } },
    ]),
    framing: 'sse',
    parse: (input) => parse(engine, input),
    render: (result, parsed, context) => ({ body: renderReply(engine, result, parsed, context, extras) }),
    stream: (result, parsed, context) => streamReply(engine, result, parsed, context, extras),
  }
}

function parse(engine: Engine, input: RouteInput): Parsed {
  const { json } = engine
  const body = input.json()
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-gpt'
  const { system, messages } = readMessages(engine, body.messages)
  const tools = [...json.listOf(body.tools).map((tool) => json.own(tool, 'function')), ...json.listOf(body.functions)]
  const maxTokens = json.countOf(body.max_completion_tokens) ?? json.countOf(body.max_tokens)
  const effort = json.textOf(body.reasoning_effort)
  const request: NeutralRequest = {
    model, system, messages,
    tools: readTools(engine, tools),
    toolChoice: readToolChoice(engine, body.tool_choice ?? body.function_call),
    format: readFormat(engine, body.response_format),
    stop: json.stopsOf(body.stop, mostStops),
    n: clamp(body.n, 1, input.limits.choices),
  }
  if (maxTokens !== undefined) request.maxTokens = maxTokens
  if (effort !== undefined && effort !== 'none') request.reasoning = {}
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    request,
    wire: {
      includeUsage: json.own(body.stream_options, 'include_usage') === true,
      topLogprobs: body.logprobs === true ? clamp(body.top_logprobs ?? 0, 0, mostLogprobs) : null,
    },
  }
}

/** A whole number brought into its range; what is none counts as the least. */
export function clamp(value: unknown, least: number, most: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), least), most) : least
}

/** Usage as chat completions tell it. */
function usageOf({ promptTokens, completionTokens, reasoningTokens }: ChatResult): string {
  return `{"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${promptTokens + completionTokens},`
    + '"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},'
    + `"completion_tokens_details":{"reasoning_tokens":${reasoningTokens},"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`
}

/** The members that replies and chunks begin with. */
function headOf(engine: Engine, object: string, parsed: Parsed, context: RenderContext): string {
  return `"id":"chatcmpl-${engine.randomId(29)}","object":"${object}","created":${context.created},"model":${JSON.stringify(parsed.model)},"system_fingerprint":"fp_svc","service_tier":"default"`
}

function isSilent(choice: Choice): boolean {
  return choice.calls.length > 0 || choice.finish === 'content_filter'
}

/** Further members, behind others. */
function members(extra: object | undefined): string {
  return extra === undefined ? '' : `,${JSON.stringify(extra).slice(1, -1)}`
}

/** Written as text around what never changes: a reply is made for every request, and objects of it cost thrice as much. */
function renderReply(engine: Engine, result: ChatResult, parsed: Parsed, context: RenderContext, extras?: ChatExtras): string {
  const { topLogprobs } = parsed.wire
  const choices = result.choices.map((choice) => {
    const logprobs = topLogprobs === null || isSilent(choice) ? 'null' : JSON.stringify({ content: choice.pieces.map((piece) => logprobOf(engine, piece, topLogprobs)), refusal: null })
    return `{"index":${choice.index},"message":${messageOf(choice)},"logprobs":${logprobs},"finish_reason":"${context.finishWords[choice.finish]}"${members(extras?.choice(choice.finish))}}`
  })
  return `{${headOf(engine, 'chat.completion', parsed, context)},"choices":[${choices.join()}]${members(extras?.reply())},"usage":${usageOf(result)}}`
}

function messageOf(choice: Choice): string {
  const content = isSilent(choice) ? 'null' : JSON.stringify(choice.text)
  const calls = choice.calls.map((call) => ({ id: `call_${call.id}`, type: 'function', function: { name: call.name, arguments: call.json } }))
  return `{"role":"assistant","content":${content},"refusal":null,"annotations":[]${calls.length === 0 ? '' : `,"tool_calls":${JSON.stringify(calls)}`}}`
}

/**
 * Chunks are written around a fixed head: it is the same in all of them, and there is one for every token. Joined it is one
 * piece, while a sum of texts is put together again with every chunk.
 */
function* streamReply(engine: Engine, result: ChatResult, parsed: Parsed, context: RenderContext, extras?: ChatExtras): Iterable<StreamEvent> {
  const { includeUsage, topLogprobs } = parsed.wire
  const head = `{${headOf(engine, 'chat.completion.chunk', parsed, context)}`
  const tail = includeUsage ? ',"usage":null}' : '}'
  if (extras !== undefined) yield { data: extras.opening() }
  for (const choice of result.choices) {
    const start = [head, `,"choices":[{"index":${choice.index},"delta":`].join('')
    const chunk = (delta: string, logprobs = 'null'): string => `${start}${delta},"logprobs":${logprobs},"finish_reason":null}]${tail}`
    yield { data: chunk(JSON.stringify({ role: 'assistant', content: isSilent(choice) ? null : '', refusal: null })) }
    for (const piece of choice.pieces) {
      const logprobs = topLogprobs === null ? undefined : JSON.stringify({ content: [logprobOf(engine, piece, topLogprobs)], refusal: null })
      yield { data: chunk(`{"content":${JSON.stringify(piece)}}`, logprobs), paced: true }
    }
    for (const [index, call] of choice.calls.entries()) {
      yield { data: chunk(JSON.stringify({ tool_calls: [{ index, id: `call_${call.id}`, type: 'function', function: { name: call.name, arguments: '' } }] })) }
      for (const piece of call.jsonPieces) yield { data: chunk(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(piece)}}}]}`), paced: true }
    }
    yield { data: `${start}{},"logprobs":null,"finish_reason":"${context.finishWords[choice.finish]}"${members(extras?.choice(choice.finish))}}]${tail}` }
  }
  if (includeUsage) yield { data: `${head},"choices":[],"usage":${usageOf(result)}}` }
  yield { data: '[DONE]' }
}
