/** Shows what both sides say in a TLS handshake, of which Node tells a server only a part. */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { findChosenGroup, type GroupState } from './server-hello.ts'
import { findClientHello, MAX_HELLO_BYTES } from './server-name.ts'

/** More than a ClientHello, or a ServerHello with what follows it, in many small records. */
const MAX_SEEN_BYTES = 4 * MAX_HELLO_BYTES

/** A connection that passes everything on, and reads the beginning of both directions. */
export class ObservedSocket extends Duplex {
  readonly #socket: Socket
  #received: Buffer | null = Buffer.alloc(0)
  #sent: Buffer | null = Buffer.alloc(0)
  /** The protocols that the client offers in ALPN. */
  offered: string[] = []
  /** The group of the key exchange; null without one, or if it is unknown. */
  group: string | null = null

  constructor(socket: Socket) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#observeReceived(chunk)
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', error => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  #observeReceived(chunk: Buffer): void {
    if (this.#received === null) return
    this.#received = Buffer.concat([this.#received, chunk])
    const found = findClientHello(this.#received)
    if (found.state === 'more' && this.#received.length < MAX_SEEN_BYTES) return
    this.#received = null
    if (found.state === 'hello') this.offered = found.alpn
  }

  #observeSent(chunk: Buffer): void {
    if (this.#sent === null) return
    this.#sent = Buffer.concat([this.#sent, chunk])
    const found: GroupState = findChosenGroup(this.#sent)
    if (found.state === 'more' && this.#sent.length < MAX_SEEN_BYTES) return
    this.#sent = null
    if (found.state === 'found') this.group = found.group
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#observeSent(chunk)
    this.#socket.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
