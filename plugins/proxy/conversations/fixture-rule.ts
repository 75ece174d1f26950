/** A recorded exchange with a model as a rule, which the routes of all providers replay. */
import { Redactor } from 'svc/toolkit'
import type { JsonObject } from 'svc/plugin'
import type { Upstream } from '../config/upstream.ts'
import { parseBoundedJson, redactJson } from '../redaction.ts'
import type { RecordedResponse } from '../recordings/recording.ts'
import { isJsonType, mediaType, type RequestShape } from '../recordings/request-shape.ts'
import { readChatRequest } from './chat-request.ts'
import { readChatResponse, readChatStream, type ChatCall, type ChatResponse } from './chat-response.ts'

/** A rule without a name. */
export interface FixtureRule {
  match: JsonObject
  then: { reply: JsonObject }
}

const FINISHES: Readonly<Record<string, string>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'content_filter',
}

/** Null for an exchange that is not a successful one in a chat format. Both sides are redacted already. */
export function fixtureRuleOf(upstream: Upstream, shape: RequestShape, recorded: RecordedResponse): FixtureRule | null {
  if (recorded.status !== 200 || shape.method !== 'POST') return null
  const request = readChatRequest(shape.path, shape.json ?? parseBoundedJson(shape.body ?? ''))
  if (request === null) return null
  const type = mediaType([recorded.headers['content-type'] ?? ''].flat()[0] ?? '')
  const text = textOf(recorded)
  const body = recorded.json ?? (isJsonType(type) ? parseBoundedJson(text) : undefined)
  const response =
    body === undefined
      ? type === 'text/event-stream'
        ? readChatStream(request.format, text)
        : null
      : readChatResponse(request.format, body)
  if (response === null) return null
  const reply = replyOf(response, upstream)
  const stream = body === undefined ? paceOf(recorded, response) : {}
  return {
    match: { llm: request.conditions },
    then: {
      reply: {
        ...reply,
        ...(Object.keys(stream).length === 0 ? {} : { stream }),
        // What the model said contains no references.
        ...(JSON.stringify(reply).includes('{{') ? { template: false } : {}),
      },
    },
  }
}

function textOf({ body = '', chunks }: RecordedResponse): string {
  return chunks === undefined ? body : chunks.map(({ text = '' }) => text).join('')
}

function replyOf(response: ChatResponse, upstream: Upstream): JsonObject {
  const { reasoning, text, refusal, calls, usage } = response
  const finish = response.finish === null ? undefined : FINISHES[response.finish]
  const isUsual = finish === undefined || finish === (calls.length > 0 ? 'tool_calls' : 'stop')
  const common = {
    ...(reasoning === '' ? {} : { reasoning }),
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
  }
  if (refusal !== '') return { refusal, ...common }
  return {
    ...(text === '' && calls.length > 0 ? {} : { text }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(call => callOf(call, upstream)) }),
    ...(response.isCallFirst ? { calls_first: true } : {}),
    ...(isUsual ? {} : { finish }),
    ...common,
  }
}

function callOf({ name, args, id }: ChatCall, { redact }: Upstream): JsonObject {
  const value = parseBoundedJson(args === '' ? '{}' : args)
  return {
    name,
    args: value === undefined ? args : redactJson(value, { ...redact, json: [] }, new Redactor()),
    ...(id === null ? {} : { id }),
  }
}

/** The measured pace: the time until the first piece, and tokens per second from then on. */
function paceOf({ first_byte_ms: head = 0, chunks = [] }: RecordedResponse, { usage }: ChatResponse): JsonObject {
  const [first, ...rest] = chunks
  const ttft = head + (first?.after_ms ?? 0)
  const restMs = rest.reduce((sum, { after_ms: ms }) => sum + ms, 0)
  const tokens = typeof usage.completion_tokens === 'number' ? usage.completion_tokens : chunks.length
  const perSecond = Math.round(tokens / (restMs / 1000))
  return {
    ...(ttft > 0 ? { ttft_ms: ttft } : {}),
    ...(restMs > 0 && tokens > 1 ? { tokens_per_second: Math.min(Math.max(1, perSecond), 100_000) } : {}),
  }
}
