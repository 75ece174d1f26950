/** Content codings of answers. */
import { decodeContentSync } from 'svc/toolkit'
import type { Call } from '../../client/evidence.ts'

const MAX_DECODED = 16 * 1024 * 1024

/** The content without its coding; null if it can't be decoded. */
export function decodedBody(call: Call): Buffer | null {
  const body = call.response?.body ?? Buffer.alloc(0)
  try {
    return decodeContentSync(body, call.values('content-encoding').join(','), { limit: MAX_DECODED })
  } catch {
    return null
  }
}
