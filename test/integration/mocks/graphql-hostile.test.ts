/**
 * Schemas and operations of hostile strangers: each gets an answer in the protocol's words, and soon.
 * Takes long: schemas reach the limits of time.
 */
import t from 'tap'
import { slowness } from '../../support/reference-loop.ts'
import { mockServer } from './client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t, { plugins: ['mocks', 'graphql-subgraphs'] })
const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])'
const times = (count: number, make: (index: number) => string, separator = '\n'): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator)

/** Processor seconds of the work, as on the machine that bounds were set on. */
async function cost(work: () => Promise<void>): Promise<number> {
  const slow = slowness()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6 / slow
}

/** Schemas that are refused, or deployed and then answer. */
const SCHEMAS: Record<string, string> = {
  'lists within lists': `type Query { a: ${'['.repeat(5000)}Int${']'.repeat(5000)} }`,
  'lists of lists of objects': 'type Query { a: [[[[[[[[A!]!]!]!]!]!]!]!]! } type A { id: ID! }',
  'a default value nested deeply': `input I { i: I } type Query { a(i: I = ${'{i:'.repeat(4000)}null${'}'.repeat(4000)}): Int }`,
  'inputs that need themselves': 'input A { b: B! } input B { a: A! } type Query { a(a: A): Int }',
  'inputs that have themselves': 'input A { a: A b: [A!] } type Query { a(a: A): Int }',
  'interfaces of themselves': 'interface A implements A { a: Int } type Query { a: A }',
  'interfaces in a circle':
    'interface A implements B { a: Int } interface B implements A { a: Int } type Query { a: A }',
  'a union of itself': 'union U = U type Query { a: U }',
  'an interface without types': 'interface A { id: ID! } type Query { a: A list: [A!]! }',
  'a directive many times': `directive @d repeatable on FIELD_DEFINITION type Query { a: Int ${'@d '.repeat(20_000)} }`,
  'a directive of itself': 'directive @d(a: Int @d) on ARGUMENT_DEFINITION type Query { a: Int }',
  'many unknown directives': `type Query { ${times(2000, index => `f${index}: Int @unknown${index}`)} }`,
  'names of prototypes':
    'type Query { __proto__: Int constructor: constructor toString: String hasOwnProperty: Boolean! valueOf(__proto__: Int): Int } type constructor { id: ID! toString: Int }',
  'types of the protocol': `${LINK} type _Service { sdl: Int } scalar _Any union _Entity = A type A @key(fields: "id") { id: ID! } type Query { a: A _service: Int }`,
  'types of svc': 'scalar svc__Examples directive @examples(values: Int) on OBJECT type Query { a: Int }',
  'keys that are nested deeply': `${LINK} type A @key(fields: "${'a{'.repeat(2000)}id${'}'.repeat(2000)}") { id: ID! a: A } type Query { a: A }`,
  'keys without fields': `${LINK} type A @key(fields: "") @key(fields: "}{") @key(fields: 5) { id: ID! } type Query { a: A }`,
  'many keys': `${LINK} type A ${times(3000, index => `@key(fields: "f${index}")`)} { ${times(3000, index => `f${index}: ID!`)} } type Query { a: A }`,
  'lengths of lists':
    'type Query { a: [Int!]! @listLength(min: 100000000, max: 2000000000) b: [Int] @listLength(min: -5, max: -1) c: [Int] @listLength(min: 3, max: 99999999999999999999) }',
  'examples of another type':
    'type Query { a: Int @examples(values: []) b: Int @examples(values: ["x", {a: 1}, null, [1]]) c: A @examples(values: [1]) d: E @examples(values: [F]) } type A { id: ID! } enum E { G }',
  'a very long name': `type Query { ${'a'.repeat(200_000)}: Int }`,
  'a very long description': `"""${'x'.repeat(900_000)}""" type Query { a: Int }`,
  'an endless string': `"""${'"'.repeat(100_000)} type Query { a: Int }`,
  'comments alone': '#\n'.repeat(100_000),
  'bytes of no text': 'type Query { a: Int }\u0000\u0001\ud800',
  'an identity of an enum': `${LINK} enum E { A B } type T @key(fields: "e") { e: E! t: [T!]! } type Query { t(e: E): T ts: [T!]! }`,
  'roots that are one type': 'schema { query: R mutation: R subscription: R } type R { a: Int r: R }',
  'an extension of nothing': 'extend type Nothing { a: Int } type Query { a: Int }',
  'many extensions': `type Query { a: Int } ${times(3000, index => `extend type Query { f${index}: Int }`)}`,
}

for (const [name, sdl] of Object.entries(SCHEMAS))
  t.test(`a schema of ${name} [MOCK-110]`, async t => {
    const spent = await cost(async () => {
      const deployed = await server.call('/_svc/mocks/strange', {
        method: 'PUT',
        body: sdl,
        headers: { 'content-type': 'application/graphql' },
      })
      t.ok([200, 201, 400, 422].includes(deployed.status), `${deployed.status} ${deployed.text.slice(0, 300)}`)
      if (deployed.status >= 400) {
        const { report } = deployed.json as { report?: { errors: { code: string; message: string }[] } }
        t.ok((report?.errors.length ?? 1) > 0)
        return
      }
      const { operations } = (await server.call('/_svc/mocks/strange/operations')).json as unknown as {
        operations: { key: string; kind: string; type: string; arguments: { type: string }[] }[]
      }
      for (const { key, kind, arguments: args } of operations.slice(0, 5)) {
        if (kind !== 'query' || args.some(({ type }) => type.endsWith('!'))) continue
        for (const selection of ['', ' { __typename }', ' { id }']) {
          const query = `{ ${key.split('.')[1]}${selection} }`
          const { status, json } = await server.call('/mock/strange', { method: 'POST', body: { query } })
          t.ok(status < 500, `${query.slice(0, 100)} ${status}`)
          const { data, errors } = json as unknown as { data?: unknown; errors?: { message: string }[] }
          t.ok(data !== undefined || errors !== undefined)
          t.notMatch(JSON.stringify(errors ?? []), /Unexpected error|INTERNAL|TypeError|is not a function|undefined/)
        }
      }
      for (const query of ['{ __schema { types { name fields { name type { name } } } } }', '{ _service { sdl } }'])
        t.ok((await server.call('/mock/strange', { method: 'POST', body: { query } })).status < 500)
    })
    t.ok(spent < 10, `${spent} s`)
  })

t.test('hostile federated schemas in a supergraph [MOCK-110] [GQLSUB-15]', async t => {
  for (const name of ['keys that are nested deeply', 'many keys', 'keys without fields', 'an identity of an enum']) {
    await server.call('/_svc/mocks/deep', { method: 'PUT', body: { spec: SCHEMAS[name] } })
    const { status, json } = await server.call('/graphql/supergraph.graphql?subgraphs=users,mock:deep')
    if (status !== 200) t.match([status, json], [/^4(?:04|22)$/, { error: String }], name)
    t.ok(status < 500, `${name}: ${status}`)
  }
})

const GRAPH = `${LINK}
type Query { a(i: I, n: Int, text: String): A  list(first: Int): [A!]!  text(t: String): String }
type A @key(fields: "id") { id: ID! a: A  list(first: Int): [A!]!  name: String  u: U }
union U = A | B
type B { id: ID! a: A }
input I { i: I  list: [I!]  n: Int }
`

const OPERATIONS: Record<string, string> = {
  deep: `{ ${'a { '.repeat(3000)}id${' }'.repeat(3000)} }`,
  'deep within limits': `{ ${'a { '.repeat(18)}id${' }'.repeat(18)} }`,
  'an alias flood': `{ ${times(5000, index => `x${index}: a { id }`, ' ')} }`,
  'an alias flood within limits': `{ ${times(500, index => `x${index}: a { id }`, ' ')} }`,
  'lists of lists': `{ list(first: 100) { list(first: 100) { list(first: 100) { list(first: 100) { id } } } } }`,
  'an answer within the limit of fields but not of bytes': `{ list(first: 100) { ${times(40, index => `x${index}: name`, ' ')} } }`,
  'a directive bomb': `{ a { id ${'@include(if: true) '.repeat(3000)} } }`,
  'directives that are unknown': `{ a { id ${times(1000, index => `@d${index}`, ' ')} } }`,
  'a fragment bomb': `{ a { ...f0 } } ${times(60, index => `fragment f${index} on A { x: a { ...f${index + 1} } y: a { ...f${index + 1} } }`)} fragment f60 on A { id }`,
  'fragments in a circle': '{ a { ...x } } fragment x on A { a { ...y } } fragment y on A { a { ...x } }',
  'an input nested deeply': `{ a(i: ${'{i: '.repeat(3000)}{n: 1}${'}'.repeat(3000)}) { id } }`,
  'an input of many items': `{ a(i: {list: [${'{n: 1} '.repeat(3000)}]}) { id } }`,
  'equal fields': `{ ${'a { id } '.repeat(2000)} }`,
  'fields that are compared': `{ ${times(300, index => `a { x: id ...g${index} }`, ' ')} } ${times(300, index => `fragment g${index} on A { x: id a { x: id } }`)}`,
  'many operations': times(1000, index => `query q${index} { a { id } }`),
  'many variables': `query(${times(2000, index => `$v${index}: Int`, ', ')}) { a { id } }`,
  'a long text': `{ text(t: "${'x'.repeat(300_000)}") }`,
  'an integer that is too large': '{ list(first: 2147483647) { id } }',
  'a negative number': '{ list(first: -5) { id } }',
  introspection: `{ __schema { types { ${'fields { type { '.repeat(12)}name${' } }'.repeat(12)} } } }`,
}

t.test('operations [MOCK-110]', async t => {
  await server.mock('graph', { spec: GRAPH })
  for (const [name, query] of Object.entries(OPERATIONS)) {
    const spent = await cost(async () => {
      const { status, json, text } = await server.call('/mock/graph', { method: 'POST', body: { query } })
      t.ok(status < 500, `${name}: ${status} ${text.slice(0, 200)}`)
      const { data, errors } = json as unknown as { data?: unknown; errors?: { extensions?: { code?: string } }[] }
      t.ok(data !== undefined || errors !== undefined, name)
      t.ok(text.length < 1 << 20, `${name}: ${text.length} bytes`)
      t.notMatch(JSON.stringify(errors ?? []), /Unexpected error|INTERNAL|TypeError|Maximum call stack/, name)
    })
    t.ok(spent < 3, `${name}: ${spent} s`)
  }
})

t.test('representations and variables [MOCK-110]', async t => {
  const query = 'query($r: [_Any!]!) { _entities(representations: $r) { __typename ... on A { id name a { id } } } }'
  const nested = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`) as object
  const table: [r: unknown, extra?: object][] = [
    [Array.from({ length: 1001 }, (_, index) => ({ __typename: 'A', id: String(index) }))],
    [Array.from({ length: 1000 }, (_, index) => ({ __typename: 'A', id: String(index) }))],
    [[{ __typename: 'A', id: { a: 1 } }]],
    [[{ __typename: 'A', id: nested }]],
    [[{ __typename: '__proto__', id: 'a' }]],
    [[{ __typename: 'constructor' }, { __typename: 'Query' }, { __typename: 5 }, 'text', null, []]],
    [[JSON.parse('{"__typename": "A", "id": "x", "__proto__": {"name": "polluted"}}')]],
    [[{ __typename: 'A', id: 'x'.repeat(200_000) }]],
    ['text'],
    [null],
  ]
  for (const [r] of table) {
    const { status, json, text } = await server.call('/mock/graph', {
      method: 'POST',
      body: { query, variables: { r } },
    })
    const { data, errors } = json as unknown as { data?: unknown; errors?: unknown }
    t.ok(status < 500 && (data !== undefined || errors !== undefined), text.slice(0, 200))
    t.notMatch(text, /polluted|TypeError|INTERNAL_SERVER/)
  }
  t.equal(({} as { name?: string }).name, undefined)
})
