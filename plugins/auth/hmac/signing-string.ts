/** The string that an HMAC signature covers: one line per signed header, joined by LF (draft-cavage, 2.3). */
import type { FastifyRequest } from 'svc/plugin'
import { fieldValues } from '../fields.ts'

/** The signing string, or the first signed header that the request lacks. */
export function buildSigningString(
  request: FastifyRequest,
  signedHeaders: readonly string[],
): { text: string } | { missing: string } {
  const lines: string[] = []
  for (const name of signedHeaders) {
    const line = signedLine(request, name)
    if (line === null) return { missing: name }
    lines.push(line)
  }
  return { text: lines.join('\n') }
}

/** Uses the request target as sent: neither decoded nor normalized, with the base path if the client sent it. */
function signedLine(request: FastifyRequest, name: string): string | null {
  const method = request.raw.method ?? 'GET'
  const target = request.originalUrl
  switch (name) {
    case 'request-line':
      return `${method} ${target} HTTP/${request.raw.httpVersion}`
    case '(request-target)':
      return `(request-target): ${method.toLowerCase()} ${target}`
    case '@request-target':
      return `${method.toLowerCase()} ${target}`
    default: {
      const value = fieldText(request, name)
      return value === null ? null : `${name}: ${value}`
    }
  }
}

/**
 * The values of a header, trimmed and joined by `, `; null when it is absent. For `host`, HTTP/2's `:authority` counts.
 */
export function fieldText(request: FastifyRequest, name: string): string | null {
  const values = fieldValues(request, name)
  if (values.length > 0) return values.map(value => value.trim()).join(', ')
  const authority = name === 'host' ? request.raw.headers[':authority'] : undefined
  return typeof authority === 'string' ? authority : null
}
