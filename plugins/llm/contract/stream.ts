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

/**
 * Where a stream reports its usage: in a chunk of its own, in one with an empty delta, with the finish reason, always, twice, or
 * nowhere.
 */
export type UsageMode = 'own' | 'beside' | 'last' | 'every' | 'twice' | 'none'

/** What one item of `X-Svc-Stream-Shape` changes about the events or the complete replies of a format. */
export interface ShapeChange {
  /** The values that the format has. Default: all of the item. */
  values?: readonly string[]
  /** Changes the events; absent: the item does not act on streams. Several values act together. */
  events?(events: Iterable<WireEvent>, values: readonly string[], result: ChatResult | null): Iterable<WireEvent>
  /** Changes a complete reply in place; absent: the item does not act on them. */
  whole?(body: Record<string, unknown>, values: readonly string[]): void
}

/** The items of which each format knows itself what they change. */
export type ShapeChangeName =
  | 'completed'
  | 'empty-choices'
  | 'finish'
  | 'id'
  | 'null'
  | 'order'
  | 'sequence'
  | 'signature'
  | 'tools'

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
    /** The member with the usage, of an event or of its `message` or `response`, and of a complete reply (`usage=null`). */
    member?: string
  }
  changes?: Readonly<Partial<Record<ShapeChangeName, ShapeChange>>>
  /** Events that are containers of those of another format, such as frames with base64: shapes change what is in them. */
  contained?: {
    read(container: StreamEvent): StreamEvent
    write(event: StreamEvent): StreamEvent
  }
}

/** The encoding of events. `sse-crlf` is SSE with CRLF line ends and without event names. */
export type Framing = 'sse' | 'sse-crlf' | 'ndjson' | 'json-array' | 'aws-eventstream'
