/** Detects whether this page was loaded through a gateway; its calls to the instance then go through it too. */
import { signal } from '@preact/signals'
import { familyOf } from '../traffic/families.ts'

/** The gateway between this page and the instance. */
export interface PageGateway {
  /** Host of the page, which is the host of the gateway. */
  host: string
  /** Names of headers that a gateway added to the request or the response. */
  evidence: readonly string[]
}

export const pageGateway = signal<PageGateway | null>(null)

/** Families of headers that clients or the instance send too. */
const COMMON_FAMILIES = new Set(['Tracing', 'Correlation', 'Rate limit'])

/** The gateway of a call; null: none detected. The instance never sends `Server` or `Via`, so a gateway added them. */
export function gatewayOf(
  host: string,
  proxyHeaders: readonly string[],
  responseHeaders: Iterable<[name: string, value: string]>,
): PageGateway | null {
  const added = [...responseHeaders].map(([name]) => name).filter(name => name === 'server' || isGatewayHeader(name))
  const evidence = [...new Set([...proxyHeaders, ...added])]
  return evidence.length === 0 ? null : { host, evidence }
}

function isGatewayHeader(name: string): boolean {
  const family = familyOf(name)
  return family !== null && !COMMON_FAMILIES.has(family)
}
