// `then` is a keyword of rules.
/* oxlint-disable unicorn/no-thenable */
import t from 'tap'
import { Validator } from '@seriousme/openapi-schema-validator'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { parse, stringify } from 'yaml'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)
const at = '/_svc/mocks'

function shop(version: string, more: JsonObject = {}): JsonObject {
  return documentOf(
    { '/version': { get: answering({ example: version }, { operationId: 'getVersion' }) }, ...more },
    { info: { title: 'My Shop', version } },
  )
}
const versionOf = async (name: string): Promise<string> =>
  (await server.call(`/mock/${name}/version`)).json as unknown as string

t.test('every form of upload creates a mock [MOCK-22]', async t => {
  const document = shop('1')
  const text = JSON.stringify(document)
  const uploads: [string, string | Buffer, Record<string, string>][] = [
    ['a document as JSON', text, {}],
    ['a document as YAML', stringify(document), { 'content-type': 'application/json' }],
    ['an envelope', JSON.stringify({ spec: document }), {}],
    ['an envelope with a text', JSON.stringify({ spec: stringify(document) }), {}],
    ['a byte order mark', `\uFEFF${text}`, {}],
    ['gzip', gzipSync(text), { 'content-encoding': 'gzip' }],
    ['deflate', deflateSync(text), { 'content-encoding': 'deflate' }],
    ['br', brotliCompressSync(text), { 'content-encoding': 'br' }],
    [
      'a flow mapping',
      '{openapi: 3.1.0, info: {title: My Shop, version: "1"}, paths: {/version: {get: {responses: {"200": {description: ok, content: {application/json: {example: "1"}}}}}}}}',
      {},
    ],
  ]
  for (const [name, body, headers] of uploads) {
    const reply = await server.call(at, { method: 'POST', body, headers })
    t.match(
      reply,
      {
        status: 201,
        json: { name: 'my-shop', source: 'api', managed: false, version: 1, revision: 1, report: { deployable: true } },
        headers: { location: /\/_svc\/mocks\/my-shop$/, etag: '"1"' },
      },
      name,
    )
    t.equal(await versionOf('my-shop'), '1', name)
    t.match(await server.call(`${at}/my-shop`, { method: 'DELETE' }), { status: 200, json: { deleted: 'my-shop' } })
    t.equal((await server.call('/mock/my-shop/version')).status, 404)
  }
})

t.test('names are given, derived or rejected [MOCK-1] [MOCK-22]', async t => {
  t.match(
    (await server.call(`${at}?name=by-query`, { method: 'POST', body: { name: 'by-envelope', spec: shop('1') } })).json,
    { name: 'by-query' },
  )
  t.match(
    (await server.call(at, { method: 'POST', body: { name: 'by-envelope', spec: shop('1'), enabled: false } })).json,
    { name: 'by-envelope', enabled: false },
  )
  t.match(await server.call(at, { method: 'POST', body: { name: 'by-envelope', spec: shop('1') } }), {
    status: 409,
    json: { error: 'name_taken' },
  })
  for (const name of ['Shop!', 'reload', 'check', 'a'.repeat(65), ''])
    t.match(
      await server.call(`${at}?name=${encodeURIComponent(name)}`, { method: 'POST', body: shop('1') }),
      { status: 400, json: { error: 'invalid_name' } },
      name,
    )
  t.match(await server.call(`${at}/Shop!`, { method: 'PUT', body: shop('1') }), {
    status: 400,
    json: { error: 'invalid_name' },
  })
  t.match(await server.call(`${at}/nothing`), {
    status: 404,
    json: { error: 'unknown_mock', name: 'nothing', mocks: ['by-envelope', 'by-query', 'petstore'] },
  })
})

const REFUSED: [string, string | Buffer, Record<string, string>, number, object][] = [
  ['empty', '', {}, 422, { error: 'not_deployable', report: { errors: [{ code: 'parse_error' }] } }],
  ['an empty object', '{}', {}, 422, { report: { errors: [{ code: 'not_openapi' }] } }],
  ['a list', '[1]', {}, 422, { report: { errors: [{ code: 'not_openapi' }] } }],
  ['plain text', 'hello', {}, 422, { report: { errors: [{ code: 'not_openapi' }] } }],
  ['truncated JSON', '{"openapi":"3.1.0",\n"info":', {}, 422, { report: { errors: [{ code: 'parse_error' }] } }],
  [
    'tabs in YAML',
    'openapi: 3.1.0\ninfo:\n\ttitle: x\n',
    {},
    422,
    { report: { errors: [{ code: 'parse_error', line: 3 }] } },
  ],
  [
    'duplicate keys',
    'openapi: 3.1.0\nopenapi: 3.1.0\n',
    {},
    422,
    { report: { errors: [{ code: 'parse_error', line: 2 }] } },
  ],
  [
    'Swagger 1.2',
    '{"swagger":"1.2","paths":{}}',
    {},
    422,
    { report: { errors: [{ code: 'unsupported_version', message: /Swagger 1\.2/ }] } },
  ],
  ['Swagger without paths', '{"swagger":"2.0"}', {}, 422, { report: { errors: [{ code: 'not_openapi' }] } }],
  [
    'Swagger with a reference to a file',
    '{"swagger":"2.0","info":{"title":"a","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"$ref":"./b.yaml"}}}}}}',
    {},
    422,
    { report: { errors: [{ code: 'external_ref' }] } },
  ],
  ['OpenAPI 3.3', '{"openapi":"3.3.0","paths":{}}', {}, 422, { report: { errors: [{ code: 'unsupported_version' }] } }],
  [
    'an unknown version',
    '{"openapi":3.1,"paths":{}}',
    {},
    422,
    { report: { errors: [{ code: 'unsupported_version' }] } },
  ],
  [
    'no paths',
    '{"openapi":"3.1.0","info":{"title":"a","version":"1"}}',
    {},
    422,
    { report: { errors: [{ code: 'not_openapi' }] } },
  ],
  [
    'wrong settings',
    JSON.stringify({ spec: shop('1'), settings: { speed: 1 } }),
    {},
    422,
    { report: { errors: [{ code: 'invalid_settings', at: 'settings.speed' }] } },
  ],
  [
    'a wrong rule',
    JSON.stringify({ spec: shop('1'), rules: [{ when: [{ in: 'moon' }], then: {} }] }),
    {},
    422,
    { report: { errors: [{ code: 'invalid_rule', at: 'rules[0].when[0].in' }] } },
  ],
  [
    'a wrong override',
    JSON.stringify({ spec: shop('1'), overrides: { getVersion: { status: 99 } } }),
    {},
    422,
    { report: { errors: [{ code: 'invalid_override', at: 'overrides["getVersion"].status' }] } },
  ],
  ['no gzip', 'plain', { 'content-encoding': 'gzip' }, 400, { error: 'invalid_encoding' }],
  ['an unknown coding', 'plain', { 'content-encoding': 'rot13' }, 400, { error: 'invalid_encoding' }],
  [
    'a bomb of zeros',
    gzipSync(Buffer.alloc(20 << 20)),
    { 'content-encoding': 'gzip' },
    413,
    { error: 'too_large', limit: 16 << 20 },
  ],
  ['an envelope without a document', '{"settings":{}}', {}, 400, { error: 'invalid_body' }],
  ['a document that is a number', '{"spec":5}', {}, 400, { error: 'invalid_body' }],
]
t.test('a definition that cannot be deployed is reported, and the live version stays [MOCK-23] [MOCK-81]', async t => {
  await server.mock('stays', { spec: shop('1') })
  for (const [name, body, headers, status, expected] of REFUSED) {
    t.match(await server.call(`${at}/stays`, { method: 'PUT', body, headers }), { status, json: expected }, name)
    t.equal(await versionOf('stays'), '1', `${name}: the live version serves on`)
  }
  t.match((await server.call(`${at}/stays`)).json, { version: 1, revision: 1 })
})

t.test('every change increments the revision, which If-Match checks [MOCK-21]', async t => {
  await server.mock('guarded', { spec: shop('1') })
  const writes: [string, string, Json | undefined][] = [
    ['PATCH', '/settings', { delay_ms: 0 }],
    ['PUT', '/overrides/getVersion', { status: 200 }],
    ['DELETE', '/overrides', undefined],
    ['POST', '/rules', { then: { headers: {} } }],
    ['PUT', '/rules/r1', { then: { headers: {} } }],
    ['DELETE', '/rules/r1', undefined],
    ['PUT', '/rules', []],
    ['POST', '/disable', undefined],
    ['POST', '/enable', undefined],
    ['PUT', '/draft', shop('2')],
    ['DELETE', '/draft', undefined],
    ['PUT', '', shop('3')],
    ['POST', '/rollback', undefined],
  ]
  for (const [method, path, body] of writes) {
    const { revision } = (await server.call(`${at}/guarded`)).json as { revision: number }
    const options = { method, ...(body === undefined ? {} : { body: body as object }) }
    t.match(
      await server.call(`${at}/guarded${path}`, { ...options, headers: { 'if-match': '"999"' } }),
      { status: 412, json: { error: 'revision_mismatch', revision } },
      `${method} ${path} is refused`,
    )
    const reply = await server.call(`${at}/guarded${path}`, { ...options, headers: { 'if-match': `"${revision}"` } })
    t.ok(reply.status < 300, `${method} ${path}: ${reply.text.slice(0, 200)}`)
    t.match(
      await server.call(`${at}/guarded`),
      { json: { revision: revision + 1 }, headers: { etag: `"${revision + 1}"` } },
      `${method} ${path} raises it`,
    )
  }
})

t.test('a draft does not affect responses until it is deployed [MOCK-24]', async t => {
  await server.mock('drafty', {
    spec: shop('1'),
    settings: { echo: 'off' },
    rules: [{ id: 'a', then: { headers: { 'X-A': '1' } } }],
  })
  t.match(await server.call(`${at}/drafty/draft`), { status: 404, json: { error: 'no_draft' } })
  t.match(await server.call(`${at}/drafty/deploy`, { method: 'POST' }), { status: 404, json: { error: 'no_draft' } })
  t.match(await server.call(`${at}/drafty/draft`, { method: 'PUT', body: shop('2') }), {
    status: 200,
    json: { report: { deployable: true, against: 1 }, settings: { echo: 'off' }, rules: [{ id: 'a' }] },
  })
  t.equal(await versionOf('drafty'), '1')
  t.match((await server.call(`${at}/drafty`)).json, { has_draft: true, version: 1 })
  t.match((await server.call(`${at}/drafty/spec?version=draft`)).json, { info: { version: '2' } })
  t.match(await server.call(`${at}/drafty/deploy?dry_run=true`, { method: 'POST' }), {
    status: 200,
    json: { deployable: true },
  })
  t.equal(await versionOf('drafty'), '1')
  t.match(await server.call(`${at}/drafty/deploy`, { method: 'POST', body: { message: 'second' } }), {
    status: 200,
    json: { version: 2, has_draft: false, report: { against: 1 } },
  })
  t.equal(await versionOf('drafty'), '2')
  t.match((await server.call('/mock/drafty/version')).headers, { 'x-a': '1', 'x-svc-mock-version': '2' })
  t.match(
    await server.call(`${at}/drafty/draft`, { method: 'PUT', body: '{"openapi": ' }),
    { status: 200, json: { report: { deployable: false } } },
    'a draft may be undeployable',
  )
  t.match(await server.call(`${at}/drafty/deploy`, { method: 'POST' }), {
    status: 422,
    json: { error: 'not_deployable', report: { errors: [{ code: 'parse_error' }] } },
  })
  t.match(await server.call(`${at}/drafty/deploy`, { method: 'POST', body: '[1]' }), {
    status: 400,
    json: { error: 'invalid_body' },
  })
  t.equal(await versionOf('drafty'), '2')
  t.match(await server.call(`${at}/drafty/draft`, { method: 'DELETE' }), { status: 200 })
})

t.test('breaking changes can block a deployment [MOCK-25]', async t => {
  await server.mock('breaky', {
    spec: shop('1', { '/old': { get: answering({}) } }),
    settings: { block_breaking: true },
  })
  await server.call(`${at}/breaky/draft`, { method: 'PUT', body: shop('2') })
  t.match(await server.call(`${at}/breaky/deploy`, { method: 'POST' }), {
    status: 409,
    json: {
      error: 'breaking_changes',
      report: { changes: { breaking: [{ code: 'operation_removed', operation: 'GET /old' }] } },
    },
  })
  t.equal(await versionOf('breaky'), '1')
  t.match(await server.call(`${at}/breaky/deploy`, { method: 'POST', body: { allow_breaking: true } }), {
    status: 200,
    json: { version: 2 },
  })
})

t.test('a rollback is a new version with the old content [MOCK-26]', async t => {
  await server.mock('rolled', { spec: shop('1') })
  t.match(await server.call(`${at}/rolled/rollback`, { method: 'POST' }), {
    status: 409,
    json: { error: 'nothing_to_roll_back' },
  })
  await server.mock('rolled', { spec: shop('2'), message: 'two' })
  await server.mock('rolled', { spec: shop('3') })
  await server.call(`${at}/rolled/overrides/getVersion`, { method: 'PUT', body: { body: 'edited' } })
  t.match((await server.call(`${at}/rolled`)).json, { modified: true })
  t.match(await server.call(`${at}/rolled/rollback`, { method: 'POST' }), {
    status: 200,
    json: { version: 4, modified: false, overrides: {} },
  })
  t.equal(await versionOf('rolled'), '2')
  t.match(await server.call(`${at}/rolled/rollback`, { method: 'POST', body: { version: 1 } }), {
    status: 200,
    json: { version: 5 },
  })
  t.equal(await versionOf('rolled'), '1')
  t.match(await server.call(`${at}/rolled/rollback`, { method: 'POST', body: { version: 99 } }), {
    status: 404,
    json: { error: 'unknown_version' },
  })
  t.match((await server.call(`${at}/rolled/versions`)).json, {
    count: 5,
    current: 5,
    versions: [
      { version: 5, rolled_back_from: 1 },
      { version: 4, rolled_back_from: 2 },
      { version: 3 },
      { version: 2, message: 'two', api_version: '2', operations: 1 },
      { version: 1, rolled_back_from: null },
    ],
  })
  t.match((await server.call(`${at}/rolled/versions/2`)).json, {
    version: 2,
    spec: /My Shop/,
    settings: { echo: 'path' },
    rules: [],
    overrides: {},
  })
  t.match(await server.call(`${at}/rolled/versions/x`), { status: 404, json: { error: 'unknown_version' } })
})

t.test('the number of versions is limited [MOCK-80]', async t => {
  for (let number = 1; number <= 13; number++) await server.mock('many', { spec: shop(String(number)) })
  const { json } = await server.call(`${at}/many/versions`)
  t.match(json, { count: 10, current: 13 })
  t.match((json['versions'] as JsonObject[]).at(-1), { version: 4 })
})

t.test('an export is valid and can be uploaded again [MOCK-70]', async t => {
  const overrides = { listPets: { body: [{ id: 9, name: 'Over' }] } }
  const petstore = (await server.call(`${at}/petstore/spec`)).json
  await server.mock('source', {
    spec: petstore,
    overrides,
    settings: { seed: 'x' },
    rules: [{ id: 'a', then: { headers: { 'X-A': '1' } } }],
  })
  const bundle = await server.call(`${at}/source/export`)
  t.match(bundle, {
    json: { kind: 'svc-mock', name: 'source', enabled: true },
    headers: { 'content-disposition': 'attachment; filename="svc-mock-source.json"' },
  })
  t.match(await server.call(`${at}?name=copy`, { method: 'POST', body: bundle.text }), {
    status: 201,
    json: { name: 'copy', settings: { seed: 'x' }, rules: [{ id: 'a' }], overrides },
  })
  const yaml = await server.call(`${at}/source/export?format=svc-yaml`)
  t.match(parse(yaml.text), { mocks: [{ name: 'source', overrides, spec: { openapi: '3.1.0' } }] })
  const effective = await server.call('/mock/source/openapi.json')
  t.match(effective.json, { servers: [{ url: `${server.url}/mock/source/v1` }] })
  t.match((((effective.json as JsonObject)['paths'] as JsonObject)['/pets'] as JsonObject)['get'] as JsonObject, {
    responses: { 200: { content: { 'application/json': { examples: { override: { value: [{ id: 9 }] } } } } } },
  })
  t.match(await new Validator().validate(effective.json as Record<string, unknown>), { valid: true })
  t.match(parse((await server.call('/mock/petstore/openapi.yaml')).text), {
    openapi: '3.1.0',
    servers: [{ url: `${server.url}/mock/petstore/v1` }],
  })
  t.equal((await server.call(`${at}/source/export?format=x`)).status, 400)
  t.same(parse((await server.call(`${at}/petstore/spec?format=yaml`)).text), petstore)
  t.equal((await server.call(`${at}/petstore/spec?format=x`)).status, 400)
  t.equal((await server.call(`${at}/petstore/spec?version=9`)).status, 404)
})

t.test('servers of paths and operations lead to the mock, too [MOCK-70] [MOCK-34]', async t => {
  const responses = { 204: { description: 'done' } }
  const spec = {
    openapi: '3.1.0',
    info: { title: 'Servers', version: '1' },
    servers: [{ url: 'https://api.example.test/2.0' }],
    paths: {
      '/a': {
        servers: [{ url: 'https://account.example.test/oauth' }],
        get: { responses },
        post: { servers: [{ url: 'https://upload.example.test/up' }], responses },
      },
    },
  }
  await server.mock('servers', { spec })
  const own = `${server.url}/mock/servers`
  t.match((await server.call('/mock/servers/openapi.json')).json, {
    servers: [{ url: `${own}/2.0` }],
    paths: { '/a': { servers: [{ url: `${own}/oauth` }], post: { servers: [{ url: `${own}/up` }] } } },
  })
  t.match((await server.call(`${at}/servers/operations`)).json, {
    operations: [{ url: `${own}/oauth/a` }, { url: `${own}/up/a` }],
  })
  t.equal((await server.call('/mock/servers/up/a', { method: 'POST' })).status, 204)
})

t.test('errors of settings, overrides and rules name the location [MOCK-28]', async t => {
  await server.mock('edited', { spec: shop('1') })
  const bad: [string, string, Json, string, string][] = [
    ['PATCH', '/settings', { validation: 'maybe' }, 'invalid_settings', 'settings.validation'],
    ['PUT', '/settings', { delay_ms: -1 }, 'invalid_settings', 'settings.delay_ms'],
    ['PUT', '/settings', { delay_ms: 99_999_999 }, 'invalid_settings', 'settings.delay_ms'],
    ['PUT', '/settings', { seed: 'x'.repeat(65) }, 'invalid_settings', 'settings.seed'],
    ['PUT', '/settings', { base_path: 'v1' }, 'invalid_settings', 'settings.base_path'],
    ['PUT', '/settings', { credentials: { keys: [] } }, 'invalid_settings', 'settings.credentials.keys'],
    ['PUT', '/settings', { credentials: { basic: ['a'] } }, 'invalid_settings', 'settings.credentials.basic'],
    ['PUT', '/settings', [], 'invalid_settings', 'settings'],
    ['PUT', '/overrides/getVersion', { status: 99 }, 'invalid_override', 'status'],
    ['PUT', '/overrides/getVersion', { fail_percent: 101 }, 'invalid_override', 'fail_percent'],
    ['PUT', '/overrides/getVersion', { fail_status: 200 }, 'invalid_override', 'fail_status'],
    ['PUT', '/overrides/getVersion', { headers: { 'Content-Length': '5' } }, 'invalid_override', 'headers'],
    ['PUT', '/overrides/getVersion', { speed: 1 }, 'invalid_override', 'speed'],
    ['PUT', '/overrides/getVersion', { abort: true }, 'invalid_override', 'abort'],
    ['PUT', '/overrides/getVersion', 5, 'invalid_override', ''],
    [
      'POST',
      '/rules',
      { when: [{ in: 'query', name: 'a', op: 'like', value: 1 }], then: {} },
      'invalid_rule',
      'when[0].op',
    ],
    ['POST', '/rules', { when: [{ in: 'header', op: 'exists' }], then: {} }, 'invalid_rule', 'when[0].name'],
    [
      'POST',
      '/rules',
      { when: [{ in: 'body', pointer: 'a', op: 'exists' }], then: {} },
      'invalid_rule',
      'when[0].pointer',
    ],
    [
      'POST',
      '/rules',
      { when: [{ in: 'body', jsonpath: '$[', op: 'exists' }], then: {} },
      'invalid_rule',
      'when[0].jsonpath',
    ],
    [
      'POST',
      '/rules',
      { when: [{ in: 'body', jsonpath: '$[?match(@.a, "(a+)+$")]', op: 'exists' }], then: {} },
      'invalid_rule',
      'when[0].jsonpath',
    ],
    [
      'POST',
      '/rules',
      { when: [{ in: 'body', op: 'matches', value: '(?=a)' }], then: {} },
      'invalid_rule',
      'when[0].value',
    ],
    [
      'POST',
      '/rules',
      { when: [{ in: 'body', op: 'schema', value: { type: 'nothing' } }], then: {} },
      'invalid_rule',
      'when[0].value',
    ],
    [
      'POST',
      '/rules',
      { when: Array.from({ length: 21 }, () => ({ in: 'method', value: 'GET' })), then: {} },
      'invalid_rule',
      'when',
    ],
    ['POST', '/rules', { then: { body: 'x'.repeat(262_145) } }, 'invalid_rule', 'then.body'],
    ['POST', '/rules', { then: { media_type: 'json' } }, 'invalid_rule', 'then.media_type'],
    ['POST', '/rules', { then: { headers: { 'x-a': 'a\nb' } } }, 'invalid_rule', 'then.headers'],
    ['POST', '/rules', { then: { headers: { 'x-a': '\u2603' } } }, 'invalid_rule', 'then.headers'],
    ['POST', '/rules', { id: 'a b', then: {} }, 'invalid_rule', 'id'],
    ['POST', '/rules', { when: [] }, 'invalid_rule', 'then'],
    ['POST', '/rules', { then: {}, extra: 1 }, 'invalid_rule', 'extra'],
    [
      'PUT',
      '/rules',
      [
        { id: 'a', then: {} },
        { id: 'a', then: {} },
      ],
      'invalid_rule',
      'rules[1].id',
    ],
    ['PUT', '/rules', Array.from({ length: 101 }, () => ({ then: {} })), 'invalid_rule', 'rules'],
  ]
  for (const [method, path, body, error, place] of bad)
    t.match(
      await server.call(`${at}/edited${path}`, { method, body: JSON.stringify(body) }),
      { status: 400, json: { error, at: place } },
      `${path} ${JSON.stringify(body).slice(0, 60)}`,
    )
  t.match(await server.call(`${at}/edited/rules`, { method: 'POST', body: '{' }), {
    status: 400,
    json: { error: 'invalid_body' },
  })
  t.match(await server.call(`${at}/edited/overrides/nothing`, { method: 'PUT', body: {} }), {
    status: 404,
    json: { error: 'unknown_operation', operations: ['getVersion'] },
  })
  t.match((await server.call(`${at}/edited`)).json, { revision: 1, modified: false }, 'nothing was changed')
})

t.test('rules have a position [MOCK-28] [MOCK-60]', async t => {
  await server.mock('ordered', { spec: shop('1') })
  t.match(await server.call(`${at}/ordered/rules`, { method: 'POST', body: { then: {} } }), {
    status: 201,
    json: { id: 'r1' },
  })
  await server.call(`${at}/ordered/rules`, { method: 'POST', body: { id: 'last', then: {} } })
  await server.call(`${at}/ordered/rules?position=0`, { method: 'POST', body: { id: 'first', then: {} } })
  await server.call(`${at}/ordered/rules?position=1`, { method: 'POST', body: { then: {} } })
  t.same(
    ((await server.call(`${at}/ordered/rules`)).json['rules'] as JsonObject[]).map(rule => rule['id']),
    ['first', 'r2', 'r1', 'last'],
  )
  t.match(await server.call(`${at}/ordered/rules`, { method: 'POST', body: { id: 'last', then: {} } }), {
    status: 400,
    json: { at: 'id' },
  })
  t.match(
    await server.call(`${at}/ordered/rules/last`, { method: 'PUT', body: { name: 'new', then: { status: 299 } } }),
    { json: { id: 'last', name: 'new' } },
  )
  t.match((await server.call(`${at}/ordered/rules/last`)).json, { then: { status: 299 } })
  t.match(await server.call(`${at}/ordered/rules/last`, { method: 'DELETE' }), { json: { deleted: 'last' } })
  t.match(await server.call(`${at}/ordered/rules/last`), { status: 404, json: { error: 'unknown_rule' } })
  t.match(await server.call(`${at}/ordered/rules`, { method: 'DELETE' }), { json: { count: 0 } })
  t.match(
    await server.call(`${at}/ordered/overrides/${encodeURIComponent('GET /version')}`, {
      method: 'PUT',
      body: { status: 299 },
    }),
    { json: { operation: 'getVersion' } },
  )
  t.match((await server.call(`${at}/ordered/operations`)).json, {
    count: 1,
    operations: [
      {
        key: 'getVersion',
        operation_id: 'getVersion',
        method: 'GET',
        path: '/version',
        statuses: ['200'],
        media_types: ['application/json'],
        override: { status: 299 },
        rules: 0,
      },
    ],
  })
})

t.test('the list contains all mocks, sorted by name [MOCK-30]', async t => {
  const { json } = await server.call(at)
  const names = (json['mocks'] as JsonObject[]).map(mock => mock['name'] as string)
  t.same(names, names.toSorted())
  t.match(json, { count: names.length, limit: 50, dir: null, load_errors: [] })
  t.match(
    (json['mocks'] as JsonObject[]).find(mock => mock['name'] === 'petstore'),
    {
      title: 'Petstore',
      api_version: '1.0.0',
      openapi: '3.1.0',
      source: 'builtin',
      file: null,
      managed: true,
      enabled: true,
      version: 1,
      operations: 7,
      url: `${server.url}/mock/petstore`,
      base_paths: ['/v1'],
      validation: 'warn',
      security: 'warn',
    },
  )
})

t.test('the built-in sample cannot be replaced, but edited [MOCK-4]', async t => {
  for (const [method, path] of [
    ['PUT', ''],
    ['DELETE', ''],
    ['PUT', '/draft'],
    ['DELETE', '/draft'],
    ['POST', '/deploy'],
    ['POST', '/rollback'],
  ] as const)
    t.match(
      await server.call(`${at}/petstore${path}`, { method, ...(method === 'PUT' ? { body: shop('1') } : {}) }),
      { status: 409, json: { error: 'managed', source: 'builtin' } },
      `${method} ${path}`,
    )
  await server.call(`${at}/petstore/overrides/listPets`, { method: 'PUT', body: { status: 299 } })
  t.equal((await server.call('/mock/petstore/pets')).status, 299)
  await server.call(`${at}/petstore/overrides/listPets`, { method: 'DELETE' })
  t.equal((await server.call('/mock/petstore/pets')).status, 200)
})

t.test('concurrent uploads with the same name [MOCK-84]', async t => {
  const posts = await Promise.all(
    [1, 2, 3].map(number => server.call(`${at}?name=race`, { method: 'POST', body: shop(String(number)) })),
  )
  t.same(posts.map(reply => reply.status).sort(), [201, 409, 409])
  await Promise.all([1, 2, 3].map(number => server.call(`${at}/order`, { method: 'PUT', body: shop(String(number)) })))
  t.match((await server.call(`${at}/order`)).json, { version: 3 })
})

t.test('the number of mocks is limited [MOCK-80]', async t => {
  let last = { status: 0, json: {} as JsonObject }
  for (let number = 0; number < 60 && last.status !== 409; number++)
    last = await server.call(`${at}/filler-${number}`, { method: 'PUT', body: shop('1') })
  t.match(last, { status: 409, json: { error: 'too_many_mocks', limit: 50 } })
  t.match((await server.call(at)).json, { count: 50 })
})
