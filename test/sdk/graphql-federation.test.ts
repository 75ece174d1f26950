/** Other composers and gateways over the subgraphs. Where they are not installed, the tests are skipped. */
import t from 'tap'
import { parse, type DocumentNode } from 'graphql'
import { judge } from '../support/judges.ts'
import { serve } from '../support/server.ts'

const { url } = await serve(t, { plugins: ['graphql-subgraphs'] })
const CORE = ['users', 'products', 'inventory', 'reviews', 'orders']
const SETS = { core: CORE, full: [...CORE, 'pricing', 'billing'], newest: [...CORE, 'pricing', 'billing', 'caching'] }
const KINDS = ['syntax', 'unknown-directive', 'key-field', 'not-shareable', 'field-type', 'link']

interface Part {
  name: string
  url: string
  document: DocumentNode
}

async function partsOf(names: readonly string[], kind = ''): Promise<Part[]> {
  return Promise.all(
    names.map(async name => {
      const at = `${url}/graphql/subgraphs/${name}`
      const response = await fetch(`${at}/schema${kind !== '' && name === 'products' ? `?sdl=${kind}` : ''}`)
      return { name, url: at, document: parse(await response.text()) }
    }),
  )
}

/** Whether the parts compose; a syntax error is one that a composer need not see. */
async function composes(
  compose: (parts: Part[]) => boolean,
  names: readonly string[],
  kind?: string,
): Promise<boolean> {
  try {
    return compose(await partsOf(names, kind))
  } catch {
    return false
  }
}

interface ApolloComposition {
  composeServices(parts: { name: string; url: string; typeDefs: DocumentNode }[]): { errors?: unknown[] }
}
const apollo = await judge<ApolloComposition>('@apollo/composition')
t.test(
  'Apollo composes every set, and refuses every mistake [GQLSUB-30]',
  { skip: apollo === null && '@apollo/composition' },
  async t => {
    const compose = (parts: Part[]): boolean =>
      apollo!.composeServices(parts.map(({ document, ...part }) => ({ ...part, typeDefs: document }))).errors ===
      undefined
    for (const [set, names] of Object.entries(SETS)) t.ok(await composes(compose, names), set)
    for (const kind of KINDS) t.notOk(await composes(compose, CORE, kind), kind)
  },
)

interface CosmoComposition {
  federateSubgraphs(options: { subgraphs: object[]; version: string }): { success: boolean }
}
const cosmo = await judge<CosmoComposition>('@wundergraph/composition')
t.test('Cosmo composes the core set [GQLSUB-30]', { skip: cosmo === null && '@wundergraph/composition' }, async t => {
  const compose = (parts: Part[]): boolean =>
    cosmo!.federateSubgraphs({
      subgraphs: parts.map(({ document, ...part }) => ({ ...part, definitions: document })),
      version: '1',
    }).success
  t.ok(await composes(compose, CORE))
  for (const kind of KINDS.filter(name => name !== 'link')) t.notOk(await composes(compose, CORE, kind), kind)
})

/** One query over five subgraphs. */
const QUERY = `{
  order(id: "o1") {
    total
    buyer { email loyaltyPoints }
    items { quantity product { name averageRating reviews { rating author { name } } } }
  }
  product(id: "p2") { stock shippingCents }
  release
}`
const EXPECTED = {
  order: {
    total: 229.98,
    buyer: { email: 'alice@example.com', loyaltyPoints: 6 },
    items: [
      {
        quantity: 1,
        product: {
          name: 'Mechanical Keyboard',
          averageRating: 4.5,
          reviews: [
            { rating: 5, author: { name: 'Alice Chen' } },
            { rating: 4, author: { name: 'Carol Nakamura' } },
          ],
        },
      },
      {
        quantity: 1,
        product: {
          name: 'Wireless Mouse',
          averageRating: 3,
          reviews: [{ rating: 3, author: { name: 'Eva Johansson' } }],
        },
      },
    ],
  },
  product: { stock: 20, shippingCents: 420 },
  release: 'svc-demo-1',
}

/** How often each subgraph was asked in a session. */
async function arrivals(session: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of CORE) {
    const response = await fetch(`${url}/s/${session}/_svc/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ match: { method: 'POST', path: `/graphql/subgraphs/${name}` }, at_least: 0 }),
    })
    counts[name] = ((await response.json()) as { count: number }).count
  }
  return counts
}

const ONCE_A_LEVEL = { users: 1, products: 2, inventory: 1, reviews: 1, orders: 2 }

interface ApolloGateway {
  ApolloGateway: new (options: {
    supergraphSdl: string
  }) => {
    load(): Promise<{ schema: unknown; executor(request: object): Promise<{ data: unknown; errors?: unknown }> }>
    stop(): Promise<void>
  }
}
const apolloGateway = await judge<ApolloGateway>('@apollo/gateway')
t.test(
  'Apollo Gateway joins the subgraphs, one arrival for each level [GQLSUB-31]',
  { skip: apolloGateway === null && '@apollo/gateway' },
  async t => {
    const supergraphSdl = await (await fetch(`${url}/s/apollo/graphql/supergraph.graphql`)).text()
    const gateway = new apolloGateway!.ApolloGateway({ supergraphSdl })
    const { schema, executor } = await gateway.load()
    const ignore = (): void => {}
    const result = await executor({
      document: parse(QUERY),
      request: { query: QUERY, http: { headers: new Map() } },
      operationName: null,
      queryHash: 'one',
      context: {},
      schema,
      logger: console,
      cache: { get: async () => undefined, set: async () => {}, delete: async () => {} },
      metrics: {},
      overallCachePolicy: { restrict: ignore },
    })
    t.equal(result.errors, undefined)
    t.same(result.data, EXPECTED)
    t.match(await arrivals('apollo'), ONCE_A_LEVEL)
    await gateway.stop()
  },
)

interface HiveRuntime {
  createGatewayRuntime(options: object): {
    fetch(url: string, init: object): Promise<Response>
    [Symbol.asyncDispose](): Promise<void>
  }
}
const hive = await judge<HiveRuntime>('@graphql-hive/gateway-runtime')
t.test(
  'Hive Gateway joins the subgraphs, one arrival for each level [GQLSUB-31]',
  { skip: hive === null && '@graphql-hive/gateway-runtime' },
  async t => {
    const supergraph = await (await fetch(`${url}/s/hive/graphql/supergraph.graphql`)).text()
    const gateway = hive!.createGatewayRuntime({ supergraph: () => supergraph, logging: false })
    const response = await gateway.fetch('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY }),
    })
    t.same(await response.json(), { data: EXPECTED })
    // Its planner asks for the tier apart from the other fields of the buyer.
    t.match(await arrivals('hive'), { ...ONCE_A_LEVEL, users: 2 })
    await gateway[Symbol.asyncDispose]()
  },
)

interface TraceMessages {
  Trace: { decode(bytes: Uint8Array): { toJSON(): object } }
}
const messages = await judge<TraceMessages>('@apollo/usage-reporting-protobuf')
t.test(
  'traces decode with Apollo’s own decoder [GQLSUB-21]',
  { skip: messages === null && '@apollo/usage-reporting-protobuf' },
  async t => {
    const response = await fetch(`${url}/graphql/subgraphs/users`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'apollo-federation-include-trace': 'ftv1',
        'X-Svc-Graphql': 'error=/user/tier',
      },
      body: JSON.stringify({ query: '{ first: users(limit: 1) { name } user(id: "u1") { tier } }' }),
    })
    const { extensions } = (await response.json()) as { extensions: { ftv1: string } }
    const { Trace } = messages!
    t.match(Trace.decode(Buffer.from(extensions.ftv1, 'base64')).toJSON(), {
      startTime: { seconds: String },
      durationNs: String,
      root: {
        child: [
          {
            responseName: 'first',
            originalFieldName: 'users',
            type: '[User!]!',
            parentType: 'Query',
            child: [{ index: 0, child: [{ responseName: 'name', type: 'String!', parentType: 'User' }] }],
          },
          { responseName: 'user', child: [{ responseName: 'tier', error: [{ message: 'injected fault' }] }] },
        ],
      },
    })
  },
)
