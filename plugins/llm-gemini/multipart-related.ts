/** Reads `multipart/related` bodies (RFC 2387) of two parts: a description and a file. */

export interface RelatedPart {
  type: string
  content: Buffer
}

const MAX_PARTS = 3
const MAX_HEADER_BYTES = 4096

/** The parts; null if the body is of another type or not well-formed. */
export function parseRelated(body: Buffer, contentType: string): RelatedPart[] | null {
  if (!/^multipart\/related\s*(?:;|$)/i.test(contentType)) return null
  const boundary = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType)
  if (boundary === null) return null
  const delimiter = Buffer.from(`--${boundary[1] ?? boundary[2]!}`)
  const parts: RelatedPart[] = []
  let at = body.indexOf(delimiter)
  while (at >= 0 && parts.length < MAX_PARTS) {
    const start = at + delimiter.length
    if (body.toString('latin1', start, start + 2) === '--') return parts
    const end = body.indexOf(delimiter, start)
    const blank = body.indexOf('\r\n\r\n', start)
    if (end < 0 || blank < 0 || blank > end || blank - start > MAX_HEADER_BYTES) return null
    const type = /^content-type:[ \t]*([^\r\n]*)/im.exec(body.toString('latin1', start, blank))?.[1]?.trim()
    // The line break before the delimiter belongs to it.
    parts.push({
      type: type ?? 'application/octet-stream',
      content: body.subarray(blank + 4, Math.max(blank + 4, end - 2)),
    })
    at = end
  }
  return null
}
