/** Creates the echo record of a request. */
import { isUtf8 } from 'node:buffer'
import { emptyRecord, queryRecord, rawQuery } from 'svc/toolkit'
import type { FastifyRequest, Svc } from 'svc/plugin'
import type { EchoBody, EchoRecord, Recorder } from './types.ts'

export function createRecorder(svc: Svc): Recorder {
  return request => toRecord(request, svc)
}

function toRecord(request: FastifyRequest, { http }: Svc): EchoRecord {
  const target = request.raw.url ?? '/'
  const origin = http.origin(request)
  const query = rawQuery(request)
  const path = pathOf(target)
  const proxy = http.proxyHeader(request)
  return {
    method: request.method,
    url: target.startsWith('/') ? http.url(request, target) : target,
    path,
    path_info: path.split('/').filter(segment => segment !== ''),
    query_string: query,
    query_params: queryRecord(query),
    headers: toHeaders(request.raw.rawHeaders),
    host: origin.host,
    port: origin.port,
    scheme: origin.scheme,
    remote_ip: http.clientIp(request),
    ...(proxy !== null && { proxy_protocol: proxy }),
    body: toBody(http.receivedBody(request)),
    ...trailersOf(request),
    timestamp_unix_ms: Date.now(),
  }
}

/** The path as received; for a target in absolute form (RFC 9112, 3.2.2), the part after the authority. */
function pathOf(target: string): string {
  const queryAt = target.indexOf('?')
  const path = queryAt === -1 ? target : target.slice(0, queryAt)
  return path.startsWith('/') ? path : path.slice(path.indexOf('/', path.indexOf('//') + 2))
}

function trailersOf({ raw }: FastifyRequest): Pick<EchoRecord, 'trailers'> {
  // Calls without a connection have none.
  const lines = (raw as Partial<typeof raw>).rawTrailers ?? []
  return lines.length === 0 ? {} : { trailers: toHeaders(lines) }
}

/** One entry per received line, without the pseudo-header fields of HTTP/2. */
function toHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers = emptyRecord<string[]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (name.startsWith(':')) continue
    const values = headers[name]
    if (values === undefined) headers[name] = [rawHeaders[index + 1]!]
    else values.push(rawHeaders[index + 1]!)
  }
  return headers
}

const NO_BODY: EchoBody = {
  present: false,
  included: false,
  body: null,
  bytes: 0,
  truncated: false,
  utf8: null,
  reason: null,
}

/** Bodies are never truncated: larger ones have been rejected before. */
function toBody(body: Buffer): EchoBody {
  if (body.length === 0) return NO_BODY
  const utf8 = isUtf8(body)
  return {
    present: true,
    included: utf8,
    body: utf8 ? body.toString('utf8') : null,
    bytes: body.length,
    truncated: false,
    utf8,
    reason: utf8 ? null : 'binary',
  }
}
