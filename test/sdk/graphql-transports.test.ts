/** Each transport of a graph with clients that people use for it, unmodified. */
import t from 'tap'
import { Client as UrqlClient, fetchExchange, type AnyVariables, type OperationResult } from '@urql/core'
import { parse } from 'graphql'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createWsClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client/core'
import { Defer20220824Handler } from '@apollo/client/incremental'
import { BatchHttpLink } from '@apollo/client/link/batch-http'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { createHash } from 'node:crypto'
import { serve } from '../support/server.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const { url } = await serve(t, { plugins: ['graphql', 'graphql-subgraphs'] })
const REVIEWS = `${url}/graphql/subgraphs/reviews`
const PRODUCTS = `${url}/graphql/subgraphs/products`
const TICKS = 'subscription { ticker(count: 3, intervalMs: 50) { sequence } }'
const TICKED = [0, 1, 2].map(sequence => ({ ticker: { sequence } }))
const DEFERRED =
  'query { product(id: "p1") { __typename id name ... on Product @defer(label: "later") { description } } }'
const SLOW = { 'X-Svc-Graphql': 'delay=Product.description@200' }
const DESCRIBED = { product: { id: 'p1', name: 'Mechanical Keyboard', description: String } }

interface Source<Value> {
  subscribe(observer: (value: Value) => void): unknown
}

/** The results of a source of urql until its last one. */
function untilLast(source: Source<OperationResult<unknown, AnyVariables>>, count: number): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const seen: unknown[] = []
    source.subscribe(({ data, error, hasNext }) => {
      if (error !== undefined) return reject(error)
      seen.push(structuredClone(data))
      if (seen.length === count || !hasNext) resolve(seen)
    })
  })
}

const urqlAt = (at: string, headers: Record<string, string> = {}): UrqlClient =>
  new UrqlClient({
    url: at,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchSubscriptions: true,
    fetchOptions: { headers },
  })

t.test('urql: subscriptions, deferred parts and files over HTTP [GQL-41] [GQL-64]', async t => {
  t.match(await untilLast(urqlAt(`${url}/graphql`).subscription(TICKS, {}), 3), TICKED)
  const parts = await untilLast(urqlAt(PRODUCTS, SLOW).query(DEFERRED, {}), 2)
  t.equal(parts.length, 2, 'the first part does not wait')
  t.notMatch(parts[0], { product: { description: String } })
  t.match(parts[1], DESCRIBED)
  const attach = 'mutation($photo: Upload!) { attachPhoto(reviewId: "r1", photo: $photo) { filename bytes sha256 } }'
  const photo = new File(['a photo'], 'photo.png', { type: 'image/png' })
  t.match(await urqlAt(REVIEWS).mutation(attach, { photo }).toPromise(), {
    error: undefined,
    data: {
      attachPhoto: {
        filename: 'photo.png',
        bytes: 7,
        sha256: createHash('sha256').update('a photo').digest('hex'),
      },
    },
  })
})

function apollo(link: ApolloLink): ApolloClient {
  return new ApolloClient({
    link,
    cache: new InMemoryCache(),
    incrementalHandler: new Defer20220824Handler(),
    defaultOptions: { query: { fetchPolicy: 'no-cache' }, watchQuery: { fetchPolicy: 'no-cache' } },
  })
}

const documentOf = (text: string): TypedDocumentNode<Record<string, unknown>> =>
  parse(text) as TypedDocumentNode<Record<string, unknown>>

async function subscribed(client: ApolloClient, text: string): Promise<unknown[]> {
  const seen: unknown[] = []
  await new Promise<void>((resolve, reject) =>
    client.subscribe({ query: documentOf(text) }).subscribe({
      next: ({ data, error }) => (error === undefined ? seen.push(data) : reject(error)),
      error: reject,
      complete: resolve,
    }),
  )
  return seen
}

t.test('Apollo Client: multipart subscriptions and deferred parts [GQL-63] [GQL-64]', async t => {
  const client = apollo(new HttpLink({ uri: `${url}/graphql` }))
  t.match(await subscribed(client, TICKS), TICKED)
  client.stop()
  const deferring = apollo(new HttpLink({ uri: PRODUCTS, headers: SLOW }))
  const states: unknown[] = []
  await new Promise<void>((resolve, reject) =>
    deferring.watchQuery({ query: documentOf(DEFERRED) }).subscribe({
      next({ data, dataState }) {
        if (data !== undefined) states.push(dataState)
        if (dataState === 'complete') {
          t.match(data, DESCRIBED)
          resolve()
        }
      },
      error: reject,
    }),
  )
  t.strictSame(states, ['streaming', 'complete'], 'the first part does not wait')
  deferring.stop()
})

t.test('Apollo Client: WebSockets, batches and persisted queries [GQL-41] [GQL-61]', async t => {
  const socket = createWsClient({ url: `${url.replace('http', 'ws')}/graphql/ws`, webSocketImpl: WebSocket })
  const overSocket = apollo(new GraphQLWsLink(socket))
  t.match(await subscribed(overSocket, TICKS), TICKED)
  overSocket.stop()
  await socket.dispose()

  const batching = apollo(new BatchHttpLink({ uri: PRODUCTS, batchInterval: 20 }))
  const answers = await Promise.all(
    ['p1', 'p2'].map(id => batching.query({ query: documentOf(`{ product(id: "${id}") { id } }`) })),
  )
  t.match(
    answers.map(({ data }) => data),
    [{ product: { id: 'p1' } }, { product: { id: 'p2' } }],
  )
  batching.stop()

  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
  for (const useGETForHashedQueries of [false, true]) {
    const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries })
    const client = apollo(persisted.concat(new HttpLink({ uri: `${url}/graphql` })))
    for (let time = 0; time < 2; time++)
      t.match((await client.query({ query: documentOf('{ user(id: "u2") { name } }') })).data, {
        user: { name: 'Bob Martinez' },
      })
    client.stop()
  }
})

t.test('graphql-sse: many operations over one connection [GQL-65]', async t => {
  const client = createSseClient({ url: `${url}/graphql/stream`, singleConnection: true, retryAttempts: 0 })
  const results = (): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      const seen: unknown[] = []
      client.subscribe(
        { query: TICKS },
        { next: ({ data }) => seen.push(data), error: reject, complete: () => resolve(seen) },
      )
    })
  t.match(await Promise.all([results(), results()]), [TICKED, TICKED])
  client.dispose()
})
