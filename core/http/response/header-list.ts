/** The forms of headers that `writeHead` accepts: an object, a list of pairs, or one flat list of names and values. */
import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http'

export type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Calls `visit` with each header, in order. */
export function eachHeader(
  headers: Headers | undefined,
  visit: (name: string, value: OutgoingHttpHeader | undefined) => void,
): void {
  if (!Array.isArray(headers)) for (const name in headers) visit(name, headers[name])
  else if (Array.isArray(headers[0]))
    for (const [name, value] of headers as unknown as [string, OutgoingHttpHeader][]) visit(name, value)
  else for (let index = 0; index < headers.length; index += 2) visit(String(headers[index]), headers[index + 1])
}
