/** The subgraphs: their data, their entities, and what shows what a gateway sent. */
import t from 'tap'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import WebSocket from 'ws'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { subgraphClient } from './subgraph-client.ts'

const { url } = await serve(t)
const { post, entities } = subgraphClient(url)
const NAMES = ['users', 'products', 'inventory', 'reviews', 'orders', 'pricing', 'billing', 'caching']

t.test('the list has addresses of the request, and sets [GQLSUB-1]', async t => {
  const list = (await (await fetch(`${url}/s/t-1/graphql/subgraphs`)).json()) as {
    count: number
    sets: Record<string, string[]>
    subgraphs: Record<string, unknown>[]
  }
  t.equal(list.count, 8)
  t.strictSame(list.sets, { core: NAMES.slice(0, 5), full: NAMES.slice(0, 7), newest: NAMES })
  t.strictSame(list.subgraphs[0], {
    name: 'users',
    sets: ['core', 'full', 'newest'],
    federation: '2.3',
    url: `${url}/s/t-1/graphql/subgraphs/users`,
    ws_url: `${url.replace('http', 'ws')}/s/t-1/graphql/subgraphs/users/ws`,
    schema_url: `${url}/s/t-1/graphql/subgraphs/users/schema`,
  })
  const missing = await fetch(`${url}/graphql/subgraphs/nobody`)
  t.equal(missing.status, 404)
  t.strictSame(await missing.json(), { error: 'unknown_subgraph', name: 'nobody', subgraphs: NAMES })
})

t.test('the SDL is the text of _service; introspection shows what the protocol adds [GQLSUB-2]', async t => {
  for (const name of NAMES) {
    const response = await fetch(`${url}/graphql/subgraphs/${name}/schema`)
    t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    const sdl = await response.text()
    const { data } = await post(name, '{ _service { sdl } release }')
    t.strictSame(data, { _service: { sdl }, release: 'svc-demo-1' }, name)
    t.notMatch(sdl, /_entities|_Any/)
    const shown = await post(name, getIntrospectionQuery())
    const schema = buildClientSchema(shown.data as unknown as IntrospectionQuery)
    t.equal(String(schema.getQueryType()?.getFields()._entities?.type), '[_Entity]!', name)
    t.ok(schema.getDirective('key') !== undefined)
  }
})

t.test('users [GQLSUB-3]', async t => {
  const { data } = await post(
    'users',
    '{ me { id } users(limit: 1, offset: 2) { id email role tier } none: users(limit: -1) { id } user(id: "x") { id } }',
    {
      headers: { 'X-User-Id': 'u2' },
    },
  )
  t.strictSame(data, {
    me: { id: 'u2' },
    users: [{ id: 'u3', email: 'carol@example.com', role: 'USER', tier: 'GOLD' }],
    none: [],
    user: null,
  })
  t.strictSame((await post('users', '{ me { id } }')).data, { me: null })
  const renamed = await post(
    'users',
    'mutation { a: renameUser(id: "u1", name: "Al") { id name } b: renameUser(id: "no", name: "x") { id } }',
  )
  t.strictSame(renamed.data, { a: { id: 'u1', name: 'Al' }, b: null })
  t.strictSame(
    (await post('users', '{ user(id: "u1") { name } }')).data,
    { user: { name: 'Alice Chen' } },
    'nothing is stored',
  )
})

t.test('products, makers, offers and search [GQLSUB-3]', async t => {
  const { data } = await post(
    'products',
    `{ product(id: "p7") { sku code maker { id name } stock notes dimensions { weightGrams size unit } }
       products(category: "sports", limit: 2) { id code }
       offers { __typename id ... on ProductOffer { product { id } } ... on BundleOffer { products { id } } }
       search(text: "copper") { __typename ... on Maker { id products { id } } } }`,
  )
  t.strictSame(data, {
    product: {
      sku: 'SKU-007',
      code: 1,
      maker: { id: 'm3', name: 'Long Stride' },
      stock: -1,
      notes: 'from products',
      dimensions: { weightGrams: 1050, size: 'small', unit: 'cm' },
    },
    products: [
      { id: 'p7', code: 1 },
      { id: 'p8', code: 2 },
    ],
    offers: [
      { __typename: 'ProductOffer', id: 'f1', product: { id: 'p1' } },
      { __typename: 'ProductOffer', id: 'f2', product: { id: 'p4' } },
      { __typename: 'BundleOffer', id: 'f3', products: [{ id: 'p1' }, { id: 'p2' }] },
    ],
    search: [{ __typename: 'Maker', id: 'm2', products: [{ id: 'p4' }, { id: 'p5' }, { id: 'p6' }] }],
  })
})

t.test('entities keep their order, unknown keys are null, several keys must agree [GQLSUB-4]', async t => {
  const product = (fields: object): object => ({ __typename: 'Product', ...fields })
  const found = await entities(
    'products',
    [
      product({ sku: 'SKU-002' }),
      product({ id: 'p1' }),
      product({ sku: 'SKU-002' }),
      product({ code: 1, maker: { id: 'm2' } }),
      product({ id: 'p1', sku: 'SKU-002' }),
      product({ code: 1 }),
      product({ id: 'nothing' }),
      product({ name: 'Yoga Mat' }),
      { __typename: 'Maker', id: 'm1' },
      { __typename: 'Offer', id: 'f3' },
      { __typename: 'ProductOffer', id: 'f3' },
    ],
    '... on Product { id } ... on Maker { name } ... on BundleOffer { title }',
  )
  t.equal(found.errors, undefined)
  t.strictSame(found.entities, [
    { __typename: 'Product', id: 'p2' },
    { __typename: 'Product', id: 'p1' },
    { __typename: 'Product', id: 'p2' },
    { __typename: 'Product', id: 'p4' },
    null,
    null,
    null,
    null,
    { __typename: 'Maker', name: 'Volt Works' },
    { __typename: 'BundleOffer', title: 'Desk bundle' },
    null,
  ])
  t.strictSame((await entities('users', [], '... on User { id }')).entities, [])
  const byEmail = await entities('users', [{ __typename: 'User', email: 'bob@example.com' }], '... on User { id }')
  t.strictSame(byEmail.entities, [{ __typename: 'User', id: 'u2' }])
  for (const wrong of [
    { id: 'u1' },
    { __typename: 'Product', id: 'p1' },
    { __typename: 'Query' },
    3,
    { __typename: 7 },
  ]) {
    const { status, data, errors } = await entities('users', [wrong as object], '... on User { id }')
    t.strictSame([status, data], [200, null], JSON.stringify(wrong))
    t.match(errors, [{ path: ['_entities'], extensions: { code: 'BAD_USER_INPUT' } }])
  }
  const notResolvable = await entities('orders', [{ __typename: 'Product', sku: 'SKU-001' }], '')
  t.match(notResolvable.errors, [{ extensions: { code: 'BAD_USER_INPUT' } }])
  const tooMany = await entities(
    'users',
    Array.from({ length: 1001 }, () => ({ __typename: 'User', id: 'u1' })),
    '',
  )
  t.match(tooMany.errors, [{ message: /at most 1000/, extensions: { code: 'BAD_USER_INPUT' } }])
})

t.test('required fields come from the representation alone [GQLSUB-5]', async t => {
  const selection = '... on Product { stock inStock warehouses { id quantity } shippingCents }'
  const inventory = await entities(
    'inventory',
    [
      { __typename: 'Product', id: 'p2', price: 79.99, dimensions: { weightGrams: 305 } },
      { __typename: 'Product', id: 'p3', price: 100, dimensions: { weightGrams: 1 } },
    ],
    selection,
  )
  t.strictSame(inventory.entities, [
    {
      __typename: 'Product',
      stock: 20,
      inStock: true,
      warehouses: [
        { id: 'w1', quantity: 12 },
        { id: 'w2', quantity: 8 },
      ],
      shippingCents: 420,
    },
    {
      __typename: 'Product',
      stock: 0,
      inStock: false,
      warehouses: [
        { id: 'w1', quantity: 0 },
        { id: 'w2', quantity: 0 },
      ],
      shippingCents: 0,
    },
  ])
  const missing = await entities(
    'inventory',
    [{ __typename: 'Product', id: 'p1', price: 1 }],
    '... on Product { shippingCents }',
  )
  t.match(missing.errors, [{ path: ['_entities', 0, 'shippingCents'], extensions: { code: 'REQUIRES_MISSING' } }])
  t.strictSame(missing.entities, [null])
  const points = await entities(
    'orders',
    [
      { __typename: 'User', id: 'u1', tier: 'GOLD' },
      { __typename: 'User', id: 'u5', tier: 'BRONZE' },
      { __typename: 'User', id: 'u99', tier: 'GOLD' },
    ],
    '... on User { loyaltyPoints orders { id } }',
  )
  t.strictSame(points.entities, [
    { __typename: 'User', loyaltyPoints: 6, orders: [{ id: 'o1' }, { id: 'o4' }] },
    { __typename: 'User', loyaltyPoints: 1, orders: [{ id: 'o6' }] },
    null,
  ])
  const noTier = await entities('orders', [{ __typename: 'User', id: 'u1' }], '... on User { loyaltyPoints }')
  t.match(noTier.errors, [{ extensions: { code: 'REQUIRES_MISSING' } }])
})

t.test('reviews, their mutation and the interface object [GQLSUB-3]', async t => {
  const { data } = await post(
    'reviews',
    '{ review(id: "r1") { rating author { id name } product { id averageRating } } reviews(limit: 1) { id } }',
  )
  t.strictSame(data, {
    review: { rating: 5, author: { id: 'u1', name: 'Alice Chen' }, product: { id: 'p1', averageRating: 4.5 } },
    reviews: [{ id: 'r1' }],
  })
  const offers = await entities(
    'reviews',
    [
      { __typename: 'Offer', id: 'f1' },
      { __typename: 'Offer', id: 'f3' },
      { __typename: 'User', id: 'u3' },
      { __typename: 'Product', id: 'p3' },
    ],
    '... on Offer { reviewCount averageRating } ... on User { reviews { id } } ... on Product { averageRating reviews { id } }',
  )
  t.strictSame(offers.entities, [
    { __typename: 'Offer', reviewCount: 2, averageRating: 4.5 },
    { __typename: 'Offer', reviewCount: 3, averageRating: 4 },
    { __typename: 'User', reviews: [{ id: 'r2' }, { id: 'r4' }] },
    { __typename: 'Product', averageRating: null, reviews: [] },
  ])
  const added = await post(
    'reviews',
    'mutation { addReview(productId: "p1", userId: "u2", rating: 3) { rating comment author { name } } }',
  )
  t.strictSame(added.data, { addReview: { rating: 3, comment: '', author: { name: 'Bob Martinez' } } })
  for (const rating of [0, 6])
    t.match(
      (await post('reviews', `mutation { addReview(productId: "p1", userId: "u2", rating: ${rating}) { id } }`)).errors,
      [{ extensions: { code: 'BAD_USER_INPUT' } }],
    )
})

t.test('orders know products by SKU, and one points nowhere [GQLSUB-3]', async t => {
  const { data } = await post(
    'orders',
    '{ order(id: "o99") { buyer { id } items { product { sku } } } orders(userId: "u1", status: DELIVERED) { id total items { product { sku } quantity unitPrice } } all: orders(limit: 100) { id } }',
  )
  t.match(data, {
    order: { buyer: { id: 'u99' }, items: [{ product: { sku: 'SKU-999' } }] },
    orders: [
      { id: 'o1', total: 229.98, items: [{ product: { sku: 'SKU-001' }, quantity: 1, unitPrice: 149.99 }, {}] },
      { id: 'o4' },
    ],
  })
  t.equal((data!.all as unknown[]).length, 8, 'it is found by its id only')
  const placed = await post(
    'orders',
    'mutation { placeOrder(userId: "u1", skus: ["SKU-003", "SKU-999"]) { status total buyer { id } items { unitPrice } } }',
  )
  t.strictSame(placed.data, {
    placeOrder: {
      status: 'PENDING',
      total: 45.99,
      buyer: { id: 'u1' },
      items: [{ unitPrice: 45.99 }, { unitPrice: 0 }],
    },
  })
})

t.test('pricing, billing and caching [GQLSUB-3]', async t => {
  const { data } = await post(
    'pricing',
    '{ market(id: "jp") { currency tags(limit: 1) { id product { id } yen: amount(currency: "JPY") amount } } markets { id } }',
  )
  t.strictSame(data, {
    market: { currency: 'JPY', tags: [{ id: 'jp-p1', product: { id: 'p1' }, yen: 22498.5, amount: 149.99 }] },
    markets: [{ id: 'de' }, { id: 'us' }, { id: 'jp' }],
  })
  const tag = await entities(
    'pricing',
    [
      { __typename: 'PriceTag', id: 'de-p2' },
      { __typename: 'Product', id: 'p1' },
    ],
    '... on PriceTag { amount(currency: "EUR") } ... on Product { notes }',
  )
  t.strictSame(tag.entities, [
    { __typename: 'PriceTag', amount: 71.99 },
    { __typename: 'Product', notes: 'from pricing' },
  ])
  const billing = await entities(
    'billing',
    [{ __typename: 'User', id: 'u3' }],
    '... on User { invoices { number cents } balanceCents risk }',
  )
  t.strictSame(billing.entities, [
    {
      __typename: 'User',
      invoices: [
        { number: 'INV-o3', cents: 38997 },
        { number: 'INV-o8', cents: 66997 },
      ],
      balanceCents: 105994,
      risk: 'low',
    },
  ])
  const teaser = await entities('caching', [{ __typename: 'Product', id: 'p8' }], '... on Product { teaser }')
  t.match(teaser.entities, [{ teaser: /^Yoga Mat: / }])
  t.equal(((await post('caching', '{ news }')).data!.news as string[]).length, 3)
})

t.test(
  '<name>Seen shows the headers that arrived, sorted; over a WebSocket those of connection_init too [GQLSUB-6]',
  async t => {
    const { data } = await post(
      'users',
      '{ usersSeen { subgraph headers { name } own: headers(names: ["X-B", "x-A"]) { name value } } }',
      {
        headers: { 'X-B': '2', 'X-A': '1' },
      },
    )
    const seen = data?.usersSeen as { subgraph: string; headers: { name: string }[]; own: object[] }
    t.equal(seen.subgraph, 'users')
    t.strictSame(seen.own, [
      { name: 'x-a', value: '1' },
      { name: 'x-b', value: '2' },
    ])
    const names = seen.headers.map(({ name }) => name)
    t.strictSame(names, names.toSorted())
    t.ok(names.includes('content-length'))
    for (const payload of [{ 'X-Tenant': 'acme' }, { headers: { 'X-Tenant': 'acme' } }]) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql/subgraphs/users/ws`, ['graphql-transport-ws'])
      const messages: { type: string; payload?: unknown }[] = []
      socket.on('message', text => messages.push(JSON.parse(String(text)) as { type: string }))
      await new Promise(resolve => socket.once('open', resolve))
      socket.send(JSON.stringify({ type: 'connection_init', payload }))
      await until(() => messages.length === 1)
      const query = '{ usersSeen { headers(names: ["x-tenant"]) { name value } } }'
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }))
      await until(() => messages.length >= 2)
      t.strictSame(messages[1]?.payload, { data: { usersSeen: { headers: [{ name: 'x-tenant', value: 'acme' }] } } })
      socket.close()
    }
  },
)

t.test('subscriptions of reviews and orders [GQLSUB-3]', async t => {
  const read = async (subgraph: string, query: string): Promise<unknown[]> => {
    const response = await fetch(`${url}/graphql/subgraphs/${subgraph}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    return [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!) as unknown)
  }
  t.strictSame(
    await read(
      'reviews',
      'subscription { reviewAdded(productId: "p1", count: 3, intervalMs: 50) { id product { id } } }',
    ),
    ['r1', 'r2', 'r1'].map(id => ({ data: { reviewAdded: { id, product: { id: 'p1' } } } })),
  )
  t.strictSame(await read('reviews', 'subscription { reviewAdded(productId: "p3") { id } }'), [])
  t.strictSame(
    await read('orders', 'subscription { orderUpdates(orderId: "o3", intervalMs: 50) { id status } }'),
    ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED'].map(status => ({ data: { orderUpdates: { id: 'o3', status } } })),
  )
  t.match(await read('orders', 'subscription { orderUpdates(orderId: "no") { id } }'), [
    { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
  ])
})

t.test('documents may be larger than at /graphql, and answers are bounded [GQLSUB-7]', async t => {
  const aliases = (count: number): string =>
    `{ ${Array.from({ length: count }, (_, i) => `a${i}: release`).join(' ')} }`
  t.equal((await post('users', aliases(500))).errors, undefined)
  t.match((await post('users', aliases(501))).errors, [{ extensions: { code: 'ALIAS_LIMIT_EXCEEDED' } }])
  const deep = (levels: number): string => (levels === 0 ? 'id' : `maker { products { ${deep(levels - 1)} } }`)
  const large = await post('products', `{ product(id: "p1") { ${deep(9)} } }`)
  t.strictSame([large.status, large.data], [200, null])
  t.match(large.errors, [{ message: /more than 50000 fields/, extensions: { code: 'RESPONSE_TOO_LARGE' } }])
  t.match((await post('products', `{ product(id: "p1") { ${deep(10)} } }`)).errors, [
    { extensions: { code: 'DEPTH_LIMIT_EXCEEDED' } },
  ])
})
