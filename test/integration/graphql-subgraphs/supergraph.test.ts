/** Supergraphs of the subgraphs, and files with which gateways start. */
import t from 'tap'
import { parse as parseGraphql } from 'graphql'
import { parse as parseYaml } from 'yaml'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(url + path, { headers })

t.test('a supergraph has the addresses of the request, session prefix included [GQLSUB-10]', async t => {
  for (const [prefix, query, names] of [
    ['', '', ['users', 'products', 'inventory', 'reviews', 'orders']],
    ['/s/t-1', '?set=full', ['users', 'products', 'inventory', 'reviews', 'orders', 'pricing', 'billing']],
    ['', '?subgraphs=users,%20orders,users', ['users', 'orders']],
  ] as const) {
    const response = await get(`${prefix}/graphql/supergraph.graphql${query}`)
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    const text = await response.text()
    parseGraphql(text)
    const addresses = [...text.matchAll(/@join__graph\(name: "([\w-]+)", url: "([^"]+)"\)/g)]
    t.same(
      new Map(addresses.map(([, name, address]) => [name, address])),
      new Map(names.map(name => [name, `${url}${prefix}/graphql/subgraphs/${name}`])),
    )
    const etag = response.headers.get('etag')!
    const again = await get(`${prefix}/graphql/supergraph.graphql${query}`, { 'If-None-Match': etag })
    t.strictSame([again.status, await again.text()], [304, ''])
  }
  const other = await get('/s/t-2/graphql/supergraph.graphql')
  t.not(other.headers.get('etag'), (await get('/graphql/supergraph.graphql')).headers.get('etag'))
})

t.test('unknown names, sets and kinds are errors, and what does not compose is 422 [GQLSUB-11]', async t => {
  const table: [path: string, status: number, body: object][] = [
    ['/graphql/supergraph.graphql?set=odd', 400, { error: 'unknown_set', sets: ['core', 'full', 'newest'] }],
    ['/graphql/supergraph.graphql?subgraphs=users,odd', 404, { error: 'unknown_subgraph', name: 'odd' }],
    ['/graphql/supergraph.graphql?subgraphs=', 404, { error: 'unknown_subgraph', name: '' }],
    ['/graphql/supergraph.graphql?sdl=odd', 400, { error: 'unknown_sdl' }],
    ['/graphql/supergraph.graphql?sdl=empty', 400, { error: 'unknown_sdl' }],
    ['/graphql/supergraph/config/odd', 404, { error: 'unknown_gateway' }],
    ['/graphql/supergraph/config/rover?set=odd', 400, { error: 'unknown_set' }],
    ['/graphql/subgraphs/users/schema?sdl=odd', 400, { error: 'unknown_sdl' }],
    ['/graphql/subgraphs/users?sdl=odd&query=%7Brelease%7D', 400, { error: 'unknown_sdl' }],
    [
      '/graphql/supergraph.graphql?set=newest',
      422,
      { error: 'does_not_compose', errors: [{ code: 'UNKNOWN_FEDERATION_LINK_VERSION' }] },
    ],
    [
      '/graphql/supergraph.graphql?subgraphs=inventory,orders',
      422,
      { error: 'does_not_compose', errors: [{ code: String, message: String }] },
    ],
  ]
  for (const kind of ['syntax', 'unknown-directive', 'key-field', 'not-shareable', 'field-type', 'link'])
    table.push([
      `/graphql/supergraph.graphql?sdl=${kind}`,
      422,
      { error: 'does_not_compose', errors: [{ code: /^[A-Z_]+$/, message: String }] },
    ])
  for (const [path, status, body] of table) {
    const response = await get(path)
    t.equal(response.status, status, path)
    t.match(await response.json(), body, path)
  }
  t.equal((await get('/graphql/supergraph.graphql')).status, 200, 'the mistakes stay with their request')
})

t.test('a broken SDL, by query, by header and over _service [GQLSUB-12]', async t => {
  const plain = await (await get('/graphql/subgraphs/products/schema')).text()
  const service = async (query: string, headers = {}): Promise<unknown> => {
    const response = await fetch(`${url}/graphql/subgraphs/products${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: '{ _service { sdl } }' }),
    })
    t.equal(response.headers.get('x-svc-fault'), 'graphql')
    return ((await response.json()) as { data: { _service: { sdl: string | null } } }).data._service.sdl
  }
  for (const kind of ['syntax', 'unknown-directive', 'key-field', 'not-shareable', 'field-type', 'link']) {
    const sdl = await (await get(`/graphql/subgraphs/products/schema?sdl=${kind}`)).text()
    t.not(sdl, plain, kind)
    t.equal(await service(`?sdl=${kind}`), sdl)
    t.equal(await service('', { 'X-Svc-Graphql': `sdl=${kind}` }), sdl)
  }
  t.equal(await service('?sdl=empty'), '')
  t.equal(await service('?sdl=null'), null)
})

t.test('each gateway has its file [GQLSUB-13]', async t => {
  const file = async (name: string): Promise<string> => {
    const response = await get(`/s/t-1/graphql/supergraph/config/${name}?set=full`)
    t.equal(response.status, 200)
    t.match(response.headers.get('content-disposition'), /^inline; filename="[\w.-]+"$/)
    return response.text()
  }
  const at = `${url}/s/t-1/graphql/subgraphs/users`
  const rover = parseYaml(await file('rover')) as { subgraphs: Record<string, unknown> }
  t.strictSame(rover.subgraphs.users, { routing_url: at, schema: { subgraph_url: at } })
  t.equal(Object.keys(rover.subgraphs).length, 7)
  const cosmo = parseYaml(await file('cosmo')) as { subgraphs: object[] }
  t.match(cosmo.subgraphs[0], { name: 'users', routing_url: at, introspection: { url: at } })
  const router = parseYaml(await file('apollo-router')) as object
  t.match(router, {
    subscription: {
      mode: { passthrough: { subgraphs: { reviews: { path: '/s/t-1/graphql/subgraphs/reviews/ws' } } } },
    },
  })
  t.match(parseYaml(await file('hive-router')), { supergraph: { source: 'file', path: './supergraph.graphql' } })
  for (const name of ['apollo-gateway', 'hive-gateway', 'grafbase'])
    t.ok((await file(name)).includes(`${url}/s/t-1/graphql/supergraph.graphql?set=full`), name)
})
