/** Requests to a model in the format of OpenAI, the scripts of the upstream, and what comes back. */
import { isRecord } from 'svc/toolkit'
import type { Call } from '../../client/evidence.ts'
import type { Encoding, RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { answerBytes, bytes, chunk, dateField, headBytes, KEEP, RECEIVE, wait, type Action } from '../builders.ts'
import { eachEvent, fieldOfEvent } from '../event-stream.ts'

export const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }
const CREATED = 1_790_000_000
export const WORDS = ['One', ' token', ' after', ' the', ' other', '.']

export interface ChatOptions {
  isStream?: boolean
  hasUsage?: boolean
  fields?: readonly Field[]
  script: RequestSpec['script']
  next?: RequestSpec['next']
}

/** A request with the marker of its step in the message of the user. */
export function chat(label: string, options: ChatOptions & Partial<RequestSpec>): RequestSpec {
  const { isStream = false, hasUsage = false, fields = [], ...more } = options
  return {
    label,
    method: 'POST',
    path: '/chat/completions',
    fields: [['Content-Type', 'application/json'], ...fields],
    content: (marker, { model }) =>
      JSON.stringify({
        model,
        messages: [{ role: 'user', content: `Say the words. ${marker}` }],
        ...(isStream ? { stream: true } : {}),
        ...(hasUsage ? { stream_options: { include_usage: true } } : {}),
      }),
    http11: true,
    ofModels: true,
    silenceMs: 6_000,
    ...more,
  }
}

export type { Encoding }

export function completion(content = WORDS.join(''), usage: object = USAGE): string {
  return JSON.stringify({
    id: 'chatcmpl-probe',
    object: 'chat.completion',
    created: CREATED,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  })
}

/** The answer with a JSON text, as bytes of UTF-8. */
export function jsonAnswer(text: string, status = 200, reason = 'OK', more: readonly Field[] = []): Action[] {
  const fields: Field[] = [dateField(), ['Content-Type', 'application/json'], ...more]
  return [RECEIVE, bytes(answerBytes({ status, reason, fields, body: Buffer.from(text).toString('latin1') })), KEEP]
}

export function errorAnswer(status: number, reason: string, type: string, more: readonly Field[] = []): Action[] {
  return jsonAnswer(
    JSON.stringify({ error: { message: 'The probe asked for it.', type, param: null, code: type } }),
    status,
    reason,
    more,
  )
}

const STREAM_FIELDS = (): Field[] => [
  dateField(),
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'no-cache'],
  ['Transfer-Encoding', 'chunked'],
]

export const streamHead = (): Action => bytes(headBytes(STREAM_FIELDS()))
/** Pieces are bytes as ISO 8859-1. */
export const piece = (text: string): Action => bytes(chunk(text))
export const STREAM_END: Action[] = [bytes('0\r\n\r\n'), KEEP]
export const DONE = 'data: [DONE]\n\n'

export function delta(change: object, finish: string | null = null, usage?: object): string {
  const one = {
    id: 'chatcmpl-probe',
    object: 'chat.completion.chunk',
    created: CREATED,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, delta: change, finish_reason: finish }],
    ...(usage === undefined ? {} : { usage }),
  }
  return Buffer.from(JSON.stringify(one)).toString('latin1')
}
export const event = (data: string): string => `data: ${data}\n\n`
export const usageEvent = (usage: object = USAGE): string =>
  event(
    JSON.stringify({
      id: 'chatcmpl-probe',
      object: 'chat.completion.chunk',
      created: CREATED,
      model: 'gpt-4o-mini',
      choices: [],
      usage,
    }),
  )

/** A whole stream: its words with pauses, and usage if it was requested. */
export function streamAnswer({
  firstMs = 0,
  gapMs = 0,
  hasUsage = false,
  words = WORDS,
}: {
  firstMs?: number
  gapMs?: number
  hasUsage?: boolean
  words?: readonly string[]
} = {}): Action[] {
  return [
    RECEIVE,
    streamHead(),
    ...(firstMs > 0 ? [wait(firstMs)] : []),
    ...words.flatMap((word, index): Action[] => [
      ...(index > 0 && gapMs > 0 ? [wait(gapMs)] : []),
      piece(event(delta(index === 0 ? { role: 'assistant', content: word } : { content: word }))),
    ]),
    piece(event(delta({}, 'stop'))),
    ...(hasUsage ? [piece(usageEvent())] : []),
    piece(DONE),
    ...STREAM_END,
  ]
}

export interface ChatStream {
  content: string
  toolArguments: string
  finish: string | null
  ids: string[]
  usage: Record<string, unknown> | null
  dones: number
  errors: number
  /** When each event with content came. */
  times: number[]
  events: number
}

/** The events of a response (WHATWG HTML 9.2.6), put together. */
export function readStream(call: Call): ChatStream {
  const found: ChatStream = {
    content: '',
    toolArguments: '',
    finish: null,
    ids: [],
    usage: null,
    dones: 0,
    errors: 0,
    times: [],
    events: 0,
  }
  eachEvent(call, (text, atMs) => readEvent(found, text, atMs))
  return found
}

function readEvent(found: ChatStream, text: string, atMs: number): void {
  const data = fieldOfEvent(text, 'data').join('\n')
  if (data === '') return
  found.events++
  if (data.trim() === '[DONE]') {
    found.dones++
    return
  }
  const value = parsed(data)
  if (value === null) return
  if (value.error !== undefined) found.errors++
  if (typeof value.id === 'string' && !found.ids.includes(value.id)) found.ids.push(value.id)
  if (isRecord(value.usage)) found.usage = value.usage
  const choice: unknown = Array.isArray(value.choices) ? value.choices[0] : undefined
  if (!isRecord(choice)) return
  if (typeof choice.finish_reason === 'string') found.finish = choice.finish_reason
  const change = isRecord(choice.delta) ? choice.delta : {}
  if (typeof change.content === 'string' && change.content !== '') {
    found.content += change.content
    found.times.push(atMs)
  }
  const tools: unknown = Array.isArray(change.tool_calls) ? change.tool_calls[0] : undefined
  if (isRecord(tools) && isRecord(tools.function) && typeof tools.function.arguments === 'string')
    found.toolArguments += tools.function.arguments
}

export function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** The JSON of the response. */
export function answerOf(call: Call): Record<string, unknown> | null {
  return parsed(call.response?.body.toString('utf8') ?? '')
}

export function errorType(call: Call): string {
  const error = answerOf(call)?.error
  return isRecord(error) ? String(error.type) : ''
}
