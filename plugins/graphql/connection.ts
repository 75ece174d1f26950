/** Owns what both WebSocket subprotocols need of a socket: sending no faster than the client reads, and idle time. */
import { GraphQLError } from 'graphql'
import type { WebSocket } from 'svc/plugin'

/** Operations that may run at once on one socket. */
export const MAX_OPERATIONS = 100
/** Above this many unread bytes nothing more is asked of a subscription: there the core stops reading from the socket. */
const FULL_BYTES = 256 * 1024

export class Connection {
  readonly socket: WebSocket
  readonly #setIdle: (isWatched: boolean) => void
  #running = 0

  /** `setIdle` is told whether silence of the client counts at present: it does while no operation runs. */
  constructor(socket: WebSocket, setIdle: (isWatched: boolean) => void) {
    this.socket = socket
    this.#setIdle = setIdle
    setIdle(true)
  }

  /** Resolves at once, or, while the client is slow, when the message has left. */
  async send(message: string): Promise<void> {
    const { socket } = this
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount <= FULL_BYTES) socket.send(message)
    else await new Promise<void>(resolve => socket.send(message, () => resolve()))
  }

  /** Holds off the idle time-out until `work` has settled. */
  async busy(work: () => Promise<void>): Promise<void> {
    if (this.#running++ === 0) this.#setIdle(false)
    try {
      await work()
    } finally {
      if (--this.#running === 0) this.#setIdle(true)
    }
  }
}

/** Refuses an operation beyond `MAX_OPERATIONS`. */
export function tooManyOperations(): GraphQLError {
  return new GraphQLError(`too many operations on this connection (at most ${MAX_OPERATIONS})`, {
    extensions: { code: 'TOO_MANY_OPERATIONS' },
  })
}
