/** `svc.streams`: streamed responses and WebSockets. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyRequest } from './http.ts'
import type { OutgoingHttpHeaders } from 'node:http'
import type { WebSocket } from 'ws'

/** Starts streams on routes. */
export interface SvcStreams {
  /**
   * Starts a server-sent event stream (WHATWG HTML, 9.2) and sends the response head. Returns null if the limit of open
   * streams is reached; the 429 response has then been sent. For HEAD, the returned stream is already closed.
   */
  sse(request: FastifyRequest, reply: FastifyReply, options?: SseOptions): SseStream | null
  /** Starts a streamed response of another type, such as NDJSON, with the same backpressure, abort and drain handling. */
  body(request: FastifyRequest, reply: FastifyReply, options?: BodyStreamOptions): BodyStream | null
  /**
   * Sets timeouts of a WebSocket. All WebSockets are drained on reload, count toward the limits, and have bounded send
   * buffers: above 256 KiB the host stops reading from the client, above 16 MiB the socket is closed at the next message.
   * Unsent bytes are bounded for each client and in total, together with those of all responses
   * (`SVC_BUDGET_CLIENT_BYTES`, `SVC_BUDGET_MEMORY_BYTES`). A plugin that sends messages on its own should wait for the
   * callback of `send`.
   */
  websocket(request: FastifyRequest, socket: WebSocket, options?: WebSocketOptions): void
  /**
   * Counts bytes that wait for the client of a request and are not yet written to its response, such as messages in a
   * queue of the plugin. Returns a function to call when they are written or dropped; the end of the response does the
   * same. A client that reads too slowly loses responses (`SVC_BUDGET_CLIENT_BYTES`): what is kept for them must be dropped
   * when they close. What is written to a response or a WebSocket is counted by the host.
   */
  hold(request: AnyRequest, bytes: number): () => void
}

/** Options of a streamed response. */
export interface BodyStreamOptions {
  /** Default: the status of `reply`. */
  status?: number
  headers?: OutgoingHttpHeaders
  /** The stream never ends by itself. It is closed immediately when the process stops. */
  endless?: boolean
  /** Maximum duration of the stream in milliseconds. */
  lifetimeMs?: number
  /**
   * The response is another server's, passed on as it arrives: `Incremental` (RFC 10036) is then the other server's. Otherwise a
   * request with `Incremental: ?1` gets the field.
   */
  isPassedOn?: boolean
  /**
   * Events in another format than `text/event-stream`: like an event stream, the response takes a stream slot of the plan, and
   * counts in `svc_streams_open`. Default: false.
   */
  isFeed?: boolean
  /** Called before the host ends the stream (lifetime, reload, stop). What it writes synchronously is still sent. */
  farewell?: (reason: StreamEnd) => void
}
/** Options of an event stream. */
export interface SseOptions extends BodyStreamOptions {
  /** Sends a comment after this time without an event, in milliseconds. Default: 0, no comments. */
  heartbeatMs?: number
  /** Text of the comment. Default: `heartbeat`. */
  heartbeatText?: string
}
/** What ended a stream: the plugin, the client, the maximum duration, a limit of the plan, a reload or the server's stop. */
export type StreamEnd = 'done' | 'client' | 'lifetime' | 'plan' | 'reload' | 'stop'

/** A streamed response. */
export interface BodyStream {
  /** Returns false if the reader is slow: wait for `ready()` before writing more. Ignored after the end of the stream. */
  write(chunk: string | Buffer): boolean
  /** Resolves when more data can be written or the stream has ended. */
  ready(): Promise<void>
  /** Bytes that are not yet written to the socket. */
  readonly pendingBytes: number
  /** Writes `last`, if given, and ends the body. */
  end(last?: string): void
  readonly closed: boolean
  /** Aborts when the stream ends for any reason. `signal.reason` is a `StreamEnd`. */
  readonly signal: AbortSignal
  /** Resolves when the stream ends. */
  readonly over: Promise<StreamEnd>
}
/** A stream of server-sent events. */
export interface SseStream extends BodyStream {
  /** Sends one event. `data` is sent as JSON unless it is a string. */
  send(event: SseEvent): boolean
  comment(text: string): boolean
}
/** A server-sent event. */
export interface SseEvent {
  id?: string | number
  event?: string
  /** Reconnection time in milliseconds. */
  retry?: number
  data?: unknown
}

/** Timeouts of a WebSocket. */
export interface WebSocketOptions {
  /** Closes the socket immediately when the process stops. */
  endless?: boolean
  /** Closes with 1001 `idle timeout` after this time without a frame from the client, in milliseconds. `Infinity`: never. */
  idleMs?: number
  /** Closes with 1001 `maximum connection lifetime reached` after this time, in milliseconds. */
  lifetimeMs?: number
}
