/** Short descriptions of media, for prompts and records. The content is never stored. */

const urlCharacters = 200

/**
 * Describes a URL: `data:image/png (120 bytes)` for inline data, with the length of the URL; others are cut at 200
 * characters.
 */
export function describeUrl(url: string): string {
  if (!url.startsWith('data:')) return url.slice(0, urlCharacters)
  const mime = /^data:([^;,]{0,100})/.exec(url)?.[1] || 'text/plain'
  return `data:${mime} (${url.length} bytes)`
}

/** Describes data with a separate media type: `image/png (base64)`. */
export function describeInline(mime: unknown, how: 'base64' | 'inline'): string {
  return `${typeof mime === 'string' && mime !== '' ? mime.slice(0, 100) : 'application/octet-stream'} (${how})`
}
