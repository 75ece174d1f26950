/** GraphQL over HTTP: results, response formats and errors. */
import t from 'tap'
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql'
import { serve } from '../../support/server.ts'
import { clientOf } from './graphql-client.ts'

const RESPONSE = 'application/graphql-response+json'

const { url } = await serve(t)

t.test('queries return the demo records and their links [GQL-1]', async t => {
  const { data } = clientOf(url)
  const good: [query: string, expected: object][] = [
    [
      '{ users(limit: 2) { id role } }',
      {
        users: [
          { id: 'u1', role: 'ADMIN' },
          { id: 'u2', role: 'USER' },
        ],
      },
    ],
    ['{ users(limit: 2, offset: 4) { id } }', { users: [{ id: 'u5' }] }],
    ['{ users(limit: -1) { id } products(limit: -3) { id } }', { users: [], products: [] }],
    ['{ users(limit: 1, offset: -7) { id } }', { users: [{ id: 'u1' }] }],
    [
      '{ user(id: "u1") { name orders { id total } } }',
      {
        user: {
          name: 'Alice Chen',
          orders: [
            { id: 'o1', total: 229.98 },
            { id: 'o4', total: 124.98 },
          ],
        },
      },
    ],
    [
      '{ user(id: "nobody") { id } product(id: "p99") { id } order(id: "") { id } }',
      { user: null, product: null, order: null },
    ],
    ['{ user(id: "__proto__") { id } }', { user: null }],
    [
      '{ products(category: "kITCHEN") { id inStock } }',
      {
        products: [
          { id: 'p4', inStock: true },
          { id: 'p5', inStock: true },
          { id: 'p6', inStock: true },
        ],
      },
    ],
    [
      '{ product(id: "p1") { price reviews { rating author { id } } } }',
      {
        product: {
          price: 149.99,
          reviews: [
            { rating: 5, author: { id: 'u1' } },
            { rating: 4, author: { id: 'u3' } },
          ],
        },
      },
    ],
    ['{ orders(userId: "u2", status: SHIPPED) { id } }', { orders: [{ id: 'o2' }, { id: 'o7' }] }],
    ['{ orders(userId: "u1", status: PENDING) { id } }', { orders: [] }],
    [
      '{ order(id: "o7") { total user { id } items { quantity unitPrice product { id } } } }',
      {
        order: {
          total: 254.96,
          user: { id: 'u2' },
          items: [
            { quantity: 3, unitPrice: 24.99, product: { id: 'p9' } },
            { quantity: 1, unitPrice: 179.99, product: { id: 'p7' } },
          ],
        },
      },
    ],
  ]
  for (const [query, expected] of good) t.strictSame(await data(query), expected, query)
})

t.test('mutations return what they would store [GQL-2]', async t => {
  const { data, post } = clientOf(url)
  const created = await data(
    'mutation { createUser(input: {name: "Dana", email: "d@example.com"}) { id name role createdAt } }',
  )
  t.match(created, {
    createUser: { id: /^[\da-f-]{36}$/, name: 'Dana', role: 'USER', createdAt: /^\d{4}-\d\d-\d\dT.*Z$/ },
  })
  t.strictSame(
    await data('mutation { updateUser(id: "u2", input: {name: null, role: GUEST}) { id name email role createdAt } }'),
    {
      updateUser: {
        id: 'u2',
        name: 'Bob Martinez',
        email: 'bob@example.com',
        role: 'GUEST',
        createdAt: '2024-02-20T14:15:00Z',
      },
    },
  )
  t.strictSame(await data('{ user(id: "u2") { role } }'), { user: { role: 'USER' } }, 'nothing is stored')
  t.strictSame(await data('mutation { updateUser(id: "u9", input: {}) { id } }'), { updateUser: null })
  t.match(
    await data(
      'mutation { createOrder(input: {userId: "who", items: [{productId: "p9", quantity: 3}, {productId: "p0", quantity: 1000}]}) { id userId status total items { productId unitPrice } } }',
    ),
    {
      createOrder: {
        id: /^[\da-f-]{36}$/,
        userId: 'who',
        status: 'PENDING',
        total: 74.97,
        items: [
          { productId: 'p9', unitPrice: 24.99 },
          { productId: 'p0', unitPrice: 0 },
        ],
      },
    },
  )
  for (const quantity of [0, -1, 1001]) {
    const refused = await post(
      {
        query: `mutation { createOrder(input: {userId: "u1", items: [{productId: "p1", quantity: ${quantity}}]}) { id } }`,
      },
      { accept: RESPONSE },
    )
    t.match(
      refused,
      { status: 200, code: 'BAD_USER_INPUT', data: null, errors: [{ path: ['createOrder'] }] },
      `quantity ${quantity}`,
    )
  }
})

t.test('the printed schema is the one that introspection shows [GQL-3]', async t => {
  const response = await fetch(`${url}/graphql/schema`)
  t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  const printed = await response.text()
  t.match(printed, /type QueryRoot \{[^]*type SubscriptionRoot \{/)
  const introspected = buildClientSchema(
    (await clientOf(url).data(getIntrospectionQuery())) as unknown as IntrospectionQuery,
  )
  t.equal(
    printSchema(lexicographicSortSchema(introspected)),
    printSchema(lexicographicSortSchema(buildSchema(printed))),
  )
})

t.test('Accept selects the media type and never rejects a request [GQL-4]', async t => {
  const legacy = 'application/json; charset=utf-8'
  const response = `${RESPONSE}; charset=utf-8`
  const table: [accept: string, type: string][] = [
    ['application/json', legacy],
    [RESPONSE, response],
    ['*/*', response],
    ['application/*', response],
    [`${RESPONSE}, application/json`, response],
    [`application/json, ${RESPONSE};q=0.9`, legacy],
    [`application/json;q=0.5, */*;q=0.4`, legacy],
    [`${RESPONSE};q=0, */*`, legacy],
    ['image/png', legacy],
    ['text/html', legacy],
    [';;;,,q=', legacy],
  ]
  for (const [accept, type] of table) {
    const answer = await clientOf(url).post({ query: '{ users { id } }' }, { accept })
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('content-type'), type, accept)
    t.equal(answer.headers.get('vary'), 'Accept')
    t.equal(answer.headers.get('x-request-id')?.length, 36)
  }
})

t.test('document errors have a status by mode, a code and no data [GQL-5]', async t => {
  const { post } = clientOf(url)
  const table: [body: object, code: string][] = [
    [{ query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    [{ query: '# nothing' }, 'GRAPHQL_PARSE_FAILED'],
    [{ query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: '{ users { __proto__ } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: 'query A { users { id } } query B { users { id } }' }, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: 'query A { users { id } }', operationName: 'B' }, 'OPERATION_RESOLUTION_FAILURE'],
    [{ query: 'query($id: ID!) { user(id: $id) { id } }' }, 'BAD_USER_INPUT'],
    [{ query: 'query($n: Int!) { users(limit: $n) { id } }', variables: { n: 'three' } }, 'BAD_USER_INPUT'],
    [{ query: 'query($s: OrderStatus) { orders(status: $s) { id } }', variables: { s: 'LOST' } }, 'BAD_USER_INPUT'],
    [{ query: 'subscription { ticker { sequence } }' }, 'SUBSCRIPTION_NOT_SUPPORTED'],
  ]
  for (const [body, code] of table) {
    for (const [accept, status] of [
      ['application/json', 200],
      [RESPONSE, 400],
      ['*/*', 400],
    ] as const) {
      const answer = await post(body, { accept })
      t.match(answer, { status, code }, `${JSON.stringify(body)} ${accept}`)
      t.notOk('data' in answer.body)
    }
  }
  const { errors } = await post({ query: 'subscription { ticker { sequence } }' })
  t.match(errors![0]!.message, /\/graphql\/ws.*text\/event-stream/)
})

t.test('malformed requests are rejected in both modes [GQL-6]', async t => {
  const { post, get } = clientOf(url)
  const bad: unknown[] = [
    '',
    '   ',
    '{',
    'null',
    '"x"',
    '7',
    [],
    [{ query: '{ users { id } }' }],
    {},
    { query: '' },
    { query: ' \n' },
    { query: null },
    { query: 7 },
    { query: ['{'] },
    { query: '{ users { id } }', operationName: 1 },
    { query: '{ users { id } }', variables: [] },
    { query: '{ users { id } }', variables: 'x' },
    { query: '{ users { id } }', extensions: [] },
    { variables: {} },
  ]
  for (const accept of ['application/json', RESPONSE]) {
    for (const body of bad) {
      const answer = await post(typeof body === 'string' ? body : JSON.stringify(body), { accept })
      t.match(answer, { status: 400, code: 'BAD_REQUEST' }, JSON.stringify(body))
      t.notOk('data' in answer.body)
    }
    for (const parameters of [
      {},
      { query: '' },
      { query: '{a}', variables: 'nope' },
      { query: '{a}', variables: '[]' },
      { query: '{a}', extensions: '7' },
      { query: '{a}', variables: '' },
    ]) {
      t.match(
        await get(parameters as Record<string, string>, { accept }),
        { status: 400, code: 'BAD_REQUEST' },
        JSON.stringify(parameters),
      )
    }
  }
  t.match(await post([{}]), { errors: [{ message: 'Batched requests are not supported' }] })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
    '/',
  ]) {
    t.match(
      await post({ query: '{ users { id } }' }, { 'content-type': type }),
      { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
      type,
    )
  }
})

t.test('invalid UTF-8, bodies that are too large and other methods are rejected [GQL-6]', async t => {
  const { url } = await serve(t, { env: { SVC_BODY_LIMIT: '2000' } })
  const send = (body: Buffer | string, headers = {}) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: body as BodyInit,
    })
  t.equal((await send(Buffer.from([0x7b, 0xff, 0xfe]))).status, 400)
  t.equal((await send(JSON.stringify({ query: ' '.repeat(3000) }))).status, 413)
  t.equal((await fetch(`${url}/graphql`, { method: 'POST' })).status, 415)
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const response = await fetch(`${url}/graphql`, { method })
    t.equal(response.status, 405)
    t.match(response.headers.get('allow'), /POST/)
  }
  t.equal((await fetch(`${url}/graphql?query=%7Busers%7Bid%7D%7D`, { method: 'HEAD' })).status, 200)
})

t.test('content types with parameters, application/graphql and GET are supported [GQL-8]', async t => {
  const { post, get } = clientOf(url)
  for (const type of [
    'application/json; charset=UTF-8',
    'Application/JSON;charset=iso-8859-1',
    'application/graphql+json',
  ]) {
    t.match(
      await post(
        {
          query: '{ user(id: "u1") { id } }',
          variables: null,
          operationName: null,
          extensions: null,
          id: 7,
          __proto__: null,
        },
        { 'content-type': type },
      ),
      { status: 200, data: { user: { id: 'u1' } } },
      type,
    )
  }
  t.match(await post('{ user(id: "u1") { id } }', { 'content-type': 'application/graphql' }), {
    status: 200,
    data: { user: { id: 'u1' } },
  })
  t.match(
    await get({
      query: 'query Q($id: ID!) { user(id: $id) { id } } query R { users { id } }',
      operationName: 'Q',
      variables: '{"id":"u3"}',
      other: 'x',
    }),
    { status: 200, data: { user: { id: 'u3' } } },
  )
})

t.test('a mutation with GET is rejected before anything else is checked [GQL-7]', async t => {
  const { get } = clientOf(url)
  for (const accept of ['application/json', RESPONSE, 'text/event-stream']) {
    for (const query of ['mutation { createUser(input: {name: "x", email: "y"}) { id } }', 'mutation { nothing }']) {
      const answer = await get({ query }, { accept })
      t.match(answer, { status: 405, code: 'METHOD_NOT_ALLOWED' }, query)
      t.equal(answer.headers.get('allow'), 'POST')
    }
  }
  t.equal((await get({ query: 'mutation M { nothing } query Q { users { id } }', operationName: 'M' })).status, 405)
  t.equal(
    (
      await get({
        query: 'query Q { users { id } } mutation M { updateUser(id: "u1", input: {}) { id } }',
        operationName: 'Q',
      })
    ).status,
    200,
  )
})

t.test('a browser gets GraphiQL, only from this host [GQL-9]', async t => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const response = await fetch(`${url}/graphql`, { headers: { accept } })
  t.match(response.headers.get('content-type'), 'text/html')
  t.equal(response.headers.get('content-encoding'), 'gzip')
  const page = await response.text()
  t.match(page, /GraphiQL/)
  t.notMatch(page.replace(/<script>[^]*<\/script>/g, ''), /(?:src|href)="(?:https?:)?\/\//)
  const plain = await fetch(`${url}/graphql`, { headers: { accept, 'accept-encoding': 'gzip;q=0, identity' } })
  t.equal(plain.headers.get('content-encoding'), null)
  t.equal(plain.headers.get('content-length'), null, 'inflated as it is read')
  t.equal((await plain.text()).length, page.length)
  const again = await fetch(`${url}/graphql`, { headers: { accept, 'if-none-match': response.headers.get('etag')! } })
  t.equal(again.status, 304)
  t.equal(
    (await fetch(`${url}/graphql?query=%7Busers%7Bid%7D%7D`, { headers: { accept } })).headers.get('content-type'),
    `${RESPONSE}; charset=utf-8`,
  )
  t.equal(
    (await fetch(`${url}/graphql`, { headers: { accept: 'application/json, text/html;q=0.5' } })).status,
    400,
    'JSON is wanted more',
  )
})
