/** Validates trailer fields. */
import { headerProblem } from 'svc/toolkit'
import { invalidTrailer, tooManyTrailers } from './errors.ts'

const MAX_TRAILERS = 20
/** Fields for routing, framing or caching, which must be sent before the body (RFC 9110, 6.5.1). */
const FORBIDDEN = new Set([
  'max-forwards',
  'cache-control',
  'expires',
  'age',
  'date',
  'vary',
  'warning',
  'location',
  'retry-after',
  'authorization',
  'www-authenticate',
  'proxy-authenticate',
  'proxy-authorization',
  'set-cookie',
  'content-encoding',
  'content-type',
  'content-range',
])

/** Values by lower-case name from a query; uses the first of a repeated name. Throws `invalid_trailer`. */
export function readTrailers(query: URLSearchParams): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of query) {
    const key = name.toLowerCase()
    const problem = headerProblem(name, value)
    if (problem === 'name') throw invalidTrailer(name, 'the name is not a token')
    if (problem === 'reserved' || FORBIDDEN.has(key)) throw invalidTrailer(name, 'it must be sent before the body')
    if (problem === 'value') throw invalidTrailer(name, 'the value is not printable ASCII')
    if (!fields.has(key)) fields.set(key, value)
  }
  if (fields.size > MAX_TRAILERS) throw tooManyTrailers(fields.size, MAX_TRAILERS)
  return fields
}
