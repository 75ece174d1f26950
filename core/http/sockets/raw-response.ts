/** Responses written to a bare socket, where Node has no response object: unparsable requests and `CONNECT`. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'

export interface RawResponse {
  status: number
  body: object
  /** Additional headers, including `X-Request-Id` if the request has one. Values come from a parser or from svc. */
  headers: Record<string, string>
}

/** A complete HTTP/1.1 response with a JSON body; the connection must be closed after it (RFC 9112, 9.6). */
export function rawResponse({ status, body, headers }: RawResponse): Buffer {
  const payload = Buffer.from(JSON.stringify(body))
  const fields: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(payload.length),
    Connection: 'close',
    Date: new Date().toUTCString(),
    'X-Request-Id': randomUUID(),
  }
  // Names are compared case-insensitively, so that none is sent twice.
  for (const [name, value] of Object.entries(headers)) {
    const own = Object.keys(fields).find(field => field.toLowerCase() === name.toLowerCase()) ?? name
    fields[own] = value
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  // Node reads header bytes as Latin-1, so a request id with high bytes is echoed unchanged.
  const head = Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1')
  return Buffer.concat([head, payload])
}
