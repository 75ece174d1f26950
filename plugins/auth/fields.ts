/** Header fields as they were received: Node's `headers` joins some repeated lines and drops others. */
import type { FastifyRequest } from 'svc/plugin'

/** The values of a header field, one per header line, in order. `name` is case-insensitive. */
export function fieldValues({ raw }: FastifyRequest, name: string): string[] {
  const wanted = name.toLowerCase()
  const values: string[] = []
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    // HTTP/2 pseudo-header fields are not header fields (RFC 9113, 8.3).
    const field = raw.rawHeaders[index]!
    if (field.length === wanted.length && !field.startsWith(':') && field.toLowerCase() === wanted)
      values.push(raw.rawHeaders[index + 1]!)
  }
  return values
}
