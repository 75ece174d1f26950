/** GraphQL clients that people use, unmodified against the product. */
import t from 'tap'
import { WebSocket } from 'ws'
import { createClient as createWsClient } from 'graphql-ws'
import { createClient as createSseClient } from 'graphql-sse'
import { Client as UrqlClient, cacheExchange, fetchExchange } from '@urql/core'
import { GraphQLClient } from 'graphql-request'
import { SubscriptionClient } from 'subscriptions-transport-ws'
import { serve } from '../support/server.ts'

const { url } = await serve(t)

const TICKS = 'subscription { ticker(count: 3, intervalMs: 50) { sequence } }'

t.test('graphql-ws iterates over a subscription and a query [GQL-41]', async t => {
  const client = createWsClient({ url: `${url.replace('http', 'ws')}/graphql/ws`, webSocketImpl: WebSocket })
  const seen: unknown[] = []
  for await (const { data } of client.iterate({ query: TICKS })) seen.push(data)
  t.strictSame(
    seen,
    [0, 1, 2].map(sequence => ({ ticker: { sequence } })),
  )
  for await (const { data } of client.iterate({ query: '{ user(id: "u1") { name } }' }))
    t.strictSame(data, { user: { name: 'Alice Chen' } })
  await client.dispose()
})

t.test('subscriptions-transport-ws subscribes and gets errors [GQL-41]', async t => {
  const client = new SubscriptionClient(`${url.replace('http', 'ws')}/graphql/ws`, {}, WebSocket)
  const results = (query: string) =>
    new Promise<unknown[]>((resolve, reject) => {
      const seen: unknown[] = []
      client
        .request({ query })
        .subscribe({ next: ({ data }) => seen.push(data), error: reject, complete: () => resolve(seen) })
    })
  t.strictSame(
    await results(TICKS),
    [0, 1, 2].map(sequence => ({ ticker: { sequence } })),
  )
  await t.rejects(results('subscription { nothing }'), {
    message: 'Cannot query field "nothing" on type "SubscriptionRoot".',
  })
  client.close()
})

t.test('graphql-sse subscribes over a connection of its own [GQL-41]', async t => {
  const client = createSseClient({ url: `${url}/graphql`, singleConnection: false, retryAttempts: 0 })
  const results = (query: string) =>
    new Promise<unknown[]>((resolve, reject) => {
      const seen: unknown[] = []
      client.subscribe({ query }, { next: result => seen.push(result), error: reject, complete: () => resolve(seen) })
    })
  t.strictSame(
    await results(TICKS),
    [0, 1, 2].map(sequence => ({ data: { ticker: { sequence } } })),
  )
  t.match(await results('{ nothing }'), [{ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] }])
  client.dispose()
})

t.test('urql and graphql-request query, mutate and show errors [GQL-41]', async t => {
  const urql = new UrqlClient({
    url: `${url}/graphql`,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
  })
  t.match(await urql.query('{ user(id: "u1") { name } }', {}).toPromise(), {
    data: { user: { name: 'Alice Chen' } },
    error: undefined,
  })
  t.match(
    await urql
      .mutation('mutation($input: CreateUserInput!) { createUser(input: $input) { role } }', {
        input: { name: 'a', email: 'b' },
      })
      .toPromise(),
    { data: { createUser: { role: 'USER' } } },
  )
  t.match((await urql.query('{ nothing }', {}).toPromise()).error?.graphQLErrors[0]?.extensions, {
    code: 'GRAPHQL_VALIDATION_FAILED',
  })
  const request = new GraphQLClient(`${url}/graphql`)
  t.strictSame(await request.request('query($id: ID!) { user(id: $id) { name } }', { id: 'u2' }), {
    user: { name: 'Bob Martinez' },
  })
  t.match(await request.request('{ nothing }').catch((error: unknown) => error), {
    response: { status: 400, errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  })
})
