/** Responses in the chat formats of OpenAI and Anthropic, plain and streamed. */
import { isRecord } from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'
import { parseBoundedJson } from '../redaction.ts'
import type { ChatFormat } from './chat-request.ts'

export interface ChatCall {
  name: string
  /** JSON text. */
  args: string
  id: string | null
}

/** What the model said, whatever the format. */
export interface ChatResponse {
  reasoning: string
  text: string
  refusal: string
  calls: ChatCall[]
  /** Whether the first call precedes the text. */
  isCallFirst: boolean
  /** As the format has it. */
  finish: string | null
  usage: JsonObject
}

const EMPTY = { reasoning: '', text: '', refusal: '', isCallFirst: false, finish: null, usage: {} }

/** Null for a response that is not one of this format. */
export function readChatResponse(format: ChatFormat, body: Json): ChatResponse | null {
  if (!isRecord(body)) return null
  return format === 'openai' ? completionOf(body as JsonObject) : messageOf(body as JsonObject)
}

/** Null for a stream that is not one of this format, or that has an error. */
export function readChatStream(format: ChatFormat, text: string): ChatResponse | null {
  const events = text
    .split(/\r?\n/)
    .flatMap(line => (line.startsWith('data:') ? [parseBoundedJson(line.slice('data:'.length))] : []))
    .filter(isRecord) as JsonObject[]
  return format === 'openai' ? completionOfChunks(events) : messageOfEvents(events)
}

function completionOf({ choices, usage }: JsonObject): ChatResponse | null {
  const choice = firstOf(choices)
  if (choice === null || !isRecord(choice.message)) return null
  const message = choice.message as JsonObject
  return {
    ...EMPTY,
    reasoning: stringOf(message.reasoning_content),
    text: stringOf(message.content),
    refusal: stringOf(message.refusal),
    calls: recordsOf(message.tool_calls).map(call => callOf(objectOf(call.function), call.id)),
    finish: nameOf(choice.finish_reason),
    usage: openaiUsage(objectOf(usage)),
  }
}

function completionOfChunks(chunks: readonly JsonObject[]): ChatResponse | null {
  const response: ChatResponse = { ...EMPTY, calls: [] }
  let hasChoice = false
  for (const { choices, usage } of chunks) {
    if (isRecord(usage)) response.usage = openaiUsage(usage as JsonObject)
    const choice = firstOf(choices)
    if (choice === null || (choice.index ?? 0) !== 0) continue
    hasChoice = true
    const delta = objectOf(choice.delta)
    response.reasoning += stringOf(delta.reasoning_content)
    response.text += stringOf(delta.content)
    response.refusal += stringOf(delta.refusal)
    for (const piece of recordsOf(delta.tool_calls)) {
      const index = typeof piece.index === 'number' ? piece.index : response.calls.length
      const { name, arguments: args } = objectOf(piece.function)
      const call = (response.calls[index] ??= { name: '', args: '', id: null })
      call.name += stringOf(name)
      call.args += stringOf(args)
      if (typeof piece.id === 'string') call.id = piece.id
    }
    response.finish = nameOf(choice.finish_reason) ?? response.finish
  }
  return hasChoice ? { ...response, calls: Object.values(response.calls) } : null
}

function messageOf(message: JsonObject): ChatResponse | null {
  if (message.type !== 'message') return null
  const blocks = recordsOf(message.content)
  return {
    ...EMPTY,
    reasoning: blocks.map(({ thinking }) => stringOf(thinking)).join(''),
    text: blocks.map(block => (block.type === 'text' ? stringOf(block.text) : '')).join(''),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ name, input, id }) => ({ name: stringOf(name), args: JSON.stringify(input ?? {}), id: nameOf(id) })),
    isCallFirst: isCallFirst(blocks),
    finish: nameOf(message.stop_reason),
    usage: anthropicUsage(objectOf(message.usage)),
  }
}

/** Assembles the blocks, then reads them as a plain message. */
function messageOfEvents(events: readonly JsonObject[]): ChatResponse | null {
  const message: JsonObject = {}
  const blocks: JsonObject[] = []
  const inputs: string[] = []
  for (const event of events) {
    const index = typeof event.index === 'number' && event.index >= 0 && event.index < 1000 ? event.index : 0
    const delta = objectOf(event.delta)
    const block = blocks[index]
    switch (event.type) {
      case 'error':
        return null
      case 'message_start':
        Object.assign(message, objectOf(event.message))
        break
      case 'content_block_start':
        blocks[index] = { ...objectOf(event.content_block) }
        break
      case 'content_block_delta':
        if (block === undefined) break
        if (typeof delta.text === 'string') block.text = stringOf(block.text) + delta.text
        if (typeof delta.thinking === 'string') block.thinking = stringOf(block.thinking) + delta.thinking
        inputs[index] = (inputs[index] ?? '') + stringOf(delta.partial_json)
        break
      case 'message_delta':
        Object.assign(message, delta)
        message.usage = { ...objectOf(message.usage), ...objectOf(event.usage) }
        break
    }
  }
  for (const [index, block] of blocks.entries())
    if (block?.type === 'tool_use' && inputs[index]) block.input = parseBoundedJson(inputs[index]) ?? {}
  return messageOf({ ...message, content: blocks.filter(isRecord) })
}

function isCallFirst(blocks: readonly JsonObject[]): boolean {
  const call = blocks.findIndex(({ type }) => type === 'tool_use')
  return call !== -1 && blocks.findIndex(({ type }) => type === 'text') > call
}

function openaiUsage(usage: JsonObject): JsonObject {
  return counts({
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    reasoning_tokens: objectOf(usage.completion_tokens_details).reasoning_tokens,
    cached_tokens: objectOf(usage.prompt_tokens_details).cached_tokens,
  })
}

/** `input_tokens` are those that were neither read from nor written to the cache. */
function anthropicUsage(usage: JsonObject): JsonObject {
  const { input_tokens: own, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage
  const number = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
  return counts({
    prompt_tokens: own === undefined ? undefined : number(own) + number(read) + number(written),
    completion_tokens: usage.output_tokens,
    reasoning_tokens: objectOf(usage.output_tokens_details).thinking_tokens,
    cached_tokens: read,
  })
}

/** The members that are numbers; those that say nothing are left out. */
function counts(usage: Record<string, Json | undefined>): JsonObject {
  const known = Object.entries(usage).filter(
    ([name, value]) => Number.isInteger(value) && (value !== 0 || !/^(?:reasoning|cached)/.test(name)),
  )
  return Object.fromEntries(known) as JsonObject
}

function callOf({ name, arguments: args }: JsonObject, id: Json | undefined): ChatCall {
  return { name: stringOf(name), args: stringOf(args), id: nameOf(id) }
}

function firstOf(value: Json | undefined): JsonObject | null {
  return recordsOf(value)[0] ?? null
}

function recordsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? (value.filter(isRecord) as JsonObject[]) : []
}

function objectOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? (value as JsonObject) : {}
}

function stringOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function nameOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
