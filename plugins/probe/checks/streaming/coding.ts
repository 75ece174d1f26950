/** Content codings of answers. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Call } from '../../client/evidence.ts'

const MAX_DECODED = 16 * 1024 * 1024

/** The content without its coding; null for a coding that can't be decoded. */
export function decodedBody(call: Call): Buffer | null {
  const body = call.response?.body ?? Buffer.alloc(0)
  const coding = call.values('content-encoding').join(',').trim().toLowerCase()
  const options = { maxOutputLength: MAX_DECODED }
  try {
    if (coding === '' || coding === 'identity') return body
    if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(body, options)
    if (coding === 'br') return brotliDecompressSync(body, options)
    if (coding === 'deflate') return inflateSync(body, options)
  } catch {
    return null
  }
  return null
}
