/** Collects the response of an upstream for a recording, decoded and with its timing. */
import { isUtf8 } from 'node:buffer'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { isOutputError, OutputBudget, Pacer } from 'svc/plugin'
import type { SharedMemory } from 'svc/plugin'
import type { Upstream } from '../config/upstream.ts'
import { headerRecord, responseHeaders } from '../forwarded-headers.ts'
import type { HeaderLine } from '../forwarded-headers.ts'
import { parseBoundedJson, redactHeader, redactJson, redactParameters, redactText } from '../redaction.ts'
import type { RecordedChunk, RecordedResponse } from '../recordings/recording.ts'
import { RecordedBytes } from './recorded-bytes.ts'
import type { Chunk } from './recorded-bytes.ts'
import { isJsonType, MAX_JSON_CHARACTERS, mediaType } from '../recordings/request-shape.ts'

/** Bytes of a body that can be recorded, as it came and decoded. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** Bytes of all bodies that are being recorded. */
export const MAX_BODIES_BYTES = 2 * MAX_BODY_BYTES
/** A body of known length that arrives within this time, in milliseconds, is recorded in one piece. */
const ONE_PIECE_MS = 20

const DECODERS: Record<string, () => Transform> = {
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
  /** Credentials of the request, which the upstream may echo. */
  secrets: readonly string[]
  /** Memory for all bodies that are being recorded. */
  memory: SharedMemory
}

export class ResponseRecorder {
  readonly #options: RecorderOptions
  readonly #headAt = performance.now()
  readonly #recordedAt = new Date()
  readonly #decoder: Transform | null
  readonly #decoded: Promise<boolean>
  readonly #isCoded: boolean
  readonly #budget: OutputBudget
  readonly #bytes: RecordedBytes
  #received = 0
  #isTooLarge = false
  #hasBytes = false

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#budget = new OutputBudget(MAX_BODY_BYTES, options.memory)
    this.#bytes = new RecordedBytes(this.#budget)
    const coding = this.#header('content-encoding').trim().toLowerCase()
    const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
    this.#isCoded = coding !== '' && coding !== 'identity' && decoder === undefined
    this.#decoder = decoder?.() ?? null
    this.#decoded = this.#decoder === null ? Promise.resolve(true) : this.#collect(this.#decoder)
  }

  /** Whether the announced length is too large to be recorded. */
  static isTooLong(lines: readonly HeaderLine[]): boolean {
    const length = lines.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
    return length !== undefined && Number(length) > MAX_BODY_BYTES
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
  ready(): Promise<void> {
    const decoder = this.#decoder
    if (decoder === null || decoder.destroyed || !decoder.writableNeedDrain) return Promise.resolve()
    return new Promise(resolve => {
      const proceed = (): void => {
        decoder.off('drain', proceed).off('close', proceed)
        resolve()
      }
      decoder.on('drain', proceed).on('close', proceed)
    })
  }

  /** The recording, after the body is complete; null if it is too large or its coding is invalid. */
  async finish(): Promise<RecordedResponse | null> {
    const endedAt = performance.now()
    if (this.#hasBytes) {
      this.#decoder?.end()
      if (!(await this.#decoded) || this.#isTooLarge) return null
    } else this.#decoder?.destroy()
    const { status, upstream, sentAt } = this.#options
    return {
      status,
      headers: this.#headers(upstream),
      recorded_at: this.#recordedAt.toISOString(),
      first_byte_ms: Math.round(this.#headAt - sentAt),
      ...(await this.#body(endedAt)),
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
    return this.#options.lines.find(([other]) => other.toLowerCase() === name)?.[1] ?? ''
  }

  #headers(upstream: Upstream): Record<string, string | string[]> {
    const { lines, secrets } = this.#options
    const kept = responseHeaders(lines).flatMap(([given, value]): HeaderLine[] => {
      const name = given.toLowerCase()
      if (NOT_RECORDED.has(name) && !(this.#isCoded && name === 'content-encoding')) return []
      if (upstream.ignore.headers.has(name)) return []
      return [[name, redactText(redactHeader(name, value, upstream.redact), secrets)]]
    })
    return headerRecord(kept)
  }

  async #body(endedAt: number): Promise<Pick<RecordedResponse, 'json' | 'body' | 'base64' | 'chunks'>> {
    const { all, chunks } = this.#bytes.take()
    if (all.length === 0) return {}
    const isSized = this.#header('content-length') !== ''
    const isOnePiece = chunks.length === 1 || (isSized && endedAt - this.#headAt < ONE_PIECE_MS)
    const { upstream, secrets } = this.#options
    if (isOnePiece) return onePiece(all, mediaType(this.#header('content-type')), upstream, secrets)
    return { chunks: this.#timed(chunks, isUtf8(all)) }
  }

  #timed(chunks: Chunk[], isText: boolean): RecordedChunk[] {
    let before = this.#headAt
    const gapBefore = ({ at }: Chunk): number => {
      const gap = Math.max(0, Math.round(at - before))
      before = at
      return gap
    }
    if (!isText) return chunks.map(chunk => ({ after_ms: gapBefore(chunk), base64: chunk.bytes.toString('base64') }))
    const texts = textsOf(chunks.map(({ bytes }) => bytes))
    const { secrets } = this.#options
    const shown = texts.map(text => redactText(text, secrets))
    const whole = redactText(texts.join(''), secrets)
    // A credential that spans chunks: without the timing, but redacted.
    if (whole !== shown.join('')) return [{ after_ms: gapBefore(chunks[0]!), text: whole }]
    return chunks
      .map((chunk, index) => ({ after_ms: gapBefore(chunk), text: shown[index]! }))
      .filter(({ text }) => text !== '')
  }
}

/** Texts of chunks; a character that spans two of them belongs to the second. */
function textsOf(chunks: readonly Buffer[]): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return chunks.map((bytes, index) => decoder.decode(bytes, { stream: index < chunks.length - 1 }))
}

/** Yields between steps, each of which takes long for a large body. */
async function onePiece(
  bytes: Buffer,
  type: string,
  upstream: Upstream,
  secrets: readonly string[],
): Promise<Pick<RecordedResponse, 'json' | 'body' | 'base64'>> {
  const pacer = new Pacer()
  const yielded = <T>(value: T): T | Promise<T> => (pacer.isDue ? pacer.pause().then(() => value) : value)
  if (!isUtf8(bytes)) return { base64: bytes.toString('base64') }
  const text = await yielded(bytes.toString('utf8'))
  const json = isJsonType(type) ? await yielded(parseBoundedJson(text)) : undefined
  if (json !== undefined) {
    const redacted = await yielded(redactJson(json, upstream.redact))
    const printed = await yielded(JSON.stringify(redacted))
    const isChanged = (await yielded(JSON.stringify(json))) !== printed
    const shown = await yielded(redactText(isChanged ? printed : text, secrets))
    // As a value only if replaying it gives the same bytes.
    if (text.length > MAX_JSON_CHARACTERS) return { body: shown }
    const value = shown === printed ? redacted : parseBoundedJson(shown)
    return value !== undefined && JSON.stringify(value) === shown ? { json: value } : { body: shown }
  }
  if (type === 'application/x-www-form-urlencoded') return { body: redactParameters(redactText(text, secrets)) }
  return { body: redactText(text, secrets) }
}
