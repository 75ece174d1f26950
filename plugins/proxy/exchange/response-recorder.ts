/** Collects the response of an upstream for a recording, decoded and with its timing. */
import { isUtf8 } from 'node:buffer'
import type { Transform } from 'node:stream'
import { isOutputError, OutputBudget, type SharedMemory } from 'svc/plugin'
import { CONTENT_CODINGS, contentCodings, createDecoder, drained } from 'svc/toolkit'
import type { Upstream } from '../config/upstream.ts'
import { headerRecord, responseHeaders, type HeaderLine } from '../forwarded-headers.ts'
import type { RecordedChunk, RecordedResponse } from '../recordings/recording.ts'
import { hidesMembers, isJsonType, mediaType, type Pairs } from '../recordings/request-shape.ts'
import { RecordedBytes, type Chunk } from './recorded-bytes.ts'
import { ResponseCleaner } from './response-cleaner.ts'

/** Bytes of a body that can be recorded, as it came and decoded. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** Bytes of all bodies that are being recorded. */
export const MAX_BODIES_BYTES = 2 * MAX_BODY_BYTES
/** A body of known length that arrives within this time, in milliseconds, is recorded in one piece. */
const ONE_PIECE_MS = 20

/** Describe the bytes on the wire, or the day of the response. In the response to HEAD, they describe those for GET. */
const NOT_RECORDED = new Set(['content-length', 'content-encoding', 'date'])

export interface RecorderOptions {
  upstream: Upstream
  status: number
  /** Whether it is the response to a HEAD request. */
  isHead: boolean
  lines: readonly HeaderLine[]
  /** When the request was sent, on the clock of `performance.now`. */
  sentAt: number
  /** The secrets of the request, which the upstream may repeat. Called after the request is complete. */
  secrets: () => Iterable<string>
  /** Memory for all bodies that are being recorded. */
  memory: SharedMemory
}

/** What came before the response and after its body. */
export interface AroundBody {
  /** Headers of 103 responses. */
  hints: readonly Pairs[]
  trailers: Pairs
}

type RecordedBody = Pick<RecordedResponse, 'json' | 'body' | 'base64' | 'chunks'>

export class ResponseRecorder {
  readonly #options: RecorderOptions
  readonly #headAt = performance.now()
  readonly #recordedAt = new Date()
  readonly #decoder: Transform | null
  readonly #decoded: Promise<boolean>
  readonly #budget: OutputBudget
  readonly #bytes: RecordedBytes
  #received = 0
  #isTooLarge = false
  #hasBytes = false

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#budget = new OutputBudget(MAX_BODY_BYTES, options.memory)
    this.#bytes = new RecordedBytes(this.#budget)
    const [coding] = codingsOf(options.lines)
    this.#decoder = coding === undefined ? null : createDecoder(coding)
    this.#decoded = this.#decoder === null ? Promise.resolve(true) : this.#collect(this.#decoder)
  }

  /** Whether the body is too long by its announced length, or in a coding in which no secrets can be found. */
  static cannotRecord(lines: readonly HeaderLine[]): boolean {
    const codings = codingsOf(lines)
    const isUnknown = codings.length > 1 || codings.some(coding => !CONTENT_CODINGS.includes(coding))
    return Number(headerOf(lines, 'content-length')) > MAX_BODY_BYTES || isUnknown
  }

  /** False if the decoder is behind: await `ready` before the next piece, which it would have to keep. */
  write(bytes: Buffer): boolean {
    this.#hasBytes = true
    if (this.#isTooLarge) return true
    this.#received += bytes.length
    if (this.#received > MAX_BODY_BYTES) this.discard()
    else if (this.#decoder === null) this.#add(bytes)
    // A decoder that has failed is destroyed.
    else if (!this.#decoder.destroyed) return this.#decoder.write(bytes)
    return true
  }

  /** Resolves when the decoder can take more, or has ended. */
  async ready(): Promise<void> {
    if (this.#decoder?.writableNeedDrain === true) await drained(this.#decoder, Infinity)
  }

  /** The recording, after the body is complete; null if it is too large or its coding is invalid. */
  async finish({ hints, trailers }: AroundBody): Promise<RecordedResponse | null> {
    const endedAt = performance.now()
    if (this.#hasBytes) {
      this.#decoder?.end()
      if (!(await this.#decoded) || this.#isTooLarge) return null
    } else this.#decoder?.destroy()
    const { status, upstream, sentAt, secrets } = this.#options
    const cleaner = new ResponseCleaner(upstream, secrets())
    const { all, chunks } = this.#bytes.take()
    if (
      upstream.redact.json.length > 0 &&
      hidesMembers(all.toString(), mediaType(this.#header('content-type')), upstream)
    )
      return null
    return {
      status,
      headers: this.#headers(upstream, cleaner),
      recorded_at: this.#recordedAt.toISOString(),
      first_byte_ms: Math.round(this.#headAt - sentAt),
      ...(hints.length === 0 ? {} : { early_hints: hints.map(fields => cleanFields(fields, cleaner)) }),
      ...(await this.#body(all, chunks, endedAt, cleaner)),
      ...(Object.keys(trailers).length === 0 ? {} : { trailers: cleanFields(trailers, cleaner) }),
    }
  }

  /** Ends the decoder and gives the memory back. Call it when the response is written, or is not recorded. */
  discard(): void {
    this.#isTooLarge = true
    this.#bytes.drop()
    this.#budget.release()
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
    if (this.#isTooLarge) return
    try {
      this.#bytes.add(bytes)
    } catch (error) {
      if (!isOutputError(error)) throw error
      this.discard()
    }
  }

  #header(name: string): string {
    return headerOf(this.#options.lines, name)
  }

  #headers(upstream: Upstream, cleaner: ResponseCleaner): Record<string, string | string[]> {
    const kept = responseHeaders(this.#options.lines).flatMap(([given, value]): HeaderLine[] => {
      const name = given.toLowerCase()
      if (NOT_RECORDED.has(name) && !(this.#options.isHead && name !== 'date')) return []
      if (upstream.ignore.headers.has(name)) return []
      return [[name, cleaner.header(name, value)]]
    })
    return headerRecord(kept)
  }

  async #body(all: Buffer, chunks: readonly Chunk[], endedAt: number, cleaner: ResponseCleaner): Promise<RecordedBody> {
    if (all.length === 0) return {}
    const type = mediaType(this.#header('content-type'))
    const isSized = this.#header('content-length') !== ''
    const isOnePiece = chunks.length === 1 || (isSized && endedAt - this.#headAt < ONE_PIECE_MS)
    if (isOnePiece) return cleaner.body(all, type)
    if (!isUtf8(all)) {
      const shown = partsOf(cleaner.bytes(all), chunks)
      return { chunks: this.#timed(chunks, index => ({ base64: shown[index]!.toString('base64') })) }
    }
    // A secret that only a parser finds: without the timing, but redacted.
    const changed = isJsonType(type) ? await cleaner.changedJson(all) : null
    if (changed !== null) return changed
    const texts = textsOf(chunks.map(({ bytes }) => bytes))
    const shown = texts.map(text => cleaner.text(text))
    const whole = cleaner.text(texts.join(''))
    // So is one that spans chunks.
    if (whole !== shown.join('')) return { chunks: this.#timed(chunks.slice(0, 1), () => ({ text: whole })) }
    return { chunks: this.#timed(chunks, index => ({ text: shown[index]! })).filter(({ text }) => text !== '') }
  }

  #timed(chunks: readonly Chunk[], contentOf: (index: number) => Omit<RecordedChunk, 'after_ms'>): RecordedChunk[] {
    let before = this.#headAt
    return chunks.map(({ at }, index) => {
      const gap = Math.max(0, Math.round(at - before))
      before = at
      return { after_ms: gap, ...contentOf(index) }
    })
  }
}

function cleanFields(fields: Pairs, cleaner: ResponseCleaner): Pairs {
  const cleaned = Object.entries(fields).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(one => cleaner.header(name, one)) : cleaner.header(name, value),
  ])
  return Object.fromEntries(cleaned) as Pairs
}

function headerOf(lines: readonly HeaderLine[], name: string): string {
  return lines.find(([other]) => other.toLowerCase() === name)?.[1] ?? ''
}

function codingsOf(lines: readonly HeaderLine[]): string[] {
  return contentCodings(headerOf(lines, 'content-encoding'))
}

/** Cut where the pieces were. */
function partsOf(bytes: Buffer, pieces: readonly Chunk[]): Buffer[] {
  let start = 0
  return pieces.map(piece => bytes.subarray(start, (start += piece.bytes.length)))
}

/** Texts of chunks; a character that spans two of them belongs to the second. */
function textsOf(chunks: readonly Buffer[]): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return chunks.map((bytes, index) => decoder.decode(bytes, { stream: index < chunks.length - 1 }))
}
