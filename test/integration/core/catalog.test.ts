/** Route templates, and the catalog built from route descriptions. */
import t from 'tap'
import { buildCatalog } from '../../../core/control/catalog.ts'
import { CORE_CATEGORIES, compareCategories } from '../../../core/control/categories.ts'
import { collectDeclarations } from '../../../core/host/declarations.ts'
import { builtinDefinitions } from '../../support/definitions.ts'
import { toTemplate, type RouteRecord } from '../../../core/http/routes/route-record.ts'
import type { RouteDescription } from '../../../core/contract/plugin.ts'

const anyMethod = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT', 'OPTIONS', 'TRACE', 'QUERY']

function described(fields: Partial<RouteDescription> = {}): RouteDescription {
  return { summary: 'Does a thing', category: 'Docs', examples: [], ...fields }
}
function route(methods: string[], path: string, ...descriptions: RouteDescription[]): RouteRecord {
  return { plugin: 'demo', methods, path, descriptions }
}
const endpointsOf = (...routes: RouteRecord[]) => buildCatalog(routes, '1.4.0').endpoints

t.test('a router path is shown as a template [CTL-1]', async t => {
  const table: [path: string, template: string][] = [
    ['/', '/'],
    ['/status/:code', '/status/{code}'],
    ['/echo/*', '/echo/{*path}'],
    ['/prefix*', '/prefix{*path}'],
    ['/a/:b/c/:d', '/a/{b}/c/{d}'],
    ['/v1/models/a::generate', '/v1/models/a:generate'],
    ['/:model(.+)::generate', '/{model}:generate'],
    ['/:id(^\\d+$)', '/{id}'],
    ['/:id(^(a|b)\\)$)/x', '/{id}/x'],
    ['/:from-:to', '/{from}-{to}'],
    ['/:name.json', '/{name}.json'],
    ['/:hour(^\\d+$)h:minute(^\\d+$)m', '/{hour}h{minute}m'],
    ['/items/:id?', '/items/{id}'],
    ['/items/:id(^\\d+$)?', '/items/{id}'],
    ['/::', '/:'],
  ]
  for (const [path, template] of table) t.equal(toTemplate(path), template, path)
})

t.test('an unclosed pattern ends the template [CTL-1]', async t => {
  t.equal(toTemplate('/:id(^(a'), '/{id}')
})

t.test('every description is an endpoint with all its fields [CTL-2]', async t => {
  const catalog = buildCatalog(
    [
      route(
        anyMethod,
        '/status/{code}',
        described({
          summary: 'Respond with a status code',
          category: 'Status Codes',
          examples: [{ name: 'Teapot', method: 'get', path: '/status/418', expectStatus: 418 }],
        }),
      ),
    ],
    '1.4.0',
  )
  t.same(catalog, {
    version: '1.4.0',
    count: 1,
    categories: [{ name: 'Status Codes', count: 1 }],
    endpoints: [
      {
        path: '/status/{code}',
        methods: ['ANY'],
        expanded_methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        category: 'Status Codes',
        summary: 'Respond with a status code',
        description: '',
        protocol: 'http',
        endless: false,
        plugin: 'demo',
        examples: [
          {
            name: 'Teapot',
            method: 'GET',
            path: '/status/418',
            headers: [],
            body: null,
            body_type: null,
            auth: null,
            expect_status: 418,
          },
        ],
      },
    ],
  })
})

t.test(
  "an example carries body, type, headers and credentials; its method is the route's unless it names one [CTL-2]",
  async t => {
    const headers = [{ name: 'X-A', value: '1' }]
    const [endpoint] = endpointsOf(
      route(
        ['POST'],
        '/x',
        described({
          examples: [
            { name: 'One', path: '/x', headers, body: '{}', bodyType: 'json', auth: { type: 'bearer', token: 'abc' } },
          ],
        }),
      ),
    )
    t.same(endpoint?.examples, [
      {
        name: 'One',
        method: 'POST',
        path: '/x',
        headers,
        body: '{}',
        body_type: 'json',
        auth: { type: 'bearer', token: 'abc' },
        expect_status: null,
      },
    ])
  },
)

t.test('a path with several descriptions is several endpoints [CTL-3]', async t => {
  const endpoints = endpointsOf(
    route(['POST'], '/mcp', described({ summary: 'Call' })),
    route(['GET'], '/mcp', described({ summary: 'Listen', protocol: 'sse', endless: true })),
  )
  t.same(
    endpoints.map(({ path, methods, protocol, endless }) => ({ path, methods, protocol, endless })),
    [
      { path: '/mcp', methods: ['POST'], protocol: 'http', endless: false },
      { path: '/mcp', methods: ['GET'], protocol: 'sse', endless: true },
    ],
  )
})

t.test('descriptions of a wildcard route have their own paths and methods [CTL-3]', async t => {
  const endpoints = endpointsOf(
    route(
      ['GET', 'POST'],
      '/v1/{*path}',
      described({ path: '/v1/models', methods: ['get'] }),
      described({ path: '/v1/models/{model}:generate', methods: ['POST'] }),
    ),
  )
  t.same(
    endpoints.map(({ path, methods, expanded_methods: expanded }) => [path, methods, expanded]),
    [
      ['/v1/models', ['GET'], ['GET']],
      ['/v1/models/{model}:generate', ['POST'], ['POST']],
    ],
  )
})

t.test('HEAD is listed only on routes without GET [CTL-4]', async t => {
  const table: [routes: RouteRecord[], methods: string[][]][] = [
    [[route(['GET'], '/a', described()), route(['HEAD'], '/a', described())], [['GET']]],
    [[route(['HEAD'], '/a', described()), route(['GET'], '/a', described())], [['GET']]],
    [[route(['GET', 'HEAD'], '/a', described())], [['GET']]],
    [[route(['GET', 'HEAD', 'POST'], '/a', described())], [['GET', 'POST']]],
    [[route(['HEAD'], '/a', described())], [['HEAD']]],
    [
      [route(['GET'], '/a', described()), route(['HEAD'], '/b', described())],
      [['GET'], ['HEAD']],
    ],
  ]
  for (const [routes, methods] of table)
    t.same(
      endpointsOf(...routes).map(endpoint => endpoint.methods),
      methods,
    )
})

t.test('a route that accepts all methods is shown as ANY [CTL-5]', async t => {
  for (const methods of [anyMethod, ['ANY']])
    t.same(endpointsOf(route(methods, '/a', described()))[0]?.methods, ['ANY'])
  t.same(
    endpointsOf(
      route(
        anyMethod.filter(method => method !== 'TRACE'),
        '/a',
        described(),
      ),
    )[0]?.methods.includes('ANY'),
    false,
  )
})

const { categories: declared } = collectDeclarations(await builtinDefinitions())
const CATEGORIES = [...declared.keys(), ...CORE_CATEGORIES.keys()].sort((a, b) => compareCategories(a, b, declared))
const DISPLAY_ORDER = [
  'Echo & Reflection',
  'Status Codes',
  'Response Shaping',
  'Streaming (SSE)',
  'Redirects & Cookies',
  'httpbin',
  'Drop-in',
  'Info & Random',
  'Auth: Basic & API Key',
  'Auth: HMAC',
  'Auth: JWT',
  'Auth: OIDC Provider',
  'Auth: mTLS',
  'TLS',
  'AI: Mock LLM',
  'AI: Guardrails',
  'MCP Server',
  'A2A Agents',
  'GraphQL',
  'Orchestration',
  'SOAP / XML',
  'WebSocket',
  'JSON-RPC',
  'API Mocks',
  'Reliability Testing',
  'Request Bin & Webhooks',
  'Recording proxy',
  'External authorization',
  'Rate-limit service',
  'Reports of gateways',
  'Health & Identity',
  'Control Plane',
  'Testing',
  'Docs',
]

t.test('categories are sorted by rank, then by name; endpoints by registration [CTL-6]', async t => {
  const names = ['Zebra', 'Docs', 'Aardvark', 'Echo & Reflection', 'Auth: mTLS', 'Docs']
  const catalog = buildCatalog(
    names.map((category, index) => route(['GET'], `/${index}`, described({ category }))),
    '1',
    declared,
  )
  t.same(catalog.categories, [
    { name: 'Echo & Reflection', count: 1 },
    { name: 'Auth: mTLS', count: 1 },
    { name: 'Docs', count: 2 },
    { name: 'Aardvark', count: 1 },
    { name: 'Zebra', count: 1 },
  ])
  t.same(
    catalog.endpoints.map(({ path }) => path),
    ['/3', '/4', '/1', '/5', '/2', '/0'],
  )
  t.strictSame(CATEGORIES, DISPLAY_ORDER)
  t.equal(CATEGORIES.length, 34)
  t.equal(new Set(CATEGORIES).size, CATEGORIES.length)
})

t.test('the catalog of no routes is empty [CTL-2]', async t => {
  t.same(buildCatalog([], '1'), { version: '1', count: 0, categories: [], endpoints: [] })
})

t.test('a category can have the name of an object property [CTL-6]', async t => {
  const catalog = buildCatalog(
    ['__proto__', 'constructor'].map(category => route(['GET'], '/a', described({ category }))),
    '1',
  )
  t.same(
    catalog.categories.map(({ name, count }) => [name, count]),
    [
      ['__proto__', 1],
      ['constructor', 1],
    ],
  )
})
