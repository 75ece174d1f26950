/**
 * The activity of an HTTP/1.1 connection: its open responses, and pipelined requests waiting for some of them to end.
 */
import type { Socket } from 'node:net'

/**
 * Maximum number of requests processed at once per connection. Node would start every request that has arrived: with
 * twenty kilobytes of request heads, fifty megabytes of responses would be generated at once.
 */
const MAX_OPEN = 8

export class ConnectionActivity {
  /** Requests in progress that have no complete response yet. */
  busy = 0
  readonly #socket: Socket
  #waiting: (() => void)[] = []

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Counts one more request; returns false if it has to wait. */
  enter(): boolean {
    if (this.busy >= MAX_OPEN) return false
    this.busy++
    return true
  }

  /** Starts a request when its turn comes; nothing more is read until then. */
  wait(start: () => void): void {
    this.#waiting.push(start)
    this.#socket.pause()
  }

  /** Called when a response has ended. */
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
