/** Zstandard (RFC 8878) on every Node: built in from 22.15, before that in WebAssembly. */
import zlib from 'node:zlib'

/** Compresses bytes, as one complete frame. */
export type Encode = (bytes: Buffer) => Uint8Array

const ZSTD_LEVEL = 3

/**
 * Cached by the function of the package, because the package keeps one instance per process: after a second
 * initialization it would compress before the new instance is ready. Servers in one process share it.
 */
const instances = new WeakMap<object, Promise<Encode>>()

/** Each initialization of the package allocates 16 MiB that are never freed, so it is loaded when it is first needed. */
export async function loadZstd(): Promise<Encode> {
  const { zstdCompressSync } = zlib as { zstdCompressSync?: Encode }
  if (zstdCompressSync !== undefined) return bytes => zstdCompressSync(bytes)
  const zstd = await import('@bokuweb/zstd-wasm')
  const instance =
    instances.get(zstd.init) ?? zstd.init().then(() => (bytes: Buffer) => zstd.compress(bytes, ZSTD_LEVEL))
  instances.set(zstd.init, instance)
  return instance
}
