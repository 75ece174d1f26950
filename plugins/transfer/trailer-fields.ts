/** Owns which fields may follow a body. */
import { headerProblem } from 'svc/plugin'
import { invalidTrailer, tooManyTrailers } from './errors.ts'

const MAX_TRAILERS = 20
/** They say how the message is routed, read or kept, and so must stand before the body (RFC 9110, 6.5.1). */
const NOT_BEHIND = new Set([
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

/** Lower-case name to value of the pairs in a query; of a repeated name the first. Throws `invalid_trailer`. */
export function readTrailers(query: URLSearchParams): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of query) {
    const key = name.toLowerCase()
    const problem = headerProblem(name, value)
    if (problem === 'name') throw invalidTrailer(name, 'the name is not a token')
    if (problem === 'reserved' || NOT_BEHIND.has(key)) throw invalidTrailer(name, 'it must be sent before the body')
    if (problem === 'value') throw invalidTrailer(name, 'the value is not printable ASCII')
    if (!fields.has(key)) fields.set(key, value)
  }
  if (fields.size > MAX_TRAILERS) throw tooManyTrailers(fields.size, MAX_TRAILERS)
  return fields
}
