/**
 * Faults inside GraphQL answers: the header `X-Svc-Graphql`, and the step `graphql` of rules.
 * Takes long: many faults are timeouts.
 */
import { createHash } from 'node:crypto'
import t from 'tap'
import WebSocket from 'ws'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './graphql-client.ts'

const { url } = await serve(t, { env: { SVC_MAX_DELAY_MS: '400' } })
const { post } = clientOf(url)

const QUERY = '{ product(id: "p1") { name price reviews { rating author { name } } } products(limit: 2) { id name } }'
const plain = await post({ query: QUERY })
const faulty = (graphql: string, query = QUERY, headers: Record<string, string> = {}) =>
  post({ query }, { 'X-Svc-Graphql': graphql, ...headers })
const putRule = async (session: string, rule: object): Promise<Response> =>
  fetch(`${url}/s/${session}/_svc/rules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rule),
  })

t.test('each item of the header changes its place, and nothing else [GQL-50]', async t => {
  const { product, products } = plain.data as {
    product: { reviews: object[] }
    products: { id: string; name: string }[]
  }
  const table: [header: string, data: unknown, errors?: unknown][] = [
    ['value=/product/price@"dear"', { product: { ...product, price: 'dear' }, products }],
    ['value=/products/*/name@null', { product, products: products.map(({ id }) => ({ id, name: null })) }],
    ['value=/products/1@{"a;b": 1}; remove=/products/0/name', { product, products: [{ id: 'p1' }, { 'a;b': 1 }] }],
    ['remove=/product', { products }],
    ['remove=/missing/*/name', { product, products }],
    ['add=/', { product, products, svcExtra: true }],
    ['add=/products@extra', { product, products: products.map(one => ({ ...one, extra: true })) }],
    ['add=QueryRoot.product@extra', { product: { ...product, extra: true }, products }],
    ['value=Product.price@1', { product: { ...product, price: 1 }, products }],
    ['data=null', null],
    ['data=drop', undefined],
  ]
  for (const [header, data] of table) {
    const answer = await faulty(header)
    t.strictSame(answer.data, data, header)
    t.equal(answer.errors, undefined, header)
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('x-svc-fault'), 'graphql')
  }
  const aliased = await faulty(
    'value=/second/name@"x"; value=Product.id@"y"',
    '{ second: product(id: "p2") { key: id name } }',
  )
  t.strictSame(aliased.data, { second: { key: 'y', name: 'x' } }, 'paths are of the answer, coordinates of the schema')
  const moved = await faulty('status=503')
  t.strictSame([moved.status, moved.body], [503, plain.body])
  t.equal(moved.headers.get('content-type'), 'application/json; charset=utf-8')
})

t.test('a field fails, and its null climbs by the schema [GQL-51]', async t => {
  const nullable = await faulty('error=/product/reviews/*/author@RATINGS_DOWN')
  t.match(nullable.data, {
    product: { name: 'Mechanical Keyboard', reviews: [{ rating: 5, author: null }, { author: null }] },
  })
  t.strictSame(
    nullable.errors?.map(({ path, extensions }) => [path, extensions?.code]),
    [
      [['product', 'reviews', 0, 'author'], 'RATINGS_DOWN'],
      [['product', 'reviews', 1, 'author'], 'RATINGS_DOWN'],
    ],
  )
  const climbing = await faulty('error=Review.rating')
  t.match(climbing.data, { product: null, products: [{ id: 'p1' }, { id: 'p2' }] })
  t.match(climbing.errors, [{ path: ['product', 'reviews', 0, 'rating'], extensions: { code: 'INJECTED_FAULT' } }])
  const item = await faulty('error=/products/1')
  t.equal(item.data, null, 'an item of a list of non-null items')
  t.match(item.errors, [{ path: ['products', 1] }])
  t.equal((await faulty('error=/product/missing; error=Nothing.here')).errors, undefined)
})

t.test('wrong items are refused before anything runs [GQL-52]', async t => {
  for (const header of [
    'erorr=/product',
    'error=product',
    'error=/product@no code',
    'delay=/product',
    'delay=/product@soon',
    'value=/product@{',
    'value=/product',
    'add=/product@1x',
    'entities=sideways',
    'data=gone',
    'status=99',
    'status=204',
    'cut=x',
    'sdl=odd',
    'error=/a//b',
    Array.from({ length: 21 }, () => 'remove=/x').join(';'),
  ]) {
    const answer = await faulty(header)
    t.strictSame([answer.status, answer.code, answer.data], [400, 'BAD_REQUEST', undefined], header)
    t.match(answer.errors?.[0]?.message, /X-Svc-Graphql/)
  }
})

t.test('a rule has the same faults, and the header comes first [GQL-50]', async t => {
  const stored = await putRule('gqlf', {
    name: 'prices-fail',
    match: { path: '/graphql', graphql: { field: 'product' } },
    times: 2,
    then: {
      graphql: {
        errors: [{ at: 'Product.price', code: 'PRICES_DOWN', message: 'no prices', extensions: { hint: 1 } }],
        delays: [{ at: '/product/name', ms: { uniform: [1, 2] } }],
        values: [{ at: '/product/name', value: 7 }],
        remove: ['/product/description'],
        add: [{ at: '/', name: 'more', value: [1] }],
        status: 502,
      },
    },
  })
  t.equal(stored.status, 201)
  const ask = async (headers = {}) => {
    const response = await fetch(`${url}/s/gqlf/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        query: '{ product(id: "p1") { name description } item: product(id: "nobody") { price } }',
      }),
    })
    return {
      status: response.status,
      fault: response.headers.get('x-svc-fault'),
      body: (await response.json()) as object,
    }
  }
  t.match(await ask({ 'X-Svc-Graphql': 'status=201' }), {
    status: 201,
    body: { data: { product: { description: String } } },
  })
  t.strictSame(await ask(), {
    status: 502,
    fault: 'graphql',
    body: { data: { product: { name: 7 }, item: null, more: [1] } },
  })
  t.match(await ask(), { status: 200, fault: null }, 'the rule acts twice')
  const other = await fetch(`${url}/s/gqlf/users/u1`)
  t.equal(other.headers.get('x-svc-fault'), null)
})

t.test('a wrong member of the step is an invalid rule at its place [GQL-52]', async t => {
  const table: [graphql: unknown, at: string][] = [
    [{}, 'then.graphql'],
    [{ error: [] }, 'then.graphql.error'],
    [{ errors: [{ at: 'x' }] }, 'then.graphql.errors[0].at'],
    [{ delays: [{ at: '/x', ms: 'soon' }] }, 'then.graphql.delays[0].ms'],
    [{ values: [{ at: '/x' }] }, 'then.graphql.values[0].value'],
    [{ remove: [3] }, 'then.graphql.remove[0]'],
    [{ add: [{ at: '/x', name: '' }] }, 'then.graphql.add[0].name'],
    [{ entities: 'odd' }, 'then.graphql.entities'],
    [{ status: 1000 }, 'then.graphql.status'],
    [{ cut: -1 }, 'then.graphql.cut'],
    [{ sdl: 'odd' }, 'then.graphql.sdl'],
    [{ data: 'odd' }, 'then.graphql.data'],
    [{ remove: Array.from({ length: 21 }, () => '/x') }, 'then.graphql'],
  ]
  for (const [graphql, at] of table) {
    const response = await putRule('gqlw', { name: 'wrong', then: { graphql } })
    t.equal(response.status, 400)
    t.match(await response.json(), { error: 'invalid_rule', at }, at)
  }
})

t.test('delays of fields count together, and end when the client leaves [GQL-54]', async t => {
  const from = performance.now()
  const slow = await faulty('delay=/product@120')
  t.ok(performance.now() - from >= 119, 'it was waited for')
  t.strictSame(slow.data, plain.data)
  // 5 users and their fields: one after the other they would take longer than the limit of the test.
  const capped = await faulty('delay=/users@86400000; delay=/users/*/name@86400000', '{ users { name } }')
  t.equal((capped.data as { users: unknown[] }).users.length, 5)
  const leaving = new AbortController()
  const left = fetch(`${url}/graphql`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { 'content-type': 'application/json', 'X-Svc-Graphql': 'delay=/users@300' },
    body: JSON.stringify({ query: '{ users { name } }' }),
  }).catch((error: Error) => error.name)
  setTimeout(() => leaving.abort(), 30)
  t.equal(await left, 'AbortError')
})

t.test('a value that multiplies beyond the budget is an error [GQL-50]', async t => {
  const small = await serve(t, { env: { SVC_BUDGET_OUTPUT_BYTES: '65536' } })
  const answer = await clientOf(small.url).post(
    { query: `{ ${Array.from({ length: 20 }, (_, i) => `a${i}: users { name }`).join(' ')} }` },
    { 'X-Svc-Graphql': `value=/*/*/name@"${'x'.repeat(3000)}"` },
  )
  t.strictSame([answer.status, answer.code, answer.data === null], [200, 'RESPONSE_TOO_LARGE', true])
})

t.test('an event stream is cut after some events, without its end [GQL-53]', async t => {
  const query = 'subscription { ticker(count: 4, intervalMs: 50) { sequence } }'
  const read = async (header: string): Promise<{ events: string[]; isWhole: boolean }> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'X-Svc-Graphql': header },
      body: JSON.stringify({ query }),
    })
    let text = ''
    let isWhole = true
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    } catch {
      isWhole = false
    }
    return { events: [...text.matchAll(/^event: (\w+)/gm)].map(([, name]) => name!), isWhole }
  }
  t.strictSame(await read('cut=2'), { events: ['next', 'next'], isWhole: false })
  t.strictSame(await read('cut=0'), { events: [], isWhole: false })
  t.strictSame(await read('cut=9'), { events: ['next', 'next', 'next', 'next', 'complete'], isWhole: true })
})

t.test(
  'over a WebSocket: faults of the handshake, of the payload of connection_init, and cuts [GQL-50] [GQL-53]',
  async t => {
    const run = async (query: string, headers: Record<string, string>, payload?: object) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql/ws`, ['graphql-transport-ws'], { headers })
      const messages: { type: string; payload?: unknown }[] = []
      let closed: number | null = null
      socket.on('close', code => (closed = code))
      socket.on('message', data => messages.push(JSON.parse(String(data)) as { type: string }))
      await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
      socket.send(JSON.stringify({ type: 'connection_init', payload }))
      await until(() => messages.length === 1)
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }))
      await until(() => closed !== null || messages.some(({ type }) => type === 'complete' || type === 'error'))
      socket.close()
      return { types: messages.slice(1).map(({ type }) => type), first: messages[1]?.payload, closed }
    }
    const ticker = 'subscription { ticker(count: 3, intervalMs: 50) { sequence } }'
    t.match(await run(ticker, { 'X-Svc-Graphql': 'value=/ticker/sequence@"x"' }), {
      types: ['next', 'next', 'next', 'complete'],
      first: { data: { ticker: { sequence: 'x' } } },
    })
    t.match(await run(ticker, { 'X-Svc-Graphql': 'cut=2' }), { types: ['next', 'next'], closed: 1006 })
    t.match(await run('{ user(id: "u1") { name } }', {}, { 'x-svc-graphql': 'error=/user@GONE' }), {
      types: ['next', 'complete'],
      first: { data: { user: null }, errors: [{ extensions: { code: 'GONE' } }] },
    })
    t.match(await run('{ user(id: "u1") { name } }', {}, { 'x-svc-graphql': 'odd=1' }), {
      types: ['error'],
      first: [{ extensions: { code: 'BAD_REQUEST' } }],
    })
    await t.rejects(run(ticker, { 'X-Svc-Graphql': 'odd=1' }), /400/)
  },
)

t.test('conditions on entities, variables and the document [GQL-55]', async t => {
  const entities = 'query Q($r: [_Any!]!) { _entities(representations: $r) { __typename } }'
  const document = '{ users { id } }'
  const digest = createHash('sha256').update(document).digest('hex')
  const table: [body: object, graphql: object, count: number][] = [
    [
      { query: entities, variables: { r: [{ __typename: 'User' }, { __typename: 'Product' }] } },
      { entity: 'Product' },
      1,
    ],
    [
      { query: '{ _entities(representations: [{ __typename: "Order", id: 1 }]) { __typename } }' },
      { entity: 'Order' },
      1,
    ],
    [{ query: entities, variables: { r: [{ __typename: 'User' }] } }, { entity: 'Product', operation: 'Q' }, 0],
    [{ query: document, variables: { input: { n: 3, tags: ['a'] } } }, { variables: { '/input/n': { gte: 3 } } }, 1],
    [{ query: document, variables: { input: { n: 2 } } }, { variables: { '/input/n': { gte: 3 } } }, 0],
    [{ query: document }, { variables: { '/input': { exists: false } } }, 2],
    [{ query: document }, { document: digest }, 3],
  ]
  for (const [index, [body, graphql]] of table.entries())
    await fetch(`${url}/s/gqlc${index > 4 ? 4 : index}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then(response => response.text().then(() => t.ok(response.status < 500, JSON.stringify(graphql))))
  for (const [index, [, graphql, count]] of table.entries()) {
    const response = await fetch(`${url}/s/gqlc${index > 4 ? 4 : index}/_svc/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ match: { graphql }, exactly: count, within_ms: 2000 }),
    })
    t.match(await response.json(), { verified: true }, JSON.stringify(graphql))
  }
  const wrong = await putRule('gqlw', { name: 'w', match: { graphql: { variables: { n: 1 } } }, then: { fail: 500 } })
  t.match(await wrong.json(), { error: 'invalid_rule', at: 'match.graphql.variables.n' })
})
