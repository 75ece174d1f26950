/** Answers written to a bare socket, where Node has no response object: unparsable requests and `CONNECT`. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'

export interface RawAnswer {
  status: number
  body: object
  /** Beside the fixed ones; `X-Request-Id` when the request has one. Values come from a parser or are our own. */
  headers: Record<string, string>
}

/** A whole HTTP/1.1 response with a JSON body, after which the connection is to be closed (RFC 9112, 9.6). */
export function rawAnswer({ status, body, headers }: RawAnswer): Buffer {
  const payload = Buffer.from(JSON.stringify(body))
  const fields: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(payload.length),
    Connection: 'close',
    Date: new Date().toUTCString(),
    'X-Request-Id': randomUUID(),
  }
  // Names are compared in any case, so that none is sent twice.
  for (const [name, value] of Object.entries(headers)) {
    const own = Object.keys(fields).find(field => field.toLowerCase() === name.toLowerCase()) ?? name
    fields[own] = value
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  // Header bytes are latin1 in Node: a request id with high bytes goes back as it came.
  const head = Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1')
  return Buffer.concat([head, payload])
}
