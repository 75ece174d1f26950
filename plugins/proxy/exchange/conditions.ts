/** The response to a conditional or partial request, made of the recorded response to the same request without conditions. */
import { isNotModified, isPreconditionFailed, isRangeCurrent, parseHttpDate, readRange } from 'svc/toolkit'
import type { FastifyRequest } from 'svc/plugin'
import { bodyBytes, chunkBytes, type RecordedResponse } from '../recordings/recording.ts'
import type { Pairs } from '../recordings/request-shape.ts'

/**
 * Evaluates the conditions of a request in the order of RFC 9110, 13.2.2: 412, 304, 206 or 416 instead of a recorded 200.
 * Other responses stay as they are. Ranges are served if the upstream said that it serves them (`Accept-Ranges`).
 */
export function applyConditions({ method, headers }: FastifyRequest, recorded: RecordedResponse): RecordedResponse {
  if (recorded.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return recorded
  const etag = fieldOf(recorded.headers, 'etag')
  const modified = fieldOf(recorded.headers, 'last-modified')
  const validators = { etag, lastModified: (modified === undefined ? null : parseHttpDate(modified)) ?? undefined }
  const given = (name: string): string | undefined => headers[name] as string | undefined
  const before = { ifMatch: given('if-match'), ifUnmodifiedSince: given('if-unmodified-since') }
  if (isPreconditionFailed(before, validators)) return { ...headOf(recorded), status: 412 }
  const since = { ifNoneMatch: given('if-none-match'), ifModifiedSince: given('if-modified-since') }
  if (isNotModified(since, validators)) return { ...headOf(recorded), status: 304 }
  const range = given('range')
  const servesRanges = fieldOf(recorded.headers, 'accept-ranges')?.trim().toLowerCase() === 'bytes'
  if (method === 'HEAD' || range === undefined || !servesRanges) return recorded
  return isRangeCurrent(given('if-range'), etag, modified) ? partOf(recorded, range) : recorded
}

function partOf(recorded: RecordedResponse, range: string): RecordedResponse {
  const { chunks, json: _json, body: _body, base64: _base64, trailers: _trailers, ...head } = recorded
  const bytes = chunks === undefined ? bodyBytes(recorded) : Buffer.concat(chunks.map(chunkBytes))
  const part = bytes.length === 0 ? 'whole' : readRange(range, bytes.length)
  if (part === 'whole') return recorded
  if (part === 'unsatisfiable') {
    const { headers } = headOf(recorded)
    return { ...head, status: 416, headers: { ...headers, 'content-range': `bytes */${bytes.length}` } }
  }
  const { first, last } = part
  return {
    ...head,
    status: 206,
    headers: { ...head.headers, 'content-range': `bytes ${first}-${last}/${bytes.length}` },
    base64: bytes.subarray(first, last + 1).toString('base64'),
  }
}

/** Without the content, and the headers that describe it. */
function headOf({ headers, first_byte_ms: firstByte }: RecordedResponse): Omit<RecordedResponse, 'status'> {
  const kept = Object.entries(headers).filter(([name]) => !/^content-(?:type|length|encoding|language)$/.test(name))
  return { headers: Object.fromEntries(kept), ...(firstByte === undefined ? {} : { first_byte_ms: firstByte }) }
}

function fieldOf(headers: Pairs, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
