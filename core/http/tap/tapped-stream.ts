/** A claimed request of an HTTP/2 connection. There are no bytes below the frames: fields and DATA are recorded. */
import {
  constants,
  type Http2Session,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  type ServerStreamResponseOptions,
} from 'node:http2'
import type { Arrival, TapFields, TapHttp2Reply, TapOptions } from '../../contract/tap.ts'
import { LiveArrival } from './live-arrival.ts'
import type { BodyReader } from './message-framing.ts'

/** How long a connection stays open after GOAWAY. */
const LINGER_MS = 1_000

export interface StreamFacts {
  step: string
  options: TapOptions
  connection: number
  requestOnConnection: number
  listener: Arrival['listener']
}

/** Names and values that alternate, in pairs. */
function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2]!, raw[index * 2 + 1]!])
}

/** The head of a request as text: a request line, then all fields in order. */
export function headOf(rawHeaders: readonly string[]): Buffer {
  let method = 'GET'
  let path = ''
  let lines = ''
  for (const [name, value] of pairsOf(rawHeaders)) {
    if (name === ':method') method = value
    else if (name === ':path') path = value
    lines += `${name}: ${value}\r\n`
  }
  return Buffer.from(`${method} ${path} HTTP/2\r\n${lines}\r\n`, 'latin1')
}

/** Field names and values as Node wants them: values of one name together. */
function grouped(fields: TapFields): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of fields) {
    const before = found[name]
    found[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return found
}

/** The body of an HTTP/2 request: DATA until END_STREAM. */
class DataReader implements BodyReader {
  state: BodyReader['state'] = 'incomplete'
  take(bytes: Buffer, onContent: (content: Buffer) => void): number {
    onContent(bytes)
    return bytes.length
  }
}

export class TappedStream {
  readonly #stream: ServerHttp2Stream
  readonly #session: Http2Session
  readonly #gone = new AbortController()
  #trailers: OutgoingHttpHeaders = {}
  #isAnswered = false
  #isOwnReset = false
  #isOver = false

  constructor(stream: ServerHttp2Stream, head: Buffer, { options, ...facts }: StreamFacts) {
    this.#stream = stream
    this.#session = stream.session!
    const reader = new DataReader()
    const arrival = new LiveArrival(head, { ...facts, socket: this.#session.socket, protocol: '2', reader })
    stream.on('data', (chunk: Buffer) => arrival.take(chunk))
    stream.on('trailers', (_headers: unknown, _flags: unknown, ...more: unknown[]) => {
      arrival.trailers = pairsOf(more[0] as string[])
    })
    stream.on('end', () => {
      // Node ends what can be read of a stream that was reset too.
      if (this.#isOver || stream.rstCode !== constants.NGHTTP2_NO_ERROR) return
      reader.state = 'complete'
      arrival.checkReceived()
    })
    stream.on('error', () => {})
    stream.on('wantTrailers', () => stream.sendTrailers(this.#trailers))
    // Comes first if the response was not complete, before the connection ends with a GOAWAY that follows.
    stream.on('aborted', () => this.#noteReset(arrival))
    stream.on('close', () => {
      this.#noteReset(arrival)
      arrival.end(this.#isAnswered || stream.rstCode === constants.NGHTTP2_NO_ERROR ? 'kept' : 'reset')
      this.#gone.abort()
    })
    options.onArrival(arrival)
    options.answerHttp2!(arrival, this.#reply())
  }

  /** Node gives streams an error code too when their connection ends. */
  #noteReset(arrival: LiveArrival): void {
    if (this.#isOver) return
    this.#isOver = true
    const { rstCode } = this.#stream
    const isOfConnection = this.#session.destroyed || this.#session.socket.destroyed
    const isReset = this.#stream.aborted || rstCode !== constants.NGHTTP2_NO_ERROR
    if (isReset && !isOfConnection && !this.#isOwnReset) arrival.resetCode = rstCode
  }

  #reply(): TapHttp2Reply {
    const stream = this.#stream
    const isOpen = (): boolean => !stream.destroyed && !stream.closed
    return {
      signal: this.#gone.signal,
      interim: (status, fields) => {
        if (isOpen()) stream.additionalHeaders({ ':status': status, ...grouped(fields) })
      },
      respond: (status, fields, isLast = false) => {
        if (!isOpen() || stream.headersSent) return
        // What the server adds by itself would not be what the claimer wrote.
        const options: ServerStreamResponseOptions & { sendDate: boolean } = {
          ...(isLast ? { endStream: true } : { waitForTrailers: true }),
          sendDate: false,
        }
        stream.respond({ ':status': status, ...grouped(fields) }, options)
      },
      write: bytes =>
        new Promise(resolve => {
          if (!isOpen() || stream.writableEnded || !stream.headersSent) return resolve(false)
          stream.write(bytes, error => resolve(error === null || error === undefined))
        }),
      end: (trailers = []) => {
        this.#isAnswered = true
        this.#trailers = grouped(trailers)
        if (isOpen()) stream.end()
      },
      reset: code => {
        this.#isAnswered = true
        if (!isOpen()) return
        this.#isOwnReset = true
        stream.close(code)
      },
      goAway: isRefused => {
        this.#isAnswered = true
        const session = this.#session
        if (session.destroyed) return
        session.goaway(constants.NGHTTP2_NO_ERROR, isRefused ? Math.max(0, (stream.id ?? 1) - 2) : stream.id)
        setTimeout(() => session.destroy(), LINGER_MS).unref()
      },
    }
  }
}
