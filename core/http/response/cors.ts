/** CORS (Fetch standard, 3.2): response headers and responses to preflights. */
import type { IncomingHttpHeaders } from 'node:http'

const PREFLIGHT_MAX_AGE_SECS = '600'
const PREFLIGHT_VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

export interface Cors {
  /** If false, no CORS headers are sent and preflights are ordinary requests. */
  readonly isOn: boolean
  /** The value added to `Vary` of every response; null if the origin makes no difference. */
  readonly vary: string | null
  /** Value of `Access-Control-Allow-Origin` for an `Origin`; null for none. */
  allowedOrigin(origin: string | undefined): string | null
  /** CORS headers of a response; `exposed` lists the headers that browsers, which send an `Origin`, may read. Includes `Vary` if needed. */
  headers(origin: string | undefined, exposed: string): Record<string, string>
  /** Headers of the 200 response to a preflight: the requested method and headers are allowed. */
  preflight(request: IncomingHttpHeaders): Record<string, string>
}

/**
 * `origins` comes from the configuration: `['*']`, or serialized origins that are compared exactly. `isOn: false`
 * disables CORS; by default it is off if there are no origins.
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
      if (exposed !== '' && origin !== undefined) headers['Access-Control-Expose-Headers'] = exposed
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

/**
 * Adds members to a `Vary` value without duplicates (names are case-insensitive); `*` already covers everything (RFC
 * 9110, 12.5.5).
 */
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
