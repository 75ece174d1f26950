/** Gateways with supergraphs of different sessions, over one instance. */
import t from 'tap'
import { startGraphGateway } from '../../probe/graph-gateways/toy-gateway.ts'
import { mockServer } from '../mocks/client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t, { plugins: ['graphql-subgraphs'] })

t.test('traffic, rules and counts of a session stay apart behind a gateway [GQLSUB-16]', async t => {
  const [one, two] = await Promise.all(
    ['t-1', 't-2'].map(async session => {
      const gateway = await startGraphGateway({ upstream: server.url, session })
      t.teardown(() => gateway.close())
      return async () => {
        const response = await fetch(`${gateway.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ query: '{ product(id: "p1") { name averageRating } }' }),
        })
        return response.json() as Promise<{ data: unknown; errors?: object[] }>
      }
    }),
  )
  const rule = {
    name: 'reviews-fail-once',
    match: { path: '/graphql/subgraphs/reviews', graphql: { entity: 'Product' } },
    times: 1,
    then: { graphql: { errors: [{ at: 'Product.averageRating', code: 'RATINGS_DOWN' }] } },
  }
  t.match(await server.call('/s/t-1/_svc/rules', { method: 'POST', body: rule }), { status: 201 })

  const whole = { product: { name: 'Mechanical Keyboard', averageRating: 4.5 } }
  t.strictSame(await two!(), { data: whole }, 'the rule is of the other session, and is not used up')
  const failed = await one!()
  t.match(failed, { data: { product: { name: 'Mechanical Keyboard', averageRating: null } } })
  t.equal(failed.errors?.length, 1)
  t.strictSame(await one!(), { data: whole })

  const match = { path: '/graphql/subgraphs/reviews', graphql: { entity: 'Product' } }
  for (const [session, count] of [
    ['t-1', 2],
    ['t-2', 1],
  ] as const) {
    const body = { match, exactly: count, within_ms: 5000 }
    t.match(await server.call(`/s/${session}/_svc/verify`, { method: 'POST', body }), {
      status: 200,
      json: { verified: true, count },
    })
    const { json } = await server.call(`/_svc/requests?session=${session}&limit=100`)
    const asked = (json['requests'] as { path: string }[]).filter(({ path }) => path.endsWith('/subgraphs/reviews'))
    t.equal(asked.length, count, session)
  }
  const none = { match, exactly: 0 }
  t.match(await server.call('/s/t-3/_svc/verify', { method: 'POST', body: none }), { json: { verified: true } })
})
