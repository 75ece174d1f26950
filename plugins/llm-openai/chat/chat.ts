/** `POST /chat/completions`, with and without streaming. */
import type {
  ChatParsed,
  ChatResult,
  Choice,
  Engine,
  LlmRoute,
  NeutralRequest,
  ReasoningMember,
  RenderContext,
  RouteInput,
  StreamEvent,
} from '../../llm/types.ts'
import { isRecord, JsonList } from 'svc/toolkit'
import {
  createChatWriter,
  type ChatExtras,
  type ChatChunk,
  type ChatReply,
  type ChatWriter,
  type ChunkChoice,
  type Delta,
} from './chat-json.ts'
import { contextError } from '../format/context-error.ts'
import { nameFiles, type FileServices } from '../files/name-files.ts'
import { describePost } from '../format/describe.ts'
import { logprobOf, takeLogprobs, type TokenLogprob } from './logprobs.ts'
import { readFormat, readMessages } from '../format/messages.ts'
import { chatCall, chatCallPiece, readTooling } from '../format/tools.ts'
import { clamp } from '../format/parameters.ts'

interface ChatWire {
  includeUsage: boolean
  /** Number of alternatives; null: no log probabilities. */
  topLogprobs: number | null
  /** The member of the message that has the reasoning; absent: it is not shown. */
  reasoningMember: ReasoningMember | undefined
}
type Parsed = ChatParsed<ChatWire>

const maxStops = 4
const maxLogprobs = 20

export function chatCompletions(files: FileServices, extras?: ChatExtras): LlmRoute<Parsed> {
  const { engine } = files
  // Compiles the schemas for the first reply, so that they don't slow down the start.
  let compiled: ChatWriter | undefined
  const writer = (): ChatWriter => (compiled ??= createChatWriter(extras))
  return {
    method: 'POST',
    path: '/chat/completions',
    op: 'chat',
    describe: describePost('/chat/completions', 'create a chat completion', [
      { name: 'Hello', body: { model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] } },
      {
        name: 'Stream',
        body: {
          model: 'svc-gpt',
          stream: true,
          stream_options: { include_usage: true },
          messages: [{ role: 'user', content: 'hello' }],
        },
      },
      {
        name: 'One of two tools is allowed',
        body: {
          model: 'svc-gpt',
          messages: [{ role: 'user', content: 'weather in Rome' }],
          tools: [
            {
              type: 'function',
              function: {
                name: 'get_weather',
                parameters: { type: 'object', properties: { city: { type: 'string' } } },
              },
            },
            { type: 'custom', custom: { name: 'take_note' } },
          ],
          tool_choice: {
            type: 'allowed_tools',
            allowed_tools: { mode: 'required', tools: [{ type: 'custom', custom: { name: 'take_note' } }] },
          },
        },
      },
      {
        name: 'Invented personal data',
        body: { model: 'svc-scripted', messages: [{ role: 'user', content: 'show me a customer record' }] },
      },
    ]),
    framing: 'sse',
    parse(input) {
      const body = input.json()
      const { messages } = body
      if (!Array.isArray(messages) || !messages.some(hasParts) || !input.body.includes('"file_id"'))
        return parse(engine, input, body)
      return nameFiles(files, input, messages.map(engine.json.objectOf)).then(named =>
        parse(engine, input, { ...body, messages: named }),
      )
    },
    readOnly: input => parse(engine, input, input.json()),
    contextError,
    withReply: parsed => ({ ...parsed, wire: { ...parsed.wire, topLogprobs: null } }),
    render: (result, parsed, context) => ({ body: renderReply(writer(), engine, result, parsed, context, extras) }),
    stream(result, parsed, context) {
      payForLogprobs(result, parsed, context)
      return streamReply(writer(), engine, result, parsed, context, extras)
    },
  }
}

/** Only content in parts can name files. */
function hasParts(message: unknown): boolean {
  return isRecord(message) && Array.isArray(message.content)
}

function parse(engine: Engine, input: RouteInput, body: Record<string, unknown>): Parsed {
  const { json } = engine
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-gpt'
  const { system, messages } = readMessages(engine, body.messages)
  rejectAudio(engine, body.modalities)
  const maxTokens = json.countOf(body.max_completion_tokens) ?? json.countOf(body.max_tokens)
  const request: NeutralRequest = {
    model,
    system,
    messages,
    ...readTooling(engine, {
      tools: body.tools,
      functions: body.functions,
      choice: body.tool_choice ?? body.function_call,
      isNested: true,
    }),
    format: readFormat(engine, body.response_format),
    stop: json.stopsOf(body.stop, maxStops),
    n: clamp(body.n, 1, input.limits.choices),
  }
  if (maxTokens !== undefined) request.maxTokens = maxTokens
  const reasoning = readReasoning(engine, body, input.reasoningMember !== undefined)
  if (reasoning !== undefined) request.reasoning = reasoning
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    request,
    wire: {
      includeUsage: json.own(body.stream_options, 'include_usage') === true,
      topLogprobs: body.logprobs === true ? clamp(body.top_logprobs ?? 0, 0, maxLogprobs) : null,
      reasoningMember: input.reasoningMember,
    },
  }
}

/**
 * Whether the request asks for reasoning: by its effort, and where replies show it, in the ways of OpenRouter (`reasoning`),
 * DeepSeek (`thinking`) and vLLM (`chat_template_kwargs`).
 */
function readReasoning(
  { json }: Engine,
  body: Record<string, unknown>,
  isShown: boolean,
): NeutralRequest['reasoning'] | undefined {
  const effort =
    json.textOf(body.reasoning_effort) ?? (isShown ? json.textOf(json.own(body.reasoning, 'effort')) : undefined)
  if (effort !== undefined) return effort === 'none' ? undefined : {}
  if (!isShown) return undefined
  const budget = json.countOf(json.own(body.reasoning, 'max_tokens'))
  if (budget !== undefined) return { budget }
  const asks =
    json.own(body.reasoning, 'enabled') === true ||
    json.own(body.thinking, 'type') === 'enabled' ||
    json.own(body.chat_template_kwargs, 'enable_thinking') === true ||
    json.own(body.chat_template_kwargs, 'thinking') === true
  return asks ? {} : undefined
}

/** Chat replies are text only; speech has its own route. */
function rejectAudio(engine: Engine, modalities: unknown): void {
  if (modalities == null) return
  if (!Array.isArray(modalities))
    throw engine.badInput("Invalid type for 'modalities': expected an array of strings.", {
      param: 'modalities',
      code: 'invalid_type',
    })
  const at = modalities.findIndex(modality => modality !== 'text')
  if (at < 0) return
  const shown = String(JSON.stringify(modalities[at])).slice(0, 50).replaceAll('"', "'")
  throw engine.badInput(`Invalid value: ${shown}. Supported values are: 'text'.`, {
    param: `modalities[${at}]`,
    code: 'invalid_value',
  })
}

function usageOf({
  promptTokens,
  completionTokens,
  reasoningTokens,
  cachedTokens = 0,
  cacheWriteTokens,
}: ChatResult): ChatReply['usage'] {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      audio_tokens: 0,
      ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Whether the message has no content: a refusal has its own member. */
function isSilent({ text, calls, finish, isRefusal }: Choice): boolean {
  return isRefusal === true || (text === '' && (calls.length > 0 || finish === 'content_filter'))
}

/** A refusal is a complete message, not a filtered one. */
function reasonOf({ finish, isRefusal }: Choice, { finishReasons }: RenderContext): string {
  return finishReasons[isRefusal === true ? 'stop' : finish]
}

/** `{"token":"a","logprob":0,"bytes":[97]},` */
const LOGPROB_BYTES = 40

function payForLogprobs(result: ChatResult, { wire: { topLogprobs } }: Parsed, { output }: RenderContext): void {
  if (topLogprobs === null) return
  const tokens = result.choices.reduce((sum, choice) => sum + (isSilent(choice) ? 0 : choice.pieces.length), 0)
  takeLogprobs(output, { tokens, alternatives: topLogprobs, bytes: LOGPROB_BYTES })
}

/** Large replies are objects, which are written in chunks. */
function renderReply(
  writer: ChatWriter,
  engine: Engine,
  result: ChatResult,
  parsed: Parsed,
  context: RenderContext,
  extras?: ChatExtras,
): string | object {
  payForLogprobs(result, parsed, context)
  const { topLogprobs } = parsed.wire
  const reply: ChatReply = {
    id: `chatcmpl-${engine.randomId(29)}`,
    object: 'chat.completion',
    created: context.created,
    model: parsed.model,
    system_fingerprint: 'fp_svc',
    service_tier: 'default',
    choices: result.choices.map(choice => {
      const logprobs =
        topLogprobs === null || isSilent(choice)
          ? null
          : { content: logprobsOf(engine, choice, topLogprobs), refusal: null }
      const written = {
        index: choice.index,
        message: messageOf(choice, parsed.wire),
        logprobs,
        finish_reason: reasonOf(choice, context),
      }
      return extras === undefined ? written : Object.assign(written, extras.choice(choice.finish))
    }),
    usage: usageOf(result),
  }
  if (extras !== undefined) Object.assign(reply, extras.reply())
  return context.output.isLarge ? reply : writer.reply(reply)
}

function logprobsOf(engine: Engine, { pieces }: Choice, top: number): JsonList<TokenLogprob> {
  return new JsonList(function* () {
    for (const piece of pieces) yield logprobOf(engine, piece, top)
  })
}

function messageOf(choice: Choice, { reasoningMember }: ChatWire): ChatReply['choices'][number]['message'] {
  const message = {
    role: 'assistant' as const,
    content: isSilent(choice) ? null : choice.text,
    refusal: choice.isRefusal === true ? choice.text : null,
    annotations: [] as [],
    ...(reasoningMember !== undefined && choice.reasoning !== '' ? { [reasoningMember]: choice.reasoning } : {}),
  }
  if (choice.calls.length === 0) return message
  return { ...message, tool_calls: choice.calls.map(call => chatCall(call)) }
}

function* callChunks({ calls }: Choice, write: (delta: Delta) => string): Iterable<StreamEvent> {
  for (const [index, call] of calls.entries()) {
    yield { data: write({ tool_calls: [{ index, ...chatCall(call, '') }] }) }
    for (const piece of call.jsonPieces)
      yield { data: write({ tool_calls: [{ index, ...chatCallPiece(call, piece) }] }), paced: true }
  }
}

/** Reuses one object for all chunks of a choice: only the delta changes with each token. */
function* streamReply(
  writer: ChatWriter,
  engine: Engine,
  result: ChatResult,
  parsed: Parsed,
  context: RenderContext,
  extras?: ChatExtras,
): Iterable<StreamEvent> {
  const { includeUsage, topLogprobs, reasoningMember } = parsed.wire
  const chunk: ChatChunk = {
    id: `chatcmpl-${engine.randomId(29)}`,
    object: 'chat.completion.chunk',
    created: context.created,
    model: parsed.model,
    system_fingerprint: 'fp_svc',
    service_tier: 'default',
    choices: [],
    ...(includeUsage ? { usage: null } : {}),
  }
  if (extras !== undefined) yield { data: extras.opening() }
  for (const choice of result.choices) {
    const current: ChunkChoice = { index: choice.index, delta: {}, logprobs: null, finish_reason: null }
    chunk.choices = [current]
    const write = (delta: Delta, logprobs: ChunkChoice['logprobs'] = null): string => {
      current.delta = delta
      current.logprobs = logprobs
      return writer.chunk(chunk)
    }
    yield { data: write({ role: 'assistant', content: isSilent(choice) ? null : '', refusal: null }) }
    if (reasoningMember !== undefined)
      for (const piece of choice.reasoningPieces) yield { data: write({ [reasoningMember]: piece }), paced: true }
    if (choice.callsFirst === true) yield* callChunks(choice, write)
    if (choice.isRefusal === true)
      for (const piece of choice.pieces) yield { data: write({ refusal: piece }), paced: true }
    else
      for (const piece of choice.pieces) {
        const logprobs =
          topLogprobs === null ? null : { content: [logprobOf(engine, piece, topLogprobs)], refusal: null }
        yield { data: write({ content: piece }, logprobs), paced: true }
      }
    if (choice.callsFirst !== true) yield* callChunks(choice, write)
    current.finish_reason = reasonOf(choice, context)
    Object.assign(current, extras?.choice(choice.finish))
    yield { data: write({}) }
  }
  if (includeUsage) {
    chunk.choices = []
    chunk.usage = usageOf(result)
    yield { data: writer.chunk(chunk) }
  }
  yield { data: '[DONE]' }
}
