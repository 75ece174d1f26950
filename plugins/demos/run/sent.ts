/** What a run has sent and got back, as expectations see it. */
import type { Json } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { CheckField } from '../../probe/types.ts'

export type SendError = 'timeout' | 'reset' | 'refused' | 'too_large'

/** An answer is read up to this size. */
export const MAX_ANSWER = 8 * 1024 * 1024
/** What is kept of one that is larger. */
export const MAX_SHOWN = 64 * 1024

export interface SentRequest {
  /** Number of the traffic in its step, and of the variant in `as`; from 1. */
  traffic: number
  variant: number | null
  method: string
  target: string
  fields: readonly CheckField[]
  sentBody: string | null
  /** When it was sent, since the step began to send. */
  atMs: number
  /** Null: nothing came back. */
  status: number | null
  answerFields: readonly CheckField[]
  body: string
  /** From the first byte sent to the last one received. */
  ms: number
  error: SendError | null
  /** Server-sent events, with the time since the request was sent. */
  events: readonly StreamEvent[]
  /** When the first byte of the content came, since the request was sent. */
  firstMs: number | null
  /** What the readers of a protocol found, such as `text`, `finish`, `tool_calls`. */
  facts: Readonly<Record<string, Json>>
  tokens: number | null
}

export interface StreamEvent {
  atMs: number
  event: string
  data: string
}

/** The values of a fact for value tests; none if it is absent. */
export function valuesOf(sent: SentRequest, name: string): Json[] {
  if (name.startsWith('header.')) return fieldValues(sent.answerFields, name.slice('header.'.length))
  if (name.startsWith('json')) {
    const found = pointed(sent, name.slice('json'.length))
    return found === undefined ? [] : [found]
  }
  const value: Json | undefined =
    name === 'status'
      ? (sent.status ?? undefined)
      : name === 'body'
        ? sent.body
        : name === 'ms'
          ? Math.round(sent.ms)
          : name === 'error'
            ? (sent.error ?? 'none')
            : sent.facts[name]
  return value === undefined ? [] : [value]
}

export function fieldValues(fields: readonly CheckField[], name: string): string[] {
  return fields.filter(([found]) => found.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
}

function pointed({ body }: SentRequest, pointer: string): Json | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = value[Number(key)]
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value as Json | undefined
}

/** The events in content that came in parts (WHATWG HTML, 9.2). */
export function eventsIn(parts: readonly { atMs: number; bytes: Buffer }[], sentAtMs: number): StreamEvent[] {
  const events: StreamEvent[] = []
  const decoder = new TextDecoder()
  let rest = ''
  let name = ''
  let data: string[] = []
  for (const { atMs, bytes } of parts) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r/)
    rest = lines.pop()!
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ atMs: atMs - sentAtMs, event: name || 'message', data: data.join('\n') })
        name = ''
        data = []
      } else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      else if (line.startsWith('event:')) name = line.slice(6).trim()
    }
  }
  return events
}
