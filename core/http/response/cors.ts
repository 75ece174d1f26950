/** Which origins browsers may call from (Fetch standard, 3.2): response headers and answers to preflights. */
import type { IncomingHttpHeaders } from 'node:http'

const PREFLIGHT_MAX_AGE_SECS = '600'
const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

export interface Cors {
  /** False: no CORS header at all, and preflights are ordinary requests. */
  readonly isOn: boolean
  /** What every response adds to its `Vary`; null when the origin makes no difference. */
  readonly vary: string | null
  /** Value of `Access-Control-Allow-Origin` for a request's `Origin`; null: none. */
  allowedOrigin(origin: string | undefined): string | null
  /** Headers of a response; `exposed` is the list that browsers may read. `Vary` is among them when it matters. */
  headers(origin: string | undefined, exposed: string): Record<string, string>
  /** Headers of the 200 that answers a preflight: method and headers are allowed as asked for. */
  preflight(request: IncomingHttpHeaders): Record<string, string>
}

/**
 * `origins` as the configuration gives them: `['*']`, or serialized origins that are compared exactly. `isOn` is false for
 * no CORS at all; default: when there are no origins.
 */
export function createCors({
  origins,
  isOn = origins.length > 0,
}: {
  origins: readonly string[]
  isOn?: boolean
}): Cors {
  const isAny = origins.includes('*')
  const listed = new Set(origins)
  const vary = isOn && !isAny ? 'Origin' : null

  function allowedOrigin(origin: string | undefined): string | null {
    if (isAny) return '*'
    return origin !== undefined && listed.has(origin) ? origin : null
  }

  return {
    isOn,
    vary,
    allowedOrigin,
    headers(origin, exposed) {
      const headers: Record<string, string> = vary === null ? {} : { Vary: vary }
      const allowed = allowedOrigin(origin)
      if (allowed === null) return headers
      headers['Access-Control-Allow-Origin'] = allowed
      if (exposed !== '') headers['Access-Control-Expose-Headers'] = exposed
      return headers
    },
    preflight(request) {
      if (!isOn) return {}
      const headers: Record<string, string> = { Vary: PREFLIGHT_VARY }
      const allowed = allowedOrigin(request.origin)
      if (allowed === null) return headers
      headers['Access-Control-Allow-Origin'] = allowed
      headers['Access-Control-Allow-Methods'] = request['access-control-request-method'] ?? ''
      const asked = request['access-control-request-headers']
      if (asked) headers['Access-Control-Allow-Headers'] = asked
      headers['Access-Control-Max-Age'] = PREFLIGHT_MAX_AGE_SECS
      return headers
    },
  }
}

/** A `Vary` value with further members, none twice (names in any case); `*` says all already (RFC 9110, 12.5.5). */
export function mergeVary(existing: string, added: string): string {
  const members = existing
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const known = new Set(members.map(name => name.toLowerCase()))
  if (known.has('*')) return existing
  for (const name of added.split(',').map(member => member.trim())) {
    if (name === '' || known.has(name.toLowerCase())) continue
    known.add(name.toLowerCase())
    members.push(name)
  }
  return members.join(', ')
}
