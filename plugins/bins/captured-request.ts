/** The record of a captured request. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { heldBytes } from 'svc/toolkit'
import type { FastifyRequest, LoggedEvent, Svc, SvcInspector } from 'svc/plugin'

/** What is stored of a request. */
export interface CapturedRequest {
  id: string
  bin_id: string
  timestamp: string
  method: string
  /** Relative to the bin, as received; `/` for the bin itself. */
  path: string
  full_path: string
  /** As received, without `?`. */
  query: string | null
  /** One entry per header line in the order received; names are in lower case. */
  headers: { name: string; value: string }[]
  content_type: string | null
  /** The text of a UTF-8 body. */
  body: string | null
  /** Any other body. */
  body_base64: string | null
  /** Size of the received body in bytes, even if less is stored. */
  body_size: number
  body_truncated: boolean
  client_ip: string
}

/** The representation in responses and in the live stream; `seq` is the position in the bin, from 1. */
export interface NumberedRequest extends CapturedRequest {
  seq: number
}

export function numbered({ seq, value }: LoggedEvent<CapturedRequest>): NumberedRequest {
  return { seq, ...value }
}

/** Records a request and redacts the credentials of the instance. */
export function captureRequest(
  request: FastifyRequest,
  svc: Svc,
  { binId, maxBody }: { binId: string; maxBody: number },
): CapturedRequest {
  const target = svc.inspector.redactUrl(request.raw.url ?? '/')
  const queryAt = target.indexOf('?')
  const fullPath = queryAt === -1 ? target : target.slice(0, queryAt)
  return {
    id: randomUUID(),
    bin_id: binId,
    timestamp: new Date().toISOString(),
    method: request.method,
    path: belowBin(fullPath),
    full_path: fullPath,
    query: queryAt === -1 ? null : target.slice(queryAt + 1),
    headers: svc.inspector.redactHeaders(toHeaderLines(request.raw.rawHeaders)),
    content_type: request.headers['content-type'] ?? null,
    ...toBodyFields(svc.http.receivedBody(request), maxBody, svc.inspector),
    client_ip: svc.http.clientIp(request),
  }
}

/** The part of a path after the second segment. */
function belowBin(fullPath: string): string {
  const end = fullPath.indexOf('/', fullPath.indexOf('/', 1) + 1)
  return end === -1 ? '/' : fullPath.slice(end)
}

/** Leaves out the pseudo-header fields of HTTP/2. */
function toHeaderLines(rawHeaders: readonly string[]): { name: string; value: string }[] {
  const lines: { name: string; value: string }[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!name.startsWith(':')) lines.push({ name, value: rawHeaders[index + 1]! })
  }
  return lines
}

type BodyFields = Pick<CapturedRequest, 'body' | 'body_base64' | 'body_size' | 'body_truncated'>

function toBodyFields(body: Buffer, maxBytes: number, inspector: SvcInspector): BodyFields {
  const size = { body_size: body.length, body_truncated: body.length > maxBytes }
  if (body.length === 0) return { body: null, body_base64: null, ...size }
  if (!isUtf8(body)) return { body: null, body_base64: body.toString('base64', 0, maxBytes), ...size }
  return {
    body: inspector.redactText(body.toString('utf8', 0, truncatedLength(body, maxBytes))),
    body_base64: null,
    ...size,
  }
}

/** The largest length of at most `maxBytes` that does not split a UTF-8 character (RFC 3629, 3). */
function truncatedLength(text: Buffer, maxBytes: number): number {
  let end = Math.min(text.length, maxBytes)
  while (end < text.length && (text[end]! & 0xc0) === 0x80) end--
  return end
}

/** Memory of a captured request and of a header, without the texts that clients choose. The log adds that of its entry. */
const REQUEST_BYTES = 672
const HEADER_BYTES = 96

/** Bytes of memory of a captured request. What a request has in its head is Latin-1: a byte a character. */
export function storedBytes({ headers, body, body_base64: base64, full_path: path, query }: CapturedRequest): number {
  let bytes = REQUEST_BYTES + heldBytes(body ?? '') + (base64?.length ?? 0) + path.length + (query?.length ?? 0)
  for (const { name, value } of headers) bytes += HEADER_BYTES + name.length + value.length
  return bytes
}
