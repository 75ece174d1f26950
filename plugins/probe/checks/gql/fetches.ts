/** What a gateway asked of subgraphs, as it arrived. */
import { isRecord } from 'svc/toolkit'
import type { ArrivalView, Call } from '../../client/evidence.ts'
import { subgraphRequest } from '../../upstream/subgraph-requests.ts'

export interface Representation {
  __typename?: unknown
  [field: string]: unknown
}

export interface Fetch {
  subgraph: string
  query: string
  /** Of all lists of representations in the variables; in documents without variables they are not read. */
  representations: Representation[]
  isOfEntities: boolean
  startMs: number
  /** When the last byte of the answer was written; null: it was not answered. */
  endMs: number | null
  view: ArrivalView
}

/** In the order in which they arrived. */
export function fetchesOf({ arrivals }: Pick<Call, 'arrivals'>): Fetch[] {
  return arrivals.flatMap(view => {
    const request = subgraphRequest(view.line)
    if (request === null) return []
    const { query, variables } = operationOf(view)
    return [
      {
        subgraph: request.name,
        query,
        representations: representationsIn(variables),
        isOfEntities: /\b_entities\b/.test(query),
        startMs: view.record.head_at_ms,
        endMs: view.record.answered.chunks.at(-1)?.at_ms ?? null,
        view,
      },
    ]
  })
}

export const fetchesAt = (call: Pick<Call, 'arrivals'>, subgraph: string): Fetch[] =>
  fetchesOf(call).filter(fetch => fetch.subgraph === subgraph)

function operationOf({ method, target, content }: ArrivalView): { query: string; variables: unknown } {
  // On a socket its handshake has the method GET.
  if (method === 'GET' && content.length === 0) {
    const parameters = new URLSearchParams(target.split('?')[1] ?? '')
    return { query: parameters.get('query') ?? '', variables: jsonOf(parameters.get('variables') ?? '') }
  }
  const body = jsonOf(content.toString())
  const operations = Array.isArray(body) ? body : [body]
  return {
    query: operations.map(one => (isRecord(one) ? String(one.query ?? '') : '')).join('\n'),
    variables: operations.map(one => (isRecord(one) ? one.variables : null)),
  }
}

function representationsIn(value: unknown): Representation[] {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(one => isRecord(one) && typeof one.__typename === 'string'))
      return value as Representation[]
    return value.flatMap(representationsIn)
  }
  return isRecord(value) ? Object.values(value).flatMap(representationsIn) : []
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
