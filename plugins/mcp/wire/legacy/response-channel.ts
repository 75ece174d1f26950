/** Owns sending the messages of a call in a session, on the response of its POST or on the HTTP+SSE stream. */
import type { HttpExchange } from '../../http/exchange.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import type { Session } from '../../sessions/session.ts'
import type { SessionStream } from '../../sessions/session-stream.ts'

export interface ResponseChannel {
  /** If false, messages do not reach the client, so it can't be asked. */
  readonly isStream: boolean
  write(text: string): void
  /** Ends the connection, but not the call. */
  closeConnection(): void
}

/** For clients that accept only a JSON response: drops all messages. */
export const NO_STREAM: ResponseChannel = { isStream: false, write() {}, closeConnection() {} }

export function httpSseChannel(session: Session): ResponseChannel {
  return { isStream: true, write: text => session.writeHttpSse(text), closeConnection() {} }
}

/** The response to a POST, which becomes a stream with the first message. */
export class PostChannel implements ResponseChannel {
  readonly isStream = true
  readonly #exchange: HttpExchange
  readonly #session: Session
  /** The request to cancel if a limit prevents opening the stream. */
  readonly #requestId: RequestId | null
  #stream: SessionStream | null = null

  constructor(exchange: HttpExchange, session: Session, requestId: RequestId | null = null) {
    this.#exchange = exchange
    this.#session = session
    this.#requestId = requestId
  }

  get hasBegun(): boolean {
    return this.#stream !== null
  }

  /** Starts the stream. If the client has disconnected, the call continues and its messages are kept. */
  open(): SessionStream {
    if (this.#stream) return this.#stream
    this.#stream = this.#session.newStream(this.#requestId)
    const connection = this.#exchange.openStream()
    if (!connection) {
      this.#session.cancel(this.#requestId)
      return this.#stream
    }
    this.#session.trackConnection(connection)
    this.#stream.begin(connection, this.#session.version.priming)
    return this.#stream
  }

  write(text: string): void {
    this.open().write(text)
  }

  closeConnection(): void {
    if (this.#session.version.priming) this.open().disconnect()
  }

  /** Sends the response, if any, and ends the stream. */
  complete(response?: string): void {
    this.open().complete(response)
  }
}
