/**
 * The OpenAPI document made from route descriptions, judged by the official schema and by a parser that resolves it.
 */
import { Validator } from '@seriousme/openapi-schema-validator'
import SwaggerParser from 'swagger-parser'
import t, { type Test } from 'tap'
import { buildOpenapi, type OpenapiDocument } from '../../../core/control/openapi.ts'
import { registerCoreRoutes } from '../../../core/control/routes.ts'
import type { RouteRecord } from '../../../core/http/routes/route-record.ts'
import type { RouteDescription } from '../../../core/contract/plugin.ts'
import { appOn, fakeHost } from '../../support/control-deps.ts'

const baseUrl = 'http://svc.test:8080'

function route(methods: string[], path: string, fields: Partial<RouteDescription> = {}): RouteRecord {
  return {
    plugin: 'demo',
    methods,
    path,
    descriptions: [{ summary: `Serve ${path}`, category: 'Docs', examples: [], ...fields }],
  }
}

/** Builds the document and has both judges agree that it is valid. */
async function validDocument(t: Test, ...routes: RouteRecord[]): Promise<OpenapiDocument> {
  const document = buildOpenapi(routes, { baseUrl, version: '1.4.0', categories: new Map([['GraphQL', 160]]) })
  const result = await new Validator().validate(structuredClone(document))
  t.same(result, { valid: true }, 'valid by the official schema')
  await t.resolves(SwaggerParser.validate(structuredClone(document) as never), 'valid by swagger-parser')
  return document
}

t.test("the core's own routes make a valid document [CTL-10]", async t => {
  const host = fakeHost()
  const app = await appOn(host, registerCoreRoutes)
  t.teardown(() => app.close())
  const document = await validDocument(t, ...host.routes)
  t.match(document, { openapi: '3.1.0', info: { title: 'svc', version: '1.4.0' }, servers: [{ url: baseUrl }] })
  for (const { path, expanded_methods: methods } of host.deps.instance.catalog().endpoints) {
    for (const method of methods) t.ok(document.paths[path]?.[method.toLowerCase() as 'get'], `${method} ${path}`)
  }
})

t.test('an operation has its tag, summary, plugin and protocol [CTL-11]', async t => {
  const document = await validDocument(
    t,
    route(['GET'], '/a', { category: 'GraphQL', description: 'More.' }),
    route(['GET'], '/b', { category: 'Docs' }),
  )
  t.match(document.paths['/a']?.get, {
    operationId: 'getA',
    tags: ['GraphQL'],
    summary: 'Serve /a',
    description: 'More.',
    'x-svc-plugin': 'demo',
    'x-svc-protocol': 'http',
  })
  t.same(document.tags, [{ name: 'GraphQL' }, { name: 'Docs' }])
})

t.test('operation ids are distinct and made of letters and digits [CTL-12]', async t => {
  const paths = [
    '/',
    '/root',
    '/status/{code}',
    '/status/code',
    '/status/by/code',
    '/status-code',
    '/a_b',
    '/a/b',
    '/a.b',
    '/{*path}',
    '/by/path',
    '/.well-known/x',
  ]
  const document = await validDocument(t, ...paths.map(path => route(['GET', 'POST'], path)))
  const ids = Object.values(document.paths).flatMap(item => Object.values(item).map(({ operationId }) => operationId))
  t.equal(ids.length, 2 * paths.length)
  t.equal(new Set(ids).size, ids.length)
  for (const id of ids) t.match(id, /^[a-z][A-Za-z0-9]*$/)
  t.equal(document.paths['/status/{code}']?.get?.operationId, 'getStatusByCode')
})

t.test('every parameter of a path is declared, required, with the value of an example that fits [CTL-13]', async t => {
  const document = await validDocument(
    t,
    route(['GET'], '/status/{code}', {
      parameters: [
        { name: 'code', in: 'path', description: 'Status.', schema: { type: 'integer' } },
        { name: 'gone', in: 'path' },
      ],
      examples: [
        { name: 'Elsewhere', path: '/else' },
        { name: 'Teapot', path: '/status/4%31%38?x=1' },
      ],
    }),
    route(['GET'], '/echo/{*path}', {
      parameters: [{ name: '*path', in: 'path', description: 'Anything.' }],
      examples: [{ name: 'Deep', path: '/echo/a/b' }],
    }),
    route(['GET'], '/bare/{id}', { examples: [{ name: 'Broken', path: '/bare/%zz' }] }),
  )
  t.same(document.paths['/status/{code}']?.get?.parameters, [
    { name: 'code', in: 'path', required: true, description: 'Status.', schema: { type: 'integer' }, example: '418' },
  ])
  t.same(document.paths['/echo/{path}']?.get?.parameters, [
    { name: 'path', in: 'path', required: true, description: 'Anything.', schema: { type: 'string' }, example: 'a/b' },
  ])
  t.same(document.paths['/bare/{id}']?.get?.parameters, [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: '%zz' },
  ])
})

t.test('parameters of query and header keep their schema; a name stands once [CTL-13]', async t => {
  const document = await validDocument(
    t,
    route(['GET'], '/a', {
      parameters: [
        { name: 'q', in: 'query', required: true },
        { name: 'Q', in: 'query' },
        { name: 'n', in: 'query', schema: { type: 'integer', minimum: 1 } },
        { name: 'X-A', in: 'header', description: 'A header.' },
      ],
      examples: [{ name: 'Find', path: '/a?q=red%20shoes&n=3' }],
    }),
  )
  t.same(document.paths['/a']?.get?.parameters, [
    { name: 'q', in: 'query', required: true, schema: { type: 'string' }, example: 'red shoes' },
    { name: 'n', in: 'query', required: false, schema: { type: 'integer', minimum: 1 }, example: 3 },
    { name: 'X-A', in: 'header', required: false, description: 'A header.', schema: { type: 'string' } },
  ])
})

t.test('templates that OpenAPI takes for one path share a path item, and none gets lost [CTL-14]', async t => {
  const document = await validDocument(
    t,
    route(['GET'], '/a/{id}', { summary: 'One thing', parameters: [{ name: 'q', in: 'query' }] }),
    route(['POST'], '/a/{name}', { summary: 'Make it' }),
    route(['GET'], '/a/{*path}', {
      summary: 'All below',
      category: 'GraphQL',
      parameters: [{ name: 'deep', in: 'query' }],
    }),
    route(['GET'], '/b/{path}/{*path}', {}),
    route(['GET'], '/c/{*path}', {}),
    route(['GET'], '/c/{path}', {}),
  )
  t.same(Object.keys(document.paths).sort(), ['/a/{path}', '/b/{path}/{path2}', '/c/{path}'])
  const { get, post } = document.paths['/a/{path}'] ?? {}
  t.same(get?.tags, ['GraphQL', 'Docs'])
  t.match(get, { summary: 'All below', description: 'Also `/a/{id}`: One thing.' })
  t.same(
    get?.parameters?.map(({ name }) => name),
    ['path', 'deep', 'q'],
  )
  t.match(post, { summary: 'Make it', parameters: [{ name: 'path', in: 'path' }] })
})

t.test('methods that OpenAPI has no field for, and the HEAD of a GET, are left out [CTL-15]', async t => {
  const document = await validDocument(
    t,
    route(['GET', 'HEAD', 'PROPFIND', 'QUERY'], '/a'),
    route(['LINK'], '/gone'),
    route(['HEAD'], '/head'),
    route(['ANY'], '/any'),
    route(['TRACE', 'OPTIONS'], '/few'),
  )
  t.same(
    Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item).sort()]),
    [
      ['/a', ['get']],
      ['/head', ['head']],
      ['/any', ['delete', 'get', 'patch', 'post', 'put']],
      ['/few', ['options', 'trace']],
    ],
  )
})

t.test('bodies are described with the examples of their type, and never on GET [CTL-16]', async t => {
  const document = await validDocument(
    t,
    route(['ANY'], '/a', {
      requestBody: {
        description: 'A thing.',
        required: true,
        content: { 'application/json': { type: 'object' }, 'text/xml': { type: 'string' } },
      },
      examples: [
        { name: 'Json', path: '/a', method: 'POST', body: '{"a":1}', bodyType: 'json' },
        { name: 'Broken', path: '/a', method: 'POST', body: '{"a":', bodyType: 'json' },
        { name: 'Xml', path: '/a', method: 'POST', body: '<a/>', bodyType: 'xml' },
        { name: 'Put', path: '/a', method: 'PUT', body: '2', bodyType: 'json' },
      ],
    }),
  )
  const { get, post } = document.paths['/a'] ?? {}
  t.notOk(get?.requestBody)
  t.same(post?.requestBody, {
    description: 'A thing.',
    required: true,
    content: {
      'application/json': {
        schema: { type: 'object' },
        examples: { Json: { value: { a: 1 } }, Broken: { value: '{"a":' } },
      },
      'text/xml': { schema: { type: 'string' }, examples: { Xml: { value: '<a/>' } } },
    },
  })
})

t.test('replies are those described, else what the protocol says [CTL-17]', async t => {
  const document = await validDocument(
    t,
    route(['GET'], '/a', {
      responses: {
        200: { description: 'Fine.', content: { 'application/json': { type: 'object' } } },
        '4xx': { description: 'Refused.' },
        default: { description: 'Else.' },
        99: { description: 'No status.' },
        constructor: { description: 'No status.' },
      },
    }),
    route(['GET'], '/none'),
    route(['GET'], '/both', { negotiated: true }),
    route(['GET'], '/sse', { protocol: 'sse' }),
    route(['GET'], '/ws', { protocol: 'websocket' }),
    route(['GET'], '/odd', { responses: { nonsense: { description: 'No status.' } } }),
  )
  const keysOf = (path: string) => Object.keys(document.paths[path]?.get?.responses ?? {}).sort()
  t.same(keysOf('/a'), ['200', '4XX', 'default'])
  for (const path of ['/none', '/both', '/sse', '/odd']) t.same(keysOf(path), ['200'], path)
  t.same(keysOf('/ws'), ['101'])
  t.match(document.paths['/both']?.get?.responses['200']?.content, { 'application/json': {}, 'application/xml': {} })
  t.match(document.paths['/sse']?.get?.responses['200']?.content, { 'text/event-stream': {} })
})

t.test('without routes it is valid still [CTL-10]', async t => {
  t.same((await validDocument(t)).paths, {})
})

t.test(
  'names that every object has are ordinary parameters, media types and example names [CTL-13] [CTL-16]',
  async t => {
    const document = await validDocument(
      t,
      route(['POST'], '/a/{__proto__}', {
        parameters: [{ name: 'constructor', in: 'query' }],
        requestBody: { content: { 'application/json': {} } },
        examples: [{ name: '__proto__', path: '/a/x', body: '1', bodyType: 'json' }],
      }),
    )
    t.same(
      document.paths['/a/{__proto__}']?.post?.parameters?.map(({ name }) => name),
      ['__proto__', 'constructor'],
    )
  },
)
