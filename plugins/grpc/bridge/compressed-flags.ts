/** Reads which messages of a call are compressed (gRPC over HTTP/2, "Compressed-Flag"), which grpc-js does not tell. */
import type { Readable } from 'node:stream'

/** The first byte of a message is the flag, the next four are the length of what follows. */
const PREFIX = 5
/** Flags kept for messages that the service has not asked for. */
const MAX_WAITING = 10_000

export class CompressedFlags {
  readonly #flags: boolean[] = []
  readonly #prefix = Buffer.alloc(PREFIX)
  #filled = 0
  /** Bytes of the current message that have not passed yet. */
  #left = 0

  /** The stream carries the messages as the server gets them. */
  watch(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.#pass(chunk))
  }

  /** The flag of the next message; false if no further message has begun. Call it once for each message, in order. */
  next(): boolean {
    return this.#flags.shift() ?? false
  }

  #pass(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at)
        this.#left -= taken
        at += taken
        continue
      }
      this.#prefix[this.#filled++] = chunk[at++]!
      if (this.#filled < PREFIX) continue
      this.#filled = 0
      if (this.#flags.length < MAX_WAITING) this.#flags.push(this.#prefix[0] === 1)
      this.#left = this.#prefix.readUInt32BE(1)
    }
  }
}
