/** The form of checks of gateways that join graphs: requests one after the other, each with what it made subgraphs receive. */
import { randomInt } from 'node:crypto'
import { defineCheck, skip, type Check, type Facts, type GraphSettings, type Verdict } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec } from '../../client/exchange.ts'
import { JOINED } from './discovery.ts'
import { specOf, type GraphRequest } from './graph-request.ts'

/** What a check knows of the gateway. */
export interface GraphContext {
  settings: GraphSettings
  timeoutMs: number
  /**
   * Another name for each attempt, for an alias: gateways answer equal documents from caches, and join equal requests to a
   * subgraph while one is open.
   */
  fresh: string
  /** Names of `--routes`. */
  routes: ReadonlySet<string>
  /** `host:port` of the upstreams. */
  upstreams: readonly string[]
}

export interface GraphStep extends GraphRequest {
  connection?: Omit<ConnectionSpec, 'requests'>
}

type Own = Omit<Check, 'group' | 'since' | 'sources' | 'plan' | 'judge'> & Partial<Pick<Check, 'sources'>>

export interface GraphCheck extends Own {
  /** It can be tried with a gateway that executes no document of the probe. */
  needsNoArrivals?: boolean
  /** Why it is not tried; null: it is. */
  reasonWithout?(context: GraphContext): string | null
  steps(context: GraphContext): readonly GraphStep[]
  judge(evidence: Evidence, context: GraphContext): Verdict
}

const NOBODY_ASKED = 'not routed: the gateway was not asked'

export function graphCheck({
  needsNoArrivals,
  reasonWithout,
  steps,
  judge,
  when,
  sources = [],
  ...rest
}: GraphCheck): Check {
  const contextOf = (facts: Facts): GraphContext => ({
    settings: facts.graphs,
    timeoutMs: facts.timeoutMs,
    fresh: `a${randomInt(1_000_000_000)}`,
    routes: facts.routes,
    upstreams: facts.upstreamOrigins.map(origin => new URL(origin).host),
  })
  const reasonOf = (facts: Facts): string | null => {
    const { graph } = facts
    if (graph === null) return NOBODY_ASKED
    if (graph.prefix === null && !(needsNoArrivals === true && graph.isOfGraph)) return graph.reason
    return reasonWithout?.(contextOf(facts)) ?? null
  }
  return defineCheck({
    ...rest,
    group: 'gql',
    since: '2026.3',
    sources,
    // Requests of the gateway are those of the check that runs.
    when: { ...when, alone: true, noDirect: true, judgesRefusal: true, discovery: JOINED },
    plan(facts) {
      if (reasonOf(facts) !== null) return { connections: [] }
      const own = steps(contextOf(facts)).map(({ connection, ...request }) => ({
        ...connection,
        requests: [specOf(request, facts.graph!.prefix ?? '')],
      }))
      // Each script takes the requests to subgraphs over from the one before.
      return { connections: own, inOrder: true }
    },
    judge(evidence, facts) {
      const reason = reasonOf(facts)
      return reason === null ? judge(evidence, contextOf(facts)) : skip(reason)
    },
  })
}
