/** Applies content codings to bodies (RFC 9110, 8.4): to a whole one, or to a stream, so that its parts can be read as they come. */
import { Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { loadZstd, type Encode } from './zstd.ts'

/** In HTTP `deflate` is the zlib format. */
export const ENCODER_CODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const
export type EncoderCoding = (typeof ENCODER_CODINGS)[number]

/** Higher levels take much longer for little. */
const DEFLATE_LEVEL = 6
const BROTLI_QUALITY = 4
/** A larger body is coded outside the main thread. */
const MAX_SYNC_BYTES = 16_384

export interface ContentEncoder {
  readonly coding: EncoderCoding
  /** A whole body; a promise for a large one. */
  encode(body: Buffer): Uint8Array | Promise<Uint8Array>
  /**
   * A stream whose parts can be decoded as soon as they are written. `flushes: false`: only at its end, as coders do that know
   * nothing of events.
   */
  stream(options?: { flushes?: boolean }): EncoderStream
}

export interface EncoderStream {
  readonly output: Transform
  /** Codes a part and flushes it. False: wait for the `drain` of `output`. */
  write(part: Buffer): boolean
}

/** Zstandard is loaded when it is first used; a stream of it is one frame a part. */
export async function createContentEncoder(coding: EncoderCoding): Promise<ContentEncoder> {
  if (coding !== 'zstd') return zlibEncoder(coding)
  const encode = await loadZstd()
  return { coding, encode, stream: ({ flushes = true } = {}) => (flushes ? frames(encode) : oneFrame(encode)) }
}

/** The same without waiting; null for Zstandard. */
export function zlibEncoder(coding: Exclude<EncoderCoding, 'zstd'>): ContentEncoder {
  const { create, sync, whole, flush } = ZLIB[coding]
  return {
    coding,
    encode: body => (body.length <= MAX_SYNC_BYTES ? sync(body) : whole(body)),
    stream: ({ flushes = true } = {}) => {
      const output = create()
      return {
        output,
        write(part) {
          output.write(part)
          if (flushes) output.flush(flush)
          return !output.writableNeedDrain
        },
      }
    },
  }
}

interface ZlibCoding {
  create(): Transform & zlib.Zlib
  sync(body: Buffer): Buffer
  whole(body: Buffer): Promise<Buffer>
  flush: number
}

const { constants } = zlib
const LEVEL = { level: DEFLATE_LEVEL }
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }
const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip)
const deflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflate)
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)

const ZLIB: Readonly<Record<Exclude<EncoderCoding, 'zstd'>, ZlibCoding>> = {
  gzip: {
    create: () => zlib.createGzip(LEVEL),
    sync: body => zlib.gzipSync(body, LEVEL),
    whole: body => gzip(body, LEVEL),
    flush: constants.Z_SYNC_FLUSH,
  },
  deflate: {
    create: () => zlib.createDeflate(LEVEL),
    sync: body => zlib.deflateSync(body, LEVEL),
    whole: body => deflate(body, LEVEL),
    flush: constants.Z_SYNC_FLUSH,
  },
  br: {
    create: () => zlib.createBrotliCompress(QUALITY),
    sync: body => zlib.brotliCompressSync(body, QUALITY),
    whole: body => brotli(body, QUALITY),
    flush: constants.BROTLI_OPERATION_FLUSH,
  },
}

function frames(encode: Encode): EncoderStream {
  const output = new Transform({
    transform(part: Buffer, _encoding, done) {
      if (part.length === 0) done()
      else done(null, encode(part))
    },
  })
  return {
    output,
    write(part) {
      return output.write(part)
    },
  }
}

/** Everything in one frame, once it is complete. */
function oneFrame(encode: Encode): EncoderStream {
  const parts: Buffer[] = []
  const output = new Transform({
    transform(part: Buffer, _encoding, done) {
      parts.push(part)
      done()
    },
    flush: done => done(null, encode(Buffer.concat(parts))),
  })
  return { output, write: part => output.write(part) }
}
