/** Bodies that Envoy AI Gateway's test upstream sends: the usual one of a path, and streams. */
import type { Json, JsonObject } from 'svc/plugin'
import { awsEventFrame } from 'svc/toolkit'
import { jsonObject } from './json-object.ts'

const EVENT_PAUSE_MS = 200
/** Lines of a completion, or bytes of each part of other responses, by the word of `x-fake-response`. */
const COUNTS = new Map([
  ['small', 100],
  ['medium', 10_000],
  ['large', 100_000],
])
const LINE_BYTES = 51
const PARTS = 10
/** One event with more bytes is sent as a body: a list of chunks has fewer. */
const MAX_EVENT = 32_768

interface UsualResponse {
  /** Bytes of its texts, known before they are made. */
  size: number
  body(): Json
}

const BENCHMARK = '/v1/projects/gcp-project-name/locations/gcp-region/publishers'

/** Responses with ten parts, which exist for a word of `x-fake-response` only. */
const IN_PARTS: Readonly<Record<string, (length: number) => Json>> = {
  '/model/gpt-4/converse': length => ({
    output: { message: { content: parts({ text: 'A'.repeat(length) }), role: 'assistant' } },
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  }),
  [`${BENCHMARK}/google/models/gpt-4:generateContent`]: length => ({
    candidates: [
      { content: { parts: parts({ type: 'text', text: 'B'.repeat(length) }), role: 'model' }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 },
  }),
  [`${BENCHMARK}/anthropic/models/gpt-4:rawPredict`]: length => ({
    id: 'msg_benchmark',
    type: 'message',
    role: 'assistant',
    stop_reason: 'end_turn',
    content: parts({ type: 'text', text: 'C'.repeat(length) }),
    usage: { input_tokens: 1, output_tokens: 2 },
  }),
}

function parts(part: JsonObject): JsonObject[] {
  return Array.from({ length: PARTS }, () => part)
}

/** The response of a path; null if it has none. `isExact` is false where the path may have a prefix. */
export function usualResponse(
  path: string,
  word: string | undefined,
  { maxSize, isExact }: { maxSize: number; isExact: boolean },
): UsualResponse | null {
  const count = word === undefined ? 0 : COUNTS.get(word)
  const isAt = (known: string): boolean => (isExact ? path === known : path.endsWith(known))
  const inParts = IN_PARTS[path]
  if (inParts !== undefined) {
    if (!count) return null
    const length = Math.min(count, Math.floor(maxSize / PARTS))
    return { size: length * PARTS, body: () => inParts(length) }
  }
  if (isAt('/v1/chat/completions')) {
    if (count === undefined) return null
    if (count === 0) return { size: 0, body: () => completion('This is a test.') }
    const size = Math.min(count * LINE_BYTES, maxSize)
    return { size, body: () => largeCompletion('x'.repeat(size)) }
  }
  if (isAt('/v1/embeddings')) return { size: 0, body: () => EMBEDDINGS }
  return isAt('/non-llm-route') ? { size: 0, body: () => ({ message: 'This is a non-LLM endpoint response' }) } : null
}

function completion(content: string): JsonObject {
  return {
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 300 },
  }
}

function largeCompletion(content: string): JsonObject {
  return {
    id: 'chatcmpl-testupstream',
    object: 'chat.completion',
    created: 1_766_619_264,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 13,
      completion_tokens: 12,
      total_tokens: 25,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    service_tier: 'default',
    system_fingerprint: 'fp_testupstream',
  }
}

const EMBEDDINGS: JsonObject = {
  object: 'list',
  data: [{ object: 'embedding', embedding: [0.1, 0.2, 0.3, 0.4, 0.5], index: 0 }],
  model: 'some-cool-self-hosted-model',
  usage: { prompt_tokens: 3, total_tokens: 3 },
}

/** A streamed response of a type, in the form of `X-Svc-Answer`; null for types of whole bodies. Each part comes after a pause. */
export function streamOf(type: string, body: () => string): JsonObject | null {
  if (type === 'sse') return { content_type: 'text/event-stream', ...streamed(eventsOf(body())) }
  if (type === 'sse-gzip') return { content_type: 'text/event-stream', encoding: 'gzip', ...streamed(eventsOf(body())) }
  if (type === 'aws-event-stream')
    return { content_type: 'application/vnd.amazon.eventstream', ...streamed(framesOf(body())) }
  return null
}

/** The events of a body: as they are when it has empty lines, else one for each line. */
function eventsOf(body: string): Buffer[] {
  const events = body.includes('\n\n')
    ? body
        .split('\n\n')
        .filter(event => event.trim() !== '')
        .map(event => `${event}\n\n`)
    : linesOf(body).map(line => `data: ${line}\n\n`)
  return events.map(event => Buffer.from(event))
}

/** Types of Converse's events by a member that they have, in this order. */
const TYPES: readonly (readonly [member: string, type: string])[] = [
  ['role', 'messageStart'],
  ['start', 'contentBlockStart'],
  ['delta', 'contentBlockDelta'],
  ['stopReason', 'messageStop'],
  ['usage', 'metadata'],
  ['contentBlockIndex', 'contentBlockStop'],
]

/** Each line is a frame; the last frame ends the stream. */
function framesOf(body: string): Buffer[] {
  const frames = linesOf(body).map(line => {
    const event = jsonObject(line) ?? {}
    const type = TYPES.find(([member]) => Object.hasOwn(event, member))?.[1] ?? ''
    return awsEventFrame({ ':event-type': type }, line)
  })
  // The original names it without a colon.
  return [...frames, awsEventFrame({ 'event-type': 'end' }, 'this-is-end')]
}

function linesOf(body: string): string[] {
  return body.split('\n').filter(line => line !== '')
}

function streamed(found: readonly Buffer[]): JsonObject {
  const [first] = found
  if (first === undefined) return { body: '' }
  if (found.length === 1 && first.length > MAX_EVENT) return { body_base64: first.toString('base64') }
  return { chunks: found.map(part => ({ base64: part.toString('base64'), after_ms: EVENT_PAUSE_MS })) }
}
