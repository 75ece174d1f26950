/** What an HTTP/1.1 connection carries: its open responses, and the pipelined requests that wait until some are over. */
import type { Socket } from 'node:net'

/** Node starts every request that has arrived: twenty kilobytes of heads would have fifty megabytes of answers made at once. */
const MAX_OPEN = 8

export class ConnectionActivity {
  /** Requests under way whose responses are not over. */
  busy = 0
  readonly #socket: Socket
  #waiting: (() => void)[] = []

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Counts one more request; false when it has to wait. */
  enter(): boolean {
    if (this.busy >= MAX_OPEN) return false
    this.busy++
    return true
  }

  /** Starts a request when its turn comes; nothing more is read meanwhile. */
  wait(start: () => void): void {
    this.#waiting.push(start)
    this.#socket.pause()
  }

  /** A response is over. */
  leave(): void {
    this.busy--
    if (this.#waiting.length === 0) return
    if (this.#socket.destroyed) {
      this.#waiting = []
      return
    }
    const next = this.#waiting.shift()!
    if (this.#waiting.length === 0) this.#socket.resume()
    this.busy++
    next()
  }
}
