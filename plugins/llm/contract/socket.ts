/** The WebSockets of a provider. */
import type { LimitState } from './limit-state.ts'
import type { Parsed, ResultOf } from './parsed.ts'
import type { LlmRoute } from './route.ts'
import type { StreamEvent } from './stream.ts'

/** A WebSocket of a provider. Messages beyond the bounds close it. */
export interface LlmSocket {
  readonly isClosed: boolean
  /** Path and query of the handshake. */
  readonly target: string
  /** Milliseconds after which the route should close the socket; the host closes it a second later. */
  readonly lifetimeMs: number
  /** Sends JSON in a text frame. */
  send(message: object): void
  /** Maximum number of items of the conversation. */
  readonly maxItems: number
  /**
   * Counts bytes that the route keeps for this socket; less than 0 returns them. False: they exceed what this socket or
   * all sockets together may keep, and nothing is counted.
   */
  keep(bytes: number): boolean
  /** Calls the listener for each message, in order. */
  onMessage(listener: (message: Buffer, isBinary: boolean) => void): void
  /** Calls the listener for each text; a binary message closes the socket with 1003. */
  onText(listener: (text: string) => void): void
  onClosed(listener: () => void): void
  /** Calls the listener after these milliseconds, unless the socket has closed by then. Returns what prevents it. */
  after(ms: number, listener: () => void): () => void
  close(code: number, reason: string): void
  /**
   * Checks a message by the `validation` of the socket's route. The level is that of the handshake or the provider; rules
   * act on what `run` runs. A refused message is recorded. Returns what the message would have got over HTTP; null: it is
   * not refused.
   */
  check(message: object): SocketError | null
  /**
   * Runs the POST route of a path, which may have a query, as a separate request with the headers of the handshake. The
   * events of a streamed reply are sent at its pace, and the faults of a stream apply. Resolves when the last event was
   * sent.
   */
  run(target: string, body: object, options: SocketRunOptions): Promise<SocketRun>
}

export interface SocketRunOptions {
  /** Sends an event; default: its data. */
  send?(event: StreamEvent): void
  /** Stops the reply. */
  signal?: AbortSignal
  /** Data for the route's `parse`, as `RouteInput.socketData`. */
  data?: unknown
  /** The route to run, if it is not served over HTTP. */
  route?: LlmRoute
}

/** How a request on a socket ended: its reply, or the error response that it would have got over HTTP. */
export type SocketRun =
  | {
      kind: 'sent'
      isWhole: boolean
      parsed: Parsed
      result: ResultOf<Parsed>
      /** What the rate limits have left; null: nothing limits the request. */
      limits: LimitState | null
    }
  | SocketError

/** The error response that a message would have got over HTTP. */
export interface SocketError {
  kind: 'error'
  status: number
  headers: Record<string, string>
  body: object
}
