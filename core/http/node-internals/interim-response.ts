/**
 * Interim responses (RFC 9110, 15.2) with any status and headers: Node has methods for 100, 102 and 103 alone. `_writeRaw` is
 * undocumented; without it nothing is sent, as clients must expect.
 */
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'

interface Internals {
  _writeRaw?(data: string, encoding: 'latin1'): boolean
}

/** Reason phrases that Node does not know. */
const REASONS: Readonly<Record<number, string>> = { 104: 'Upload Resumption Supported' }

/**
 * Sends one interim response, before the head of the final one. Names and values were checked. A response that waits for its turn on
 * the connection sends it then. HTTP/1.0 has no interim responses: don't call it there.
 */
export function sendInterim(
  response: ServerResponse | Http2ServerResponse,
  status: number,
  lines: readonly (readonly [name: string, value: string])[],
): void {
  if ('stream' in response) return sendFields(response, status, lines)
  const reason = STATUS_CODES[status] ?? REASONS[status] ?? 'Unknown'
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  ;(response as Internals)._writeRaw?.(`HTTP/1.1 ${status} ${reason}\r\n${head}\r\n`, 'latin1')
}

function sendFields(
  { stream }: Http2ServerResponse,
  status: number,
  lines: readonly (readonly [name: string, value: string])[],
): void {
  if (stream === undefined || stream.destroyed || stream.headersSent) return
  const fields: Record<string, string[]> = {}
  for (const [name, value] of lines) (fields[name.toLowerCase()] ??= []).push(value)
  stream.additionalHeaders({ ':status': status, ...fields } as never)
}
