/** Removes content codings of bodies (RFC 9110, 8.4): gzip, deflate, br and, on Node versions that have it, zstd. */
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { isOutputError, type OutputBudget } from '../contract/budgets.ts'

type DecodeSync = (body: Buffer, options: { maxOutputLength: number }) => Buffer

interface Decoder {
  create(): Transform
  decodeSync: DecodeSync
}

/** Node 20 has none. */
const { createZstdDecompress, zstdDecompressSync } = zlib as {
  createZstdDecompress?: () => Transform
  zstdDecompressSync?: DecodeSync
}

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: { create: zlib.createGunzip, decodeSync: zlib.gunzipSync },
  deflate: { create: zlib.createInflate, decodeSync: zlib.inflateSync },
  br: { create: zlib.createBrotliDecompress, decodeSync: zlib.brotliDecompressSync },
  ...(createZstdDecompress === undefined
    ? {}
    : { zstd: { create: createZstdDecompress, decodeSync: zstdDecompressSync! } }),
}
const RAW_DEFLATE: Decoder = { create: zlib.createInflateRaw, decodeSync: zlib.inflateRawSync }

/** The codings that can be removed, in the order of preference. */
export const CONTENT_CODINGS: readonly string[] = Object.keys(DECODERS)

/** More codings on one body are refused. */
const MAX_CODINGS = 4
const MAX_SHOWN = 40

/**
 * Why a body can't be decoded: 415 for an unknown coding (RFC 9110, 15.5.16), 400 for data that is not in the coding, 413 for
 * a decoded body beyond the limit.
 */
export class ContentCodingError extends Error {
  readonly code = 'SVC_CONTENT_CODING'
  readonly statusCode: 400 | 413 | 415
  readonly headers: Record<string, string>

  constructor(statusCode: ContentCodingError['statusCode'], message: string) {
    super(message)
    this.statusCode = statusCode
    this.headers = statusCode === 415 ? { 'Accept-Encoding': CONTENT_CODINGS.join(', ') } : {}
  }
}

/** Recognized by its code: after a reload there can be two copies of the class. */
export function isContentCodingError(error: unknown): error is ContentCodingError {
  return (error as { code?: unknown } | null)?.code === 'SVC_CONTENT_CODING'
}

/** The codings of a `Content-Encoding` field in the order in which they were applied, in lower case, without `identity`. */
export function contentCodings(field: string | undefined): string[] {
  const names = (field ?? '').split(',').map(name =>
    name
      .trim()
      .toLowerCase()
      .replace(/^x-gzip$/, 'gzip'),
  )
  return names.filter(name => name !== '' && name !== 'identity')
}

/** A decoder for a coding; null if it is unknown. Pipe the bytes through it, and bound what comes out. */
export function createDecoder(coding: string): Transform | null {
  return Object.hasOwn(DECODERS, coding) ? DECODERS[coding]!.create() : null
}

/**
 * Removes the codings that a `Content-Encoding` field names. `limit` bounds the result, and what each coding expands to, in
 * bytes; `budget` pays for it. Throws `ContentCodingError`, and what `budget` throws.
 */
export async function decodeContent(
  body: Buffer,
  field: string | undefined,
  { limit, budget }: { limit: number; budget?: OutputBudget },
): Promise<Buffer> {
  let decoded = body
  for (const coding of codingsToRemove(field)) {
    const decoder = decoderFor(coding, decoded).create()
    decoded = await expand(decoded, decoder, { coding, limit, budget })
  }
  return decoded
}

/** The same at once, for answers to our own requests: meanwhile nothing else runs. Throws `ContentCodingError`. */
export function decodeContentSync(body: Buffer, field: string | undefined, { limit }: { limit: number }): Buffer {
  let decoded = body
  for (const coding of codingsToRemove(field)) {
    try {
      decoded = decoderFor(coding, decoded).decodeSync(decoded, { maxOutputLength: limit })
    } catch (error) {
      throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(limit) : invalid(coding)
    }
  }
  return decoded
}

/** The last one comes first. Throws `ContentCodingError`. */
function codingsToRemove(field: string | undefined): string[] {
  const codings = contentCodings(field)
  const unknown = codings.find(coding => !Object.hasOwn(DECODERS, coding))
  if (unknown !== undefined || codings.length > MAX_CODINGS) {
    const what =
      unknown === undefined ? `${codings.length} content codings` : `the content coding "${shorten(unknown)}"`
    throw new ContentCodingError(415, `${what} is not supported (supported: ${CONTENT_CODINGS.join(', ')})`)
  }
  return codings.reverse()
}

/** Some clients send deflate without the format of zlib around it. */
function decoderFor(coding: string, body: Buffer): Decoder {
  const isRaw = coding === 'deflate' && body.length > 0 && (body[0]! & 0x0f) !== 8
  return isRaw ? RAW_DEFLATE : DECODERS[coding]!
}

function tooLarge(limit: number): ContentCodingError {
  return new ContentCodingError(413, `the decoded body exceeds the limit of ${limit} bytes`)
}

function invalid(coding: string): ContentCodingError {
  return new ContentCodingError(400, `the body is not valid ${coding} data`)
}

async function expand(
  body: Buffer,
  decoder: Transform,
  { coding, limit, budget }: { coding: string; limit: number; budget: OutputBudget | undefined },
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  decoder.end(body)
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) throw tooLarge(limit)
      budget?.takeUpTo(bytes)
      chunks.push(chunk)
    }
  } catch (error) {
    if (isContentCodingError(error) || isOutputError(error)) throw error
    throw invalid(coding)
  } finally {
    decoder.destroy()
  }
  return Buffer.concat(chunks, bytes)
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
