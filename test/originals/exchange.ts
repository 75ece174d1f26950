/** Sends a request of the comparison, and reduces its response to what is compared. */
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Case } from './cases.ts'

/** A response with everything that changes from one to the next replaced. */
export interface Reply {
  status: number
  /** By lower-case name; repeated fields are lists. */
  headers: Record<string, string | string[]>
  body: string
  trailers: Record<string, string>
}

/** The host that both servers see: it is part of their responses. */
export const HOST = 'original.test'

/** Fields of the connection, of CORS, and of svc. */
const IGNORED =
  /^(?:date|server|connection|keep-alive|transfer-encoding|content-length|vary|access-control-.*|x-request-id|x-svc-.*|cache-control-.*|x-accel-buffering)$/
const CHANGING: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, '{uuid}'],
  [/\b[\da-f]{32,130}\b/g, '{id}'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC)/g, '{date}'],
  [/"timestamp":\d+/g, '"timestamp":0'],
  [/total_duration;dur=[\d.]+/g, 'total_duration;dur=0'],
]

export async function exchange(base: string, { method = 'GET', path, headers, body }: Case): Promise<Reply> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const bodyHeader: Record<string, string> =
      body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const sent = request(
      {
        hostname,
        port,
        method,
        path,
        agent: false,
        timeout: 20_000,
        headers: { Host: HOST, ...bodyHeader, ...headers },
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = decode(Buffer.concat(chunks), response.headers['content-encoding'])
          resolve({
            status: response.statusCode ?? 0,
            headers: shownHeaders(response.rawHeaders),
            body: neutralize(bytes.toString('latin1')),
            trailers: Object.fromEntries(
              Object.entries(response.trailers).map(([name, value]) => [name, neutralize(value ?? '')]),
            ),
          })
        })
      },
    )
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('timeout')))
    sent.end(body)
  })
}

function decode(body: Buffer, coding: string | undefined): Buffer {
  if (body.length === 0) return body
  if (coding === 'gzip') return gunzipSync(body)
  if (coding === 'deflate') return inflateSync(body)
  return coding === 'br' ? brotliDecompressSync(body) : body
}

function shownHeaders(lines: readonly string[]): Reply['headers'] {
  const headers: Reply['headers'] = {}
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index]!.toLowerCase()
    if (IGNORED.test(name)) continue
    const value = neutralize(lines[index + 1]!)
    const before = headers[name]
    headers[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return headers
}

function neutralize(text: string): string {
  return CHANGING.reduce((changed, [pattern, name]) => changed.replace(pattern, name), text)
}

/** The differences between two responses, one line each. */
export function compare(expected: Reply, actual: Reply, uncompared: ReadonlySet<string>): string[] {
  const lines: string[] = []
  const check = (field: string, wanted: unknown, got: unknown): void => {
    if (uncompared.has(field) || JSON.stringify(wanted) === JSON.stringify(got)) return
    lines.push(`${field}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`)
  }
  check('status', expected.status, actual.status)
  for (const name of new Set([...Object.keys(expected.headers), ...Object.keys(actual.headers)]))
    check(name, unordered(expected.headers[name]), unordered(actual.headers[name]))
  check('body', expected.body, actual.body)
  check('trailers', expected.trailers, actual.trailers)
  return lines
}

/** Cookies come from a map in go-httpbin, in any order. */
function unordered(values: string | string[] | undefined): string | string[] | undefined {
  return Array.isArray(values) ? values.toSorted() : values
}

/** A request as one line, the key of its recorded response. */
export function nameOf({ method = 'GET', path, headers = {}, body }: Case): string {
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const parts = [`${method} ${path}`, ...shown]
  if (body !== undefined) parts.push(Buffer.from(body).toString('base64'))
  return parts.join(' | ')
}
