/** Owns the four content codings and their encoders. */
import zlib from 'node:zlib'

export interface Coding {
  /** Route and, in the past tense, the flag of the reply. */
  name: 'gzip' | 'deflate' | 'brotli' | 'zstd'
  flag: string
  /** As in `Content-Encoding` (RFC 9110, 8.4.1; RFC 7932; RFC 8878). */
  token: string
  encode(text: string): Uint8Array | Promise<Uint8Array>
}

/** An encoder of bytes. */
export type Encode = (bytes: Buffer) => Uint8Array

const ZSTD_LEVEL = 3
/** The best quality takes a hundred times as long, for a body that is looked at once. */
const BROTLI_QUALITY = 5

/** All codings; Zstandard is Node's own from 22.15 on, and what `loadZstd` answers before. */
export function createCodings(loadZstd: () => Promise<Encode>): Coding[] {
  const nodeZstd = (zlib as { zstdCompressSync?: Encode }).zstdCompressSync
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
      encode: async text => (nodeZstd ?? (await loadZstd()))(Buffer.from(text)),
    },
  ]
}

/**
 * By the package's function, since the package keeps one instance for the process: initialized twice, it compresses before
 * the second instance is ready. Servers of one process share it.
 */
const instances = new WeakMap<object, Promise<Encode>>()

/** Zstandard in WebAssembly. The package takes 16 MiB each time that it is asked, and never gives them back. */
export async function wasmZstd(): Promise<Encode> {
  const zstd = await import('@bokuweb/zstd-wasm')
  const instance =
    instances.get(zstd.init) ?? zstd.init().then(() => (bytes: Buffer) => zstd.compress(bytes, ZSTD_LEVEL))
  instances.set(zstd.init, instance)
  return instance
}
