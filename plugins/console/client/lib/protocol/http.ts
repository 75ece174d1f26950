/** HTTP helpers of the views: header lists, media types, bodies, and formatted numbers. */
import type { InspectorEntry } from 'svc/plugin'
import { bytesOfBase64 } from '../tokens/jwt.ts'

export interface NameValue {
  name: string
  value: string
}

/** A captured request from `/_svc/requests`: lower-case header names, `body` for text, else `body_base64`. */
export type Entry = InspectorEntry
/** A captured body with its headers. */
export type Body = Pick<Entry, 'headers' | 'body' | 'body_base64' | 'body_size' | 'body_truncated'>
/** A captured request, from the inspector or a bin. */
export type Arrived = Body & Pick<Entry, 'request_id' | 'method' | 'uri' | 'path' | 'query'>

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx'

export function statusClass(status: number): StatusClass {
  return `${Math.min(Math.max(Math.floor(status / 100), 1), 5)}xx` as StatusClass
}

/** The first value of a header, or null. The name is case-insensitive. */
export function headerOf(headers: readonly NameValue[], name: string): string | null {
  const wanted = name.toLowerCase()
  return headers.find(header => header.name.toLowerCase() === wanted)?.value ?? null
}

/** Lower-case media type without parameters; empty if absent. */
export function mediaTypeOf(headers: readonly NameValue[]): string {
  return (headerOf(headers, 'content-type') ?? '').split(';')[0]!.trim().toLowerCase()
}

export function isJsonType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json')
}

/** Names of headers that a page cannot set (Fetch standard, forbidden request-header). Browsers drop them silently. */
export function forbiddenHeaders(headers: readonly NameValue[]): string[] {
  return headers.map(({ name }) => name).filter(name => FORBIDDEN.test(name))
}

const FORBIDDEN =
  /^(?:accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/i

/** Whether browsers reject a body for this method (Fetch, 5.3). */
export function takesNoBody(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The value of a JSON text; undefined: not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The bytes of a captured body. */
export function bodyBytes({ body, body_base64 }: Pick<Entry, 'body' | 'body_base64'>): Uint8Array<ArrayBuffer> {
  if (body_base64 !== null) return bytesOfBase64(body_base64)
  return new TextEncoder().encode(body ?? '')
}

/** Bytes as offset, hexadecimal and ASCII columns; at most `limit` bytes. */
export function hexDump(bytes: Uint8Array, limit = 4096): string {
  const lines: string[] = []
  for (let offset = 0; offset < Math.min(bytes.length, limit); offset += 16) {
    const row = Array.from(bytes.subarray(offset, Math.min(offset + 16, limit)))
    const hex = row
      .map(byte => byte.toString(16).padStart(2, '0'))
      .join(' ')
      .padEnd(47)
    const ascii = row.map(byte => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${offset.toString(16).padStart(6, '0')}  ${hex}  ${ascii}`)
  }
  if (bytes.length > limit) lines.push(`… ${bytes.length - limit} more bytes`)
  return lines.join('\n')
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let value = bytes / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

export function formatMs(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`
  if (ms < 100) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${Math.round(ms)} ms` : formatDuration(ms / 1000)
}

/** Formats seconds as `3d 4h`, `5m 12s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
    [whole % 60, 's'],
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  return first === -1
    ? '0s'
    : parts
        .slice(first, first + 2)
        .filter(([value]) => value > 0)
        .map(([value, unit]) => `${value}${unit}`)
        .join(' ')
}

export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

/** Time since a timestamp: `now`, `12 s`, `3 min`, `2 h`. */
export function formatAge(timestamp: string, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(timestamp)) / 1000))
  if (seconds < 2) return 'now'
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** Local time of day with milliseconds. */
export function formatTime(timestamp: string): string {
  const date = new Date(timestamp)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** Reason phrases of the IANA registry, and of common unregistered statuses. */
const REASONS: Record<number, string> = {
  100: 'Continue',
  101: 'Switching Protocols',
  103: 'Early Hints',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  418: "I'm a teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  507: 'Insufficient Storage',
  511: 'Network Authentication Required',
  529: 'Overloaded',
}

export function reasonPhrase(status: number): string {
  return REASONS[status] ?? ''
}
