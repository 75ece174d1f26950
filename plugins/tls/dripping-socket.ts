/** A connection that sends slowly, for `drip-handshake`. */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

const PIECE_BYTES = 16
const PIECE_MS = 20

/** Sends in pieces of 16 bytes, 20 ms apart, until `release` is called. */
export class DrippingSocket extends Duplex {
  readonly #socket: Socket
  #isReleased = false

  constructor(socket: Socket) {
    super()
    this.#socket = socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('close', () => this.destroy())
    socket.pause()
  }

  /** From now on sends at full speed. */
  release(): void {
    this.#isReleased = true
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isReleased || chunk.length <= PIECE_BYTES) return void this.#socket.write(chunk, done)
    this.#socket.write(chunk.subarray(0, PIECE_BYTES))
    setTimeout(() => {
      if (this.destroyed) done()
      else this._write(chunk.subarray(PIECE_BYTES), _encoding, done)
    }, PIECE_MS)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
