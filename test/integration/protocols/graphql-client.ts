/** Sends requests to `/graphql` and returns status, headers and parsed body. */

export interface Answer {
  status: number
  headers: Headers
  // Results depend on the query; tests compare them as a whole.
  data: Record<string, unknown> | null | undefined
  errors: { message: string; path?: unknown[]; extensions?: { code?: string } }[] | undefined
  code: string | undefined
  body: Record<string, unknown>
}

async function read(response: Response): Promise<Answer> {
  const body = (await response.json()) as Pick<Answer, 'data' | 'errors'>
  return {
    status: response.status,
    headers: response.headers,
    data: body.data,
    errors: body.errors,
    code: body.errors?.[0]?.extensions?.code,
    body: body as Record<string, unknown>,
  }
}

export interface Client {
  /** Sends a POST with JSON. */
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends a GET with these parameters. */
  get(parameters: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
  /** The data of a query; throws the errors. */
  data(query: string, variables?: object): Promise<Record<string, unknown>>
}

export function clientOf(url: string): Client {
  const post: Client['post'] = async (body, headers = {}) =>
    read(
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  return {
    post,
    get: async (parameters, headers = {}) =>
      read(
        await fetch(`${url}/graphql?${new URLSearchParams(parameters)}`, {
          headers: { accept: 'application/json', ...headers },
        }),
      ),
    async data(query, variables) {
      const { data, errors } = await post({ query, variables })
      if (errors !== undefined) throw new Error(JSON.stringify(errors))
      return data!
    },
  }
}
