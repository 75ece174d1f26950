/** The events of streamed replies. */
import type { ChatResult } from './neutral.ts'

/** Calls `stop` when a stream has no further events, whatever is due; returns a function that removes it. */
export type StreamEnding = (stop: () => void) => () => void

/** One event of a stream. */
export interface StreamEvent {
  /** Name of the event; absent: no name is written. */
  event?: string
  /** Text is written unchanged, objects as compact JSON. */
  data: string | object
  /** Number of token gaps to wait before the event is written; true: one. Default: none. */
  paced?: boolean | number
  /** When the event is due, in milliseconds since 1970; the pace of the request does not matter then. */
  dueAt?: number
  /** AWS event streams: the event is an exception of this type. */
  exception?: string
}

/** An event of a stream with a copy of its object; null for text such as `[DONE]`. */
export interface WireEvent {
  event: StreamEvent
  data: Record<string, unknown> | null
}

/** Where a stream reports its usage: in a chunk of its own, with the finish reason, always, twice, or nowhere. */
export type UsageMode = 'own' | 'last' | 'every' | 'twice' | 'none'

/** What `X-Svc-Stream-Shape` can change about the events of a format. Absent members: the format does not have it. */
export interface StreamShapes {
  /** The event that ends the stream (`no-done`). */
  isEnd?(event: WireEvent): boolean
  /** The event with the finish reason (`no-finish`). */
  isFinish?(event: WireEvent): boolean
  /** Events have `choices[].delta.role` (`role`). */
  hasRole?: boolean
  /** Member with the id of the reply (`id`). */
  idMember?: string
  usage?: {
    modes: readonly UsageMode[]
    rewrite(events: Iterable<WireEvent>, mode: UsageMode, result: ChatResult): Iterable<WireEvent>
  }
}

/** The encoding of events. `sse-crlf` is SSE with CRLF line ends and without event names. */
export type Framing = 'sse' | 'sse-crlf' | 'ndjson' | 'json-array' | 'aws-eventstream'
