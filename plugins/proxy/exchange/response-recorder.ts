/** Collects the response of an upstream for a recording, decoded and with its timing. */
import { isUtf8 } from 'node:buffer'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Upstream } from '../config/upstream.ts'
import { headerRecord, responseHeaders } from '../forwarded-headers.ts'
import type { HeaderLine } from '../forwarded-headers.ts'
import type { RecordedChunk, RecordedResponse } from '../recordings/recording.ts'
import { isJsonType, mediaType } from '../recordings/request-shape.ts'
import { ResponseCleaner } from './response-cleaner.ts'

/** Bytes of a decoded body that can be recorded. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
const MAX_CHUNKS = 10_000
/** Pieces that arrive this close together, in milliseconds, are one chunk. */
const SAME_MS = 1
/** A body of known length that arrives within this time, in milliseconds, is recorded in one piece. */
const ONE_PIECE_MS = 20

/** Null: the bytes are the body. */
const DECODERS: Record<string, (() => Transform) | null> = {
  '': null,
  identity: null,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
/** Describe the bytes on the wire, or the day of the response. */
const NOT_RECORDED = new Set(['content-length', 'content-encoding', 'date'])

export interface RecorderOptions {
  upstream: Upstream
  status: number
  lines: readonly HeaderLine[]
  /** When the request was sent, on the clock of `performance.now`. */
  sentAt: number
  /** The secrets of the request, which the upstream may repeat. Called after the request is complete. */
  secrets: () => Iterable<string>
}

type RecordedBody = Pick<RecordedResponse, 'json' | 'body' | 'base64' | 'chunks'>

interface Piece {
  at: number
  bytes: Buffer
}

export class ResponseRecorder {
  readonly #options: RecorderOptions
  readonly #headAt = performance.now()
  readonly #recordedAt = new Date()
  readonly #decoder: Transform | null
  readonly #decoded: Promise<boolean>
  #pieces: Piece[] = []
  #bytes = 0
  #isTooLarge = false
  #hasBytes = false

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#decoder = DECODERS[codingOf(options.lines)]?.() ?? null
    this.#decoded = this.#decoder === null ? Promise.resolve(true) : this.#collect(this.#decoder)
  }

  /** Whether the body is too long by its announced length, or in a coding in which no secrets can be found. */
  static cannotRecord(lines: readonly HeaderLine[]): boolean {
    return Number(headerOf(lines, 'content-length')) > MAX_BODY_BYTES || !Object.hasOwn(DECODERS, codingOf(lines))
  }

  write(bytes: Buffer): void {
    this.#hasBytes = true
    if (this.#isTooLarge) return
    if (this.#decoder === null) this.#add(bytes)
    else this.#decoder.write(bytes)
  }

  /** The recording, after the body is complete; null if it is too large or its coding is invalid. */
  async finish(): Promise<RecordedResponse | null> {
    const endedAt = performance.now()
    if (this.#hasBytes) {
      this.#decoder?.end()
      if (!(await this.#decoded) || this.#isTooLarge) return null
    } else this.#decoder?.destroy()
    const { status, upstream, sentAt, secrets } = this.#options
    const cleaner = new ResponseCleaner(upstream, secrets())
    return {
      status,
      headers: this.#headers(upstream, cleaner),
      recorded_at: this.#recordedAt.toISOString(),
      first_byte_ms: Math.round(this.#headAt - sentAt),
      ...this.#body(endedAt, cleaner),
    }
  }

  /** Ends the decoder of a response that is not recorded. */
  discard(): void {
    this.#isTooLarge = true
    this.#pieces = []
    this.#decoder?.destroy()
  }

  #collect(decoder: Transform): Promise<boolean> {
    return new Promise(resolve => {
      decoder.on('data', (bytes: Buffer) => this.#add(bytes))
      decoder.once('end', () => resolve(true))
      decoder.on('error', () => resolve(false))
      decoder.once('close', () => resolve(false))
    })
  }

  #add(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes > MAX_BODY_BYTES) return this.discard()
    this.#pieces.push({ at: performance.now(), bytes })
  }

  #header(name: string): string {
    return headerOf(this.#options.lines, name)
  }

  #headers(upstream: Upstream, cleaner: ResponseCleaner): Record<string, string | string[]> {
    const kept = responseHeaders(this.#options.lines).flatMap(([given, value]): HeaderLine[] => {
      const name = given.toLowerCase()
      if (NOT_RECORDED.has(name)) return []
      if (upstream.ignore.headers.has(name)) return []
      return [[name, cleaner.header(name, value)]]
    })
    return headerRecord(kept)
  }

  #body(endedAt: number, cleaner: ResponseCleaner): RecordedBody {
    const all = Buffer.concat(this.#pieces.map(({ bytes }) => bytes))
    if (all.length === 0) return {}
    const chunks = joinPieces(this.#pieces)
    const type = mediaType(this.#header('content-type'))
    const isSized = this.#header('content-length') !== ''
    const isOnePiece = chunks.length === 1 || (isSized && endedAt - this.#headAt < ONE_PIECE_MS)
    if (isOnePiece) return cleaner.body(all, type)
    if (!isUtf8(all)) {
      const shown = partsOf(cleaner.bytes(all), chunks)
      return { chunks: this.#timed(chunks, index => ({ base64: shown[index]!.toString('base64') })) }
    }
    // A secret that only a parser finds: without the timing, but redacted.
    if (isJsonType(type) && cleaner.changesJson(all)) return cleaner.body(all, type)
    const texts = textsOf(chunks.map(({ bytes }) => bytes))
    const shown = texts.map(text => cleaner.text(text))
    const whole = cleaner.text(texts.join(''))
    // So is one that spans chunks.
    if (whole !== shown.join('')) return { chunks: this.#timed(chunks.slice(0, 1), () => ({ text: whole })) }
    return { chunks: this.#timed(chunks, index => ({ text: shown[index]! })).filter(({ text }) => text !== '') }
  }

  #timed(chunks: readonly Piece[], contentOf: (index: number) => Omit<RecordedChunk, 'after_ms'>): RecordedChunk[] {
    let before = this.#headAt
    return chunks.map(({ at }, index) => {
      const gap = Math.max(0, Math.round(at - before))
      before = at
      return { after_ms: gap, ...contentOf(index) }
    })
  }
}

function headerOf(lines: readonly HeaderLine[], name: string): string {
  return lines.find(([other]) => other.toLowerCase() === name)?.[1] ?? ''
}

function codingOf(lines: readonly HeaderLine[]): string {
  return headerOf(lines, 'content-encoding').trim().toLowerCase()
}

/** Cut where the pieces were. */
function partsOf(bytes: Buffer, pieces: readonly Piece[]): Buffer[] {
  let start = 0
  return pieces.map(piece => bytes.subarray(start, (start += piece.bytes.length)))
}

/** Joins pieces that arrived together, and those above the limit. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: { at: number; last: number; parts: Buffer[] }[] = []
  for (const { at, bytes } of pieces) {
    const before = joined.at(-1)
    if (before !== undefined && (at - before.last < SAME_MS || joined.length >= MAX_CHUNKS)) {
      before.parts.push(bytes)
      before.last = at
    } else joined.push({ at, last: at, parts: [bytes] })
  }
  return joined.map(({ at, parts }) => ({ at, bytes: Buffer.concat(parts) }))
}

/** Texts of chunks; a character that spans two of them belongs to the second. */
function textsOf(chunks: readonly Buffer[]): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return chunks.map((bytes, index) => decoder.decode(bytes, { stream: index < chunks.length - 1 }))
}
