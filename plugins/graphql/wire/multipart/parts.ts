/** Writes `multipart/mixed` bodies whose parts are JSON (RFC 2046, 5.1). */

/** The delimiter follows each part at once, so that readers have the part before the next one comes. */
export class MultipartWriter {
  readonly #boundary: string

  constructor(boundary: string) {
    this.#boundary = boundary
  }

  open(): string {
    return `--${this.#boundary}`
  }

  part(value: object): string {
    return `\r\nContent-Type: application/json; charset=utf-8\r\n\r\n${JSON.stringify(value)}\r\n--${this.#boundary}`
  }

  close(): string {
    return '--\r\n'
  }
}

/** An answer that is streamed outside Yoga. */
export interface StreamedAnswer {
  contentType: string
  /** The events of a subscription, in contrast to a single answer in parts. */
  isFeed: boolean
  /** What is sent. `isResult`: the chunk has a result, which `cut` counts. */
  chunks: AsyncIterable<StreamedChunk>
  /** Ends the operation at once. */
  end(): void
}

export interface StreamedChunk {
  text: string
  isResult: boolean
}
