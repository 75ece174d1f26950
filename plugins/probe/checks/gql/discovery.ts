/** Whether the gateway asks the subgraphs of svc, and under which addresses it knows them. */
import type { Discovery, JoinedGraph } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import { subgraphRequest } from '../../upstream/subgraph-requests.ts'
import { answerOf } from './answers.ts'
import { JSON_FIELDS } from './graph-request.ts'

const SUPERGRAPH = 'the gateway has to serve /graphql/supergraph.graphql of svc, best downloaded below /s/{name}'

/** A query that leads to the subgraph `users`; its argument tells that it is ours. */
export function joinedRequest(prefix: string | null): RequestSpec {
  return {
    method: 'POST',
    path: '',
    fields: JSON_FIELDS,
    content: marker => JSON.stringify({ query: `{ user(id: "${marker}") { id } }` }),
    script: () => [{ do: 'subgraph', faults: {} }],
    isValid: false,
    ...(prefix === null ? {} : { subgraphs: prefix }),
  }
}

export const JOINED: Discovery = {
  id: 'gql',
  attempts: [
    { plan: () => ({ connections: [{ requests: [joinedRequest(null)] }] }), learn: evidence => learn(evidence) },
  ],
}

function learn({ first }: Evidence): { graph: JoinedGraph } {
  for (const { line, record } of first.arrivals) {
    const found = subgraphRequest(line)
    if (found !== null)
      return { graph: { prefix: found.prefix, reason: '', protocol: record.protocol, isOfGraph: true } }
  }
  const came = first.count > 0 ? 'the request arrived at no subgraph' : String(first.status ?? 'no status came back')
  return {
    graph: {
      prefix: null,
      reason: `not routed: ${came}; ${SUPERGRAPH}`,
      protocol: '',
      isOfGraph: answerOf(first).isOfGraph,
    },
  }
}
