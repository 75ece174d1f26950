/**
 * A WebSocket handshake that nobody has answered yet. Node reads its bare socket no more, so that a client that leaves
 * meanwhile (an injected delay, a slow check) would go unnoticed and keep its slots: it is read here.
 */
import type { Socket } from 'node:net'

/** Clients send no frames before the 101 (RFC 6455, 4.1); some send them right behind the request all the same. */
const MAX_EARLY_BYTES = 64 * 1024

export class Handshake {
  readonly socket: Socket
  #early: Buffer[]
  #earlyBytes: number

  /** `head` is what came behind the request. */
  constructor(socket: Socket, head: Buffer) {
    this.socket = socket
    this.#early = [head]
    this.#earlyBytes = head.length
    socket.on('data', this.#keep).on('end', this.#leave)
  }

  /** Stops reading; answers what has come for whoever takes the socket over. */
  handOver(): Buffer {
    this.socket.off('data', this.#keep).off('end', this.#leave)
    this.socket.pause()
    // As Node handed it over: neither flowing nor paused, so that the next one who listens gets it going.
    ;(this.socket as { readableFlowing: boolean | null }).readableFlowing = null
    return Buffer.concat(this.#early)
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#early.push(chunk)
    this.#earlyBytes += chunk.length
    if (this.#earlyBytes > MAX_EARLY_BYTES) this.socket.destroy()
  }

  /** A client that closes its side before the handshake is over wants no WebSocket. */
  readonly #leave = (): void => {
    this.socket.destroy()
  }
}
