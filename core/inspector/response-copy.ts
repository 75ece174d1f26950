/** Keeps the headers and the beginning of the body of a response for the inspector. */
import type { OutgoingHttpHeaders } from 'node:http2'

/** Maximum number of bytes kept of a body that is sent in one piece. */
export const KEPT_WHOLE_BYTES = 65_536
/** Maximum number of bytes kept of a body that is sent in several pieces, such as an event stream. */
export const KEPT_STREAM_BYTES = 16_384
const FIRST_BUFFER_BYTES = 512

/** Converts texts through one buffer: a buffer for each text takes three times as long. */
export class BodyConverter {
  /** UTF-8 has at most three bytes for a UTF-16 code unit. */
  readonly #bytes = Buffer.allocUnsafeSlow(3 * KEPT_WHOLE_BYTES)

  /** The first bytes of a text in UTF-8, one character per byte. At most `KEPT_WHOLE_BYTES` code units. */
  latin1Of(text: string): string | null {
    const length = this.#bytes.write(text)
    return length === 0 ? null : this.#bytes.toString('latin1', 0, Math.min(length, KEPT_WHOLE_BYTES))
  }
}

/** Costs next to nothing while the request runs: texts are converted when they are read. */
export class ResponseCopy {
  #head: string | OutgoingHttpHeaders | null = null
  /** A body that was sent in one piece. */
  #whole: string | null = null
  #bytes: Buffer | null = null
  #length = 0
  #isComplete = false

  /** Keeps a head as sent: status line and header lines of HTTP/1 with the empty line after them, or fields of HTTP/2. */
  keepHead(head: string | OutgoingHttpHeaders | null): void {
    this.#head = head
  }

  /** Keeps a chunk that is the complete body, or the last one. */
  keepLast(chunk: unknown, encoding: unknown): void {
    if (this.#length > 0) this.keep(chunk, encoding)
    else if (isText(chunk, encoding) && chunk.length <= KEPT_WHOLE_BYTES) this.#whole = chunk
    else this.#append(chunk, encoding, KEPT_WHOLE_BYTES)
    // Over HTTP/2, Node passes the last chunk to `write`.
    this.#isComplete = true
  }

  /** Keeps a chunk that others may follow. */
  keep(chunk: unknown, encoding: unknown): void {
    if (!this.#isComplete && this.#length < KEPT_STREAM_BYTES) this.#append(chunk, encoding, KEPT_STREAM_BYTES)
  }

  /** Header lines, each ended by CRLF, one character per byte (Latin-1); null if no headers were sent. */
  get head(): string | null {
    const head = this.#head
    if (typeof head !== 'string') return head && linesOf(head)
    // The status line is left out, and so is the empty line at the end.
    return head.slice(head.indexOf('\r\n') + 2, -2)
  }

  /** The first bytes of the body, one character per byte (Latin-1); null if there is none. */
  bodyBy(converter: BodyConverter): string | null {
    if (this.#whole !== null) return converter.latin1Of(this.#whole)
    return this.#length === 0 ? null : this.#bytes!.toString('latin1', 0, this.#length)
  }

  #append(chunk: unknown, encoding: unknown, limit: number): void {
    const added = bytesOf(chunk, encoding, limit - this.#length)
    const length = Math.min(this.#length + added.length, limit)
    if (this.#bytes === null || this.#bytes.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(2 * length, FIRST_BUFFER_BYTES)))
      this.#bytes?.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    added.copy(this.#bytes, this.#length, 0, length - this.#length)
    this.#length = length
  }
}

function isText(chunk: unknown, encoding: unknown): chunk is string {
  return typeof chunk === 'string' && (typeof encoding !== 'string' || encoding === 'utf8' || encoding === 'utf-8')
}

/** The bytes of an argument of `write` or `end`, or at least the first `limit` of them. */
function bytesOf(chunk: unknown, encoding: unknown, limit: number): Buffer {
  if (typeof chunk === 'string')
    return Buffer.from(chunk.slice(0, limit), typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
  return chunk instanceof Uint8Array ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.alloc(0)
}

/** The fields of an HTTP/2 response in the form of HTTP/1. */
function linesOf(headers: OutgoingHttpHeaders): string {
  let lines = ''
  for (const name in headers) {
    if (name.startsWith(':')) continue
    for (const value of [headers[name] ?? ''].flat()) lines += `${name}: ${value}\r\n`
  }
  return lines
}
