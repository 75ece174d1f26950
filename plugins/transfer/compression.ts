/** The four content codings and their encoders. */
import zlib from 'node:zlib'
import { loadZstd } from 'svc/toolkit'

export interface Coding {
  /** Name of the route. */
  name: 'gzip' | 'deflate' | 'brotli' | 'zstd'
  flag: string
  /** Value of `Content-Encoding` (RFC 9110, 8.4.1; RFC 7932; RFC 8878). */
  token: string
  encode(text: string): Uint8Array | Promise<Uint8Array>
}

/** The best quality takes a hundred times as long, which is not worth it for a body that is read once. */
const BROTLI_QUALITY = 5

export function createCodings(): Coding[] {
  return [
    { name: 'gzip', flag: 'gzipped', token: 'gzip', encode: text => zlib.gzipSync(text) },
    // In HTTP `deflate` means the zlib format, not the bare stream.
    { name: 'deflate', flag: 'deflated', token: 'deflate', encode: text => zlib.deflateSync(text) },
    {
      name: 'brotli',
      flag: 'brotli',
      token: 'br',
      encode: text =>
        zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    },
    {
      name: 'zstd',
      flag: 'zstd',
      token: 'zstd',
      encode: async text => (await loadZstd())(Buffer.from(text)),
    },
  ]
}
