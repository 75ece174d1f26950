/** Whether this page itself came through a gateway: its calls of the instance go the way that the page came. */
import { signal } from '@preact/signals'
import { familyOf } from '../traffic/families.ts'

/** What shows that a gateway is between this page and the instance; null: nothing does. */
export interface PageGateway {
  /** Host of the page, which is the gateway's. */
  host: string
  /** Header names, of the request as it arrived and of the answer. */
  evidence: readonly string[]
}

export const pageGateway = signal<PageGateway | null>(null)

/** Families that clients and the instance itself write too. */
const ANYBODY = new Set(['Tracing', 'Correlation', 'Rate limit'])

/** The gateway on the way of a call. The instance sends no `Server` and no `Via`; whoever puts them into its answer is between. */
export function gatewayOf(
  host: string,
  proxyHeaders: readonly string[],
  answer: Iterable<[name: string, value: string]>,
): PageGateway | null {
  const added = [...answer].map(([name]) => name).filter(name => name === 'server' || isGateways(name))
  const evidence = [...new Set([...proxyHeaders, ...added])]
  return evidence.length === 0 ? null : { host, evidence }
}

function isGateways(name: string): boolean {
  const family = familyOf(name)
  return family !== null && !ANYBODY.has(family)
}
