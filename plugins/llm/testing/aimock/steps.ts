/** `response` of an aimock fixture, and its timing, as a step of a rule. */
import { isRecord } from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'
import type { Finish } from '../../contract/neutral.ts'
import { noteOthers, type Note } from './problems.ts'

const RESPONSE = new Set([
  'content',
  'toolCalls',
  'blocks',
  'reasoning',
  'finishReason',
  'usage',
  'embedding',
  'error',
  'status',
  'retryAfter',
  'role',
])
const ENTRY = new Set([
  'match',
  'response',
  'latency',
  'streamingProfile',
  'truncateAfterChunks',
  'disconnectAfterMs',
  'chaos',
  'metadata',
])
/** Finish reasons in the words of the providers. */
const FINISHES: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  STOP: 'stop',
  COMPLETE: 'stop',
  length: 'length',
  max_tokens: 'length',
  MAX_TOKENS: 'length',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  TOOL_CALL: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  SAFETY: 'content_filter',
}

/** What a fixture does, and for which operation. */
export interface FixtureStep {
  step: JsonObject
  /** Null: the reply decides. */
  op: Json | null
}

/** Null if the response is one that the mock LLM does not send. */
export function readStep(entry: JsonObject, note: Note): FixtureStep | null {
  noteOthers(entry, ENTRY, '', note)
  const { response } = entry
  if (!isRecord(response)) return without(note, 'response', 'expected an object')
  const given = response as JsonObject
  noteOthers(given, RESPONSE, 'response.', note)
  if (isRecord(given.error)) return failureOf(given, given.error as JsonObject, note)
  if (Array.isArray(given.embedding)) return { step: { reply: { embedding: given.embedding } }, op: 'embed' }
  const reply = contentOf(given, note)
  if (Object.keys(reply).length === 0)
    return without(note, 'response', 'expected content, toolCalls, blocks, embedding or error')
  if (typeof given.reasoning === 'string' && given.reasoning !== '') {
    const { reasoning } = given
    if (Array.isArray(reply.blocks)) reply.blocks = [{ reasoning }, ...reply.blocks]
    else reply.reasoning = reasoning
  }
  if (given.finishReason !== undefined) {
    const finish = FINISHES[String(given.finishReason)]
    if (finish === undefined) note('response.finishReason', 'this finish reason has no counterpart and is left out')
    else reply.finish = finish
  }
  const usage = isRecord(given.usage) ? usageOf(given.usage as JsonObject) : {}
  if (Object.keys(usage).length > 0) reply.usage = usage
  const stream = streamOf(entry)
  if (Object.keys(stream).length > 0) reply.stream = stream
  // References are a feature of rules only.
  if (JSON.stringify(reply).includes('{{')) reply.template = false
  return { step: { reply }, op: null }
}

function without(note: Note, at: string, message: string): null {
  note(at, `${message}; the fixture is left out`)
  return null
}

function failureOf(given: JsonObject, error: JsonObject, note: Note): FixtureStep | null {
  const status = given.status ?? 500
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599)
    return without(note, 'response.status', 'expected a status from 400 to 599')
  const { retryAfter } = given
  return {
    step: {
      fail: status,
      ...(typeof error.message === 'string' ? { message: error.message.slice(0, 500) } : {}),
      ...(typeof error.type === 'string' ? { type: error.type.slice(0, 100) } : {}),
      ...(typeof error.code === 'string' ? { code: error.code.slice(0, 100) } : {}),
      ...(typeof retryAfter === 'number' && retryAfter >= 0 ? { retry_after: Math.ceil(retryAfter) } : {}),
    },
    op: { in: ['chat', 'embed'] },
  }
}

/** Text, JSON and calls. `blocks` win over the others. */
function contentOf(given: JsonObject, note: Note): JsonObject {
  if (Array.isArray(given.blocks)) {
    const blocks = given.blocks.filter(isRecord) as JsonObject[]
    const ordered = blocks.flatMap((block): JsonObject[] => {
      if (block.type === 'toolCall') return callsOf([block], note).map(call => ({ tool_call: call }))
      return typeof block.text === 'string' ? [{ text: block.text }] : []
    })
    return ordered.length === 0 ? { text: '' } : { blocks: ordered }
  }
  const { content } = given
  return {
    ...(typeof content === 'string'
      ? { text: content }
      : content === undefined || content === null
        ? {}
        : { json: content }),
    ...(Array.isArray(given.toolCalls) ? { tool_calls: callsOf(given.toolCalls, note) } : {}),
  }
}

function callsOf(calls: readonly Json[], note: Note): JsonObject[] {
  return (calls.filter(isRecord) as JsonObject[]).map(call => ({
    name: typeof call.name === 'string' ? call.name : '',
    args: argumentsOf(call.arguments, note),
    ...(typeof call.id === 'string' ? { id: call.id } : {}),
  }))
}

function argumentsOf(value: Json | undefined, note: Note): Json {
  if (typeof value !== 'string') return value ?? {}
  if (value === '') return {}
  try {
    return JSON.parse(value) as Json
  } catch {
    note('response.toolCalls', 'the arguments of a call are not JSON; they are sent as a text')
    return value
  }
}

/** Usage in any provider's names. */
function usageOf(given: JsonObject): JsonObject {
  const first = (...values: (Json | undefined)[]): number | undefined =>
    values.find((value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0)
  const details = (name: string): JsonObject => (isRecord(given[name]) ? (given[name] as JsonObject) : {})
  const read = first(given.cache_read_input_tokens, given.cacheReadInputTokens)
  const written = first(given.cache_creation_input_tokens, given.cacheWriteInputTokens) ?? 0
  const own = first(given.input_tokens, given.inputTokens)
  const prompt =
    first(given.prompt_tokens, given.promptTokenCount) ?? (own === undefined ? undefined : own + (read ?? 0) + written)
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: first(
      given.completion_tokens,
      given.output_tokens,
      given.candidatesTokenCount,
      given.outputTokens,
    ),
    reasoning_tokens: first(
      details('completion_tokens_details').reasoning_tokens,
      details('output_tokens_details').reasoning_tokens,
      given.thoughtsTokenCount,
    ),
    cached_tokens: first(
      details('prompt_tokens_details').cached_tokens,
      details('input_tokens_details').cached_tokens,
      read,
      given.cachedContentTokenCount,
    ),
  }
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, tokens]) => (tokens === undefined ? [] : [[name, tokens]])),
  )
}

/** The pace, and where the stream breaks. */
function streamOf(entry: JsonObject): JsonObject {
  const profile = isRecord(entry.streamingProfile) ? (entry.streamingProfile as JsonObject) : {}
  const number = (value: Json | undefined): number | null => (typeof value === 'number' && value > 0 ? value : null)
  const perSecond = number(profile.tps) ?? inverse(number(entry.latency))
  const ttft = number(profile.ttft) ?? number(entry.latency)
  const jitter = number(profile.jitter)
  const breaksAfter =
    wholeOf(entry.truncateAfterChunks) ?? tokensWithin(number(entry.disconnectAfterMs), ttft ?? 0, perSecond)
  return {
    ...(ttft === null ? {} : { ttft_ms: Math.round(ttft) }),
    ...(perSecond === null ? {} : { tokens_per_second: Math.max(1, Math.round(perSecond)) }),
    ...(jitter === null ? {} : { jitter_percent: Math.min(100, Math.round(jitter * 100)) }),
    ...(breaksAfter === null ? {} : { break: `disconnect@${breaksAfter}` }),
  }
}

function inverse(gapMs: number | null): number | null {
  return gapMs === null ? null : 1000 / gapMs
}

function wholeOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

/** Tokens that are sent in a time, by the pace; one if there is none. */
function tokensWithin(ms: number | null, ttftMs: number, perSecond: number | null): number | null {
  if (ms === null) return null
  return perSecond === null ? 1 : Math.max(0, Math.floor(((ms - ttftMs) / 1000) * perSecond) + 1)
}
