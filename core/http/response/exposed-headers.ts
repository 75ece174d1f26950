/** `Access-Control-Expose-Headers`: what browsers may read across origins. */

import type { ExposedHeader } from '../../contract/plugin.ts'

/** The core's own, in the order of the specification. */
const ALWAYS = ['X-Request-Id', 'X-Svc-Fault', 'Content-Length', 'WWW-Authenticate']

/** The core's own on requests that it acted on or could not understand. */
const OF_RULES = ['X-Svc-Ignored']

/** The core's, then what plugins declare, each once; then those of faults and rules, and of active limits. */
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
