/** The headers that are forwarded to an upstream, and those of its response that are sent on (RFC 9110, 7.6). */
import { connectionFieldTest, isOriginWide, viaName } from 'svc/toolkit'
import type { FastifyRequest, Svc } from 'svc/plugin'

/** Set for each request to the upstream. */
const OWN_REQUEST_FIELDS = new Set(['host', 'content-length', 'expect', 'via', 'traceparent', 'tracestate'])

export type HeaderLine = readonly [name: string, value: string]

/** Pairs of a flat list, without HTTP/2 pseudo-header fields. */
export function headerLines(raw: readonly string[]): HeaderLine[] {
  const lines: HeaderLine[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (!name.startsWith(':')) lines.push([name, raw[index + 1] ?? ''])
  }
  return lines
}

/**
 * End-to-end fields of the client's request: no `X-Svc-*`, no credentials of the control plane, and no request id that the
 * client did not choose.
 */
export function clientHeaders(svc: Svc<unknown>, request: FastifyRequest): HeaderLine[] {
  const lines = headerLines(request.raw.rawHeaders)
  const isOfConnection = connectionFieldTest(lines)
  const isOwnId = svc.http.isRequestIdGenerated(request)
  return lines.filter(([given, value]) => {
    const name = given.toLowerCase()
    if (isOfConnection(name) || OWN_REQUEST_FIELDS.has(name)) return false
    if (name.startsWith('x-svc-') || (name === 'x-request-id' && isOwnId)) return false
    return svc.inspector.redactHeader(name, value) === value
  })
}

/** The request headers for the upstream, as a flat list. */
export function upstreamHeaders(
  svc: Svc<unknown>,
  request: FastifyRequest,
  parts: {
    client: readonly HeaderLine[]
    setHeaders: readonly HeaderLine[]
    host: string
    hasBody: boolean
  },
): string[] {
  const { client, setHeaders, host, hasBody } = parts
  const replaced = new Set(setHeaders.map(([name]) => name.toLowerCase()))
  const via = headerLines(request.raw.rawHeaders).filter(([name]) => name.toLowerCase() === 'via')
  const lines: HeaderLine[] = [
    ['Host', host],
    ...client.filter(([name]) => !replaced.has(name.toLowerCase())),
    ...setHeaders,
    ['Via', [...via.map(([, value]) => value), `1.1 ${viaName(svc.instance.id)}`].join(', ')],
    ...Object.entries(svc.http.traceHeaders(request)),
  ]
  const length = request.headers['content-length']
  if (length !== undefined) lines.push(['Content-Length', length])
  else if (hasBody) lines.push(['Transfer-Encoding', 'chunked'])
  return lines.flat()
}

/**
 * End-to-end fields of an upstream's response that may be sent on: no `X-Svc-*`, which describe how svc handled a request,
 * nothing that affects the whole origin, and no CORS, which the instance itself answers.
 */
export function responseHeaders(lines: readonly HeaderLine[]): HeaderLine[] {
  const isOfConnection = connectionFieldTest(lines)
  return lines.filter(([given]) => {
    const name = given.toLowerCase()
    return !(
      isOfConnection(name) ||
      isOriginWide(name) ||
      name === 'strict-transport-security' ||
      name === 'x-request-id' ||
      name.startsWith('x-svc-') ||
      name.startsWith('access-control-')
    )
  })
}

/** Values by lower-case name; repeated fields become lists. */
export function headerRecord(lines: readonly HeaderLine[]): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {}
  for (const [given, value] of lines) {
    const name = given.toLowerCase()
    const before = Object.hasOwn(record, name) ? record[name] : undefined
    record[name] = before === undefined ? value : [...[before].flat(), value]
  }
  return record
}
