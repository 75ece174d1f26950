/** Reads a single header field of a request. */
import type { IncomingHttpHeaders } from 'node:http'
import { firstRawHeader } from '../../fields/raw-header.ts'

/** The value of a field as provided by Node (repeated lines joined by `, `); undefined if absent. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * The value of the first line of a repeatable field; `name` in lower case. Node joins repeated lines, and a joined
 * value looks like one line with a comma, so the raw lines are used if there is a comma.
 */
export function firstHeader(
  request: { headers: IncomingHttpHeaders; rawHeaders: string[] },
  name: string,
): string | undefined {
  const joined = headerText(request.headers, name)
  if (joined === undefined || !joined.includes(',')) return joined
  return firstRawHeader(request.rawHeaders, name) ?? joined
}

/** The first member of a comma-separated value, trimmed. */
export function firstEntry(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const comma = value.indexOf(',')
  return (comma === -1 ? value : value.slice(0, comma)).trim()
}
