/** GraphQL clients that people use, unmodified against a mock of a schema. */
import t from 'tap'
import { Client as UrqlClient, cacheExchange, fetchExchange } from '@urql/core'
import { GraphQLClient } from 'graphql-request'
import { createClient as createWsClient } from 'graphql-ws'
import { createClient as createSseClient } from 'graphql-sse'
import { parse, type DocumentNode } from 'graphql'
import { WebSocket } from 'ws'
import { mockServer } from '../integration/mocks/client.ts'
import { judge } from '../support/judges.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t, { plugins: ['mocks', 'graphql'] })
await server.mock('shop', {
  spec: `
type Query { user(id: ID!): User  users(limit: Int): [User!]! }
type Mutation { createUser(name: String!): User! }
type Subscription { userAdded: User! }
type User { id: ID! name: String! manager: User }
`,
  settings: { stateful: 'session', subscription: { count: 2, interval_ms: 50 } },
  overrides: { '/user/manager': { error: { code: 'NO_MANAGER', message: 'no manager' } } },
})
const url = `${server.url}/mock/shop`
const USER = 'query User($id: ID!) { user(id: $id) { __typename id name } }'
const CREATE = 'mutation($name: String!) { createUser(name: $name) { __typename id name } }'
const FAILING = '{ user(id: "a") { id manager { id } } }'
const ADDED = 'subscription { userAdded { __typename id } }'
const EVENTS = ['user-1', 'user-2'].map(id => ({ userAdded: { __typename: 'User', id } }))

t.test('urql: queries, mutations and errors of fields [MOCK-109]', async t => {
  const urql = new UrqlClient({
    url,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { 'X-Svc-Session': 'urql' } },
  })
  t.match(await urql.query(USER, { id: 'u7' }).toPromise(), {
    error: undefined,
    data: { user: { id: 'u7', name: String } },
  })
  t.match(await urql.mutation(CREATE, { name: 'Zoe' }).toPromise(), {
    data: { createUser: { id: 'user-new-1', name: 'Zoe' } },
  })
  // The mutation has changed a User, so the cache asks again.
  t.match(await urql.query('{ users { id name } }', {}).toPromise(), {
    data: { users: [{ id: 'user-1' }, { id: 'user-2' }, { id: 'user-new-1', name: 'Zoe' }] },
  })
  const failed = await urql.query(FAILING, {}).toPromise()
  t.match(failed.error?.graphQLErrors, [{ message: 'no manager', extensions: { code: 'NO_MANAGER' } }])
})

t.test('graphql-request: queries, a batch, and errors with what came [MOCK-109]', async t => {
  const client = new GraphQLClient(url, { headers: { 'X-Svc-Session': 'request' } })
  t.match(await client.request(USER, { id: 'u7' }), { user: { id: 'u7' } })
  t.match(await client.batchRequests([{ document: USER, variables: { id: 'a' } }, { document: '{ users { id } }' }]), [
    { data: { user: { id: 'a' } } },
    { data: { users: [{ id: 'user-1' }, { id: 'user-2' }] } },
  ])
  t.match(await client.request(FAILING).catch((error: unknown) => error), {
    response: { status: 200, data: { user: { id: 'a', manager: null } }, errors: [{ message: 'no manager' }] },
  })
  t.match(await client.request('{ nothing }').catch((error: unknown) => error), {
    response: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  })
})

t.test('graphql-ws and graphql-sse: subscriptions [MOCK-109]', async t => {
  const socket = createWsClient({ url: `${url.replace('http', 'ws')}/ws`, webSocketImpl: WebSocket })
  const seen: unknown[] = []
  for await (const { data } of socket.iterate({ query: ADDED })) seen.push(data)
  t.strictSame(seen, EVENTS)
  await socket.dispose()
  for (const singleConnection of [false, true]) {
    const client = createSseClient({
      url: singleConnection ? `${url}/stream` : url,
      singleConnection,
      retryAttempts: 0,
    })
    const events: unknown[] = []
    await new Promise<void>((resolve, reject) =>
      client.subscribe(
        { query: ADDED },
        { next: ({ data }) => events.push(data), error: reject, complete: () => resolve() },
      ),
    )
    t.strictSame(events, EVENTS)
    client.dispose()
  }
})

interface ApolloCore {
  ApolloClient: new (
    options: object,
  ) => {
    query(options: object): Promise<{ data: unknown; error?: { errors: unknown[] } }>
    mutate(options: object): Promise<{ data: unknown }>
    subscribe(options: object): { subscribe(observer: object): unknown }
    stop(): void
  }
  InMemoryCache: new () => object
  HttpLink: new (options: object) => object
}
const apollo = await judge<ApolloCore>('@apollo/client/core/index.js')
t.test(
  'Apollo Client: its cache, errors of fields, and multipart subscriptions [MOCK-109]',
  { skip: apollo === null && '@apollo/client' },
  async t => {
    const { ApolloClient, InMemoryCache, HttpLink } = apollo!
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new HttpLink({ uri: url, headers: { 'X-Svc-Session': 'apollo' } }),
    })
    const query = (text: string, variables = {}): { query: DocumentNode; variables: object } => ({
      query: parse(text),
      variables,
    })
    t.match(await client.query(query(USER, { id: 'u7' })), { data: { user: { id: 'u7', name: String } } })
    t.match(await client.mutate({ mutation: parse(CREATE), variables: { name: 'Zoe' } }), {
      data: { createUser: { id: 'user-new-1', name: 'Zoe' } },
    })
    // The mock has the same user in lists and look-ups, so the cache has one.
    const { data } = await client.query(query('{ users(limit: 1) { __typename id name } }'))
    t.match(await client.query(query(USER, { id: 'user-1' })), {
      data: { user: (data as { users: object[] }).users[0] },
    })
    t.match(await client.query({ ...query(FAILING), errorPolicy: 'all' }), {
      data: { user: { id: 'a', manager: null } },
      error: { errors: [{ message: 'no manager' }] },
    })
    const events: unknown[] = []
    await new Promise<void>((resolve, reject) =>
      client.subscribe({ query: parse(ADDED) }).subscribe({
        next: ({ data: event }: { data: unknown }) => events.push(event),
        error: reject,
        complete: resolve,
      }),
    )
    t.match(events, EVENTS)
    client.stop()
  },
)
