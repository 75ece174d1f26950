/** Conditions on requests. */
import t, { type Test } from 'tap'
import { StepBudget } from '../../../core/contract/plugin.ts'
import { jsonRpcProtocol } from '../../../core/toolkit/toolkit.ts'
import { MatchIndex } from '../../../core/match/match-index.ts'
import { graphqlProtocol } from '../../../plugins/graphql/match.ts'
import { grpcProtocol } from '../../../plugins/grpc/match.ts'
import { matchOf, registryOf, subjectOf, tryMatch, type RequestSketch } from '../../support/match.ts'

const json = (value: unknown): RequestSketch => ({ method: 'POST', body: JSON.stringify(value) })

/** Whether the match holds, and that the explanation agrees. */
function holds(t: Test, match: unknown, request: RequestSketch, options?: Parameters<typeof matchOf>[1]): boolean {
  const read = matchOf(match, options)
  const result = read.holds(subjectOf(request))
  const { matched, of, differences } = read.explain(subjectOf(request))
  t.equal(differences.length === 0, result, `the explanation of ${JSON.stringify(match)} agrees`)
  t.equal(matched + differences.length, of)
  return result
}

t.test('tests the parts of a request [MATCH-1]', async t => {
  const request: RequestSketch = {
    method: 'PATCH',
    url: '/orders/7?tag=a&tag=b&empty=&x%20y=1',
    headers: {
      Host: 'Api.Example:8080',
      'X-Tenant': 'acme',
      Accept: ['text/html', 'text/*'],
      Cookie: 'a=1; theme=dark',
    },
    session: 't-1',
    clientIp: '10.0.0.9',
    body: 'hello world',
  }
  const rows: [match: unknown, expected: boolean][] = [
    [{}, true],
    [{ method: 'patch' }, true],
    [{ method: ['GET', 'PATCH'] }, true],
    [{ method: 'POST' }, false],
    [{ path: '/orders/{id}' }, true],
    [{ host: 'api.example' }, true],
    [{ host: 'API.EXAMPLE' }, true],
    [{ host: { ends_with: '.Example' } }, true],
    [{ host: 'api.example:8080' }, false],
    [{ header: { 'x-TENANT': 'acme' } }, true],
    [{ header: { 'x-tenant': { in: ['a', 'acme'] } } }, true],
    [{ header: { accept: 'text/*' } }, true],
    [{ header: { accept: 'text/html' } }, true],
    [{ header: { 'x-other': { exists: false } } }, true],
    [{ header: { 'x-other': 'a' } }, false],
    [{ query: { tag: 'b' } }, true],
    [{ query: { tag: 'c' } }, false],
    [{ query: { empty: '' } }, true],
    [{ query: { empty: { exists: true } } }, true],
    [{ query: { 'x y': 1 } }, true],
    [{ cookie: { theme: 'dark' } }, true],
    [{ cookie: { Theme: 'dark' } }, false],
    [{ body: { contains: 'o w' } }, true],
    [{ body: 'hello world' }, true],
    [{ body: 'hello' }, false],
    [{ session: 't-1' }, true],
    [{ session: { starts_with: 't-' } }, true],
    [{ client_ip: '10.0.0.9' }, true],
    [{ method: 'PATCH', header: { 'x-tenant': 'acme' }, query: { tag: 'z' } }, false],
  ]
  for (const [match, expected] of rows) t.equal(holds(t, match, request), expected, JSON.stringify(match))
  t.equal(holds(t, { session: { exists: false } }, {}), true)
  t.equal(holds(t, { host: { exists: false } }, {}), true)
  t.equal(holds(t, { host: 'two.example' }, { headers: { ':authority': 'two.example' } }), true, 'HTTP/2')
})

t.test('compares paths by template [MATCH-2]', async t => {
  const rows: [template: string, url: string, expected: boolean][] = [
    ['/', '/', true],
    ['/', '/a', false],
    ['/a', '/a?b=c', true],
    ['/a', '/a/', false],
    ['/a/', '/a/', true],
    ['/a', '/A', false],
    ['/a/*', '/a/b', true],
    ['/a/*', '/a/', false],
    ['/a/*', '/a/b/c', false],
    ['/a/*/c', '/a/b/c', true],
    ['/a/**', '/a', true],
    ['/a/**', '/a/', true],
    ['/a/**', '/a/b/c', true],
    ['/a/**', '/ab', false],
    ['/**', '/', true],
    ['/{x}/{y}', '/1/2', true],
    ['/caf\u00e9', '/caf%C3%A9', true],
    ['/caf%C3%A9', '/caf%c3%a9', true],
    ['/a%2Fb', '/a%2fb', true],
    ['/a%2Fb', '/a/b', false],
    ['/a/{x}', '/a/b%2Fc', true],
    ['/100%', '/100%25', true],
    ['/100%', '/100%', true],
    ['/%2A', '/*', true],
    ['/a:b', '/a:b', true],
    ['/a/**/c', '/a/c', true],
    ['/a/**/c', '/a/b/b/c', true],
    ['/a/**/c', '/a/c/c', true],
    ['/a/**/c', '/a/c/d', false],
    ['/**/b/**/d', '/b/a/b/c/c/d', true],
    ['/**/b/**/d', '/b/a/b/c/c', false],
    ['/**/{x}/c', '/a/b/c', true],
    ['/a/{id}.json', '/a/7.json', true],
    ['/a/{id}.json', '/a/.json', false],
    ['/a/{id}.json', '/a/7.xml', false],
    ['/a/v*', '/a/v2', true],
    ['/a/v*', '/a/v', false],
    ['/a/*-b', '/a/x-b', true],
    ['/a/%7Bx%7D', '/a/{x}', true],
  ]
  for (const [template, url, expected] of rows)
    t.equal(holds(t, { path: template }, { url }), expected, `${template} ${url}`)
  const captures = matchOf({ path: '/orders/{id}/items/{item}/**' }).captures(
    subjectOf({ url: '/orders/a%20b/items/7/x/y?z' }),
  )
  t.strictSame(
    [...captures],
    [
      ['id', 'a b'],
      ['item', '7'],
    ],
  )
  const parts = matchOf({ path: '/**/{kind}/v{version}.json' }).captures(subjectOf({ url: '/a/b/c/v12.json' }))
  t.strictSame(Object.fromEntries(parts), { kind: 'c', version: '12' })
  const groups = matchOf({ path: { matches: '^/orders/(?P<id>[0-9]+)' } }).captures(subjectOf({ url: '/orders/17/x' }))
  t.strictSame(Object.fromEntries(groups), { id: '17' })
  for (const path of ['/a?b=1', '/a#b', '/_svc/rules', '/s/t-1/echo'])
    t.match(tryMatch({ path }), { problem: { at: 'match.path', details: /never matches/ } }, path)
  t.match(tryMatch({ path: '/s/t-1/echo' }), { problem: { remedy: /session: t-1/ } })
  t.notMatch(tryMatch({ path: '/s/{name}/echo' }), { problem: {} })
  t.match(tryMatch({ path: '/ui' }, { isSeen: path => path !== '/ui' }), { problem: { details: /never/ } })
  const evil = matchOf({ path: `/${'**/a/'.repeat(150)}b` })
  t.throws(() => evil.holds(subjectOf({ url: `/${'a/'.repeat(8000)}c` }, new StepBudget(1_000_000))), {
    code: 'SVC_TOO_EXPENSIVE',
  })
})

t.test('combines conditions [MATCH-10]', async t => {
  const request: RequestSketch = {
    method: 'POST',
    url: '/orders/17?tag=a&tag=b&tag=ab',
    scheme: 'https',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-N': ['1', '2'] },
    body: 'name=Ada+L&tag=x&tag=y',
  }
  const rows: [match: unknown, expected: boolean][] = [
    [{ any: [{ method: 'GET' }, { method: 'POST' }] }, true],
    [{ any: [{ method: 'GET' }, { path: '/x' }] }, false],
    [{ none: [{ method: 'GET' }, { path: '/x' }] }, true],
    [{ none: [{ method: 'GET' }, { path: '/orders/*' }] }, false],
    [{ any: [{ none: [{ query: { tag: 'z' } }] }] }, true],
    [{ any: [{ form: { name: 'Ada L' } }] }, true],
    [{ path: '/orders/{id}', path_params: { id: { gte: 17 } } }, true],
    [{ path: '/orders/{id}', path_params: { id: '18' } }, false],
    [{ path: '/orders/{id}', any: [{ path_params: { id: '17' } }] }, true],
    [{ path: { matches: '^/orders/(?P<id>\\d+)$' }, path_params: { id: '17' } }, true],
    [{ path: { starts_with: '/orders/' } }, true],
    [{ path: { not: { ends_with: '17' } } }, false],
    [{ url: '/orders/17?tag=a&tag=b&tag=ab' }, true],
    [{ url: { contains: 'tag=b' } }, true],
    [{ scheme: 'https' }, true],
    [{ scheme: 'http' }, false],
    [{ method: { starts_with: 'p' } }, true],
    [{ form: { name: 'Ada L', tag: 'y' } }, true],
    [{ form: { other: { exists: false } } }, true],
    [{ form: { tag: { all_values: ['y', 'x'] } } }, true],
    [{ query: { tag: { some_values: ['a', { starts_with: 'b' }] } } }, true],
    [{ query: { tag: { some_values: ['a', 'z'] } } }, false],
    [{ query: { tag: { all_values: ['a', 'b'] } } }, false],
    [{ query: { tag: { all_values: [{ contains: 'a' }, { contains: 'b' }, 'a'] } } }, true],
    [{ query: { tag: { all_values: [{ contains: 'a' }, 'a', 'a'] } } }, false],
    [{ query: { tag: { all: [{ starts_with: 'a' }, { ends_with: 'b' }] } } }, true],
    [{ header: { 'x-n': { any: [{ gt: 5 }, 2] } } }, true],
    [{ header: { 'x-n': { not: { any: [1, 2, 3] } } } }, false],
    [{ header: { 'x-n': { multiple_of: 2 } } }, true],
    [{ header: { 'x-m': { not: { contains: 'a' } } } }, true],
    [{ query: { tag: { any: ['A', 'Z'], ignore_case: true } } }, true],
    [{ body_base64: Buffer.from('name=Ada+L&tag=x&tag=y').toString('base64') }, true],
    [{ body_base64: 'AAAA' }, false],
  ]
  for (const [match, expected] of rows) t.equal(holds(t, match, request), expected, JSON.stringify(match))
  const multipart = {
    headers: { 'Content-Type': 'multipart/form-data; boundary=b-1' },
    body: '--b-1\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--b-1\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nfile\r\n--b-1--\r\n',
  }
  t.equal(holds(t, { form: { a: 'one', f: { exists: false } } }, multipart), true)
  t.equal(holds(t, { form: { a: 'two' } }, multipart), false)
  t.strictSame(matchOf({ any: [{ path: '/a' }, { method: 'GET', path: '/b/*' }] }).prefixes, [['a'], ['b']])
  t.strictSame(matchOf({ any: [{ method: 'GET' }, { method: ['PUT'] }] }).methods, ['GET', 'PUT'])
  t.equal(matchOf({ any: [{ method: 'GET' }, { path: '/x' }] }).methods, null)
})

t.test('compares whole JSON bodies [MATCH-11]', async t => {
  const body = { id: 1, tags: ['a', 'b', { n: 1 }], extra: null }
  const rows: [match: unknown, expected: boolean][] = [
    [{ json_equals: { value: { extra: null, id: 1.0, tags: ['a', 'b', { n: 1 }] } } }, true],
    [{ json_equals: { value: { id: 1, tags: ['a', 'b', { n: 1 }] } } }, false],
    [{ json_equals: { value: { id: 1 }, extra: true } }, true],
    [{ json_equals: { value: { id: '1' }, extra: true } }, false],
    [{ json_equals: { value: { tags: [{ n: 1 }, 'b', 'a'] }, extra: true } }, false],
    [{ json_equals: { value: { tags: [{ n: 1 }, 'b', 'a'] }, extra: true, any_order: true } }, true],
    [{ json_equals: { value: { tags: [{}, 'a'] }, extra: true, any_order: true } }, true],
    [{ json_equals: { value: { tags: ['a', 'a'] }, extra: true, any_order: true } }, false],
    [{ json_schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } }, true],
    [{ json_schema: { properties: { id: { type: 'string' } } } }, false],
    [
      { json_schema: { $ref: '#/$defs/a', $defs: { a: { properties: { tags: { contains: { const: 'b' } } } } } } },
      true,
    ],
    [
      {
        json_schema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          properties: { tags: { items: [{ const: 'a' }, { pattern: '^b$' }, true] } },
        },
      },
      true,
    ],
    [{ json: { '/tags': { contains: ['a', 'b'] } } }, true],
    [{ json: { '/id': { schema: { type: 'integer', minimum: 2 } } } }, false],
    [{ json: { '/id': { not: { gt: 1 } } } }, true],
    [{ json: { '/tags/2': { not: { n: 1 } } } }, false],
  ]
  for (const [match, expected] of rows) t.equal(holds(t, match, json(body)), expected, JSON.stringify(match))
  t.equal(holds(t, { json_schema: {} }, { body: 'no JSON' }), false)
  const wide = Array.from({ length: 400 }, (_, index) => [index])
  const budget = (): StepBudget => new StepBudget(200_000)
  const entered = (name: string): object => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] })
  const rowsOfCost: [match: object, body: unknown][] = [
    [{ json_equals: { value: wide.map(([n]) => [n! + 1]), any_order: true } }, wide],
    [
      {
        json_schema: {
          items: { allOf: Array.from({ length: 200 }, () => ({ $ref: '#/$defs/a' })) },
          $defs: { a: { type: 'array' } },
        },
      },
      wide,
    ],
    [
      { json_schema: { $ref: '#/$defs/a', $defs: { a: entered('b'), b: { items: entered('a') } } } },
      nestedLists(12, wide),
    ],
  ]
  for (const [match, body] of rowsOfCost)
    t.throws(() => matchOf(match).holds(subjectOf(json(body), budget())), { code: 'SVC_TOO_EXPENSIVE' })
})

function nestedLists(depth: number, wide: unknown): unknown {
  return depth === 0 ? wide : [nestedLists(depth - 1, wide)]
}

t.test('tests values [MATCH-3]', async t => {
  const rows: [test: unknown, value: unknown, expected: boolean][] = [
    ['a', 'a', true],
    ['a', 'A', false],
    [5, 5, true],
    [5, '5', false],
    [null, null, true],
    [null, false, false],
    [true, true, true],
    [{ equals: { a: [1, { b: 2 }] } }, { a: [1, { b: 2 }] }, true],
    [{ equals: [1, 2] }, [2, 1], false],
    [{ not: 'a' }, 'b', true],
    [{ not: 'a' }, 'a', false],
    [{ not: 'a' }, undefined, true],
    [{ contains: 'ell' }, 'hello', true],
    [{ contains: 'ELL' }, 'hello', false],
    [{ contains: 'ELL', ignore_case: true }, 'hello', true],
    [{ contains: ['lo', 'he'] }, 'hello', true],
    [{ contains: ['lo', 'ha'] }, 'hello', false],
    [{ contains: 2 }, [1, 2], true],
    [{ contains: { a: 1 } }, [{ a: 1 }], true],
    [{ contains: 'a' }, { a: 1 }, false],
    [{ starts_with: 'he' }, 'hello', true],
    [{ ends_with: 'LO', ignore_case: true }, 'hello', true],
    [{ starts_with: '1' }, 12, true],
    [{ matches: '^h.l+o$' }, 'hello', true],
    [{ matches: '(?i)^HELLO$' }, 'hello', true],
    [{ matches: 'HELLO', ignore_case: true }, 'hello', true],
    [{ matches: '^\\d+$' }, 42, true],
    [{ matches: 'a' }, { a: 'a' }, false],
    [{ in: ['a', 2] }, 2, true],
    [{ in: ['a', 2] }, '2', false],
    [{ in: ['A'], ignore_case: true }, 'a', true],
    [{ exists: true }, null, true],
    [{ exists: true }, undefined, false],
    [{ exists: false }, undefined, true],
    [{ exists: false }, 0, false],
    [{ gt: 5 }, 6, true],
    [{ gt: 5 }, '6', true],
    [{ gt: 5 }, '6 EUR', false],
    [{ gte: 5, lt: 7 }, 7, false],
    [{ gte: 5, lte: 7 }, 7, true],
    [{ lt: 0 }, '-1.5e3', true],
    [{ lt: 5 }, undefined, false],
    [{ gt: 0, matches: '^1' }, 12, true],
    ['a', undefined, false],
    [{ contains: 'a' }, undefined, false],
    [{ in: ['a'] }, undefined, false],
    [{ matches: '.*' }, undefined, false],
    [{ not: 'a', contains: 'b' }, undefined, false],
  ]
  for (const [test, value, expected] of rows) {
    const body = value === undefined ? {} : { v: value }
    t.equal(
      holds(t, { json: { '/v': test } }, json(body)),
      expected,
      `${JSON.stringify(test)} ${JSON.stringify(value)}`,
    )
  }
  const texts: [test: unknown, value: string, expected: boolean][] = [
    [5, '5', true],
    [true, 'true', true],
    [null, 'null', true],
    [{ equals: 'A', ignore_case: true }, 'a', true],
    [{ in: [1, 2] }, '2', true],
    [{ gte: 10 }, '9', false],
    [{ gte: 10 }, '10', true],
  ]
  for (const [test, value, expected] of texts)
    t.equal(holds(t, { header: { v: test } }, { headers: { V: value } }), expected, `${JSON.stringify(test)} ${value}`)
})

t.test('tests JSON bodies [MATCH-4]', async t => {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'hi', name: 'Ada' }, { role: 'tool' }],
    'a/b~c': 1,
    '': 0,
  }
  const rows: [match: unknown, expected: boolean][] = [
    [{ json: { '/model': 'm' } }, true],
    [{ json: { '/messages/0/role': 'user', '/messages/1/role': 'tool' } }, true],
    [{ json: { '/messages/2': { exists: false } } }, true],
    [{ json: { '/messages/00/role': 'user' } }, false],
    [{ json: { '/a~1b~0c': 1 } }, true],
    [{ json: { '/': 0 } }, true],
    [{ json: { '': { exists: true } } }, true],
    [{ json: { '$..name': 'Ada' } }, true],
    [{ json: { '$.messages[?@.role == "tool"].role': 'tool' } }, true],
    [{ json: { '$.messages[*].role': { not: 'user' } } }, true],
    [{ json: { '$.nothing[*]': { exists: false } } }, true],
    [{ like: { messages: [{ role: 'user' }] } }, true],
    [{ like: { messages: [{ role: 'user' }, { role: 'tool' }, {}] } }, false],
    [{ like: { messages: [{ role: 'tool' }] } }, false],
    [{ like: {} }, true],
    [{ like: { model: null } }, false],
    [{ like: { toString: {} } }, false],
  ]
  for (const [match, expected] of rows) t.equal(holds(t, match, json(body)), expected, JSON.stringify(match))
  t.equal(holds(t, { json: { '': { exists: true } } }, { body: '{"a":' }), false, 'not JSON')
  t.equal(holds(t, { json: { '/a': { exists: false } } }, { body: '' }), true, 'no body')
  t.equal(holds(t, { json: { '/__proto__': { exists: true } } }, json({})), false)
  t.equal(
    holds(t, { json: { '': { exists: true } } }, { body: '['.repeat(5000) + ']'.repeat(5000) }),
    false,
    'too deep',
  )
  const bytes = { body: Buffer.from([0xff, 0xfe]) }
  t.equal(holds(t, { body: { exists: true } }, bytes), true)
  for (const test of [{ contains: '' }, { not: 'x' }, { matches: '.*' }, ''])
    t.equal(holds(t, { body: test }, bytes), false, `${JSON.stringify(test)} of bytes that are not UTF-8`)
})

t.test('bounds patterns and queries [MATCH-5]', async t => {
  for (const pattern of ['(?=a)', '(?<!a)b', '(a)\\1', '(', 'a{1001}', '((a{100}){100}){100}', 'x'.repeat(1001)]) {
    const read = tryMatch({ body: { matches: pattern } })
    t.match(read, { problem: { at: 'match.body.matches', details: /RE2 syntax/ } }, pattern.slice(0, 30))
  }
  t.match(tryMatch({ body: { matches: 'a)(b', ignore_case: true } }), { problem: { at: 'match.body.matches' } })
  const evil = 'a'.repeat(60_000)
  const before = process.cpuUsage()
  t.equal(holds(t, { body: { matches: '^(a|aa)+$' } }, { body: `${evil}!` }), false)
  t.equal(holds(t, { body: { matches: '(.*)*(.*)*!\\d' } }, { body: `${evil}!` }), false)
  const nested = JSON.parse('['.repeat(90) + ']'.repeat(90)) as unknown
  const wide = Array.from({ length: 300 }, () => nested)
  for (const path of ['$..*..*..*..*..nothing', '$..[?$..[?@..x]]'])
    t.throws(
      () => matchOf({ json: { [path]: { exists: false } } }).holds(subjectOf(json(wide), new StepBudget(5_000_000))),
      { code: 'SVC_TOO_EXPENSIVE' },
    )
  t.ok(process.cpuUsage(before).user < 10e6, 'takes less than 10 s of processor time')
  t.match(tryMatch({ json: { '$[?match(@, "a")]': 1 } }), { problem: { at: /match\.json\.\$/, details: /JSONPath/ } })
})

t.test('reports the first mistake with its place [MATCH-6]', async t => {
  const rows: [match: unknown, at: string, details: RegExp][] = [
    ['x', 'match', /expected an object/],
    [{ methd: 'GET' }, 'match.methd', /unknown key "methd" \(did you mean "method"\?\)/],
    [{ method: 5 }, 'match.method', /method such as POST/],
    [{ method: [] }, 'match.method', /method such as POST/],
    [{ method: 'GE T' }, 'match.method', /method such as POST/],
    [{ path: 'a' }, 'match.path', /starts with \//],
    [{ path: '/a*b*' }, 'match.path', /at most one \{name\} or \*/],
    [{ path: '/a**' }, 'match.path', /\*\* as a whole segment/],
    [{ path: '/{a}{b}' }, 'match.path', /at most one/],
    [{ path: '/{a}/{a}' }, 'match.path', /twice/],
    [{ path: '/{a b}' }, 'match.path', /at most one/],
    [{ path: { match: '^/a' } }, 'match.path.match', /did you mean "matches"/],
    [{ path: '/a', path_params: { id: '7' } }, 'match.path_params.id', /unknown segment "id"/],
    [{ path: '/{id}', path_params: { ids: '7' } }, 'match.path_params.ids', /did you mean "id"/],
    [{ path_params: { id: '7' } }, 'match.path_params', /a path that captures/],
    [{ scheme: 'ftp' }, 'match.scheme', /http or https/],
    [{ any: [] }, 'match.any', /1 to 20 matches/],
    [{ any: [{ methd: 'GET' }] }, 'match.any[0].methd', /did you mean "method"/],
    [{ none: [{ any: [{ any: [{ any: [{ any: [{}] }] }] }] }] }, 'match.none[0].any[0].any[0].any[0].any', /4 levels/],
    [{ any: Array.from({ length: 20 }, () => ({ query: { a: '1', b: '2', c: '3' } })) }, 'match', /got 60/],
    [{ scenario: { a: 'b' } }, 'match.scenario', /of a rule/],
    [{ body_base64: '?' }, 'match.body_base64', /base64/],
    [{ json_equals: { a: 1 } }, 'match.json_equals.a', /unknown key/],
    [{ json_equals: {} }, 'match.json_equals.value', /any JSON/],
    [{ json_schema: { type: 'nothing' } }, 'match.json_schema.schema', /type/],
    [{ json_schema: { $ref: 'https://example.com/a' } }, 'match.json_schema.schema', /within the schema/],
    [{ json_schema: { pattern: '(?=a)' } }, 'match.json_schema.schema', /RE2/],
    [{ json_schema: { const: 'x'.repeat(17_000) } }, 'match.json_schema.schema', /16384 characters/],
    [{ query: { a: { any: [] } } }, 'match.query.a.any', /1 to 20/],
    [{ query: { a: { all: [{ contain: 'a' }] } } }, 'match.query.a.all[0].contain', /did you mean "contains"/],
    [{ query: { a: { not: { some_values: ['a'] } } } }, 'match.query.a.not.some_values', /unknown key/],
    [{ query: { a: { multiple_of: 0 } } }, 'match.query.a.multiple_of', /at least 1/],
    [{ header: 'x' }, 'match.header', /object of names/],
    [{ header: {} }, 'match.header', /at least one name/],
    [{ header: { 'x y': 'a' } }, 'match.header.x y', /name of a header/],
    [{ header: { x: ['a'] } }, 'match.header.x', /expected a text/],
    [{ header: { x: { equals: {} } } }, 'match.header.x.equals', /expected a text/],
    [{ header: { x: { contain: 'a' } } }, 'match.header.x.contain', /did you mean "contains"/],
    [{ header: { x: {} } }, 'match.header.x', /at least one of/],
    [{ header: { x: { ignore_case: true } } }, 'match.header.x', /at least one of/],
    [{ header: { x: { gt: 1, ignore_case: true } } }, 'match.header.x.ignore_case', /expected one of/],
    [{ header: { x: { equals: 'a', ignore_case: 'yes' } } }, 'match.header.x.ignore_case', /true or false/],
    [{ query: { x: { gt: '5' } } }, 'match.query.x.gt', /number/],
    [{ query: { x: { in: 'a' } } }, 'match.query.x.in', /list/],
    [{ query: { x: { in: [] } } }, 'match.query.x.in', /list/],
    [{ query: { x: { exists: 'yes' } } }, 'match.query.x.exists', /true or false/],
    [{ json: { model: 'a' } }, 'match.json.model', /JSON pointer/],
    [{ json: { '/a~2': 'a' } }, 'match.json./a~2', /JSON pointer/],
    [{ json: { '$[': 'a' } }, 'match.json.$[', /JSONPath/],
    [{ json: { '/a': { b: 1 } } }, 'match.json./a.b', /unknown key/],
    [{ status: 200 }, 'match.status', /filters and verifications/],
    [{ rpc: {} }, 'match.rpc', /unknown key/],
    [
      { query: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`q${index}`, 'x'])) },
      'match',
      /at most 50/,
    ],
  ]
  for (const [match, at, details] of rows) {
    const read = tryMatch(match)
    t.match(read, { problem: { at, details } }, JSON.stringify(match).slice(0, 80))
  }
})

t.test('captured requests have more conditions [MATCH-1]', async t => {
  const captured: RequestSketch = { status: 503, rule: 'busy', isSince: mark => mark < '2026' }
  const rows: [match: unknown, expected: boolean][] = [
    [{ status: 503 }, true],
    [{ status: { gte: 500, lt: 600 } }, true],
    [{ status: '200' }, false],
    [{ rule: 'busy' }, true],
    [{ rule: { exists: false } }, false],
    [{ since: '2025-01-01T00:00:00Z' }, true],
    [{ since: '2027-01-01T00:00:00Z' }, false],
  ]
  for (const [match, expected] of rows)
    t.equal(holds(t, match, captured, { isFilter: true }), expected, JSON.stringify(match))
})

t.test('explains what is different [MATCH-7]', async t => {
  const match = matchOf({
    method: ['POST', 'PUT'],
    path: '/orders',
    header: { 'X-Tenant': { in: ['a', 'b'] } },
    json: { '/model': 'x', '/big': 'y' },
    like: { a: { b: [1] } },
    host: 'h',
  })
  const request = subjectOf({
    method: 'GET',
    url: '/order?x=1',
    headers: { host: 'h', 'x-tenant': ['c', 'd'] },
    body: JSON.stringify({ big: 'z'.repeat(300), a: { b: [{ c: 1 }] } }),
  })
  t.strictSame(match.explain(request), {
    matched: 1,
    of: 7,
    differences: [
      { at: 'method', expected: ['POST', 'PUT'], got: 'GET' },
      { at: 'path', expected: '/orders', got: '/order' },
      { at: 'header.x-tenant', expected: { in: ['a', 'b'] }, got: 'c, d' },
      { at: 'json./model', expected: 'x', got: null },
      { at: 'json./big', expected: 'y', got: 'z'.repeat(200) },
      { at: 'like./a/b/0', expected: 1, got: '{"c":1}' },
    ],
  })
})

t.test('protocols have conditions of their own [MATCH-8]', async t => {
  const protocols = registryOf(jsonRpcProtocol, graphqlProtocol({ find: async () => undefined }), grpcProtocol)
  const call = (method: string, params?: unknown, id: unknown = 1): object => ({ jsonrpc: '2.0', method, params, id })
  const tool = json(call('tools/call', { name: 'get_weather' }))
  const prompt = json(call('prompts/get', { name: 'review' }, 'p'))
  const batch = json([call('a'), call('tools/call', { name: 'add' }, 7)])
  const graphql = (query: string, operationName?: string): RequestSketch => json({ query, operationName })
  const two = 'query A { user { id } } mutation B { addUser(name: "x") { id } }'
  const grpc: RequestSketch = {
    method: 'POST',
    url: '/svc.echo.Echo/Say',
    headers: { 'content-type': 'application/grpc' },
  }
  const web: RequestSketch = { ...grpc, headers: { 'content-type': 'application/grpc-web-text' } }
  const health: RequestSketch = { ...grpc, url: '/grpc.health.v1.Health/Check' }
  const rows: [match: unknown, request: RequestSketch, expected: boolean][] = [
    [{ rpc: {} }, tool, true],
    [{ rpc: {} }, json({ method: 'a' }), false],
    [{ rpc: {} }, {}, false],
    [{ rpc: { tool: 'get_weather' } }, tool, true],
    [{ rpc: { name: 'get_weather' } }, tool, false],
    [{ rpc: { method: 'prompts/get', name: 'review', id: 'p' } }, prompt, true],
    [{ rpc: { tool: 'add' } }, batch, true],
    [{ rpc: { method: 'a', tool: 'add' } }, batch, false],
    [{ rpc: { method: { starts_with: 'tools/' }, id: { gt: 5 } } }, batch, true],
    [{ rpc: { method: { not: 'a' } } }, json({ a: 1 }), false],
    [{ graphql: {} }, graphql('{ user { id } }'), true],
    [{ graphql: { kind: 'query', field: 'user' } }, graphql('{ user { id } orders { id } }'), true],
    [{ graphql: { operation: 'B', kind: 'mutation' } }, graphql(two, 'B'), true],
    [{ graphql: { kind: 'mutation' } }, graphql(two, 'A'), false],
    [{ graphql: { field: 'id' } }, graphql('{ user { id } }'), false],
    [{ graphql: {} }, graphql('{ user {'), false],
    [{ graphql: {} }, { url: '/graphql?query=%7Buser%7Bid%7D%7D' }, true],
    [{ graphql: {} }, tool, false],
    [{ grpc: {} }, grpc, true],
    [{ grpc: { service: 'svc.echo.Echo', method: 'Say' } }, web, true],
    [{ grpc: { method: 'Other' } }, grpc, false],
    [{ grpc: {} }, health, false],
    [{ grpc: {} }, { method: 'POST', url: '/svc.echo.Echo/Say' }, false],
  ]
  for (const [match, request, expected] of rows)
    t.equal(holds(t, match, request, { protocols }), expected, JSON.stringify(match))
  t.match(tryMatch({ rpc: { tol: 'x' } }, { protocols }), { problem: { at: 'match.rpc.tol', details: /"tool"/ } })
  t.match(tryMatch({ graphql: { kind: 'x' } }, { protocols }), {
    problem: { at: 'match.graphql.kind', details: /mutation/ },
  })
  t.match(tryMatch({ rcp: {} }, { protocols }), { problem: { at: 'match.rcp', details: /did you mean "rpc"/ } })
  t.strictSame(matchOf({ rpc: { method: 'a', tool: 'sub' } }, { protocols }).explain(subjectOf(batch)), {
    matched: 1,
    of: 2,
    differences: [{ at: 'rpc.tool', expected: 'sub', got: null }],
  })
  t.strictSame(matchOf({ rpc: {} }, { protocols }).explain(subjectOf()).differences, [
    { at: 'rpc', expected: {}, got: null },
  ])
})

t.test('an index finds the matches that can hold, in order [MATCH-9]', async t => {
  const entries = [
    { match: { path: '/b/**' } },
    { match: { method: 'POST', path: '/a' } },
    { match: {} },
    { match: { path: '/a/{x}/c' } },
    { match: { method: ['GET', 'PUT'], path: '/a/b/c' } },
    { match: { path: '/*/b' } },
  ].map(({ match }, number) => ({ number, match: matchOf(match) }))
  const index = new MatchIndex(entries)
  const numbers = (method: string, path: string): number[] =>
    index.candidates(method, subjectOf({ url: path }).segments).map(({ number }) => number)
  t.strictSame(numbers('GET', '/a/b/c'), [2, 3, 4, 5])
  t.strictSame(numbers('POST', '/a'), [1, 2, 3, 5])
  t.strictSame(numbers('GET', '/b/x'), [0, 2, 5])
  t.strictSame(numbers('GET', '/z'), [2, 5])
  const order = { name: 'order', fields: {}, read: () => [], paths: () => ['/orders', '/v2/orders'] }
  const protocols = registryOf(order, { ...order, paths: () => ['/orders', '/baskets'], read: () => null })
  const ofProtocol = new MatchIndex([{ match: matchOf({ order: {} }, { protocols }) }])
  for (const [url, isCandidate] of [
    ['/orders/7', true],
    ['/v2/orders', true],
    ['/v2/x', false],
    ['/baskets', true],
    ['/', false],
  ] as const)
    t.equal(ofProtocol.candidates('GET', subjectOf({ url }).segments).length, isCandidate ? 1 : 0, url)
  t.notOk(ofProtocol.mayFit('/echo'), 'requests with another path are not read')
  const many = new MatchIndex(
    Array.from({ length: 5000 }, (_, number) => ({ match: matchOf({ path: `/p${number}/x` }) })),
  )
  t.equal(many.candidates('GET', ['p7', 'x']).length, 1)
})
