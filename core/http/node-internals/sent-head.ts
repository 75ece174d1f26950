/**
 * The head of a response as Node has written it, with the headers that Node adds. `_header` is undocumented: if it is missing,
 * the inspector shows no response headers.
 */
import type { ServerResponse } from 'node:http'

interface Internals {
  readonly _header?: string | null
}

/** Status line and header lines, each ended by CRLF, and an empty line; null if no head was written. */
export function sentHead(response: ServerResponse): string | null {
  const { _header } = response as Internals
  return typeof _header === 'string' ? _header : null
}
