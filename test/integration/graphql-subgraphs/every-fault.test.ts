/** Every fault inside an answer, by header and by rule, on `/graphql`, a subgraph and a mock. */
import t from 'tap'
import {
  buildClientSchema,
  defaultFieldResolver,
  execute,
  getIntrospectionQuery,
  parse,
  type GraphQLFieldResolver,
  type IntrospectionQuery,
} from 'graphql'
import { mockServer } from '../mocks/client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const SHOP = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
type Query { product(id: ID!): Product  products(limit: Int): [Product!]! }
type Subscription { restocked: Product! }
type Product @key(fields: "id") { id: ID!  name: String!  maker: Maker!  parts: [Part] }
type Maker { name: String!  site: String }
type Part { name: String! }
`
const server = await mockServer(t, { plugins: ['graphql-subgraphs', 'mocks'] })
await server.mock('shop', { spec: SHOP, settings: { subscription: { count: 3, interval_ms: 50 } } })

interface Target {
  path: string
  /** Names of the root types. */
  query: string
  /** Fields whose nulls climb to several places. */
  selection: string
  places: readonly string[]
  feed: { path?: string; subscription: string }
  isFederated: boolean
}

const TARGETS: readonly Target[] = [
  {
    path: '/graphql',
    query: 'QueryRoot',
    selection: 'id name reviews { rating author { name } }',
    places: ['Product.name', 'Product.reviews', 'Review.rating', 'Review.author', 'User.name'],
    feed: { subscription: 'subscription { ticker(count: 3, intervalMs: 50) { sequence } }' },
    isFederated: false,
  },
  {
    path: '/graphql/subgraphs/products',
    query: 'Query',
    selection: 'id name notes maker { id name }',
    places: ['Product.name', 'Product.notes', 'Product.maker', 'Maker.name'],
    feed: {
      path: '/graphql/subgraphs/reviews',
      subscription: 'subscription { reviewAdded(count: 3, intervalMs: 50) { id } }',
    },
    isFederated: true,
  },
  {
    path: '/mock/shop',
    query: 'Query',
    selection: 'id name maker { name site } parts { name }',
    places: ['Product.name', 'Product.maker', 'Maker.name', 'Maker.site', 'Product.parts', 'Part.name'],
    feed: { subscription: 'subscription { restocked { id } }' },
    isFederated: true,
  },
]

interface Answer {
  status: number
  fault: string | undefined
  data: Record<string, unknown> | null | undefined
  errors: { path?: unknown[]; extensions?: { code?: string } }[] | undefined
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const accept = { accept: 'application/json', ...headers }
  const reply = await server.call(path, { method: 'POST', body, headers: accept })
  const { data, errors } = reply.json as unknown as Pick<Answer, 'data' | 'errors'>
  return { status: reply.status, fault: reply.headers['x-svc-fault'], data, errors }
}

let sessions = 0

/** The prefix of a session in which every request to the path has the step. */
async function sessionWith(path: string, graphql: object): Promise<string> {
  const prefix = `/s/fault-${++sessions}`
  const rule = { name: 'fault', match: { path }, then: { graphql } }
  const stored = await server.call(`${prefix}/_svc/rules`, { method: 'POST', body: rule })
  if (stored.status !== 201) throw new Error(stored.text)
  return prefix
}

/** The answers to a body with the fault: by header, and by rule. */
async function both(path: string, body: object, header: string, step: object): Promise<[by: string, Answer][]> {
  const prefix = await sessionWith(path, step)
  return [
    [`${path} ${header} by header`, await post(path, body, { 'x-svc-graphql': header })],
    [`${path} ${header} by rule`, await post(prefix + path, body)],
  ]
}

const QUERY = '{ product(id: "p1") { id name } products(limit: 2) { id name } }'
interface Rows {
  product: Record<string, unknown>
  products: Record<string, unknown>[]
}
interface Fault {
  header: string
  step: object
  expected(data: Rows): unknown
  more?: object
}

const FAULTS: readonly Fault[] = [
  {
    header: 'error=/product@DOWN',
    step: { errors: [{ at: '/product', code: 'DOWN' }] },
    expected: ({ products }) => ({ product: null, products }),
    more: { errors: [{ path: ['product'], extensions: { code: 'DOWN' } }] },
  },
  {
    header: 'value=/product/name@7',
    step: { values: [{ at: '/product/name', value: 7 }] },
    expected: ({ product, products }) => ({ product: { ...product, name: 7 }, products }),
  },
  {
    header: 'remove=/products/*/name',
    step: { remove: ['/products/*/name'] },
    expected: ({ product, products }) => ({ product, products: products.map(({ id }) => ({ id })) }),
  },
  {
    header: 'add=/product@extra',
    step: { add: [{ at: '/product', name: 'extra', value: true }] },
    expected: ({ product, products }) => ({ product: { ...product, extra: true }, products }),
  },
  { header: 'data=null', step: { data: 'null' }, expected: () => null },
  { header: 'data=drop', step: { data: 'drop' }, expected: () => undefined },
  { header: 'status=503', step: { status: 503 }, expected: data => data, more: { status: 503 } },
]

for (const { path } of TARGETS)
  t.test(`${path}: the answer has the fault, and nothing else changes [GQL-50]`, async t => {
    const plain = await post(path, { query: QUERY })
    t.equal(plain.fault, undefined)
    const data = plain.data as unknown as Rows
    t.match(data, { product: { name: String }, products: [{ name: String }, { name: String }] })
    for (const { header, step, expected, more = {} } of FAULTS)
      for (const [by, answer] of await both(path, { query: QUERY }, header, step)) {
        t.strictSame(answer.data, expected(data), by)
        t.match(answer, { status: 200, fault: 'graphql', ...more }, by)
        if (!('errors' in more)) t.equal(answer.errors, undefined, by)
      }
    const DELAY_MS = 60
    const prefix = await sessionWith(path, { delays: [{ at: 'Product.name', ms: DELAY_MS }] })
    for (const [at, headers] of [
      [path, { 'x-svc-graphql': `delay=Product.name@${DELAY_MS}` }],
      [prefix + path, {}],
    ] as const) {
      const from = performance.now()
      const answer = await post(at, { query: QUERY }, headers)
      t.ok(performance.now() - from >= DELAY_MS - 1, `${at} waits`)
      t.strictSame(answer.data, data)
      t.equal(answer.fault, 'graphql')
    }
  })

t.test('entities and the SDL of a subgraph and of a mock [GQLSUB-12] [GQLSUB-20]', async t => {
  const entities = {
    query: 'query($r: [_Any!]!) { _entities(representations: $r) { ... on Product { id } } }',
    variables: { r: ['p1', 'p2', 'p3'].map(id => ({ __typename: 'Product', id })) },
  }
  const [p1, p2, p3] = ['p1', 'p2', 'p3'].map(id => ({ id }))
  const outOfStep = {
    reverse: [p3, p2, p1],
    short: [p1, p2],
    long: [p1, p2, p3, p1],
    null: [null, null, null],
    empty: [],
    'not-list': p1,
    error: [null, null, null],
  }
  for (const { path, isFederated } of TARGETS) {
    if (!isFederated) continue
    for (const [how, expected] of Object.entries(outOfStep))
      for (const [by, answer] of await both(path, entities, `entities=${how}`, { entities: how })) {
        t.strictSame(answer.data, { _entities: expected }, by)
        t.match(answer.errors, how === 'error' ? [{ path: ['_entities'] }] : undefined, by)
      }
    const service = { query: '{ _service { sdl } }' }
    const sdlOf = ({ data }: Answer): unknown => (data as { _service: { sdl: unknown } })._service.sdl
    const plain = sdlOf(await post(path, service))
    for (const [kind, isExpected] of [
      ['syntax', (sdl: unknown) => sdl === `${String(plain)}\ntype Broken {`],
      ['link', (sdl: unknown) => sdl === String(plain).replace('federation/v2.3', 'federation/v9.9')],
      ['empty', (sdl: unknown) => sdl === ''],
      ['null', (sdl: unknown) => sdl === null],
    ] as const) {
      for (const [by, answer] of await both(path, service, `sdl=${kind}`, { sdl: kind }))
        t.ok(isExpected(sdlOf(answer)), by)
      t.ok(isExpected(sdlOf(await post(`${path}?sdl=${kind}`, service))), `${path}?sdl=${kind}`)
    }
  }
})

t.test('a stream breaks off after some events [GQL-53]', async t => {
  for (const { path, feed } of TARGETS) {
    const at = feed.path ?? path
    const prefix = await sessionWith(at, { cut: 2 })
    for (const [url, header] of [
      [server.url + at, { 'x-svc-graphql': 'cut=2' }],
      [server.url + prefix + at, {}],
    ] as const) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...header },
        body: JSON.stringify({ query: feed.subscription }),
      })
      let text = ''
      await t.rejects(async () => {
        for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
      }, url)
      t.strictSame(text.match(/^event: \w+/gm), ['event: next', 'event: next'], url)
    }
  }
})

t.test('nulls climb as in graphql-js, to every place that the schema allows [GQL-51]', async t => {
  for (const { path, query: root, selection, places } of TARGETS) {
    const introspected = await post(path, { query: getIntrospectionQuery() })
    const schema = buildClientSchema(introspected.data as unknown as IntrospectionQuery)
    const query = `{ product(id: "p1") { ${selection} } products(limit: 2) { ${selection} } }`
    const plain = await post(path, { query })
    t.equal(plain.errors, undefined)
    for (const place of [`${root}.product`, `${root}.products`, ...places]) {
      const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) => {
        if (`${info.parentType.name}.${info.fieldName}` === place) throw new Error('a failure')
        return defaultFieldResolver(source, args, context, info)
      }
      const expected = await execute({ schema, document: parse(query), rootValue: plain.data, fieldResolver })
      t.ok(expected.errors, `${path} has ${place}`)
      for (const [by, answer] of await both(path, { query }, `error=${place}`, { errors: [{ at: place }] })) {
        t.same(answer.data, expected.data, by)
        t.same(
          answer.errors?.map(error => error.path),
          expected.errors!.map(error => error.path),
          by,
        )
      }
    }
  }
})
