/** Content with conditions and ranges, as Go's library serves it (RFC 9110, 13 and 14). */
import { randomBytes } from 'node:crypto'
import { namesTag } from 'svc/toolkit'
import type { Call } from '../call.ts'

interface Content {
  type: string
  body: Buffer
  /** With its quotes. Go ignores one without quotes. */
  etag: string
  lastModified?: Date
}

interface Range {
  first: number
  /** Included. */
  last: number
}

/** Evaluates the conditions, then the ranges. */
export function sendContent(call: Call, content: Content): unknown {
  const { reply } = call
  const isRead = call.request.method === 'GET' || call.request.method === 'HEAD'
  reply.headers({
    ETag: content.etag,
    ...(content.lastModified && { 'Last-Modified': content.lastModified.toUTCString() }),
  })
  const { etag } = content
  const match = call.header('if-match')
  if (match !== undefined && !matchesStrongly(match, etag)) return sendEmpty(call, 412, content.type)
  const noneMatch = call.header('if-none-match')
  if (noneMatch !== undefined && namesTag(noneMatch, etag)) {
    if (!isRead) return sendEmpty(call, 412, content.type)
    reply.removeHeader('Last-Modified')
    return reply.code(304).send()
  }
  reply.header('Accept-Ranges', 'bytes')
  const ifRange = call.header('if-range')
  const isCurrent = ifRange === undefined || ifRange.trim() === etag
  const ranges = isCurrent ? readRanges(call.header('range'), content.body.length) : []
  if (typeof ranges === 'string') return sendUnsatisfiable(call, ranges, content.body.length)
  if (ranges.length === 0) return call.send(content.type, content.body)
  return ranges.length === 1 ? sendRange(call, content, ranges[0]!) : sendRanges(call, content, ranges)
}

function sendEmpty(call: Call, status: number, type: string): unknown {
  return call.send(type, '', status)
}

function sendUnsatisfiable(call: Call, reason: string, size: number): unknown {
  call.reply.removeHeader('ETag').headers({ 'X-Content-Type-Options': 'nosniff' })
  if (reason.includes('overlap')) call.reply.header('Content-Range', `bytes */${size}`)
  return call.send('text/plain; charset=utf-8', `${reason}\n`, 416)
}

function sendRange(call: Call, { type, body }: Content, { first, last }: Range): unknown {
  call.reply.header('Content-Range', `bytes ${first}-${last}/${body.length}`)
  return call.send(type, body.subarray(first, last + 1), 206)
}

function sendRanges(call: Call, { type, body }: Content, ranges: Range[]): unknown {
  const boundary = randomBytes(30).toString('hex')
  const parts = ranges.flatMap(({ first, last }, index) => [
    Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: bytes ${first}-${last}/${body.length}\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    body.subarray(first, last + 1),
  ])
  const payload = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return call.send(`multipart/byteranges; boundary=${boundary}`, payload, 206)
}

function matchesStrongly(field: string, etag: string): boolean {
  if (field.trim() === '*') return true
  return field.split(',').some(tag => tag.trim() === etag && etag.startsWith('"'))
}

const MAX_RANGES = 50

/** Empty if the whole content is sent; a text says why no range can be sent. */
export function readRanges(field: string | undefined, size: number): Range[] | string {
  if (field === undefined || field === '') return []
  if (!field.startsWith('bytes=')) return 'invalid range'
  const specs = field
    .slice('bytes='.length)
    .split(',')
    .map(spec => spec.trim())
    .filter(spec => spec !== '')
  if (specs.length > MAX_RANGES) return []
  const ranges: Range[] = []
  for (const spec of specs) {
    const [, firstText, lastText] = /^(\d*)\s*-\s*(\d*)$/.exec(spec) ?? []
    if (firstText === undefined || lastText === undefined || firstText + lastText === '') return 'invalid range'
    const first = firstText === '' ? Math.max(size - Number(lastText), 0) : Number(firstText)
    const last = firstText === '' || lastText === '' ? size - 1 : Math.min(Number(lastText), size - 1)
    if (firstText !== '' && lastText !== '' && Number(firstText) > Number(lastText)) return 'invalid range'
    if (first < size && first <= last) ranges.push({ first, last })
  }
  if (ranges.length === 0 && specs.length > 0) return 'invalid range: failed to overlap'
  // Overlapping ranges of more than the whole content are an attack or a mistake.
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0) > size ? [] : ranges
}
