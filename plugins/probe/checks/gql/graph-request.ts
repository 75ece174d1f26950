/** Requests of the checks of gateways that join graphs. */
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import type { SubgraphFault } from '../../upstream/script.ts'

export const JSON_FIELDS: readonly Field[] = [
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json'],
]

export interface GraphRequest {
  label: string
  /** Text of the operation; an object is the whole body. */
  query: string | object
  variables?: object
  /** Of subgraphs, by name. */
  faults?: Readonly<Record<string, SubgraphFault>>
  /** In addition to Content-Type, and Accept unless that is among them. */
  fields?: readonly Field[]
  more?: Partial<RequestSpec>
}

/** Requests to subgraphs, whose addresses begin with the prefix, belong to this one until the next. */
export function specOf(request: GraphRequest, prefix: string): RequestSpec {
  const { label, query, variables, faults = {}, fields = [], more } = request
  const accepts = fields.some(([name]) => name.toLowerCase() === 'accept')
  const body = typeof query === 'string' ? { query, ...(variables === undefined ? {} : { variables }) } : query
  return {
    label,
    method: 'POST',
    path: '',
    fields: [...JSON_FIELDS.filter(([name]) => name !== 'Accept' || !accepts), ...fields],
    ...(more?.method === 'GET' ? {} : { body: JSON.stringify(body) }),
    script: () => [{ do: 'subgraph', faults }],
    isValid: false,
    subgraphs: prefix,
    ...more,
  }
}
