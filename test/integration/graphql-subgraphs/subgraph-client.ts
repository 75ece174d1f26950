/** Sends operations to a subgraph. */

export interface SubgraphAnswer {
  status: number
  fault: string | null
  // Results depend on the query; tests compare them as a whole.
  data: Record<string, unknown> | null | undefined
  errors: { message: string; path?: unknown[]; extensions?: { code?: string } }[] | undefined
  extensions: { ftv1?: string } | undefined
}

export interface SubgraphClient {
  post(
    subgraph: string,
    query: string,
    options?: { variables?: object; headers?: Record<string, string>; search?: string },
  ): Promise<SubgraphAnswer>
  /** The `_entities` of representations, with a selection. */
  entities(
    subgraph: string,
    representations: object[],
    selection: string,
  ): Promise<SubgraphAnswer & { entities: unknown }>
}

/** `url` with a session prefix, if any. */
export function subgraphClient(url: string): SubgraphClient {
  const post: SubgraphClient['post'] = async (subgraph, query, { variables, headers = {}, search = '' } = {}) => {
    const response = await fetch(`${url}/graphql/subgraphs/${subgraph}${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    })
    const body = (await response.json()) as Pick<SubgraphAnswer, 'data' | 'errors' | 'extensions'>
    return { status: response.status, fault: response.headers.get('x-svc-fault'), ...body }
  }
  return {
    post,
    async entities(subgraph, representations, selection) {
      const query = `query($r: [_Any!]!) { _entities(representations: $r) { __typename ${selection} } }`
      const answer = await post(subgraph, query, { variables: { r: representations } })
      return { ...answer, entities: answer.data?._entities }
    },
  }
}
