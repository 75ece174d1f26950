/** Requests to models in the formats of their providers, and what their answers say. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { LlmFormat, LlmTraffic } from '../../file/demo.ts'
import type { SentRequest } from '../sent.ts'

const MAX_TOKENS = 256

interface LlmForm {
  /** With the model where the format has it in the path. */
  path(traffic: LlmTraffic): string
  headers: Readonly<Record<string, string>>
  body(traffic: LlmTraffic): JsonObject
  /** What an answer, or an event of a stream, adds to the text, and so on. */
  read(message: Record<string, unknown>): Read
}

interface Read {
  text?: unknown
  finish?: unknown
  tools?: unknown[]
  input?: unknown
  output?: unknown
}

type Value = Record<string, unknown>
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (found, key) => (isRecord(found) || Array.isArray(found) ? (found as Value)[key] : undefined),
    value,
  )
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const openai: LlmForm = {
  path: () => '/v1/chat/completions',
  headers: {},
  body: ({ model, system, messages, stream, tools, maxTokens }) => ({
    model,
    messages: [...(system === null ? [] : [{ role: 'system', content: system }]), ...messages],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
  }),
  read: message => ({
    text: at(message, 'choices', 0, 'message', 'content') ?? at(message, 'choices', 0, 'delta', 'content'),
    finish: at(message, 'choices', 0, 'finish_reason'),
    tools: list(
      at(message, 'choices', 0, 'message', 'tool_calls') ?? at(message, 'choices', 0, 'delta', 'tool_calls'),
    ).map(call => at(call, 'function', 'name')),
    input: at(message, 'usage', 'prompt_tokens'),
    output: at(message, 'usage', 'completion_tokens'),
  }),
}

const RESPONSE_ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed'])

const responses: LlmForm = {
  path: () => '/v1/responses',
  headers: {},
  body: ({ model, system, messages, stream, tools, maxTokens }) => ({
    model,
    input: messages,
    ...(system === null ? {} : { instructions: system }),
    ...(stream ? { stream } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
  }),
  read(message) {
    const isDelta = message.type === 'response.output_text.delta'
    // A stream ends with `response.completed`, `response.incomplete` or `response.failed`, which has the whole response.
    const isEnd = RESPONSE_ENDS.has(String(message.type))
    const whole = isEnd ? message.response : message
    const items = list(at(whole, 'output'))
    const text = items.flatMap(item => list(at(item, 'content')).map(part => at(part, 'text') ?? '')).join('')
    return {
      text: isDelta ? message.delta : isEnd ? undefined : text,
      finish: at(whole, 'status'),
      tools: items.filter(item => at(item, 'type') === 'function_call').map(item => at(item, 'name')),
      input: at(whole, 'usage', 'input_tokens'),
      output: at(whole, 'usage', 'output_tokens'),
    }
  },
}

const anthropic: LlmForm = {
  path: () => '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  body: ({ model, system, messages, stream, tools, maxTokens }) => ({
    model,
    max_tokens: maxTokens ?? MAX_TOKENS,
    messages,
    ...(system === null ? {} : { system }),
    ...(stream ? { stream } : {}),
    ...(tools.length === 0 ? {} : { tools }),
  }),
  read(message) {
    const blocks = list(message.content)
    return {
      text:
        at(message, 'delta', 'text') ??
        (blocks.length === 0 ? undefined : blocks.map(block => at(block, 'text') ?? '').join('')),
      finish: message.stop_reason ?? at(message, 'delta', 'stop_reason'),
      tools: [...blocks, message.content_block]
        .filter(block => at(block, 'type') === 'tool_use')
        .map(block => at(block, 'name')),
      input: at(message, 'usage', 'input_tokens') ?? at(message, 'message', 'usage', 'input_tokens'),
      output: at(message, 'usage', 'output_tokens'),
    }
  },
}

const gemini: LlmForm = {
  path: ({ model, stream }) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: {},
  body: ({ system, messages, tools, maxTokens }) => ({
    contents: messages.map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: [{ text: content }],
    })),
    ...(system === null ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxTokens === null ? {} : { generationConfig: { maxOutputTokens: maxTokens } }),
  }),
  read(message) {
    const parts = list(at(message, 'candidates', 0, 'content', 'parts'))
    return {
      text: parts.map(part => at(part, 'text') ?? '').join(''),
      finish: at(message, 'candidates', 0, 'finishReason'),
      tools: parts.map(part => at(part, 'functionCall', 'name')).filter(name => name !== undefined),
      input: at(message, 'usageMetadata', 'promptTokenCount'),
      output: at(message, 'usageMetadata', 'candidatesTokenCount'),
    }
  },
}

const bedrock: LlmForm = {
  path: ({ model }) => `/ai/bedrock/model/${encodeURIComponent(model)}/converse`,
  headers: {},
  body: ({ system, messages, maxTokens }) => ({
    messages: messages.map(({ role, content }) => ({ role, content: [{ text: content }] })),
    ...(system === null ? {} : { system: [{ text: system }] }),
    ...(maxTokens === null ? {} : { inferenceConfig: { maxTokens } }),
  }),
  read(message) {
    const blocks = list(at(message, 'output', 'message', 'content'))
    return {
      text: blocks.map(block => at(block, 'text') ?? '').join(''),
      finish: message.stopReason,
      tools: blocks.map(block => at(block, 'toolUse', 'name')).filter(name => name !== undefined),
      input: at(message, 'usage', 'inputTokens'),
      output: at(message, 'usage', 'outputTokens'),
    }
  },
}

const ollama: LlmForm = {
  path: () => '/api/chat',
  headers: {},
  body: ({ model, system, messages, stream, tools }) => ({
    model,
    messages: [...(system === null ? [] : [{ role: 'system', content: system }]), ...messages],
    stream,
    ...(tools.length === 0 ? {} : { tools }),
  }),
  read: message => ({
    text: at(message, 'message', 'content'),
    finish: message.done_reason,
    tools: list(at(message, 'message', 'tool_calls')).map(call => at(call, 'function', 'name')),
    input: message.prompt_eval_count,
    output: message.eval_count,
  }),
}

export const LLM_FORMS: Readonly<Record<LlmFormat, LlmForm>> = { openai, responses, anthropic, gemini, bedrock, ollama }

export interface LlmFacts {
  facts: Record<string, Json>
  tokens: number | null
}

/** Text, tool calls, finish reason and usage of an answer, streamed or not. */
export function readLlmAnswer(format: LlmFormat, sent: SentRequest): LlmFacts {
  let text = ''
  let finish: string | null = null
  const tools: string[] = []
  let input: number | null = null
  let output: number | null = null
  for (const message of messagesOf(sent)) {
    const read = LLM_FORMS[format].read(message)
    if (typeof read.text === 'string') text += read.text
    if (typeof read.finish === 'string') finish = read.finish
    for (const name of read.tools ?? []) if (typeof name === 'string') tools.push(name)
    if (typeof read.input === 'number') input = read.input
    if (typeof read.output === 'number') output = read.output
  }
  return {
    facts: {
      text,
      ...(finish === null ? {} : { finish }),
      tool_calls: tools,
      first_text_ms: firstTextMs(LLM_FORMS[format], sent),
    },
    tokens: input === null && output === null ? null : (input ?? 0) + (output ?? 0),
  }
}

/** When the first text of a stream came: before it, events say what is to come. Null if there is none. */
function firstTextMs({ read }: LlmForm, { events }: SentRequest): number | null {
  const first = events.find(({ data }) => {
    const value = parsed(data)
    const text = isRecord(value) ? read(value).text : undefined
    return typeof text === 'string' && text !== ''
  })
  return first?.atMs ?? null
}

/** The JSON objects of a body: one, the data of events, or lines. */
function messagesOf({ body, events }: SentRequest): Value[] {
  const texts = events.length > 0 ? events.map(({ data }) => data) : wholeOrLines(body)
  return texts.flatMap(text => {
    const value = parsed(text)
    return isRecord(value) ? [value] : []
  })
}

function wholeOrLines(body: string): string[] {
  return parsed(body) === undefined ? body.split('\n') : [body]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
