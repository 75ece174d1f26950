import t from 'tap'
import { createClient } from 'graphql-ws'
import WebSocket from 'ws'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer, type CallOptions, type MockServer } from './client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const SHOP = `
"""The shop"""
schema { query: Query mutation: Mutation subscription: Subscription }
type Query {
  user(id: ID!): User
  users(limit: Int): [User!]!
  node(id: ID!): Node
  search(text: String!): [Hit!]!
  page(first: Int!): Page!
  money: Money!
}
type Mutation {
  createUser(input: UserInput!): UserPayload!
  updateUser(id: ID!, name: String): User
  deleteUser(id: ID!): Boolean!
}
type Subscription { userAdded: User! }
interface Node { id: ID! }
union Hit = User | Order
input UserInput { name: String!, tier: Tier }
enum Tier { GOLD SILVER }
type UserPayload { user: User ok: Boolean! }
type User implements Node { id: ID! name: String! email: String tier: Tier! orders: [Order!]! born: DateTime color: Shade }
type Order implements Node { id: ID! total: Float! buyer: User! }
type Page { edges: [Edge!]! }
type Edge { cursor: String! node: User! }
type Money { amount: Float! currency: String! @examples(values: ["SEK"]) }
scalar DateTime
scalar Shade
`

const FEDERATED = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", { name: "@external", as: "@foreign" }])
extend type Query { favorites: [Favorite!]! release: String! @shareable }
type Favorite @key(fields: "id") { id: ID! note: String! product: Product! }
type Product @key(fields: "id") { id: ID! favorites: [Favorite!]! }
`

interface Answer {
  status: number
  headers: Record<string, string>
  data: Record<string, unknown> | null | undefined
  errors: { message: string; path?: unknown[]; extensions?: { code?: string } }[] | undefined
}

async function ask(
  server: MockServer,
  name: string,
  query: string,
  { variables, path = '', headers = {} }: { variables?: object; path?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const options: CallOptions = { method: 'POST', body: { query, variables }, headers }
  const { status, headers: sent, json } = await server.call(`/mock/${name}${path}`, options)
  return { status, headers: sent, ...(json as unknown as Pick<Answer, 'data' | 'errors'>) }
}

function upload(server: MockServer, name: string, sdl: string, method = 'PUT') {
  return server.call(`/_svc/mocks/${name}`, { method, body: sdl, headers: { 'content-type': 'application/graphql' } })
}

t.test('a schema is deployed as it is, and answers with data that depend on the query', async t => {
  const server = await mockServer(t)
  const deployed = await upload(server, 'shop', SHOP)
  t.match(deployed, {
    status: 201,
    json: { kind: 'graphql', federated: false, title: 'The shop', operations: 10, report: { deployable: true } },
  })
  t.match((deployed.json['report'] as JsonObject)['warnings'], [{ code: 'unknown_scalar', at: 'Shade' }])
  const first = await ask(
    server,
    'shop',
    '{ users(limit: 3) { id name tier born color orders { id buyer { id name } } } }',
  )
  t.match(first.headers, { 'x-svc-mock': 'shop', 'x-svc-mock-version': '1' })
  const users = first.data!['users'] as {
    id: string
    name: string
    color: string
    orders: { id: string; buyer: { id: string } }[]
  }[]
  t.strictSame(
    users.map(({ id }) => id),
    ['user-1', 'user-2', 'user-3'],
  )
  t.match(users[0]!.color, /^Shade-\d+$/)
  t.strictSame(
    users[0]!.orders.map(({ id }) => id),
    ['order-1', 'order-2'],
  )
  const again = await ask(
    server,
    'shop',
    '{ user(id: "user-2") { id name tier born color orders { id buyer { id name } } } }',
    { path: '/graphql' },
  )
  t.strictSame(again.data!['user'], users[1], 'one entity by list and look-up')
  const node = await ask(server, 'shop', '{ node(id: "order-7") { __typename id ... on Order { total } } }')
  t.match(node.data!['node'], { __typename: 'Order', id: 'order-7' })
  const hits = await ask(server, 'shop', '{ search(text: "a") { __typename } }')
  t.strictSame(hits.data!['search'], [{ __typename: 'User' }, { __typename: 'Order' }], 'possible types take turns')
  const page = await ask(server, 'shop', '{ page(first: 3) { edges { node { id } } } }')
  t.strictSame(page.data!['page'], { edges: [1, 2, 3].map(n => ({ node: { id: `user-${n}` } })) })
  t.match((await ask(server, 'shop', '{ money { currency } }')).data, { money: { currency: 'SEK' } })
  const created = await ask(
    server,
    'shop',
    'mutation { createUser(input: { name: "Zoe", tier: SILVER }) { user { name tier } } }',
  )
  t.match(created.data, { createUser: { user: { name: 'Zoe', tier: 'SILVER' } } }, 'mutations echo their input')
  t.match(await ask(server, 'shop', '{ nothing }'), { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] })
  t.equal((await server.call('/mock/shop/schema.graphql')).text, SHOP)
  t.match(await server.call('/mock/shop/pets'), { status: 404, json: { code: 'no_path_matched' } })
  t.match(await server.call('/mock/shop', { method: 'DELETE' }), { status: 405 })
})

t.test('two servers give equal data, and another seed gives others', async t => {
  const query = '{ users { id name email born } money { amount } }'
  const answers: unknown[] = []
  for (const name of ['one', 'two']) {
    const server = await mockServer(t)
    await server.mock(name, { spec: SHOP })
    answers.push((await ask(server, name, query)).data)
    if (name === 'one') continue
    await server.call('/_svc/mocks/two/settings', { method: 'PATCH', body: { seed: 'blue' } })
    answers.push((await ask(server, name, query)).data)
  }
  t.strictSame(answers[0], answers[1])
  t.not(JSON.stringify(answers[1]), JSON.stringify(answers[2]))
})

t.test('settings', async t => {
  const server = await mockServer(t)
  const settings = { list_size: 1, null_percent: 100, introspection: false, depth: 3, batching: 0 }
  await server.mock('shop', { spec: SHOP, settings })
  t.strictSame((await ask(server, 'shop', '{ users { id email } }')).data, { users: [{ id: 'user-1', email: null }] })
  t.match(await ask(server, 'shop', '{ __schema { queryType { name } } }'), {
    errors: [{ extensions: { code: 'INTROSPECTION_DISABLED' } }],
  })
  t.match((await ask(server, 'shop', '{ users { orders { buyer { id } } } }')).errors, [{ message: /too deep/ }])
  const batch = await server.call('/mock/shop', { method: 'POST', body: [{ query: '{ money { amount } }' }] })
  t.match(batch, { status: 400, json: { errors: [{ message: /Batched/ }] } })
  for (const wrong of [
    { list_size: 51 },
    { stateful: 'always' },
    { validation: 'off' },
    { subscription: { count: 0 } },
  ])
    t.match(await server.call('/_svc/mocks/shop/settings', { method: 'PATCH', body: wrong }), {
      status: 400,
      json: { error: 'invalid_settings' },
    })
})

t.test('overrides by path, field, type and all', async t => {
  const server = await mockServer(t)
  const overrides = {
    'User.email': { value: 'a@b.example' },
    Money: { merge: { currency: 'EUR' } },
    '/users/1/name': { value: 'Second' },
    'Query.users': { size: 2 },
    'User.tier': { error: { message: 'no tiers', code: 'TIERS_DOWN' } },
  }
  await server.mock('shop', { spec: SHOP, overrides })
  t.match((await ask(server, 'shop', '{ users { name email } money { currency } }')).data, {
    users: [{ email: 'a@b.example' }, { name: 'Second', email: 'a@b.example' }],
    money: { currency: 'EUR' },
  })
  const failed = await ask(server, 'shop', '{ user(id: "user-1") { tier } }')
  t.match(failed, {
    data: { user: null },
    errors: [{ message: 'no tiers', path: ['user', 'tier'], extensions: { code: 'TIERS_DOWN' } }],
  })
  const put = (place: string, body: object) =>
    server.call(`/_svc/mocks/shop/overrides/${encodeURIComponent(place)}`, { method: 'PUT', body })
  t.match(await put('User.age', { value: 1 }), { status: 404, json: { error: 'unknown_operation' } })
  t.match(await put('User.name', { size: -1 }), { status: 400, json: { error: 'invalid_override', at: 'size' } })
  t.match(await put('*', { fail_percent: 100 }), { status: 200 })
  t.match((await ask(server, 'shop', '{ money { amount } }')).errors, undefined, 'the type comes before all')
  t.match((await ask(server, 'shop', '{ search(text: "a") { __typename } }')).errors, [
    { extensions: { code: 'INJECTED_FAILURE' } },
  ])
})

t.test('an override delays a field, and one of a field of an interface holds for its types', async t => {
  const server = await mockServer(t)
  await server.mock('shop', {
    spec: SHOP,
    overrides: {
      'User.name': { delay_ms: 40, value: 'Late' },
      'Node.id': { value: 'any' },
      'Order.id': { value: 'own' },
    },
  })
  const from = performance.now()
  const answer = await ask(server, 'shop', '{ user(id: "u1") { id name orders { id } } }')
  t.ok(performance.now() - from >= 39)
  t.strictSame(answer.errors, undefined)
  t.strictSame(answer.data, { user: { id: 'any', name: 'Late', orders: [{ id: 'own' }, { id: 'own' }] } })
})

t.test('rules answer by operation and variables, and are captured', async t => {
  const server = await mockServer(t)
  const rules = [
    {
      id: 'gone',
      operation: 'Query.user',
      match: { variables: { '/id': 'user-9' } },
      then: {
        data: { user: null },
        errors: [{ message: 'no user {{request.body.variables.id}}' }],
        status: 404,
        headers: { 'X-Why': 'gone' },
      },
    },
    { id: 'renamed', operation: 'Query.user', then: { merge: { user: { name: 'Merged' } }, extensions: { cost: 3 } } },
  ]
  await server.mock('shop', { spec: SHOP, rules })
  const query = 'query One($id: ID!) { user(id: $id) { name } }'
  const gone = await ask(server, 'shop', query, { variables: { id: 'user-9' } })
  t.match(gone, { status: 404, headers: { 'x-why': 'gone' }, data: { user: null }, errors: [{ message: /no user/ }] })
  const merged = await ask(server, 'shop', query, { variables: { id: 'user-1' } })
  t.match(merged, { status: 200, data: { user: { name: 'Merged' } }, extensions: { cost: 3 } })
  const { requests } = (await server.call('/_svc/mocks/shop/requests')).json as unknown as { requests: object[] }
  t.match(requests, [
    {
      operation: 'Query.user',
      rule: 'renamed',
      graphql: { operation: 'One', kind: 'query', fields: ['user'], complexity: 2 },
    },
    { operation: 'Query.user', rule: 'gone', status: 404 },
  ])
  const { operations } = (await server.call('/_svc/mocks/shop/operations')).json as unknown as { operations: object[] }
  t.match(operations[0], {
    key: 'Query.user',
    kind: 'query',
    type: 'User',
    arguments: [{ name: 'id', type: 'ID!' }],
    rules: 2,
    requests: 2,
  })
  const wrong = await server.call('/_svc/mocks/shop/rules', { method: 'POST', body: { then: { body: 1 } } })
  t.match(wrong, { status: 400, json: { error: 'invalid_rule', at: 'then.body' } })
})

t.test('stateful mocks keep what mutations write, by session', async t => {
  const server = await mockServer(t)
  const deployed = await server.mock('shop', { spec: SHOP, settings: { stateful: 'session' } })
  t.match(deployed, { report: { summary: { stateful: ['User'] } } })
  const headers = { 'x-svc-session': 'a' }
  const go = (query: string, session = headers) => ask(server, 'shop', query, { headers: session })
  t.match((await go('mutation { createUser(input: { name: "Zoe" }) { ok user { id name } } }')).data, {
    createUser: { user: { id: 'user-new-1', name: 'Zoe' } },
  })
  await go('mutation { updateUser(id: "user-1", name: "Changed") { name } deleteUser(id: "user-2") }')
  const seen = await go('{ users { id name } user(id: "user-2") { id } }')
  t.match(seen.data, {
    users: [
      { id: 'user-1', name: 'Changed' },
      { id: 'user-new-1', name: 'Zoe' },
    ],
    user: null,
  })
  t.match((await go('{ search(text: "x") { ... on User { id name } } }')).data, { search: [{ name: 'Changed' }, {}] })
  const other = await go('{ users { id } }', { 'x-svc-session': 'b' })
  t.strictSame(other.data, { users: [{ id: 'user-1' }, { id: 'user-2' }] })
  await server.call('/_svc/mocks/shop/state?session=a', { method: 'DELETE' })
  t.strictSame((await go('{ users { id } }')).data, { users: [{ id: 'user-1' }, { id: 'user-2' }] })
})

t.test('faults and rules of the instance act as on /graphql', async t => {
  const server = await mockServer(t)
  await server.mock('shop', { spec: SHOP })
  const byHeader = await ask(server, 'shop', '{ money { amount currency } }', {
    headers: { 'x-svc-graphql': 'error=Money.amount@DOWN' },
  })
  t.match(byHeader, { headers: { 'x-svc-fault': /graphql/ }, data: null, errors: [{ extensions: { code: 'DOWN' } }] })
  const rule = {
    match: { path: '/mock/shop', graphql: { field: 'money' } },
    then: { graphql: { values: [{ at: 'Money.amount', value: 'text' }] } },
  }
  t.match(await server.call('/_svc/rules', { method: 'POST', body: rule }), { status: 201 })
  t.match((await ask(server, 'shop', '{ money { amount } }')).data, { money: { amount: 'text' } })
})

t.test('subscriptions over a WebSocket and as events; an OpenAPI mock has no socket', async t => {
  const server = await mockServer(t)
  await server.mock('shop', { spec: SHOP, settings: { subscription: { count: 2, interval_ms: 50 } } })
  const client = createClient({ url: `${server.url.replace('http', 'ws')}/mock/shop/ws`, webSocketImpl: WebSocket })
  t.teardown(() => client.dispose())
  const events: unknown[] = []
  for await (const { data } of client.iterate({ query: 'subscription { userAdded { id } }' })) events.push(data)
  t.strictSame(events, [{ userAdded: { id: 'user-1' } }, { userAdded: { id: 'user-2' } }])
  const stream = await server.call('/mock/shop', {
    method: 'POST',
    body: { query: 'subscription { userAdded { id } }' },
    headers: { accept: 'text/event-stream' },
  })
  t.match(stream.text, /event: next\ndata: .*user-1[\s\S]*user-2[\s\S]*event: complete/)
  const reserved = await server.call('/mock/shop/stream', { method: 'PUT' })
  t.match(reserved, { status: 201, text: /^[\da-f-]{36}$/ })
  const refused = new WebSocket(`${server.url.replace('http', 'ws')}/mock/petstore/ws`, 'graphql-transport-ws')
  const status = await new Promise(resolve => {
    refused.on('unexpected-response', (_request, response) => resolve(response.statusCode))
    refused.on('error', () => {})
  })
  t.equal(status, 404)
  t.match(await server.call('/mock/shop/ws'), { status: 426 })
})

t.test('what is wrong with a schema is reported with its line, and the live version stays', async t => {
  const server = await mockServer(t)
  await upload(server, 'shop', SHOP)
  const cases: [string, object][] = [
    ['type Query {\n  a: \n}', { code: 'parse_error', line: 3 }],
    ['type Query { a: Missing }', { code: 'schema_invalid', line: 1 }],
    ['type Query {\n a: Int\n b: Nothing\n}', { code: 'schema_invalid', line: 3 }],
    ['type A { a: Int }', { code: 'no_query_type' }],
    [
      'schema @link(url: "https://specs.apollo.dev/join/v0.3") { query: Query } type Query { a: Int }',
      { code: 'supergraph_document' },
    ],
    [
      `type Query { a: Int }\n${Array.from({ length: 3000 }, (_, n) => `scalar S${n}`).join('\n')}`,
      { code: 'too_many_types' },
    ],
  ]
  for (const [sdl, error] of cases) {
    const reply = await upload(server, 'shop', sdl)
    t.match(reply, { status: 422, json: { report: { deployable: false, errors: [error] } } }, sdl.slice(0, 60))
  }
  t.match(await ask(server, 'shop', '{ money { amount } }'), { status: 200 })
})

t.test('versions are compared, and a breaking change can be blocked', async t => {
  const server = await mockServer(t)
  await server.mock('shop', { spec: SHOP, settings: { block_breaking: true } })
  const broken = SHOP.replace(' email: String', '')
    .replace('{ GOLD SILVER }', '{ GOLD SILVER BRONZE }')
    .replace('money: Money!', 'money: Money! extra: Int')
  const draft = await server.call('/_svc/mocks/shop/draft', { method: 'PUT', body: broken })
  t.match(draft.json['report'], {
    against: 1,
    changes: {
      unchanged: false,
      breaking: [{ code: 'field_removed', operation: 'User.email' }],
      dangerous: [{ code: 'enum_value_added', operation: 'Tier.BRONZE' }],
      compatible: [{ code: 'field_added', operation: 'Query.extra' }],
    },
  })
  t.match(await server.call('/_svc/mocks/shop/deploy', { method: 'POST' }), {
    status: 409,
    json: { error: 'breaking_changes' },
  })
  const deployed = await server.call('/_svc/mocks/shop/deploy', { method: 'POST', body: { allow_breaking: true } })
  t.match(deployed, { status: 200, json: { version: 2 } })
  t.match((await ask(server, 'shop', '{ users { email } }')).errors, [{ message: /email/ }])
  t.match(await server.call('/_svc/mocks/shop/rollback', { method: 'POST' }), { status: 200, json: { version: 3 } })
  t.match((await ask(server, 'shop', '{ users { email } }')).errors, undefined)
  const bundle = (await server.call('/_svc/mocks/shop/export')).text
  t.match(await server.call('/_svc/mocks/copy', { method: 'PUT', body: bundle }), {
    status: 201,
    json: { kind: 'graphql' },
  })
  t.match(await server.call('/_svc/mocks/copy/spec'), {
    status: 200,
    headers: { 'content-type': /application\/graphql/ },
  })
  t.match(await server.call('/_svc/mocks/copy/export?format=openapi'), { status: 400 })
})

t.test('the result of an introspection query is a schema too', async t => {
  const server = await mockServer(t)
  const { getIntrospectionQuery } = await import('graphql')
  const introspection = await server.call('/graphql', { method: 'POST', body: { query: getIntrospectionQuery() } })
  const deployed = await server.call('/_svc/mocks/demo', { method: 'PUT', body: introspection.text })
  t.match(deployed, { status: 201, json: { kind: 'graphql' } })
  t.match((await ask(server, 'demo', '{ users(limit: 1) { id } }')).data, { users: [{ id: 'user-1' }] })
})

t.test('a federated mock answers for entities', async t => {
  const server = await mockServer(t)
  const deployed = await upload(server, 'favorites', FEDERATED)
  t.match(deployed, { status: 201, json: { federated: true } })
  t.match(await ask(server, 'favorites', '{ _service { sdl } }'), { data: { _service: { sdl: FEDERATED } } })
  const entities = await ask(
    server,
    'favorites',
    'query($r: [_Any!]!) { _entities(representations: $r) { __typename ... on Product { id favorites { id note } } } }',
    {
      variables: { r: [{ __typename: 'Product', id: 'p1' }, { __typename: 'Product' }] },
    },
  )
  t.match(entities.data, {
    _entities: [{ __typename: 'Product', id: 'p1', favorites: [{ id: 'favorite-1' }, { id: 'favorite-2' }] }, null],
  })
  const list = await ask(server, 'favorites', '{ favorites { id note } }')
  const product = (entities.data!['_entities'] as { favorites: object[] }[])[0]!
  t.strictSame(list.data!['favorites'], product.favorites)
})

t.test('an entity needs one whole key', async t => {
  const server = await mockServer(t)
  const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
type Query { release: String }
type Product @key(fields: "id") @key(fields: "code maker { id }") { id: ID! code: Int! name: String! maker: Maker! }
type Maker { id: ID! }`
  t.match(await upload(server, 'keys', sdl), { status: 201 })
  const query = 'query($r: [_Any!]!) { _entities(representations: $r) { ... on Product { __typename } } }'
  const given = [
    [{ id: 'p1' }, true],
    [{ code: 1, maker: { id: 'm1' } }, true],
    [{ code: 1 }, false],
    [{ code: 1, maker: { id: null } }, false],
    [{ name: 'Cedar' }, false],
    [{ id: null }, false],
    [{}, false],
  ] as const
  const r = given.map(([fields]) => ({ __typename: 'Product', ...fields }))
  const { data, errors } = await ask(server, 'keys', query, { variables: { r } })
  t.equal(errors, undefined)
  t.strictSame(data, { _entities: given.map(([, isFound]) => (isFound ? { __typename: 'Product' } : null)) })
})

t.test('the bounds of public mode, and the bound of an answer', async t => {
  const open = await mockServer(t)
  await open.mock('shop', { spec: SHOP, settings: { list_size: 50, complexity: 20_000 } })
  const many = '{ users(limit: 100) { orders { buyer { orders { id total } } } } }'
  t.match(await ask(open, 'shop', many), { data: null, errors: [{ extensions: { code: 'RESPONSE_TOO_LARGE' } }] })
  const closed = await mockServer(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'secret' } })
  const types = Array.from({ length: 500 }, (_, n) => `scalar S${n}`).join('\n')
  const wide = await closed.call('/_svc/mocks/wide', {
    method: 'PUT',
    body: `type Query { a: Int }\n${types}`,
    headers: { 'content-type': 'application/graphql', authorization: 'Bearer secret' },
  })
  t.match(wide, {
    status: 422,
    json: { report: { errors: [{ code: 'too_many_types' }] } },
  })
})

t.test('batches are answered in order, each with its own errors', async t => {
  const server = await mockServer(t)
  await server.mock('shop', { spec: SHOP })
  const body = [{ query: '{ user(id: "a") { id } }' }, { query: '{ nothing }' }, { query: '{ user(id: "b") { id } }' }]
  const { json } = await server.call('/mock/shop', { method: 'POST', body })
  t.match(json, [
    { data: { user: { id: 'a' } } },
    { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    { data: { user: { id: 'b' } } },
  ])
})
