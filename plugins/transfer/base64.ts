/** Decodes base64 in both alphabets (RFC 4648, 4 and 5). */

/** Only one alphabet per text; padding is optional, and nothing may follow it. */
const FORM = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/

/** Decodes standard or URL-safe base64; null if the text is not valid base64. */
export function decodeBase64(text: string): Buffer | null {
  const padding = FORM.exec(text)?.[1]
  if (padding === undefined) return null
  const digits = text.length - padding.length
  const isComplete = padding === '' ? digits % 4 !== 1 : text.length % 4 === 0 && digits % 4 >= 2
  // Buffer accepts both alphabets, and would skip invalid characters.
  return isComplete ? Buffer.from(text, 'base64') : null
}
