/** Trailer fields and early hints on their way to the client. */
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import { headerLines, headerRecord, responseHeaders } from '../forwarded-headers.ts'
import type { Pairs } from '../recordings/request-shape.ts'

/** Fields that a recipient needs before the body (RFC 9110, 6.5.1). */
const NOT_IN_TRAILERS =
  /^(?:authorization|cache-control|content-(?:encoding|length|range|type)|cookie|expires|set-cookie)$/

/** Whether trailers can follow a response with these headers: it has a body in chunks, or is sent over HTTP/2. */
export function canHaveTrailers({ method, raw }: FastifyRequest, headers: Readonly<Record<string, unknown>>): boolean {
  return method !== 'HEAD' && raw.httpVersion !== '1.0' && headers['content-length'] === undefined
}

/** The trailer fields that are sent on and recorded, of a flat list of names and values. */
export function endToEndTrailers(raw: readonly string[]): Pairs {
  return headerRecord(responseHeaders(headerLines(raw)).filter(([name]) => !NOT_IN_TRAILERS.test(name.toLowerCase())))
}

/** Call it before the body ends. */
export function addTrailers(reply: FastifyReply, trailers: Pairs): void {
  if (Object.keys(trailers).length > 0) reply.raw.addTrailers(trailers as never)
}

/** Passes a 103 on (RFC 8297), which must have a `Link` header that Node can send. Clients of HTTP/1.0 get none. */
export function sendEarlyHints(request: FastifyRequest, reply: FastifyReply, fields: Pairs): void {
  const { link, ...others } = fields
  const raw: { headersSent: boolean; writeEarlyHints?: typeof reply.raw.writeEarlyHints } = reply.raw
  if (link === undefined || raw.headersSent || request.raw.httpVersion === '1.0') return
  try {
    raw.writeEarlyHints?.({ ...others, link: splitLinks([link].flat()) } as never)
  } catch {
    // Node takes only links with certain attributes.
  }
}

/** Values of `Link` fields, one link each: Node checks them one by one. */
function splitLinks(fields: readonly string[]): string[] {
  return fields.flatMap(field => field.split(/,(?=[ \t]{0,10}<)/)).map(link => link.trim())
}
