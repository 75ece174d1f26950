/** Owns where the messages of a call in a session go: the stream of its POST, the legacy stream, or nowhere. */
import type { Exchange } from '../../calls/exchange.ts'
import type { RequestId } from '../../calls/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import type { SessionStream } from '../../sessions/session-stream.ts'

export interface ResponseChannel {
  /** False: nothing sent here reaches the client, so questions make no sense. */
  readonly isStream: boolean
  write(text: string): void
  /** Ends the connection, not the call. */
  closeConnection(): void
}

/** For clients that take one JSON answer only. */
export const NO_STREAM: ResponseChannel = { isStream: false, write() {}, closeConnection() {} }

export function httpSseChannel(session: Session): ResponseChannel {
  return { isStream: true, write: text => session.writeHttpSse(text), closeConnection() {} }
}

/** The reply to a POST, which becomes a stream with the first message. */
export class PostChannel implements ResponseChannel {
  readonly isStream = true
  readonly #exchange: Exchange
  readonly #session: Session
  /** The request whose work stops when the plan has no stream for it. */
  readonly #requestId: RequestId | null
  #stream: SessionStream | null = null

  constructor(exchange: Exchange, session: Session, requestId: RequestId | null = null) {
    this.#exchange = exchange
    this.#session = session
    this.#requestId = requestId
  }

  get hasBegun(): boolean {
    return this.#stream !== null
  }

  /** Starts the stream. When the client has left, the call goes on all the same, and its messages are kept. */
  open(): SessionStream {
    if (this.#stream) return this.#stream
    this.#stream = this.#session.newStream()
    const connection = this.#exchange.openStream()
    if (!connection) {
      this.#session.cancel(this.#requestId)
      return this.#stream
    }
    this.#session.hold(connection, this.#exchange.mcp.hub.sessions.now)
    this.#stream.begin(connection, this.#session.version.priming)
    return this.#stream
  }

  write(text: string): void {
    this.open().write(text)
  }

  closeConnection(): void {
    if (this.#session.version.priming) this.open().disconnect()
  }

  /** Ends the stream, after the answer if there is one. */
  complete(answer?: string): void {
    this.open().complete(answer)
  }
}
