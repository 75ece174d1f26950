/** Faults of entities and traces: what a gateway may meet at its subgraphs. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { subgraphClient } from './subgraph-client.ts'

const { url } = await serve(t)
const { post, entities } = subgraphClient(url)
const QUERY =
  'query($r: [_Any!]!) { list: _entities(representations: $r) { ... on Product { averageRating reviews { rating } } } }'
const PRODUCTS = ['p1', 'p2', 'p4'].map(id => ({ __typename: 'Product', id }))

t.test('entities out of step, by header [GQLSUB-20]', async t => {
  const ask = (how: string) =>
    post(
      'reviews',
      '{ release list: _entities(representations: [{__typename: "User", id: "u1"}, {__typename: "User", id: "u2"}]) { ... on User { id } } }',
      {
        headers: { 'X-Svc-Graphql': `entities=${how}` },
      },
    )
  const [u1, u2] = [{ id: 'u1' }, { id: 'u2' }]
  for (const [how, list] of [
    ['reverse', [u2, u1]],
    ['short', [u1]],
    ['long', [u1, u2, u1]],
    ['null', [null, null]],
    ['empty', []],
    ['not-list', u1],
    ['error', [null, null]],
  ] as const) {
    const { data, errors, fault } = await ask(how)
    t.strictSame(data, { release: 'svc-demo-1', list }, how)
    t.equal(fault, 'graphql')
    t.match(errors, how === 'error' ? [{ path: ['list'], extensions: { code: 'INJECTED_FAULT' } }] : undefined)
  }
})

t.test('a rule fails the first entity requests for a type, as in the documentation [GQLSUB-20]', async t => {
  const rule = {
    name: 'reviews-fail-twice',
    match: { path: '/graphql/subgraphs/reviews', graphql: { entity: 'Product' } },
    times: 2,
    then: { graphql: { errors: [{ at: 'Product.averageRating', code: 'RATINGS_DOWN' }] } },
  }
  const session = subgraphClient(`${url}/s/sub-1`)
  const stored = await fetch(`${url}/s/sub-1/_svc/rules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rule),
  })
  t.equal(stored.status, 201)
  t.equal((await session.post('reviews', '{ reviews(limit: 1) { product { averageRating } } }')).errors, undefined)
  const ask = () => session.post('reviews', QUERY, { variables: { r: PRODUCTS } })
  for (let turn = 1; turn <= 2; turn++) {
    const { data, errors, fault } = await ask()
    t.equal(fault, 'graphql')
    t.match(data, { list: [{ averageRating: null, reviews: [{ rating: 5 }, { rating: 4 }] }, {}, {}] })
    t.strictSame(
      errors?.map(({ path, extensions }) => [path?.join('/'), extensions?.code]),
      [0, 1, 2].map(index => [`list/${index}/averageRating`, 'RATINGS_DOWN']),
    )
  }
  t.equal((await ask()).errors, undefined)
  const verified = await fetch(`${url}/s/sub-1/_svc/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      match: { path: '/graphql/subgraphs/reviews', graphql: { entity: 'Product', variables: { '/r/0/id': 'p1' } } },
      exactly: 3,
      within_ms: 2000,
    }),
  })
  t.match(await verified.json(), { verified: true })
})

t.test('a null that the schema forbids climbs in the answer of an entity [GQLSUB-20]', async t => {
  const { data, errors } = await post(
    'users',
    'query($r: [_Any!]!) { _entities(representations: $r) { ... on User { id tier } } }',
    {
      variables: {
        r: [
          { __typename: 'User', id: 'u1' },
          { __typename: 'User', id: 'u2' },
        ],
      },
      headers: { 'X-Svc-Graphql': 'error=/_entities/1/tier@DOWN' },
    },
  )
  t.strictSame(data, { _entities: [{ id: 'u1', tier: 'GOLD' }, null] })
  t.match(errors, [{ path: ['_entities', 1, 'tier'], extensions: { code: 'DOWN' } }])
})

/** Fields of a Protocol Buffers message: numbers of varints, bytes of the rest. */
function fieldsOf(bytes: Buffer): { number: number; value: number | Buffer }[] {
  const fields: { number: number; value: number | Buffer }[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!
      value += (byte % 128) * factor
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    if (tag % 8 === 0) fields.push({ number: tag / 8, value: varint() })
    else {
      const length = varint()
      fields.push({ number: Math.floor(tag / 8), value: bytes.subarray(at, at + length) })
      at += length
    }
  }
  return fields
}

t.test('ftv1: a trace of the fields, only if the gateway asks for it [GQLSUB-21]', async t => {
  const query = '{ users(limit: 1) { label: name } user(id: "u1") { id } other: user(id: "u2") { name } }'
  t.equal((await post('users', query)).extensions, undefined)
  const headers = { 'apollo-federation-include-trace': 'ftv1' }
  const { extensions } = await post('users', query, {
    headers: { ...headers, 'X-Svc-Graphql': 'delay=/user/id@30; error=/other/name@DOWN' },
  })
  const trace = fieldsOf(Buffer.from(extensions!.ftv1!, 'base64'))
  const duration = trace.find(({ number }) => number === 11)!.value as number
  const shown = (bytes: Buffer): Record<string, unknown> => {
    const fields = fieldsOf(bytes)
    const text = (number: number): string | undefined => fields.find(field => field.number === number)?.value.toString()
    const start = fields.find(({ number }) => number === 8)?.value as number | undefined
    const end = fields.find(({ number }) => number === 9)?.value as number | undefined
    if (start !== undefined) t.ok(start <= end! && end! <= duration, 'times are within the operation')
    return {
      name: text(1) ?? Number(text(2) ?? -1),
      type: text(3),
      parent: text(13),
      original: text(14),
      took: start === undefined ? undefined : end! - start >= 29_000_000,
      errors: fields.filter(({ number }) => number === 11).length,
      children: fields.filter(({ number }) => number === 12).map(({ value }) => shown(value as Buffer)),
    }
  }
  const root = shown(trace.find(({ number }) => number === 14)!.value as Buffer)
  t.match(root, {
    name: -1,
    children: [
      {
        name: 'users',
        type: '[User!]!',
        parent: 'Query',
        children: [
          { name: 0, children: [{ name: 'label', original: 'name', type: 'String!', parent: 'User', errors: 0 }] },
        ],
      },
      { name: 'user', children: [{ name: 'id', took: true }] },
      { name: 'other', original: 'user', children: [{ name: 'name', errors: 1 }] },
    ],
  })
  const plain = await entities('users', [{ __typename: 'User', id: 'u1' }], '... on User { id }')
  t.equal(plain.extensions, undefined)
})
