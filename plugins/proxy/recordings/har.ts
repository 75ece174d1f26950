/** Recordings in HAR files (HTTP Archive 1.2): what browsers and proxies export. */
import { isRecord } from 'svc/toolkit'
import type { Upstream } from '../config/upstream.ts'
import { headerRecord, responseHeaders } from '../forwarded-headers.ts'
import type { HeaderLine } from '../forwarded-headers.ts'
import { normalizePath } from '../target-path.ts'
import { InvalidRecording } from './recording.ts'
import type { RecordedResponse } from './recording.ts'
import { shapeOf } from './request-shape.ts'
import type { RequestShape } from './request-shape.ts'

export interface HarExchange {
  request: RequestShape
  response: RecordedResponse
}

/** The entries whose path is below the path of the target, whatever their host. Throws `InvalidRecording`. */
export function parseHar(text: string, upstream: Upstream): HarExchange[] {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new InvalidRecording('not valid JSON')
  }
  const log = isRecord(value) ? value.log : undefined
  const entries = isRecord(log) ? log.entries : undefined
  if (!Array.isArray(entries)) throw new InvalidRecording('expected a HAR file with log.entries')
  return entries.flatMap((entry: unknown) => {
    const exchange = isRecord(entry) ? readEntry(entry, upstream) : null
    return exchange === null ? [] : [exchange]
  })
}

/** Null for entries of other paths, without a response, or without a usable URL. */
function readEntry(entry: Record<string, unknown>, upstream: Upstream): HarExchange | null {
  const { request, response, timings, startedDateTime } = entry
  if (!isRecord(request) || !isRecord(response)) return null
  const { method, url, postData } = request
  if (typeof method !== 'string' || typeof url !== 'string' || !URL.canParse(url)) return null
  const { pathname, search } = new URL(url)
  const base = upstream.target.pathname.replace(/\/$/, '')
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return null
  const { status } = response
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return null
  const lines = headersOf(request.headers)
  const header = (name: string): string | undefined => lines.find(([other]) => other.toLowerCase() === name)?.[1]
  const posted = isRecord(postData) && typeof postData.text === 'string' ? postData.text : ''
  let path: string
  try {
    path = normalizePath(pathname.slice(base.length) || '/')
  } catch {
    return null
  }
  const waited = isRecord(timings) && typeof timings.wait === 'number' && timings.wait > 0 ? timings.wait : 0
  return {
    request: shapeOf(upstream, { method, path, query: search.slice(1), header, body: Buffer.from(posted) }),
    response: {
      status,
      headers: withoutCoding(headerRecord(responseHeaders(headersOf(response.headers)))),
      ...(typeof startedDateTime === 'string' ? { recorded_at: startedDateTime } : {}),
      first_byte_ms: Math.round(waited),
      ...contentOf(response.content),
    },
  }
}

function headersOf(list: unknown): HeaderLine[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((item: unknown): HeaderLine[] =>
    isRecord(item) && typeof item.name === 'string' && typeof item.value === 'string' && !item.name.startsWith(':')
      ? [[item.name, item.value]]
      : [],
  )
}

/** HAR has decoded bodies. */
function withoutCoding(headers: Record<string, string | string[]>): Record<string, string | string[]> {
  const { 'content-encoding': _coding, 'content-length': _length, ...others } = headers
  return others
}

function contentOf(content: unknown): { body?: string; base64?: string } {
  if (!isRecord(content) || typeof content.text !== 'string') return {}
  return content.encoding === 'base64' ? { base64: content.text } : { body: content.text }
}
