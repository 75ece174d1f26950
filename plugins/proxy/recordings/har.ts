/** Recordings in HAR files (HTTP Archive 1.2): what browsers and proxies export. */
import { fieldProblem, isRecord, Redactor } from 'svc/toolkit'
import type { Upstream } from '../config/upstream.ts'
import { headerRecord, responseHeaders, type HeaderLine } from '../forwarded-headers.ts'
import { normalizePath } from '../target-path.ts'
import { InvalidRecording, type RecordedResponse } from './recording.ts'
import {
  mediaType,
  recordedHeader,
  shapeOf,
  withVarying,
  type AskedRequest,
  type Pairs,
  type RequestShape,
} from './request-shape.ts'

export interface HarExchange {
  request: RequestShape
  response: RecordedResponse
}

/** Reported for one file. */
const MAX_PROBLEMS = 20

/**
 * The entries whose path is below the path of the target, whatever their host. Entries that can't be sent are left out, and
 * passed to `report` with their place. Throws `InvalidRecording`.
 */
export function parseHar(
  text: string,
  upstream: Upstream,
  report: (message: string) => void = () => {},
): HarExchange[] {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new InvalidRecording('not valid JSON')
  }
  const log = isRecord(value) ? value.log : undefined
  const entries = isRecord(log) ? log.entries : undefined
  if (!Array.isArray(entries)) throw new InvalidRecording('expected a HAR file with log.entries')
  let problems = 0
  return entries.flatMap((entry: unknown, index) => {
    try {
      const exchange = isRecord(entry) ? readEntry(entry, upstream) : null
      return exchange === null ? [] : [exchange]
    } catch (error) {
      if (!(error instanceof InvalidRecording)) throw error
      if (problems++ < MAX_PROBLEMS) report(`log.entries[${index}].${error.message}`)
      return []
    }
  })
}

/** Null for entries of other paths, without a response, or without a usable URL. Throws `InvalidRecording`. */
function readEntry(entry: Record<string, unknown>, upstream: Upstream): HarExchange | null {
  const { request, response, timings, startedDateTime } = entry
  if (!isRecord(request) || !isRecord(response)) return null
  const { method, url } = request
  if (typeof method !== 'string' || typeof url !== 'string' || !URL.canParse(url)) return null
  const { origin, pathname, search } = new URL(url)
  const base = upstream.target.pathname.replace(/\/$/, '')
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return null
  const { status } = response
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return null
  const lines = headersOf(request.headers)
  const posted = postedBody(request.postData)
  if (posted.type !== null && !lines.some(([name]) => name.toLowerCase() === 'content-type'))
    lines.push(['content-type', posted.type])
  let path: string
  try {
    path = normalizePath(pathname.slice(base.length) || '/')
  } catch {
    return null
  }
  const received = headerRecord(lines)
  const header = (name: string): string | undefined =>
    Object.hasOwn(received, name) ? [received[name]!].flat().join(', ') : undefined
  const redactor = new Redactor()
  const shape = shapeOf(upstream, { method, path, query: search.slice(1), header, body: posted.bytes }, redactor)
  const asked: AskedRequest = {
    shape,
    header: name => recordedHeader(upstream, name, header(name) ?? '', redactor),
  }
  const headers = replayedHeaders(response, { method, url, origin })
  const waited = isRecord(timings) && typeof timings.wait === 'number' && timings.wait > 0 ? timings.wait : 0
  return {
    request: withVarying(upstream, asked, headers.vary),
    response: {
      status,
      headers,
      ...(typeof startedDateTime === 'string' ? { recorded_at: startedDateTime } : {}),
      first_byte_ms: Math.round(waited),
      ...contentOf(response.content),
    },
  }
}

/** The headers to replay. Throws `InvalidRecording` for those that can't be sent. */
function replayedHeaders(
  response: Record<string, unknown>,
  request: { method: string; url: string; origin: string },
): Pairs {
  // Browsers join the values of a repeated header with line ends.
  const lines = headersOf(response.headers).flatMap(([name, value]) =>
    value.split(/\r?\n/).map((line): HeaderLine => [name, line]),
  )
  for (const [name, value] of lines) {
    const problem = fieldProblem(name, value)
    if (problem !== null) throw new InvalidRecording(`response.headers: ${problem}`)
  }
  const all = headerRecord(responseHeaders(lines))
  const headers = request.method.toUpperCase() === 'HEAD' ? all : withoutCoding(all)
  const { content } = response
  const type = isRecord(content) && typeof content.mimeType === 'string' ? content.mimeType : ''
  if (headers['content-type'] === undefined && /^[^\s/;]{1,100}\/[^\s/;]/.test(type)) {
    const problem = fieldProblem('content-type', type)
    if (problem !== null) throw new InvalidRecording(`response.content.mimeType: ${problem}`)
    headers['content-type'] = type
  }
  // Of the host that was recorded, which need not be that of the target.
  const { location } = headers
  if (typeof location === 'string' && URL.canParse(location, request.url)) {
    const { origin, pathname, search, hash } = new URL(location, request.url)
    if (origin === request.origin) headers.location = pathname + search + hash
  }
  return headers
}

function headersOf(list: unknown): HeaderLine[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((item: unknown): HeaderLine[] =>
    isRecord(item) && typeof item.name === 'string' && typeof item.value === 'string' && !item.name.startsWith(':')
      ? [[item.name, item.value]]
      : [],
  )
}

const FORM = 'application/x-www-form-urlencoded'

/** The body of the request: `text`, or the decoded `params` of a form. */
function postedBody(postData: unknown): { bytes: Buffer; type: string | null } {
  if (!isRecord(postData)) return { bytes: Buffer.alloc(0), type: null }
  const { text, params, mimeType } = postData
  const type = typeof mimeType === 'string' && mimeType !== '' ? mimeType : null
  // HAR has no coding for bodies of requests; the archives that svc writes have this member.
  const coding = postData._encoding === 'base64' ? 'base64' : 'utf8'
  if (typeof text === 'string' && text !== '') return { bytes: Buffer.from(text, coding), type }
  if (!Array.isArray(params) || (type !== null && mediaType(type) !== FORM)) return { bytes: Buffer.alloc(0), type }
  const form = new URLSearchParams()
  for (const param of params as unknown[])
    if (isRecord(param) && typeof param.name === 'string')
      form.append(param.name, typeof param.value === 'string' ? param.value : '')
  return { bytes: Buffer.from(form.toString()), type: type ?? FORM }
}

/** HAR has decoded bodies. */
function withoutCoding(headers: Pairs): Pairs {
  const { 'content-encoding': _coding, 'content-length': _length, ...others } = headers
  return others
}

function contentOf(content: unknown): { body?: string; base64?: string } {
  if (!isRecord(content) || typeof content.text !== 'string') return {}
  return content.encoding === 'base64' ? { base64: content.text } : { body: content.text }
}
