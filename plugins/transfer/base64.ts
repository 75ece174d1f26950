/** Owns base64 in its two alphabets (RFC 4648, 4 and 5). */

/** One alphabet at a time; the padding is optional, but nothing else may follow it. */
const FORM = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/

/** The bytes of standard or URL-safe base64; null when it is neither, or wrongly padded. */
export function decodeBase64(text: string): Buffer | null {
  const padding = FORM.exec(text)?.[1]
  if (padding === undefined) return null
  const digits = text.length - padding.length
  const isComplete = padding === '' ? digits % 4 !== 1 : text.length % 4 === 0 && digits % 4 >= 2
  // Buffer takes both alphabets, and would skip whatever is in neither.
  return isComplete ? Buffer.from(text, 'base64') : null
}
