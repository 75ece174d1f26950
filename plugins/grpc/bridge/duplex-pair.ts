/** An in-process connection: data written to one end is read at the other. */
import { Duplex } from 'node:stream'

/**
 * In Node's own `duplexPair`, each write waits until the other end has read. An HTTP/2 session then stalls permanently
 * after an aborted upload: after one message of 5 MB, none of the next 500 calls got a response. Here a write completes
 * at once; the flow control of HTTP/2 limits the buffered data.
 *
 * The other end gets it in the next tick. What a session sends while it processes received data would otherwise come
 * back as further received data before the first is processed, which ends the process:
 * `Assertion failed: (stream_buf_.base) != nullptr` in `Http2Session::ConsumeHTTP2Data` (Node 20, 22).
 */
class End extends Duplex {
  other!: End

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    process.nextTick(deliver, this.other, chunk)
    done()
  }

  override _final(done: (error?: Error | null) => void): void {
    process.nextTick(deliver, this.other, null)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    process.nextTick(destroy, this.other)
    done(error)
  }
}

function deliver(end: Duplex, chunk: Buffer | null): void {
  if (!end.destroyed) end.push(chunk)
}

function destroy(end: Duplex): void {
  end.destroy()
}

export function createDuplexPair(): [Duplex, Duplex] {
  const [one, two] = [new End(), new End()]
  one.other = two
  two.other = one
  return [one, two]
}
