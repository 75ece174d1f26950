/** Limits on documents, and persisted queries. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { getIntrospectionQuery, parse } from 'graphql'
import { DEFAULT_LIMITS, findExceededLimit } from '../../../plugins/graphql/query-cost.ts'
import { serve } from '../../support/server.ts'
import { clientOf } from './graphql-client.ts'

/** `{ user(id: "u1") { orders { user { orders … { id } } } } }` with the given number of levels. */
function nested(depth: number): string {
  let query = 'id'
  for (let level = depth - 1; level >= 1; level--)
    query = level === 1 ? `user(id: "u1") { ${query} }` : level % 2 === 0 ? `orders { ${query} }` : `user { ${query} }`
  return `{ ${query} }`
}
const repeated = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')

const { url } = await serve(t)

t.test('each limit accepts its value and rejects one more [GQL-10]', async t => {
  const { post } = clientOf(url)
  const accept = 'application/graphql-response+json'
  const table: [passes: string, fails: string, code: string, message: RegExp][] = [
    [nested(10), nested(11), 'DEPTH_LIMIT_EXCEEDED', /Query is nested too deep/],
    [
      `{ users { ${repeated(499, () => 'id')} } }`,
      `{ users { ${repeated(500, () => 'id')} } }`,
      'COMPLEXITY_LIMIT_EXCEEDED',
      /too complex/,
    ],
    [
      `{ ${repeated(30, i => `a${i}: __typename`)} }`,
      `{ ${repeated(31, i => `a${i}: __typename`)} }`,
      'ALIAS_LIMIT_EXCEEDED',
      /too many aliases/,
    ],
  ]
  for (const [passes, fails, code, message] of table) {
    t.match(await post({ query: passes }, { accept }), { status: 200, errors: undefined }, code)
    t.match(await post({ query: fails }, { accept }), { status: 400, code, errors: [{ message }] })
    t.match(await post({ query: fails }), { status: 200, code })
  }
})

t.test('the most expensive operation counts, with all fragment spreads expanded [GQL-11]', async t => {
  const limitOf = (query: string) => findExceededLimit(parse(query), DEFAULT_LIMITS)?.extensions.code ?? null
  t.equal(limitOf(`query A { users { id } } query B ${nested(11)}`), 'DEPTH_LIMIT_EXCEEDED')
  t.equal(limitOf(`{ ...F } fragment F on QueryRoot ${nested(10)}`), null, 'a spread does not add a level')
  t.equal(
    limitOf(`{ ...F ...F } fragment F on QueryRoot { users { ${repeated(250, () => 'id')} } }`),
    'COMPLEXITY_LIMIT_EXCEEDED',
  )
  t.equal(
    limitOf(`{ ...F ...F } fragment F on QueryRoot { ${repeated(16, i => `a${i}: __typename`)} }`),
    'ALIAS_LIMIT_EXCEEDED',
  )
  t.equal(limitOf(`{ users { ... on User { ... on User { id } } } }`), null)
  const bomb = `{ ...F0 } ${repeated(60, i => `fragment F${i} on QueryRoot { ...F${i + 1} ...F${i + 1} }`)} fragment F60 on QueryRoot { __typename }`
  t.equal(limitOf(bomb), 'COMPLEXITY_LIMIT_EXCEEDED')
  const { post } = clientOf(url)
  t.match(await post({ query: bomb }), { code: 'COMPLEXITY_LIMIT_EXCEEDED' })
  t.match(await post({ query: '{ ...A } fragment A on QueryRoot { ...B } fragment B on QueryRoot { ...A }' }), {
    code: 'GRAPHQL_VALIDATION_FAILED',
  })
})

t.test('introspection is allowed [GQL-12]', async t => {
  const { post } = clientOf(url)
  t.match(
    await post(
      { query: getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, oneOf: true }) },
      { accept: '*/*' },
    ),
    { status: 200, errors: undefined },
  )
  t.match(await post({ query: `{ ${repeated(31, i => `a${i}: __schema { description }`)} }` }), {
    code: 'ALIAS_LIMIT_EXCEEDED',
  })
})

t.test('huge documents fail quickly [GQL-13]', { timeout: 600_000 }, async t => {
  const { post } = clientOf(url)
  const documents = {
    'nested selections': '{ users '.repeat(30_000),
    'nested selections within the token limit': '{ users '.repeat(4_900) + '}'.repeat(100),
    'nested lists': `{ user(id: ${'['.repeat(4_900)}${']'.repeat(4_900)}) { id } }`,
    'fields of the same name': `{ ${'users '.repeat(9_990)} }`,
    'the same in a fragment that nobody spreads': `{ users { id } } fragment F on QueryRoot { ${'users '.repeat(9_900)} }`,
    'the same within introspection': `{ __schema { ${'types '.repeat(9_900)} } }`,
    aliases: `{ ${repeated(3_000, i => `a${i}: users { id }`)} }`,
    directives: `{ users ${'@skip(if: true) '.repeat(1_400)} { id } }`,
    'spreads of unknown fragments': `{ ${repeated(3_000, i => `...F${i}`)} }`,
    operations: repeated(1_500, i => `query Q${i} { users { id } }`),
    variables: `query(${repeated(2_000, i => `$v${i}: ID`)}) { users { id } }`,
  }
  for (const [name, query] of Object.entries(documents)) {
    const started = performance.now()
    const answer = await post({ query }, { accept: '*/*' })
    t.equal(answer.status, 400, name)
    t.match(
      answer.code,
      /^(?:GRAPHQL_(?:PARSE|VALIDATION)_FAILED|(?:DEPTH|COMPLEXITY|ALIAS)_LIMIT_EXCEEDED|OPERATION_RESOLUTION_FAILURE)$/,
      name,
    )
    t.comment(`${name}: ${Math.round(performance.now() - started)} ms, ${answer.code}`)
  }
  t.match(
    await post(
      `{"query":"query($id: ID!) { user(id: $id) { id } }","variables":{"id":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    ),
    { status: 200, code: 'BAD_USER_INPUT' },
  )
})

const hashOf = (query: string) => createHash('sha256').update(query).digest('hex')
const persisted = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } })

t.test('a query is found by its hash after it has been sent with it [GQL-14]', async t => {
  const { post, get } = clientOf(url)
  const query = 'query Q($id: ID!) { user(id: $id) { name } }'
  const extensions = persisted(hashOf(query))
  const variables = { id: 'u3' }
  t.match(await post({ extensions, variables }), {
    status: 200,
    code: 'PERSISTED_QUERY_NOT_FOUND',
    errors: [{ message: 'PersistedQueryNotFound' }],
  })
  t.match(await post({ query, extensions, variables }), { data: { user: { name: 'Carol Nakamura' } } })
  t.match(await post({ extensions, variables }), { data: { user: { name: 'Carol Nakamura' } } })
  t.match(await post({ extensions: persisted(hashOf(query).toUpperCase()), variables, operationName: 'Q' }), {
    data: { user: { name: 'Carol Nakamura' } },
  })
  t.match(await get({ extensions: JSON.stringify(extensions), variables: JSON.stringify(variables) }), {
    status: 200,
    data: { user: { name: 'Carol Nakamura' } },
  })
  const mutation = 'mutation { updateUser(id: "u1", input: {}) { id } }'
  await post({ query: mutation, extensions: persisted(hashOf(mutation)) })
  t.match(await get({ extensions: JSON.stringify(persisted(hashOf(mutation))) }), { status: 405 })
})

t.test('mismatched hashes are rejected and store nothing [GQL-15]', async t => {
  const { post } = clientOf(url)
  const query = '{ users { id } }'
  for (const accept of ['application/json', '*/*']) {
    t.match(await post({ query, extensions: persisted(hashOf('{ other }')) }, { accept }), {
      status: 400,
      code: 'PERSISTED_QUERY_HASH_MISMATCH',
      errors: [{ message: 'provided sha does not match query' }],
    })
    t.match(await post({ extensions: persisted(hashOf('{ other }')) }, { accept }), {
      status: 200,
      code: 'PERSISTED_QUERY_NOT_FOUND',
    })
    for (const extensions of [
      persisted(hashOf(query), 2),
      persisted(hashOf(query), '1'),
      persisted('abc'),
      persisted(7),
      persisted(undefined),
      { persistedQuery: 'x' },
      { persistedQuery: [] },
    ]) {
      t.match(
        await post({ query, extensions }, { accept }),
        { status: 400, code: 'BAD_REQUEST' },
        JSON.stringify(extensions),
      )
    }
  }
  const broken = '{ broken'
  t.match(await post({ query: broken, extensions: persisted(hashOf(broken)) }), { code: 'GRAPHQL_PARSE_FAILED' })
  t.match(
    await post({ extensions: persisted(hashOf(broken)) }),
    { code: 'GRAPHQL_PARSE_FAILED' },
    'kept before it was parsed',
  )
})

t.test('a query above 64 KiB runs and is not stored [GQL-16]', async t => {
  const { post } = clientOf(url)
  for (const [bytes, code] of [
    [64 * 1024, undefined],
    [64 * 1024 + 1, 'PERSISTED_QUERY_NOT_FOUND'],
  ] as const) {
    const query = '{ users(limit: 1) { id } }'.padEnd(bytes, '#')
    t.match(await post({ query, extensions: persisted(hashOf(query)) }), { data: { users: [{ id: 'u1' }] } })
    t.equal((await post({ extensions: persisted(hashOf(query)) })).code, code, `${bytes} bytes`)
  }
})
