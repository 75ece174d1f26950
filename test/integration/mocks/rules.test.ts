// `then` is a keyword of rules.
/* oxlint-disable unicorn/no-thenable */
import t from 'tap'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer, type CallOptions } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)
const SPEC = documentOf({
  '/pets/{id}': {
    get: answering(
      { examples: { dog: { value: { id: 1, name: 'Rex' } }, cat: { value: { id: 2, name: 'Misty' } } } },
      { operationId: 'getPet' },
    ),
  },
  '/orders': {
    post: {
      operationId: 'createOrder',
      responses: {
        201: { description: 'ok', content: { 'application/json': { example: { ok: true } } } },
        409: { description: 'conflict', content: { 'application/json': { example: { busy: true } } } },
      },
    },
  },
})

/** Uploads the document with these rules and calls it. */
async function withRules(
  rules: Json,
  path: string,
  options: CallOptions = {},
): Promise<Awaited<ReturnType<typeof server.call>>> {
  await server.mock('ruled', { spec: SPEC, rules })
  return server.call(`/mock/ruled${path}`, options)
}

t.test('conditions match or not [MOCK-60]', async t => {
  const body = {
    items: [
      { sku: 'A-1', qty: 3 },
      { sku: 'B-2', qty: 5 },
    ],
    note: 'hello',
    total: '12.5',
    textless: { toString: null, valueOf: null },
  }
  const options = { method: 'POST', body, headers: { 'x-tier': 'gold', cookie: 'lane=fast', 'x-svc-session': 's1' } }
  const holds: JsonObject[] = [
    { in: 'method', value: 'POST' },
    { in: 'header', name: 'X-TIER', op: 'eq', value: 'gold' },
    { in: 'header', name: 'x-tier', op: 'in', value: ['silver', 'gold'] },
    { in: 'header', name: 'x-other', op: 'absent' },
    { in: 'header', name: 'x-other', op: 'ne', value: 'a' },
    { in: 'query', name: 'q', op: 'eq', value: '2' },
    { in: 'query', name: 'q', op: 'exists' },
    { in: 'query', name: 'q', op: 'gte', value: 2 },
    { in: 'cookie', name: 'lane', op: 'starts_with', value: 'fa' },
    { in: 'session', value: 's1' },
    { in: 'body', pointer: '/items/0/sku', op: 'eq', value: 'A-1' },
    { in: 'body', pointer: '/items/0', op: 'eq', value: { qty: 3, sku: 'A-1' } },
    { in: 'body', pointer: '', op: 'exists' },
    { in: 'body', pointer: '/items/1/qty', op: 'gt', value: 4 },
    { in: 'body', pointer: '/total', op: 'lt', value: 13 },
    { in: 'body', pointer: '/note', op: 'contains', value: 'ell' },
    { in: 'body', pointer: '/items', op: 'contains', value: { sku: 'B-2', qty: 5 } },
    { in: 'body', pointer: '/note', op: 'ends_with', value: 'lo' },
    { in: 'body', pointer: '/note', op: 'matches', value: '^h.l+o$' },
    { in: 'body', jsonpath: '$.items[?@.qty > 4].sku', op: 'eq', value: 'B-2' },
    { in: 'body', jsonpath: '$..qty', op: 'lte', value: 3 },
    { in: 'body', pointer: '/items', op: 'schema', value: { type: 'array', minItems: 2 } },
    { in: 'count', op: 'eq', value: 1 },
    { in: 'count', op: 'every', value: 1 },
    { in: 'violations', op: 'eq', value: 0 },
    { in: 'state', name: 'order', op: 'absent' },
  ]
  const fails: JsonObject[] = [
    { in: 'method', value: 'GET' },
    { in: 'header', name: 'x-tier', op: 'ne', value: 'gold' },
    { in: 'query', name: 'q', op: 'lt', value: 1 },
    { in: 'query', name: 'none', op: 'gt', value: 0 },
    { in: 'body', pointer: '/items/9', op: 'exists' },
    { in: 'body', pointer: '/note', op: 'gt', value: 1 },
    { in: 'body', pointer: '/constructor', op: 'exists' },
    { in: 'body', pointer: '/items', op: 'schema', value: { type: 'object' } },
    { in: 'count', op: 'every', value: 2 },
    { in: 'body', pointer: '/textless', op: 'every', value: 2 },
    { in: 'state', name: 'constructor', op: 'exists' },
  ]
  const expected = [
    ...holds.map(condition => [condition, 299] as const),
    ...fails.map(condition => [condition, 201] as const),
  ]
  for (const [condition, status] of expected) {
    t.equal(
      (await withRules([{ when: [condition], then: { status: 299 } }], '/orders?q=1&q=2', options)).status,
      status,
      JSON.stringify(condition),
    )
    // Reset the counts.
    await server.call('/_svc/mocks/ruled/state', { method: 'DELETE' })
  }
})

t.test('the first rule that matches is used [MOCK-60]', async t => {
  const never = { when: [{ in: 'query', name: 'no', op: 'exists' }], then: { status: 298 } }
  t.equal((await withRules([never, { then: { status: 297 } }, { then: { status: 296 } }], '/pets/1')).status, 297)
  t.equal(
    (await withRules([{ enabled: false, then: { status: 297 } }, { then: { status: 296 } }], '/pets/1')).status,
    296,
  )
  t.equal((await withRules([{ operation: 'createOrder', then: { status: 297 } }], '/pets/1')).status, 200)
  t.equal((await withRules([{ operation: 'GET /pets/{id}', then: { status: 297 } }], '/pets/1')).status, 297)
  t.equal(
    (
      await withRules(
        [
          {
            match: 'any',
            when: [
              { in: 'method', value: 'GET' },
              { in: 'query', name: 'no', op: 'exists' },
            ],
            then: { status: 297 },
          },
        ],
        '/pets/1',
      )
    ).status,
    297,
  )
  t.equal(
    (
      await withRules(
        [
          {
            match: 'all',
            when: [
              { in: 'method', value: 'GET' },
              { in: 'query', name: 'no', op: 'exists' },
            ],
            then: { status: 297 },
          },
        ],
        '/pets/1',
      )
    ).status,
    200,
  )
  t.match(await withRules([{ id: 'mine', then: { status: 297 } }], '/pets/1'), {
    headers: { 'x-svc-mock-source': 'rule:mine' },
  })
  t.equal(
    (await withRules([{ then: { status: 297 } }], '/pets/1', { headers: { prefer: 'code=200' } })).status,
    200,
    'Prefer comes before rules',
  )
})

t.test('a rule sets the response [MOCK-60]', async t => {
  const cases: [JsonObject, string, CallOptions, object][] = [
    [{ status: 409 }, '/orders', { method: 'POST' }, { status: 409, json: { busy: true } }],
    [{ status: 404 }, '/pets/1', {}, { status: 404, text: '' }],
    [{ example: 'cat' }, '/pets/7', {}, { status: 200, json: { id: 7, name: 'Misty' } }],
    [{ example: 'horse' }, '/pets/7', {}, { status: 404, json: { code: 'no_such_response' } }],
    [
      { body: { a: 1 } },
      '/pets/7',
      {},
      { status: 200, text: '{"a":1}', headers: { 'content-type': 'application/json' } },
    ],
    [{ body: 'plain' }, '/pets/7', {}, { text: '"plain"' }],
    [
      { body: 'plain', media_type: 'text/plain' },
      '/pets/7',
      {},
      { text: 'plain', headers: { 'content-type': 'text/plain' } },
    ],
    [
      { body: 'plain', status: 418 },
      '/pets/7',
      {},
      { status: 418, text: 'plain', headers: { 'content-type': 'text/plain; charset=utf-8' } },
    ],
    [{ body: null }, '/pets/7', {}, { text: 'null' }],
    [{ merge: { name: null, tag: 'x' } }, '/pets/7', {}, { text: '{"id":7,"tag":"x"}' }],
    [
      { headers: { 'X-Lane': 'fast' } },
      '/pets/7',
      {},
      { status: 200, json: { name: 'Rex' }, headers: { 'x-lane': 'fast', 'x-svc-mock-source': 'rule:r1' } },
    ],
    [
      { headers: { 'Content-Type': 'application/vnd.x+json' } },
      '/pets/7',
      {},
      { headers: { 'content-type': 'application/vnd.x+json' } },
    ],
  ]
  for (const [then, path, options, expected] of cases)
    t.match(await withRules([{ then }], path, options), expected, JSON.stringify(then))
  await t.rejects(
    withRules([{ then: { abort: true } }], '/pets/1'),
    { code: 'ECONNRESET' },
    'the connection is closed without an answer',
  )
  const { json } = await server.call('/_svc/requests?limit=1')
  t.match((json['requests'] as JsonObject[])[0], {
    path: '/mock/ruled/pets/1',
    status: 444,
    ended: 'aborted',
    fault: 'abort',
    fault_source: 'mock ruled, rule r1',
    route: '/mock/{name}/{*path}',
    plugin: 'mocks',
  })
})

t.test('a rule can bypass security and validation [MOCK-60]', async t => {
  const spec = documentOf(
    { '/x': { get: answering({ example: 1 }, { security: [{ key: [] }] }) } },
    { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'k' } } } },
  )
  const rule = { when: [{ in: 'header', name: 'x-probe', op: 'exists' }], then: { status: 200, body: 'alive' } }
  await server.mock('guarded', { spec, settings: { security: 'enforce' }, rules: [{ ...rule, bypass: true }] })
  t.match(await server.call('/mock/guarded/x', { headers: { 'x-probe': '1' } }), { status: 200, text: '"alive"' })
  t.equal((await server.call('/mock/guarded/x')).status, 401)
  await server.mock('guarded', { spec, settings: { security: 'enforce' }, rules: [rule] })
  t.equal((await server.call('/mock/guarded/x', { headers: { 'x-probe': '1' } })).status, 401)
})

t.test('templates are replaced and keep their types [MOCK-62]', async t => {
  const body = {
    id: '{{request.body.id}}',
    qty: '{{ request.body.items.0.qty }}',
    whole: '{{request.body.items}}',
    text: 'pet {{request.path.id}} for {{request.query.who}}{{request.query.none}}',
    none: '{{request.body.none}}',
    head: '{{request.header.x-a}}',
    cookie: '{{request.cookie.c}}',
    method: '{{request.method}}',
    n: '{{count}}',
    session: '{{session}}',
    mock: '{{mock}}',
    operation: '{{operation}}',
    wrong: '{{request.query.what}}',
    again: '{{request.query.again}}',
    proto: '{{request.body.constructor.name}}',
  }
  await server.mock('templates', {
    spec: documentOf({ '/pets/{id}': { put: answering({}, { operationId: 'putPet' }) } }),
    rules: [{ then: { body, headers: { 'X-Id': 'id-{{request.body.id}}' } } }],
  })
  const reply = await server.call('/mock/templates/pets/7?who=ada&again={{count}}', {
    method: 'PUT',
    body: { id: 5, items: [{ qty: 2 }] },
    headers: { 'x-a': 'A', cookie: 'c=C', 'x-svc-session': 's2' },
  })
  t.same(reply.json, {
    id: 5,
    qty: 2,
    whole: [{ qty: 2 }],
    text: 'pet 7 for ada',
    none: null,
    head: 'A',
    cookie: 'C',
    method: 'PUT',
    n: 1,
    session: 's2',
    mock: 'templates',
    operation: 'putPet',
    wrong: null,
    again: '{{count}}',
    proto: null,
  })
  t.equal(reply.headers['x-id'], 'id-5')
  await server.mock('templates', {
    spec: documentOf({ '/x': { get: answering({}) } }),
    rules: [{ then: { body: ['{{uuid}}', '{{now}}'] } }],
  })
  const ask = async (): Promise<string[]> =>
    (await server.call('/mock/templates/x', { headers: { 'x-svc-session': 's3' } })).json as unknown as string[]
  const [uuid, now] = await ask()
  t.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.match(now, /^\d{4}-\d\d-\d\dT/)
  t.not((await ask())[0], uuid, 'a new value each time')
})

t.test('conditions are those of all rules, and the older spelling is translated [MOCK-60]', async t => {
  const options = {
    method: 'POST',
    body: { items: [{ sku: 'A-1', qty: 3 }], total: 12 },
    headers: { 'x-tier': 'gold', 'x-svc-session': 's1' },
  }
  const rows: [match: JsonObject, status: number][] = [
    [{ method: 'post', header: { 'X-Tier': { starts_with: 'go' } } }, 299],
    [{ json: { '/total': { gte: 10, multiple_of: 4 }, '$.items[*].sku': 'A-1' } }, 299],
    [{ json: { '/total': { multiple_of: 5 } } }, 201],
    [{ any: [{ query: { q: '9' } }, { count: 1 }] }, 299],
    [{ none: [{ query: { q: '2' } }] }, 201],
    [{ query: { q: { all_values: ['2', '1'] } } }, 299],
    [{ path: '/orders', violations: 0, state: { order: { exists: false } } }, 299],
    [{ json_schema: { required: ['total'] }, url: { ends_with: 'q=2' }, scheme: 'http' }, 299],
  ]
  for (const [match, status] of rows) {
    const reply = await withRules([{ match, then: { status: 299 } }], '/orders?q=1&q=2', options)
    t.equal(reply.status, status, JSON.stringify(match))
    await server.call('/_svc/mocks/ruled/state', { method: 'DELETE' })
  }
  const older: Json = {
    id: 'old',
    match: 'all',
    when: [
      { in: 'query', name: 'q', op: 'matches', value: '^\\d{1,2}$' },
      { in: 'query', name: 'q', op: 'eq', value: 2 },
      { in: 'query', name: 'q', op: 'ne', value: '7' },
      { in: 'body', pointer: '/total', op: 'gt', value: 1 },
      { in: 'body', pointer: '/total', op: 'lt', value: '100' },
      { in: 'body', pointer: '/total', op: 'gt', value: 2 },
      { in: 'header', name: 'X-Tier', op: 'ne', value: 'silver' },
      { in: 'count', op: 'every', value: 1 },
      { in: 'method', value: 'POST' },
    ],
    then: { status: 299 },
  }
  t.equal((await withRules([older], '/orders?q=1&q=2', options)).status, 299)
  const newer: Json = {
    id: 'old',
    match: {
      query: { q: { some_values: [{ matches: '^\\d{1,2}$' }, 2] } },
      none: [{ query: { q: '7' } }],
      json: { '/total': { all: [{ gt: 1, lt: 100 }, { gt: 2 }] } },
      header: { 'x-tier': { not: 'silver' } },
      count: { multiple_of: 1 },
      method: { equals: 'POST' },
    },
    then: { status: 299 },
  }
  t.same((await server.call('/_svc/mocks/ruled/rules/old?translate=true')).json, newer)
  t.same((await server.call('/_svc/mocks/ruled/rules/old')).json, older, 'it stays as it was given')
  await server.call('/_svc/mocks/ruled/state', { method: 'DELETE' })
  t.equal((await withRules([newer], '/orders?q=1&q=2', options)).status, 299)
  t.same((await server.call('/_svc/mocks/ruled/rules/old?translate=true')).json, newer)
  const problems: [rule: JsonObject, at: RegExp | string, message: RegExp][] = [
    [{ match: { methd: 'GET' } }, 'rules[0].match.methd', /did you mean "method"/],
    [{ match: {}, when: [] }, 'rules[0].when', /not both/],
    [{ match: 'some' }, 'rules[0].match', /"all" or "any"/],
    [{ match: { path: '/a?b' } }, 'rules[0].match.path', /never matches/],
    [{ then: { body: '{{reqest.path}}' } }, 'rules[0].then.body', /did you mean "request"/],
    [{ then: { set_state: { a: '{{stat.x}}' } } }, 'rules[0].then.set_state.a', /did you mean "state"/],
    [{ then: { headers: { a: [] } } }, 'rules[0].then.headers', /1 to 20 strings/],
  ]
  for (const [rule, at, message] of problems) {
    const reply = await server.call('/_svc/mocks/ruled/rules', {
      method: 'PUT',
      body: [{ then: { status: 200 }, ...rule }] as unknown as JsonObject,
    })
    t.match(reply, { status: 400, json: { error: 'invalid_rule', at, message } }, JSON.stringify(rule))
  }
})

t.test(
  'long integers keep their digits, text bodies are references, and names have several lines [MOCK-62]',
  async t => {
    await server.mock('exact', {
      spec: documentOf({ '/x': { post: answering({}) } }),
      rules: [
        { match: { query: { raw: '1' } }, then: { body: '{{handlebars}}', template: false, media_type: 'text/plain' } },
        {
          then: {
            body: { id: '{{request.body.id}}', all: '{{request.body}}', who: '{{request.query.who|nobody}}' },
            merge: { merged: '{{request.body.id}}' },
            headers: { 'Set-Cookie': ['a=1', 'b={{request.body.id}}'] },
          },
        },
      ],
    })
    const post = (body: string, type: string, query = ''): ReturnType<typeof server.call> =>
      server.call(`/mock/exact/x${query}`, { method: 'POST', body, headers: { 'content-type': type } })
    const id = '12345678901234567890'
    const json = await post(`{"id":${id}}`, 'application/json')
    t.equal(json.text, `{"id":${id},"all":{"id":${id}},"who":"nobody","merged":${id}}`)
    t.match(json.headers, { 'set-cookie': `a=1,b=${id}` })
    const text = await post('plain text', 'text/plain', '?who=ada')
    t.same(text.json, { id: null, all: 'plain text', who: 'ada' }, 'a merged null removes')
    t.equal((await post('', 'text/plain', '?raw=1')).text, '{{handlebars}}')
  },
)

t.test('state and counts belong to a session [MOCK-63]', async t => {
  const rules = [
    {
      operation: 'createOrder',
      then: { status: 201, set_state: { order: 'accepted', by: '{{request.header.x-by}}' } },
    },
    {
      operation: 'getPet',
      when: [{ in: 'state', name: 'order', value: 'accepted' }],
      then: { body: { seen: '{{state.by}}', n: '{{count}}' }, set_state: { order: null } },
    },
  ]
  await server.mock('story', { spec: SPEC, rules })
  const as = (session: string): CallOptions => ({ headers: { 'x-svc-session': session, 'x-by': session } })
  t.match((await server.call('/mock/story/pets/1', as('a'))).json, { name: 'Rex' })
  await server.call('/mock/story/orders', { method: 'POST', ...as('a') })
  t.match((await server.call('/mock/story/pets/1', as('b'))).json, { name: 'Rex' }, 'another session has its own state')
  t.same((await server.call('/_svc/mocks/story/state?session=a')).json, {
    session: 'a',
    state: { order: 'accepted', by: 'a' },
    counts: { getPet: 1, createOrder: 1 },
  })
  t.same((await server.call('/mock/story/pets/1', as('a'))).json, { seen: 'a', n: 2 })
  t.match((await server.call('/mock/story/pets/1', as('a'))).json, { name: 'Rex' }, 'null removed it')
  t.match(
    (await server.call('/_svc/mocks/story/state?session=b', { method: 'PUT', body: { order: 'accepted' } })).json,
    { state: { order: 'accepted' } },
  )
  t.match((await server.call('/mock/story/pets/1', as('b'))).json, { n: 2 })
  await server.call('/_svc/mocks/story/state?session=a', { method: 'DELETE' })
  t.same((await server.call('/_svc/mocks/story/state?session=a')).json, { session: 'a', state: {}, counts: {} })
  await server.call('/_svc/mocks/story/state', { method: 'DELETE' })
  t.same((await server.call('/_svc/mocks/story/state?session=b')).json['counts'], {})
  for (const body of ['[]', '{"a":1}', 'x', JSON.stringify({ a: 'x'.repeat(1025) })])
    t.match(
      await server.call('/_svc/mocks/story/state', { method: 'PUT', body }),
      { status: 400, json: { error: 'invalid_state' } },
      body.slice(0, 20),
    )
  await server.call('/_svc/mocks/story/state?session=p', { method: 'PUT', body: '{"__proto__":"x","constructor":"y"}' })
  t.equal((await server.call('/_svc/mocks/story/state?session=p')).text.includes('"__proto__":"x"'), true)
})

t.test('overrides apply to one operation or to all [MOCK-61]', async t => {
  await server.mock('over', {
    spec: SPEC,
    overrides: {
      '*': { headers: { 'X-All': '1' }, delay_ms: 1 },
      getPet: { example: 'cat', headers: { 'X-One': '1' } },
    },
  })
  t.match(await server.call('/mock/over/pets/7'), {
    status: 200,
    json: { id: 7, name: 'Misty' },
    headers: { 'x-one': '1', 'x-svc-mock-source': 'override' },
  })
  t.match(await server.call('/mock/over/orders', { method: 'POST' }), {
    status: 201,
    json: { ok: true },
    headers: { 'x-all': '1' },
  })
  await server.mock('over', {
    spec: SPEC,
    overrides: {
      'POST /orders': { status: 409, merge: { why: '{{request.method}}' } },
      getPet: { enabled: false, status: 500 },
    },
  })
  t.match(await server.call('/mock/over/orders', { method: 'POST' }), {
    status: 409,
    json: { busy: true, why: 'POST' },
  })
  t.match(await server.call('/mock/over/pets/7'), { status: 200 })
  await server.mock('over', {
    spec: SPEC,
    overrides: { getPet: { fail_percent: 100 }, createOrder: { fail_percent: 100, fail_status: 409 } },
  })
  t.match(await server.call('/mock/over/pets/7'), { status: 503, json: { code: 'injected_failure' } })
  t.match(await server.call('/mock/over/orders', { method: 'POST' }), { status: 409, json: { busy: true } })
  await server.mock('over', {
    spec: SPEC,
    overrides: { getPet: { body: 'over' } },
    rules: [{ then: { headers: { 'X-Rule': '1' } } }],
  })
  t.match(
    await server.call('/mock/over/pets/7'),
    { text: '"over"', headers: { 'x-rule': '1', 'x-svc-mock-source': 'rule:r1' } },
    'a rule that leaves the choice open is laid over the override',
  )
})
