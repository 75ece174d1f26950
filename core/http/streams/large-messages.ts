/**
 * Bounds the memory of large WebSocket messages that have not arrived completely, over all sockets. Above the bound, the
 * socket whose message has made no progress for the longest time is closed.
 */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

const MIB = 1024 * 1024
/** Incomplete messages of all sockets together. */
const TOTAL_BYTES = 96 * MIB

export type MessageReceiver = Pick<WebSocket, 'on' | 'once' | 'terminate'>

interface Receiving {
  readonly socket: MessageReceiver
  bytes: number
}

export class LargeMessages {
  readonly #totalBytes: number
  /** Sockets with an incomplete message, those without progress for the longest time first. */
  readonly #receiving = new Set<Receiving>()
  #bytes = 0

  constructor(totalBytes = TOTAL_BYTES) {
    this.#totalBytes = totalBytes
  }

  /** Received bytes of incomplete messages. Up to a read more per socket, which may belong to the last message. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts what arrives on the connection of a socket until it closes. */
  watch(socket: MessageReceiver, connection: Pick<Duplex, 'on'>): void {
    const receiving: Receiving = { socket, bytes: 0 }
    // The socket has its own listener, which was added earlier: a chunk that completes a message counts for the next one.
    connection.on('data', (chunk: Buffer) => this.#add(receiving, chunk.length))
    socket.on('message', () => this.#forget(receiving))
    socket.once('close', () => this.#forget(receiving))
  }

  #add(receiving: Receiving, bytes: number): void {
    receiving.bytes += bytes
    this.#bytes += bytes
    this.#receiving.delete(receiving)
    this.#receiving.add(receiving)
    while (this.#bytes > this.#totalBytes) {
      const [slowest] = this.#receiving
      if (slowest === undefined) return
      this.#forget(slowest)
      slowest.socket.terminate()
    }
  }

  #forget(receiving: Receiving): void {
    this.#receiving.delete(receiving)
    this.#bytes -= receiving.bytes
    receiving.bytes = 0
  }
}
