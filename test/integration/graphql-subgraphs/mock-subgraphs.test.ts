/** Federated mocks in a supergraph, alongside the subgraphs of the demo data. */
import t from 'tap'
import { parse as parseGraphql } from 'graphql'
import { parse as parseYaml } from 'yaml'
import { mockServer } from '../mocks/client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])'
const FAVORITES = `${LINK}
type Query { favorites: [Favorite!]! }
type Favorite @key(fields: "id") { id: ID! note: String! product: Product! }
type Product @key(fields: "id") { id: ID! favorites: [Favorite!]! }
`

const server = await mockServer(t, { plugins: ['graphql-subgraphs', 'mocks'] })
await server.mock('shop-1', { spec: FAVORITES })
await server.mock('plain', { spec: 'type Query { a: Int }' })
await server.mock('clash', {
  spec: `${LINK} type Query { x: Int } type User @key(fields: "id") { id: ID! name: Int! }`,
})
await server.mock('keyless', { spec: `${LINK} type Query { x: Int } type Thing @key(fields: "nothing") { id: ID! }` })

t.test('a federated mock joins the subgraphs, with the addresses of the request [GQLSUB-14]', async t => {
  for (const prefix of ['', '/s/t-1']) {
    const { status, text } = await server.call(
      `${prefix}/graphql/supergraph.graphql?subgraphs=products,mock:shop-1,inventory`,
    )
    t.equal(status, 200, text)
    parseGraphql(text)
    t.match(text, `(name: "mock:shop-1", url: "${server.url}${prefix}/mock/shop-1")`)
    t.match(text, `(name: "products", url: "${server.url}${prefix}/graphql/subgraphs/products")`)
    t.match(text, /favorites: \[Favorite!\]! @join__field\(graph: MOCK_SHOP_1\)/)
  }
  const file = await server.call('/s/t-1/graphql/supergraph/config/cosmo?subgraphs=users,mock:shop-1')
  t.match(parseYaml(file.text), {
    subgraphs: [
      { name: 'users' },
      {
        name: 'mock:shop-1',
        routing_url: `${server.url}/s/t-1/mock/shop-1`,
        subscription: { url: `${server.url}/s/t-1/mock/shop-1/ws` },
      },
    ],
  })
  // What the composer of a gateway introspects.
  const service = await server.call('/s/t-1/mock/shop-1', { method: 'POST', body: { query: '{ _service { sdl } }' } })
  t.strictSame(service.json, { data: { _service: { sdl: FAVORITES } } })
})

t.test('a new version is composed again [GQLSUB-14]', async t => {
  const path = '/graphql/supergraph.graphql?subgraphs=users,mock:changing'
  t.match(await server.call(path), { status: 404 })
  await server.mock('changing', { spec: `${LINK} type Query { one: Int }` })
  t.match((await server.call(path)).text, /one: Int/)
  await server.mock('changing', { spec: `${LINK} type Query { two: Int }` })
  const { text } = await server.call(path)
  t.match(text, /two: Int/)
  t.notMatch(text, /one: Int/)
})

t.test('mocks that are unknown, not federated or do not compose are named [GQLSUB-15]', async t => {
  const ask = (names: string) => server.call(`/graphql/supergraph.graphql?subgraphs=${names}`)
  t.match(await ask('users,mock:odd'), {
    status: 404,
    json: { error: 'unknown_subgraph', name: 'mock:odd' },
  })
  const { subgraphs } = (await ask('mock:')).json as { subgraphs: string[] }
  t.ok(['users', 'mock:clash', 'mock:shop-1'].every(name => subgraphs.includes(name)))
  t.notOk(subgraphs.includes('mock:plain') || subgraphs.includes('mock:petstore'), 'only those that can be joined')
  t.match(await ask('mock:petstore'), { status: 404, json: { error: 'unknown_subgraph' } })
  t.match(await ask('users,mock:plain'), {
    status: 422,
    json: { error: 'does_not_compose', errors: [{ code: 'NOT_FEDERATED', message: /mock:plain/ }] },
  })
  t.match(await ask('users,mock:clash'), {
    status: 422,
    json: { error: 'does_not_compose', errors: [{ code: /^[A-Z_]+$/, message: /name/ }] },
  })
  t.match(await ask('users,mock:keyless'), {
    status: 422,
    json: { error: 'does_not_compose', errors: [{ code: 'KEY_INVALID_FIELDS', message: /nothing/ }] },
  })
  t.match(await server.call('/graphql/supergraph/config/rover?subgraphs=mock:plain'), { status: 422 })
  t.match(await server.call('/_svc/mocks/shop-1/disable', { method: 'POST' }), { status: 200 })
  t.match(await ask('mock:shop-1'), { status: 404 }, 'a mock that is not served')
})
