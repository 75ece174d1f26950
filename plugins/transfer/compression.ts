/** The four content codings and their encoders. */
import zlib from 'node:zlib'

export interface Coding {
  /** Name of the route. */
  name: 'gzip' | 'deflate' | 'brotli' | 'zstd'
  flag: string
  /** Value of `Content-Encoding` (RFC 9110, 8.4.1; RFC 7932; RFC 8878). */
  token: string
  encode(text: string): Uint8Array | Promise<Uint8Array>
}

/** Compresses bytes. */
export type Encode = (bytes: Buffer) => Uint8Array

const ZSTD_LEVEL = 3
/** The best quality takes a hundred times as long, which is not worth it for a body that is read once. */
const BROTLI_QUALITY = 5

/** All codings; Zstandard is built into Node from 22.15, and loaded by `loadZstd` before that. */
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
 * Cached by the function of the package, because the package keeps one instance per process: after a second
 * initialization it would compress before the new instance is ready. Servers in one process share it.
 */
const instances = new WeakMap<object, Promise<Encode>>()

/** Zstandard in WebAssembly. Each initialization of the package allocates 16 MiB that are never freed. */
export async function wasmZstd(): Promise<Encode> {
  const zstd = await import('@bokuweb/zstd-wasm')
  const instance =
    instances.get(zstd.init) ?? zstd.init().then(() => (bytes: Buffer) => zstd.compress(bytes, ZSTD_LEVEL))
  instances.set(zstd.init, instance)
  return instance
}
