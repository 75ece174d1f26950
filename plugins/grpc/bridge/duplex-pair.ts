/** Owns a connection within the process: what is written to one end is read at the other. */
import { Duplex } from 'node:stream'

/**
 * Node's own pair waits with each write until the other end has read. Under an HTTP/2 session that stalls for good after
 * an aborted upload: one message of 5 MB, and none of the next 500 calls was answered. Here a write is taken at once;
 * what can be on its way is bounded by the flow control of HTTP/2.
 */
class End extends Duplex {
  other!: End

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.other.destroyed) this.other.push(chunk)
    done()
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.other.destroyed) this.other.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.other.destroyed) this.other.destroy()
    done(error)
  }
}

export function createDuplexPair(): [Duplex, Duplex] {
  const [one, two] = [new End(), new End()]
  one.other = two
  two.other = one
  return [one, two]
}
