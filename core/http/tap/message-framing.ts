/** Finds where requests end in a stream of bytes (RFC 9112, 2.2 and 6.3), for requests that a parser may reject. */

const CR = 0x0d
const LF = 0x0a
/** A chunk-size line with extensions, or a trailer line. */
const MAX_LINE = 256 * 1024

/** Length of the request head at the start of the bytes, including the empty line; -1 if it is incomplete. */
export function headLength(bytes: Buffer): number {
  let at = 0
  // Empty lines in front of a request line are skipped (RFC 9112, 2.2).
  while (bytes[at] === CR || bytes[at] === LF) at++
  for (let line = bytes.indexOf(LF, at); line !== -1; line = bytes.indexOf(LF, line + 1)) {
    if (bytes[line + 1] === LF) return line + 2
    if (bytes[line + 1] === CR && bytes[line + 2] === LF) return line + 3
  }
  return -1
}

/** The version in the request line; 1.1 if the line has none. */
export function versionOf(head: Buffer): '1.0' | '1.1' {
  const line = head.toString('latin1', 0, Math.max(0, head.indexOf(LF)))
  return /HTTP\/1\.0\s*$/.test(line) ? '1.0' : '1.1'
}

/** Fields of a head by lower-case name, in order. Lines without a colon are left out. */
export function fieldsOf(head: Buffer): [string, string][] {
  const fields: [string, string][] = []
  for (const line of head.toString('latin1').trimStart().split('\n').slice(1)) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()])
  }
  return fields
}

/** Reads the body of one message. `take` returns how many bytes belong to it. */
export interface BodyReader {
  readonly state: 'incomplete' | 'complete' | 'invalid'
  /** `onContent` gets the body without its framing. */
  take(bytes: Buffer, onContent: (content: Buffer) => void): number
}

/** The reader for the body that this head announces. */
export function bodyReaderFor(head: Buffer): BodyReader {
  const fields = fieldsOf(head)
  const codings = fields.filter(([name]) => name === 'transfer-encoding').map(([, value]) => value)
  if (codings.length > 0) return isChunked(codings) ? new ChunkedReader() : new InvalidReader()
  const lengths = fields.filter(([name]) => name === 'content-length').flatMap(([, value]) => value.split(','))
  if (lengths.length === 0) return new LengthReader(0)
  const [first] = lengths.map(value => value.trim())
  const isValid = lengths.every(value => value.trim() === first) && /^\d{1,15}$/.test(first!)
  return isValid ? new LengthReader(Number(first)) : new InvalidReader()
}

/** Empty elements of a list are ignored (RFC 9110, 5.6.1.2). */
function isChunked(values: readonly string[]): boolean {
  const codings = values.flatMap(value => value.split(',')).map(value => value.trim())
  return (
    codings
      .filter(coding => coding !== '')
      .join()
      .toLowerCase() === 'chunked'
  )
}

class LengthReader implements BodyReader {
  #left: number
  constructor(length: number) {
    this.#left = length
  }
  get state(): BodyReader['state'] {
    return this.#left === 0 ? 'complete' : 'incomplete'
  }
  take(bytes: Buffer, onContent: (content: Buffer) => void): number {
    const taken = Math.min(bytes.length, this.#left)
    if (taken > 0) onContent(bytes.subarray(0, taken))
    this.#left -= taken
    return taken
  }
}

/** Without valid framing, everything up to the end of the connection belongs to the message. */
class InvalidReader implements BodyReader {
  readonly state = 'invalid'
  take(bytes: Buffer): number {
    return bytes.length
  }
}

class ChunkedReader implements BodyReader {
  state: BodyReader['state'] = 'incomplete'
  #part: 'size' | 'data' | 'end of data' | 'trailers' = 'size'
  #left = 0
  #line = ''

  take(bytes: Buffer, onContent: (content: Buffer) => void): number {
    let at = 0
    while (at < bytes.length && this.state === 'incomplete') {
      if (this.#part === 'data') {
        const taken = Math.min(bytes.length - at, this.#left)
        onContent(bytes.subarray(at, at + taken))
        this.#left -= taken
        at += taken
        if (this.#left === 0) this.#part = 'end of data'
        continue
      }
      const end = bytes.indexOf(LF, at)
      const stop = end === -1 ? bytes.length : end + 1
      this.#line += bytes.toString('latin1', at, stop)
      at = stop
      if (end !== -1) this.#readLine()
      else if (this.#line.length > MAX_LINE) this.state = 'invalid'
    }
    return this.state === 'invalid' ? bytes.length : at
  }

  #readLine(): void {
    const line = this.#line
    this.#line = ''
    if (this.#part === 'end of data') {
      if (line === '\r\n') this.#part = 'size'
      else this.state = 'invalid'
    } else if (this.#part === 'trailers') {
      if (line === '\r\n' || line === '\n') this.state = 'complete'
    } else {
      const size = /^([\da-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r\n$/i.exec(line)
      if (size === null) this.state = 'invalid'
      else {
        this.#left = Number.parseInt(size[1]!, 16)
        this.#part = this.#left === 0 ? 'trailers' : 'data'
      }
    }
  }
}
