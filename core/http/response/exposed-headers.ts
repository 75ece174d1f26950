/** `Access-Control-Expose-Headers`: what browsers may read across origins. */

import type { ExposedHeader } from '../../contract/plugin.ts'

/** The headers of the core, in a fixed order. */
const ALWAYS = ['X-Request-Id', 'X-Svc-Fault', 'Content-Length', 'WWW-Authenticate']

/** The headers of the core for requests that it changed or could not parse. */
const OF_RULES = ['X-Svc-Rule', 'X-Svc-Expectation', 'X-Svc-Answer', 'X-Svc-Ignored']

/**
 * The headers of the core, then those declared by plugins, each once; then those of rules, replicas and active limits.
 */
export function exposedHeaders(ofPlugins: readonly ExposedHeader[], ofLimits: readonly string[]): string {
  const names = [...ALWAYS]
  const placeOf = (name: string): number => names.findIndex(other => other.toLowerCase() === name.toLowerCase())
  for (const header of [...ofPlugins, ...OF_RULES, ...ofLimits]) {
    const { name, before } = typeof header === 'string' ? { name: header } : header
    if (placeOf(name) !== -1) continue
    const place = before === undefined ? -1 : placeOf(before)
    names.splice(place === -1 ? names.length : place, 0, name)
  }
  return names.join(', ')
}
