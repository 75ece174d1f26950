/** The media type that Go's `net/http` gives a body without one (MIME Sniffing, 7): of what tests send. */

const SNIFFED_BYTES = 512
const HTML =
  /^[\t\n\f\r ]*(?:<!doctype html|<(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)|<!--)[ >]/i
const MARKUP = /^[\t\n\f\r ]*<\?xml/i
/** Bytes that no text has (MIME Sniffing, 3.3). */
// oxlint-disable-next-line no-control-regex -- these characters are what is searched
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Null for an empty body. */
export function sniffType(body: Buffer): string | null {
  if (body.length === 0) return null
  const start = body.toString('latin1', 0, SNIFFED_BYTES)
  if (HTML.test(start)) return 'text/html; charset=utf-8'
  if (MARKUP.test(start)) return 'text/xml; charset=utf-8'
  return BINARY.test(start) ? 'application/octet-stream' : 'text/plain; charset=utf-8'
}
