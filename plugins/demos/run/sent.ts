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

/** Reads the events in content that comes in parts (WHATWG HTML, 9.2). */
export class EventReader {
  readonly #decoder = new TextDecoder()
  #read = 0
  /** Text of the last line, which has not ended. */
  #rest = ''
  #name = ''
  #data: string[] = []

  /** The events that have ended in the parts since the last call. `parts`: all of them, from the first one. */
  eventsOf(parts: readonly { atMs: number; bytes: Buffer }[], sentAtMs: number): StreamEvent[] {
    const events: StreamEvent[] = []
    for (const { atMs, bytes } of parts.slice(this.#read)) {
      const text = this.#decoder.decode(bytes, { stream: true })
      this.#rest += text
      if (!/[\r\n]/.test(text)) continue
      const lines = this.#rest.split(/\r\n|\n|\r/)
      this.#rest = lines.pop()!
      for (const line of lines) {
        const event = this.#endedBy(line)
        if (event !== null) events.push({ atMs: atMs - sentAtMs, ...event })
      }
    }
    this.#read = parts.length
    return events
  }

  #endedBy(line: string): Omit<StreamEvent, 'atMs'> | null {
    if (line.startsWith('data:')) this.#data.push(line.slice(5).replace(/^ /, ''))
    else if (line.startsWith('event:')) this.#name = line.slice(6).trim()
    if (line !== '') return null
    const event = this.#data.length === 0 ? null : { event: this.#name || 'message', data: this.#data.join('\n') }
    this.#name = ''
    this.#data = []
    return event
  }
}
