/** What a gateway writes to clients of a wire. */
import type { Part, Reply, WireError } from '../../../../plugins/probe/wires/types.ts'

export interface ReplyWriter {
  whole(reply: Reply, model: string): object
  /** Of a stream, in pieces that clients get one by one. */
  events(reply: Reply, model: string): (string | Buffer)[]
  streamType: string
  /** The body of an error, and fields besides it. */
  error(error: WireError): { body: object; fields?: Record<string, string> }
  /** An error in a stream that has begun. */
  errorEvent(error: WireError): string | Buffer
  count?(tokens: number): object
}

export const SSE = 'text/event-stream'

export function sse(data: object | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

/** Texts of parts of a type, joined; null: there is none. */
export function textOf(parts: readonly Part[], type: 'text' | 'refusal'): string | null {
  const own = parts.filter(part => part.type === type) as { text: string }[]
  return own.length === 0 ? null : own.map(({ text }) => text).join('')
}

export function callsOf(parts: readonly Part[]): Extract<Part, { type: 'call' }>[] {
  return parts.filter(part => part.type === 'call')
}

/** A text as the deltas of a stream. All but the last one stay as they are if the text grows. */
export function piecesOf(text: string): string[] {
  return Array.from(text.matchAll(/[\s\S]{1,20}/g), ([piece]) => piece)
}

/** The neutral reason in the words of a wire. */
export function wordOf(words: Readonly<Record<string, string>>, { finish }: Reply): string | null {
  return finish === null ? null : (words[finish] ?? finish)
}
