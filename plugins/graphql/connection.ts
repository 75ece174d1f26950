/** Flow control and idle timeouts of a WebSocket, for both subprotocols. */
import { GraphQLError } from 'graphql'
import type { WebSocket } from 'svc/plugin'

/** Maximum number of concurrent operations per socket. */
export const MAX_OPERATIONS = 100
/** Above this many unread bytes nothing more is asked of a subscription: there the core stops reading from the socket. */
const FULL_BYTES = 256 * 1024

export class Connection {
  readonly socket: WebSocket
  readonly #setIdle: (isWatched: boolean) => void
  #running = 0

  /** `setIdle` turns the idle timeout on while no operation runs, and off otherwise. */
  constructor(socket: WebSocket, setIdle: (isWatched: boolean) => void) {
    this.socket = socket
    this.#setIdle = setIdle
    setIdle(true)
  }

  /** Resolves at once, or, if the client is slow, when the message has been sent. */
  async send(message: string): Promise<void> {
    const { socket } = this
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount <= FULL_BYTES) socket.send(message)
    else await new Promise<void>(resolve => socket.send(message, () => resolve()))
  }

  /** Suspends the idle timeout until `work` resolves or rejects. */
  async busy(work: () => Promise<void>): Promise<void> {
    if (this.#running++ === 0) this.#setIdle(false)
    try {
      await work()
    } finally {
      if (--this.#running === 0) this.#setIdle(true)
    }
  }
}

/** Rejects an operation beyond `MAX_OPERATIONS`. */
export function tooManyOperations(): GraphQLError {
  return new GraphQLError(`too many operations on this connection (at most ${MAX_OPERATIONS})`, {
    extensions: { code: 'TOO_MANY_OPERATIONS' },
  })
}
