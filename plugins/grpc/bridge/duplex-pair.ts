/** An in-process connection: data written to one end is read at the other. */
import { Duplex } from 'node:stream'

/**
 * In Node's own `duplexPair`, each write waits until the other end has read. An HTTP/2 session then stalls permanently
 * after an aborted upload: after one message of 5 MB, none of the next 500 calls got a response. Here a write completes
 * at once; the flow control of HTTP/2 limits the buffered data.
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
