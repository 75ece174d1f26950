/** Serializes chat completions and chunks with compiled schemas, since this runs for every request and token. */
import { isRecord, jsonSerializer, type JsonList } from 'svc/toolkit'
import type { JsonSchema } from 'svc/plugin'
import type { TokenLogprob } from './logprobs.ts'
import type { Finish } from '../../llm/types.ts'
import type { ChatCall } from '../format/tools.ts'

/** Additions of a provider to chat replies. */
export interface ChatExtras {
  /** Fields of the complete reply. */
  reply(): object
  /** Fields of a complete choice. */
  choice(finish: Finish): object
  /** An extra first chunk of a stream. */
  opening(): object
}

interface Head {
  id: string
  object: 'chat.completion' | 'chat.completion.chunk'
  created: number
  model: string
  system_fingerprint: string
  service_tier: string
}
interface Usage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number; audio_tokens: 0; cache_write_tokens?: number }
  completion_tokens_details: {
    reasoning_tokens: number
    audio_tokens: 0
    accepted_prediction_tokens: 0
    rejected_prediction_tokens: 0
  }
}
interface ReplyChoice {
  index: number
  message: {
    role: 'assistant'
    content: string | null
    refusal: string | null
    annotations: []
    reasoning_content?: string
    reasoning?: string
    tool_calls?: ChatCall[]
  }
  logprobs: Logprobs | null
  finish_reason: string
}
interface Logprobs {
  content: TokenLogprob[] | JsonList<TokenLogprob>
  refusal: null
}

/** A complete reply; `ChatExtras` may add members. */
export interface ChatReply extends Head {
  choices: ReplyChoice[]
  usage: Usage
}

export interface Delta {
  role?: 'assistant'
  content?: string | null
  refusal?: string | null
  reasoning_content?: string
  reasoning?: string
  tool_calls?: ChatCall[]
}
export interface ChunkChoice {
  index: number
  delta: Delta
  logprobs: Logprobs | null
  finish_reason: string | null
}

/** One chunk of a stream; `usage` is null before the last chunk, and absent unless requested. */
export interface ChatChunk extends Head {
  choices: ChunkChoice[]
  usage?: Usage | null
}

export interface ChatWriter {
  reply(reply: ChatReply): string
  chunk(chunk: ChatChunk): string
}

type Properties = Record<string, JsonSchema>

const text: JsonSchema = { type: 'string' }
const textOrNull: JsonSchema = { type: 'string', nullable: true }
const count: JsonSchema = { type: 'integer' }
/** Any value, serialized like `JSON.stringify`. */
const anything: JsonSchema = {}

/** Members in output order: the library writes required ones first, so optional ones are last. */
function object(properties: Properties, optional: Properties = {}): JsonSchema {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) }
}

const head = (name: Head['object']): Properties => ({
  // Contains only hexadecimal digits, so nothing needs escaping.
  id: { type: 'string', format: 'unsafe' },
  object: { const: name },
  created: count,
  model: text,
  system_fingerprint: { const: 'fp_svc' },
  service_tier: { const: 'default' },
})

const usage = object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: object({ cached_tokens: count, audio_tokens: { const: 0 } }, { cache_write_tokens: count }),
  completion_tokens_details: object({
    reasoning_tokens: count,
    audio_tokens: { const: 0 },
    accepted_prediction_tokens: { const: 0 },
    rejected_prediction_tokens: { const: 0 },
  }),
})

const toolCalls: JsonSchema = {
  type: 'array',
  items: object(
    {},
    {
      index: count,
      id: text,
      type: text,
      function: object({}, { name: text, arguments: text }),
      custom: object({}, { name: text, input: text }),
    },
  ),
}

/** The reasoning of a reply, in one of these members. */
const reasoning: Properties = { reasoning_content: text, reasoning: text }

/** Members that a provider adds, of any type. */
function added(extra: object | undefined): Properties {
  return Object.fromEntries(Object.keys(extra ?? {}).map(name => [name, anything]))
}

/** The schema of a complete reply, without what only the serializer understands: `nullable`, and `format: unsafe`. */
export function chatReplySchema(): JsonSchema {
  return publicSchema(replySchema()) as JsonSchema
}

function publicSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publicSchema)
  if (!isRecord(value)) return value
  const { nullable, format, ...rest } = value
  const schema = Object.fromEntries(Object.entries(rest).map(([keyword, inner]) => [keyword, publicSchema(inner)]))
  if (format !== undefined && format !== 'unsafe') schema.format = format
  return nullable === true ? { ...schema, type: [schema.type, 'null'] } : schema
}

export function createChatWriter(extras?: ChatExtras): ChatWriter {
  const delta = object(
    {},
    { role: { const: 'assistant' }, content: textOrNull, refusal: textOrNull, ...reasoning, tool_calls: toolCalls },
  )
  const chunkChoice = object(
    { index: count, delta, logprobs: anything, finish_reason: textOrNull },
    added(extras?.choice('stop')),
  )
  return {
    reply: jsonSerializer(replySchema(extras)),
    chunk: jsonSerializer(
      object(
        { ...head('chat.completion.chunk'), choices: { type: 'array', items: chunkChoice } },
        { usage: { ...usage, nullable: true } },
      ),
    ),
  }
}

function replySchema(extras?: ChatExtras): JsonSchema {
  const message = object(
    { role: { const: 'assistant' }, content: textOrNull, refusal: textOrNull, annotations: { const: [] } },
    { ...reasoning, tool_calls: toolCalls },
  )
  const choice = object({
    index: count,
    message,
    logprobs: anything,
    finish_reason: text,
    ...added(extras?.choice('stop')),
  })
  return object({
    ...head('chat.completion'),
    choices: { type: 'array', items: choice },
    ...added(extras?.reply()),
    usage,
  })
}
