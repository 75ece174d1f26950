import t from 'tap'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stringify } from 'yaml'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import { Checker } from '../../../plugins/mocks/check/checker.ts'
import type { Report } from '../../../plugins/mocks/check/report.ts'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { answering, documentOf } from '../../integration/mocks/document.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const checker = new Checker(join(import.meta.dirname, '..', '..', '..', 'plugins', 'mocks'))

async function check(
  document: JsonObject | string,
  {
    against,
    publicMode = false,
    ...parts
  }: { against?: JsonObject; publicMode?: boolean; rules?: Json; settings?: Json; overrides?: Json } = {},
): Promise<Report> {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  return (
    await checker.check({
      text,
      against: against ? { version: 1, text: JSON.stringify(against) } : null,
      publicMode,
      maxDelayMs: 30_000,
      ...parts,
    })
  ).report
}
const codes = (list: readonly { code: string }[]): string[] => list.map(({ code }) => code)

t.test('a valid document has no errors and no warnings [MOCK-40]', async t => {
  const report = await check(
    documentOf({ '/pets': { get: answering({ schema: { type: 'array' }, example: [] }, { operationId: 'list' }) } }),
  )
  t.match(report, {
    deployable: true,
    against: null,
    errors: [],
    warnings: [],
    changes: null,
    summary: {
      openapi: '3.1.0',
      title: 'Test',
      api_version: '1',
      operations: 1,
      schemas: 0,
      examples: 1,
      security_schemes: [],
    },
  })
  t.ok(Number.isInteger(report.took_ms))
})

t.test('references that cannot be resolved are errors [MOCK-41] [MOCK-81]', async t => {
  let connections = 0
  const target = createServer(() => connections++).listen(0, '127.0.0.1')
  t.teardown(() => target.close())
  await new Promise(resolve => target.once('listening', resolve))
  const refs: [string, string][] = [
    [`http://127.0.0.1:${(target.address() as AddressInfo).port}/x`, 'external_ref'],
    ['http://169.254.169.254/latest', 'external_ref'],
    ['file:///etc/passwd', 'external_ref'],
    ['./other.yaml#/x', 'external_ref'],
    ['other', 'external_ref'],
    ['//host/x', 'external_ref'],
    ['#/components/schemas/Missing', 'unresolved_ref'],
    ['#nothing', 'unresolved_ref'],
    ['#/components/schemas/__proto__', 'unresolved_ref'],
    ['#/components/schemas/constructor', 'unresolved_ref'],
    ['#/components/schemas/%zz', 'unresolved_ref'],
    ['#/components/schemas/Self', 'circular_ref'],
    ['#/components/schemas/A', 'circular_ref'],
  ]
  for (const [ref, code] of refs) {
    const schemas: JsonObject =
      code === 'circular_ref'
        ? {
            Self: { $ref: '#/components/schemas/Self' },
            A: { $ref: '#/components/schemas/B' },
            B: { $ref: '#/components/schemas/A' },
          }
        : {}
    const report = await check(
      documentOf({ '/x': { get: answering({ schema: { $ref: ref } }) } }, { components: { schemas } }),
    )
    t.equal(report.deployable, false, ref)
    t.ok(
      codes(report.errors).every(found => found === code),
      `${ref}: ${codes(report.errors).join()}`,
    )
    t.ok(
      report.errors.some(({ at }) => at === '#/paths/~1x/get/responses/200/content/application~1json/schema/$ref'),
      `${ref} is found where it stands`,
    )
  }
  t.equal(connections, 0, 'no connection was made')
})

t.test('data that only looks like a reference is not one [MOCK-41]', async t => {
  const data = { $ref: 'http://example.com/x' }
  const report = await check(
    documentOf({
      '/x': {
        get: answering({
          schema: {
            type: 'object',
            properties: { $ref: { type: 'string' } },
            default: data,
            enum: [data],
            example: data,
            'x-note': data,
          },
          example: data,
        }),
      },
    }),
  )
  t.same(report.errors, [])
  const chain: JsonObject = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `C${index}`,
      (index === 39 ? { type: 'string' } : { $ref: `#/components/schemas/C${index + 1}` }) as JsonObject,
    ]),
  )
  t.match(
    await check(
      documentOf(
        { '/x': { get: answering({ schema: { $ref: '#/components/schemas/C0' } }) } },
        { components: { schemas: chain } },
      ),
    ),
    { deployable: false, errors: [{ code: 'circular_ref' }] },
    'a chain has at most 32 links',
  )
})

t.test('data with members that look like keywords has no warning [MOCK-40] [MOCK-41]', async t => {
  const data = { $ref: '#/nowhere', $schema: 'x', $id: 'y', $dynamicRef: '#z' }
  for (const openapi of ['3.0.2', '3.1.0']) {
    const examples: JsonObject = openapi === '3.1.0' ? { examples: [data] } : {}
    const report = await check(
      documentOf(
        {
          '/f': { get: answering({ example: data }) },
          '/g': {
            get: answering({
              schema: { type: 'object', default: data, ...examples },
              examples: { a: { value: data } },
            }),
          },
        },
        { openapi, 'x-own': data },
      ),
    )
    t.strictSame([report.errors, report.warnings], [[], []], openapi)
  }
})

t.test('YAML bombs are rejected in bounded time [MOCK-81]', async t => {
  const levels = (depth: number): string =>
    `openapi: 3.1.0\ninfo: {title: a, version: "1"}\npaths: {}\nx-a: ${'['.repeat(depth)}${']'.repeat(depth)}`
  const laughs = [
    'openapi: 3.1.0',
    'info: {title: a, version: "1"}',
    'paths: {}',
    'x-0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol,lol]',
    ...Array.from(
      { length: 9 },
      (_, index) => `x-${index + 1}: &a${index + 1} [${Array.from({ length: 10 }, () => `*a${index}`).join()}]`,
    ),
  ].join('\n')
  const repeated = [
    'openapi: 3.1.0',
    'info: {title: a, version: "1"}',
    'paths: {}',
    `x-0: &a ${'x'.repeat(200_000)}`,
    `x-1: [${Array.from({ length: 99 }, () => '*a').join()}]`,
    `x-2: &b [${Array.from({ length: 99 }, () => '*a').join()}]`,
  ].join('\n')
  const cases: [string, string, RegExp][] = [
    ['200 nested lists', levels(200), /too_deep/],
    ['100,000 nested lists', levels(100_000), /too_deep/],
    ['nested lists in JSON', `{"openapi":"3.1.0","paths":{},"x":${'['.repeat(5000)}${']'.repeat(5000)}}`, /too_deep/],
    ['aliases of aliases', laughs, /parse_error|too_many_nodes|too_large/],
    ['a long text many times', repeated, /parse_error|too_large/],
    ['an alias of itself', 'openapi: 3.1.0\npaths: {}\nx-a: &a [*a]', /parse_error|too_deep/],
    ['a merge key', 'openapi: 3.1.0\npaths: {}\nx-a: &a {b: 1}\nx-c: {<<: *a}', /^$/],
    ['a tag', 'openapi: !!js/function "return 1"\npaths: {}', /unsupported_version|parse_error|not_openapi|^$/],
    ['more than a million nodes', `{"openapi":"3.1.0","paths":{},"x":[${'1,'.repeat(1_000_001)}1]}`, /too_many_nodes/],
    ['16 MiB and more', `{"openapi":"3.1.0","paths":{},"x":"${'x'.repeat(16 << 20)}"}`, /too_large/],
  ]
  for (const [name, text, expected] of cases) {
    const before = process.cpuUsage()
    const report = await check(text)
    t.match(codes(report.errors).join(), expected, `${name}: ${JSON.stringify(report.errors).slice(0, 200)}`)
    const { user, system } = process.cpuUsage(before)
    t.ok((user + system) / 1000 < boundsFor(false).checkMs, name)
  }
})

t.test('a document of ten megabytes is checked without blocking traffic [MOCK-80]', async t => {
  const paths = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`/p${index}`, { get: answering({ example: 'x'.repeat(10_000) }) }]),
  )
  const text = JSON.stringify(documentOf(paths))
  t.ok(text.length > 10_000_000)
  let beats = 0
  const pulse = setInterval(() => beats++, 5)
  const report = await check(text)
  clearInterval(pulse)
  t.match(report, { deployable: true, summary: { operations: 1000 } })
  t.ok(beats > 10, 'the event loop was not blocked')
})

t.test('documents above the limits are rejected [MOCK-80]', async t => {
  const many = documentOf(
    Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`/p${index}`, { get: answering({}) }])),
  )
  t.match(await check(many, { publicMode: true }), { deployable: false, errors: [{ code: 'too_many_operations' }] })
  t.match(await check(`{"openapi":"3.1.0","paths":{},"x":"${'x'.repeat(2 << 20)}"}`, { publicMode: true }), {
    errors: [{ code: 'too_large' }],
  })
})

t.test('doubtful definitions result in warnings [MOCK-40]', async t => {
  const json = (media: JsonObject): JsonObject => answering(media)
  const cases: [string, JsonObject, JsonObject?, JsonObject?][] = [
    ['spec_invalid', { '/x': { get: { ...json({}), unknown: 1 } } }],
    [
      'duplicate_operation_id',
      { '/x': { get: answering({}, { operationId: 'a' }), post: answering({}, { operationId: 'a' }) } },
    ],
    [
      'path_conflict',
      {
        '/x/{a}': { parameters: [{ name: 'a', in: 'path', required: true, schema: {} }], get: json({}) },
        '/x/{b}': { parameters: [{ name: 'b', in: 'path', required: true, schema: {} }], get: json({}) },
      },
    ],
    ['path_unreachable', { '/x?y': { get: json({}) } }],
    ['path_parameter_undeclared', { '/x/{a}': { get: json({}) } }],
    ['schema_uncompilable', { '/x': { get: json({ schema: { type: 'strang' } }) } }],
    ['pattern_unsupported', { '/x': { get: json({ schema: { type: 'string', pattern: '(?=x)' } }) } }],
    ['example_invalid', { '/x': { get: json({ schema: { type: 'integer' }, example: 'x' }) } }],
    ['example_invalid', { '/x': { get: json({ schema: { type: 'integer' }, examples: { a: { value: 'x' } } }) } }],
    [
      'example_invalid',
      { '/x': { get: json({ schema: { type: 'object', properties: { a: { type: 'integer', example: 'x' } } } }) } },
    ],
    ['no_success_response', { '/x': { get: { responses: { 404: { description: 'none' } } } } }],
    ['unknown_security_scheme', { '/x': { get: answering({}, { security: [{ nothing: [] }] }) } }],
    [
      'security_not_enforced',
      { '/x': { get: answering({}, { security: [{ key: [] }] }) } },
      { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'k' } } } },
    ],
    ['dynamic_ref_ignored', { '/x': { get: json({ schema: { $dynamicRef: '#a' } }) } }],
    ['external_value_ignored', { '/x': { get: json({ examples: { a: { externalValue: './x.json' } } }) } }],
    ['format_unknown', { '/x': { get: json({ schema: { type: 'string', format: 'iban' } }) } }],
    [
      'generated_invalid',
      {
        '/x': { get: json({ schema: { type: 'array', minItems: 4, uniqueItems: true, items: { enum: [1, 2, 3] } } }) },
      },
    ],
    ['generated_invalid', { '/x': { get: json({ schema: { type: 'array', minItems: 3000 } }) } }],
    ['webhooks_not_sent', { '/x': { get: json({}) } }, { webhooks: { made: { post: { responses: {} } } } }],
    [
      'callback_not_sent',
      { '/x': { get: answering({}, { callbacks: { ev: { '{$request.form.url}': { post: { responses: {} } } } } }) } },
    ],
    [
      'rule_never_matches',
      { '/x': { get: json({}) } },
      {},
      { rules: [{ operation: 'nothing', ...(JSON.parse('{"then":{}}') as JsonObject) }] },
    ],
    ['rule_never_matches', { '/x': { get: json({}) } }, {}, { overrides: { nothing: { status: 200 } } }],
  ]
  for (const [code, paths, more, parts] of cases) {
    const report = await check(documentOf(paths, more), parts ?? {})
    t.ok(codes(report.warnings).includes(code), `${code}: ${codes(report.warnings).join()}`)
    t.equal(report.deployable, true, code)
  }
})

t.test('issues in YAML documents have line numbers [MOCK-40]', async t => {
  const text = stringify(documentOf({ '/x': { get: answering({ schema: { $ref: './other' } }) } }))
  const line = text.split('\n').findIndex(entry => entry.includes('./other')) + 1
  t.match(await check(text), { errors: [{ code: 'external_ref', line }] })
})

const pet = (properties: JsonObject, required: string[]): JsonObject => ({ type: 'object', required, properties })
const base = (more: {
  parameters?: Json
  body?: JsonObject
  response?: JsonObject
  security?: Json
  responses?: JsonObject
}): JsonObject =>
  documentOf(
    {
      '/pets/{id}': {
        put: {
          parameters: more.parameters ?? [],
          ...(more.body ? { requestBody: more.body } : {}),
          responses: more.responses ?? {
            200: { description: 'ok', content: { 'application/json': { schema: more.response ?? {} } } },
          },
          ...(more.security === undefined ? {} : { security: more.security }),
        },
      },
    },
    {
      components: {
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'k' }, oauth: { type: 'oauth2', flows: {} } },
      },
    },
  )
const parameter = (schema: JsonObject, required = false): Json => [{ name: 'q', in: 'query', required, schema }]
const bodyOf = (schema: JsonObject, required = false): { body: JsonObject } => ({
  body: { required, content: { 'application/json': { schema } } },
})

t.test('breaking changes are reported by direction [MOCK-42]', async t => {
  const text = { type: 'string' }
  const cases: [string, JsonObject, JsonObject][] = [
    ['operation_removed', base({}), documentOf({})],
    [
      'response_removed',
      base({ responses: { 200: { description: 'a' }, 201: { description: 'b' } } }),
      base({ responses: { 200: { description: 'a' } } }),
    ],
    [
      'media_type_removed',
      base({ responses: { 200: { description: 'a', content: { 'application/json': {}, 'text/csv': {} } } } }),
      base({ responses: { 200: { description: 'a', content: { 'application/json': {} } } } }),
    ],
    ['required_parameter_added', base({}), base({ parameters: parameter(text, true) })],
    ['parameter_became_required', base({ parameters: parameter(text) }), base({ parameters: parameter(text, true) })],
    [
      'parameter_type_changed',
      base({ parameters: parameter(text) }),
      base({ parameters: parameter({ type: 'integer' }) }),
    ],
    [
      'parameter_enum_narrowed',
      base({ parameters: parameter({ enum: ['a', 'b'] }) }),
      base({ parameters: parameter({ enum: ['a'] }) }),
    ],
    ['request_body_became_required', base(bodyOf({})), base(bodyOf({}, true))],
    ['request_property_became_required', base(bodyOf(pet({ a: text }, []))), base(bodyOf(pet({ a: text }, ['a'])))],
    ['request_property_became_required', base(bodyOf(pet({}, []))), base(bodyOf(pet({ b: text }, ['b'])))],
    [
      'request_property_type_changed',
      base(bodyOf(pet({ a: text }, []))),
      base(bodyOf(pet({ a: { type: 'integer' } }, []))),
    ],
    [
      'request_enum_narrowed',
      base(bodyOf(pet({ a: { enum: ['x', 'y'] } }, []))),
      base(bodyOf(pet({ a: { enum: ['x'] } }, []))),
    ],
    ['response_property_removed', base({ response: pet({ a: text }, ['a']) }), base({ response: pet({}, []) })],
    [
      'response_property_became_optional',
      base({ response: pet({ a: text }, ['a']) }),
      base({ response: pet({ a: text }, []) }),
    ],
    [
      'response_property_type_changed',
      base({ response: pet({ a: pet({ b: text }, []) }, []) }),
      base({ response: pet({ a: pet({ b: { type: ['string', 'null'] } }, []) }, []) }),
    ],
    [
      'response_enum_widened',
      base({ response: pet({ a: { enum: ['x'] } }, []) }),
      base({ response: pet({ a: { enum: ['x', 'y'] } }, []) }),
    ],
    ['security_added', base({}), base({ security: [{ key: [] }] })],
    ['scope_added', base({ security: [{ oauth: ['a'] }] }), base({ security: [{ oauth: ['a', 'b'] }] })],
  ]
  for (const [code, before, after] of cases) {
    const { changes } = await check(after, { against: before })
    t.same([...new Set(codes(changes?.breaking ?? []))], [code], `${code}: ${JSON.stringify(changes)}`)
  }
})

t.test('changes that do not affect clients are compatible [MOCK-42]', async t => {
  const text = { type: 'string' }
  const cases: [string[], JsonObject, JsonObject][] = [
    [['operation_added'], documentOf({}), base({})],
    [
      ['response_added'],
      base({ responses: { 200: { description: 'a' } } }),
      base({ responses: { 200: { description: 'a' }, 404: { description: 'b' } } }),
    ],
    [['optional_parameter_added'], base({}), base({ parameters: parameter(text) })],
    [['response_property_added'], base({ response: pet({}, []) }), base({ response: pet({ a: text }, []) })],
    [['request_property_added'], base(bodyOf(pet({}, []))), base(bodyOf(pet({ a: text }, [])))],
    [
      [],
      base({ response: pet({ a: { ...text, description: 'old' } }, []) }),
      base({ response: pet({ a: { ...text, description: 'new' } }, []) }),
    ],
    [[], base({ security: [{ key: [] }] }), base({ security: [] })],
  ]
  for (const [expected, before, after] of cases) {
    const { changes, against } = await check(after, { against: before })
    t.same(codes(changes?.compatible ?? []), expected, expected.join())
    t.same(changes?.breaking, [], expected.join())
    t.equal(against, 1)
  }
  const renamed = JSON.parse(JSON.stringify(base({})).replaceAll('{id}', '{petId}')) as JsonObject
  t.match(
    (await check(renamed, { against: base({}) })).changes,
    { unchanged: false, breaking: [], compatible: [] },
    'names of path parameters do not count',
  )
  t.match((await check(base({}), { against: base({}) })).changes, { unchanged: true, breaking: [] })
  const tree = (extra: JsonObject): JsonObject =>
    documentOf(
      { '/x': { get: answering({ schema: { $ref: '#/components/schemas/T' } }) } },
      {
        components: {
          schemas: {
            T: {
              type: 'object',
              properties: { children: { type: 'array', items: { $ref: '#/components/schemas/T' } }, ...extra },
            },
          },
        },
      },
    )
  t.match(
    (await check(tree({ a: text }), { against: tree({}) })).changes,
    { compatible: [{ code: 'response_property_added' }] },
    'recursive schemas are entered once',
  )
})

const SUBGRAPH = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@requires", "@external"])
type Query { pet: Pet }
type Pet @key(fields: "id") { id: ID! name: String`

t.test('a subgraph is composed alone, in a thread with a limit of time [MOCK-110]', async t => {
  t.strictSame((await check(`${SUBGRAPH} }`)).warnings, [])
  const broken = await check(`${SUBGRAPH} @requires(fields: "nothing") }`)
  t.match(broken, { deployable: true, warnings: [{ code: 'does_not_compose', message: /REQUIRES_INVALID_FIELDS/ }] })

  const folder = mkdtempSync(join(tmpdir(), 'svc-composer-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'check'))
  const endless = "import { parentPort } from 'node:worker_threads'\nparentPort.postMessage('loaded')\nfor (;;);\n"
  writeFileSync(join(folder, 'check', 'thread.mjs'), endless)
  const input = { text: `${SUBGRAPH} }`, against: null, publicMode: false, maxDelayMs: 1000 }
  const { report } = await new Checker(folder).check(input)
  t.match(report, {
    deployable: true,
    warnings: [{ code: 'does_not_compose', message: /given up: it took longer than 5 s/ }],
  })
})
