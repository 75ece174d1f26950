/** Streamed replies and WebSockets: `svc.streams`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OutgoingHttpHeaders } from 'node:http'
import type { WebSocket } from 'ws'

export interface SvcStreams {
  /**
   * Starts an event stream (WHATWG HTML, 9.2) on a route: takes the plan's stream slot, sends the head, then writes
   * events. Null when no slot was free: the 429 has been sent, nothing more is to be done. On HEAD the head is sent
   * and the stream is closed already.
   */
  sse(request: FastifyRequest, reply: FastifyReply, options?: SseOptions): SseStream | null
  /** Starts a streamed reply of another type (NDJSON, bytes), with the same back-pressure, abort and drain. */
  body(request: FastifyRequest, reply: FastifyReply, options?: BodyStreamOptions): BodyStream | null
  /**
   * Puts a WebSocket's own limits on it. Every WebSocket is in the registry already (plan, drain), and what it has yet to
   * send is bounded: above 256 KiB nothing is read from its client, above 16 MiB it is cut off at the next message, and of
   * all sockets 64 MiB may wait (public mode 32 MiB). A plugin that sends without being asked waits for `send`'s callback.
   */
  websocket(request: FastifyRequest, socket: WebSocket, options?: WebSocketOptions): void
}

export interface BodyStreamOptions {
  /** Default: the reply's. */
  status?: number
  headers?: OutgoingHttpHeaders
  /** A feed without an end of its own: ended at once when the process stops. */
  endless?: boolean
  /** Milliseconds after which it is ended. */
  lifetimeMs?: number
  /** Called once before a forced end (lifetime, reload, stop); what it writes at once is still sent. */
  farewell?: (reason: StreamEnd) => void
}
export interface SseOptions extends BodyStreamOptions {
  /** Milliseconds of silence until a comment is sent; 0 or absent: none. */
  heartbeatMs?: number
  /** Text of that comment. Default `heartbeat`. */
  heartbeatText?: string
}
export type StreamEnd = 'done' | 'client' | 'lifetime' | 'plan' | 'reload' | 'stop'

export interface BodyStream {
  /** False when the reader is slow: wait for `ready()` before more, or skip. Dropped silently after the end. */
  write(chunk: string | Buffer): boolean
  /** Resolves when more can be written, or the stream is over. */
  ready(): Promise<void>
  /** Bytes not yet taken over by the socket. */
  readonly pendingBytes: number
  /** Writes `last`, if given, and ends the body: in one write where the two are small. */
  end(last?: string): void
  readonly closed: boolean
  /** Aborts at the end, whatever ended it; the reason is a `StreamEnd`. */
  readonly signal: AbortSignal
  /** Resolves at the end with what ended it. */
  readonly over: Promise<StreamEnd>
}
export interface SseStream extends BodyStream {
  /** Writes one event; `data` that is no string is sent as JSON. */
  send(event: SseEvent): boolean
  comment(text: string): boolean
}
export interface SseEvent {
  id?: string | number
  event?: string
  /** Milliseconds. */
  retry?: number
  data?: unknown
}

export interface WebSocketOptions {
  endless?: boolean
  /** Milliseconds without a frame of the client until close 1001 `idle timeout`; `Infinity` takes that back. */
  idleMs?: number
  /** Milliseconds until close 1001 `maximum connection lifetime reached`. */
  lifetimeMs?: number
}
