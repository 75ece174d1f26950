/**
 * A WebSocket handshake without a response so far. Node no longer reads its socket, so a client that disconnects in the
 * meantime (during an injected delay or a slow check) would go unnoticed and keep its slots. The socket is therefore
 * read here.
 */
import type { Socket } from 'node:net'

/** Clients must not send frames before the 101 (RFC 6455, 4.1), but some send them right after the request. */
const MAX_EARLY_BYTES = 64 * 1024

export class Handshake {
  readonly socket: Socket
  #early: Buffer[]
  #earlyBytes: number

  /** `head` holds the bytes received after the request. */
  constructor(socket: Socket, head: Buffer) {
    this.socket = socket
    this.#early = [head]
    this.#earlyBytes = head.length
    socket.on('data', this.#keep).on('end', this.#leave)
  }

  /** Stops reading; returns the received bytes for the next owner of the socket. */
  handOver(): Buffer {
    this.socket.off('data', this.#keep).off('end', this.#leave)
    this.socket.pause()
    // In the state in which Node passed it: neither flowing nor paused, so that the next listener starts it.
    ;(this.socket as { readableFlowing: boolean | null }).readableFlowing = null
    return Buffer.concat(this.#early)
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#early.push(chunk)
    this.#earlyBytes += chunk.length
    if (this.#earlyBytes > MAX_EARLY_BYTES) this.socket.destroy()
  }

  /** A client that closes its side before the handshake completes does not want a WebSocket. */
  readonly #leave = (): void => {
    this.socket.destroy()
  }
}
