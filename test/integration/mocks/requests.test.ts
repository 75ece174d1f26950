import t from 'tap'
import { Flattener } from '../../../plugins/mocks/schema/flat-schema.ts'
import { parameterValue, parseQuery, readCookies } from '../../../plugins/mocks/request/parameters.ts'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer } from './client.ts'
import { answering, compile, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)

const list = { type: 'array', items: { type: 'integer' } }
const point = { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'string' } } }

/** The value of a parameter `p` with this declaration, in this request. */
function valueOf(
  declaration: JsonObject,
  sent: { path?: string; query?: string; header?: string; cookie?: string },
): Json | undefined {
  const api = compile(documentOf({ '/x': { get: answering({}, { parameters: [{ name: 'p', ...declaration }] }) } }))
  const parameter = api.operations[0]?.parameters[0]
  if (!parameter) throw new Error('no parameter')
  return parameterValue(
    parameter,
    {
      path: new Map(sent.path === undefined ? [] : [['p', sent.path]]),
      query: parseQuery(sent.query ?? ''),
      header: () => sent.header,
      cookies: readCookies(sent.cookie),
    },
    new Flattener(api.document),
  )
}

t.test('parameters are parsed by style and explode [MOCK-36]', async t => {
  const cases: [string, JsonObject, Parameters<typeof valueOf>[1], Json | undefined][] = [
    ['path simple', { in: 'path', schema: list }, { path: '1,2' }, [1, 2]],
    ['path simple object', { in: 'path', schema: point }, { path: 'x,1,y,a' }, { x: 1, y: 'a' }],
    [
      'path simple exploded object',
      { in: 'path', explode: true, schema: point },
      { path: 'x=1,y=a' },
      { x: 1, y: 'a' },
    ],
    ['label', { in: 'path', style: 'label', schema: { type: 'integer' } }, { path: '.5' }, 5],
    ['label list', { in: 'path', style: 'label', schema: list }, { path: '.1,2' }, [1, 2]],
    ['label exploded', { in: 'path', style: 'label', explode: true, schema: list }, { path: '.1.2' }, [1, 2]],
    [
      'label exploded object',
      { in: 'path', style: 'label', explode: true, schema: point },
      { path: '.x=1.y=a' },
      { x: 1, y: 'a' },
    ],
    ['matrix', { in: 'path', style: 'matrix', schema: { type: 'integer' } }, { path: ';p=5' }, 5],
    ['matrix list', { in: 'path', style: 'matrix', schema: list }, { path: ';p=1,2' }, [1, 2]],
    ['matrix exploded', { in: 'path', style: 'matrix', explode: true, schema: list }, { path: ';p=1;p=2' }, [1, 2]],
    [
      'matrix exploded object',
      { in: 'path', style: 'matrix', explode: true, schema: point },
      { path: ';x=1;y=a' },
      { x: 1, y: 'a' },
    ],
    ['form exploded', { in: 'query', schema: list }, { query: 'p=1&p=2' }, [1, 2]],
    ['form one item', { in: 'query', schema: list }, { query: 'p=1' }, [1]],
    ['form brackets', { in: 'query', schema: list }, { query: 'p[]=1&p[]=2' }, [1, 2]],
    ['form', { in: 'query', explode: false, schema: list }, { query: 'p=1,2' }, [1, 2]],
    ['form exploded object', { in: 'query', schema: point }, { query: 'x=1&y=a&z=b' }, { x: 1, y: 'a' }],
    ['form object', { in: 'query', explode: false, schema: point }, { query: 'p=x,1,y,a' }, { x: 1, y: 'a' }],
    [
      'spaceDelimited',
      { in: 'query', style: 'spaceDelimited', explode: false, schema: list },
      { query: 'p=1%202' },
      [1, 2],
    ],
    [
      'pipeDelimited',
      { in: 'query', style: 'pipeDelimited', explode: false, schema: list },
      { query: 'p=1|2' },
      [1, 2],
    ],
    ['deepObject', { in: 'query', style: 'deepObject', schema: point }, { query: 'p[x]=1&p[y]=a' }, { x: 1, y: 'a' }],
    [
      'deepObject nested',
      { in: 'query', style: 'deepObject', schema: { type: 'object' } },
      { query: 'p[a][b]=1&p[l][0]=x' },
      { a: { b: '1' }, l: ['x'] },
    ],
    ['header', { in: 'header', schema: list }, { header: '1, 2' }, [1, 2]],
    ['cookie', { in: 'cookie', schema: { type: 'integer' } }, { cookie: 'a=1; p=5; b="x"' }, 5],
    ['content', { in: 'query', content: { 'application/json': { schema: point } } }, { query: 'p={"x":1}' }, { x: 1 }],
    [
      'content that is not JSON',
      { in: 'query', content: { 'application/json': { schema: point } } },
      { query: 'p={' },
      '{',
    ],
    ['plus is a blank', { in: 'query', schema: { type: 'string' } }, { query: 'p=a+b%2B' }, 'a b+'],
    ['absent', { in: 'query', schema: list }, { query: 'q=1' }, undefined],
    ['a boolean', { in: 'query', schema: { type: 'boolean' } }, { query: 'p=true' }, true],
    ['no boolean', { in: 'query', schema: { type: 'boolean' } }, { query: 'p=yes' }, 'yes'],
    [
      'one of several types',
      { in: 'query', schema: { oneOf: [{ type: 'integer' }, { type: 'string' }] } },
      { query: 'p=5' },
      5,
    ],
    ['a number stays text where text is requested', { in: 'query', schema: { type: 'string' } }, { query: 'p=5' }, '5'],
    ['hexadecimal is not a number', { in: 'query', schema: { type: 'integer' } }, { query: 'p=0x10' }, '0x10'],
  ]
  for (const [name, declaration, sent, expected] of cases) t.same(valueOf(declaration, sent), expected, name)
  const own = valueOf(
    { in: 'query', style: 'deepObject', schema: { type: 'object' } },
    { query: 'p[__proto__][x]=1&p[constructor]=2' },
  )
  t.same(
    JSON.stringify(own),
    '{"__proto__":{"x":"1"},"constructor":"2"}',
    'names such as __proto__ are ordinary members',
  )
  t.equal(({} as JsonObject)['x'], undefined)
})

const order = {
  type: 'object',
  required: ['items'],
  properties: {
    items: { type: 'array', items: { type: 'object', properties: { qty: { type: 'integer', minimum: 1 } } } },
    id: { type: 'integer', readOnly: true },
  },
}
const ORDERS = documentOf({
  '/orders/{id}': {
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'limit', in: 'query', schema: { type: 'string' } },
    ],
    get: answering(
      { example: {} },
      {
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
          { name: 'X-Kind', in: 'header', required: true, schema: { enum: ['a', 'b'] } },
          { name: 'Authorization', in: 'header', required: true, schema: { type: 'integer' } },
        ],
      },
    ),
  },
  '/orders': {
    post: answering(
      { example: {} },
      {
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: order },
            'application/x-www-form-urlencoded': { schema: order },
            'text/plain': { schema: { type: 'string', maxLength: 3 } },
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['note', 'file'],
                properties: { note: { type: 'integer' }, file: { type: 'string', format: 'binary' } },
              },
            },
            'image/*': {},
          },
        },
      },
    ),
  },
  '/documented': {
    post: {
      requestBody: { required: true, content: { 'application/json': { schema: order } } },
      responses: {
        200: { description: 'ok' },
        400: { description: 'bad', content: { 'application/json': { example: { mine: true } } } },
        415: { description: 'type', content: { 'application/json': { example: { type: true } } } },
      },
    },
  },
})

t.test('violations are counted with warn and rejected with enforce [MOCK-37]', async t => {
  await server.mock('orders', { spec: ORDERS })
  await server.mock('strict', { spec: ORDERS, settings: { validation: 'enforce' } })
  await server.mock('loose', { spec: ORDERS, settings: { validation: 'off' } })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const multipart = { 'content-type': 'multipart/form-data; boundary=xx' }
  const part = (name: string, value: string, extra = ''): string =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"${extra}\r\n\r\n${value}\r\n`
  const cases: [string, Parameters<typeof server.call>, { in: string; path: string; keyword: string }[]][] = [
    ['fits', ['/orders/7?limit=5', { headers: { 'x-kind': 'a' } }], []],
    ['an unknown query parameter passes', ['/orders/7?what=5', { headers: { 'x-kind': 'a' } }], []],
    [
      'three at once',
      ['/orders/x?limit=500', {}],
      [
        { in: 'path', path: '/id', keyword: 'type' },
        { in: 'query', path: '/limit', keyword: 'maximum' },
        { in: 'header', path: '/x-kind', keyword: 'required' },
      ],
    ],
    ['a body that fits', ['/orders', { method: 'POST', body: { items: [{ qty: 1 }] } }], []],
    [
      'deep inside the body',
      ['/orders', { method: 'POST', body: { items: [{ qty: 0 }, { qty: 'x' }] } }],
      [
        { in: 'body', path: '/items/0/qty', keyword: 'minimum' },
        { in: 'body', path: '/items/1/qty', keyword: 'type' },
      ],
    ],
    ['no body', ['/orders', { method: 'POST' }], [{ in: 'body', path: '', keyword: 'required' }]],
    [
      'broken JSON',
      ['/orders', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"items"' }],
      [{ in: 'body', path: '', keyword: 'json' }],
    ],
    ['a form', ['/orders', { method: 'POST', headers: form, body: 'items[0][qty]=1' }], []],
    [
      'a form with a wrong number',
      ['/orders', { method: 'POST', headers: form, body: 'items[0][qty]=0' }],
      [{ in: 'body', path: '/items/0/qty', keyword: 'minimum' }],
    ],
    [
      'text',
      ['/orders', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'long' }],
      [{ in: 'body', path: '', keyword: 'maxLength' }],
    ],
    [
      'multipart',
      [
        '/orders',
        {
          method: 'POST',
          headers: multipart,
          body: `${part('note', '5')}${part('file', 'bytes', '; filename="a.bin"')}--xx--`,
        },
      ],
      [],
    ],
    [
      'multipart without its file',
      ['/orders', { method: 'POST', headers: multipart, body: `${part('note', 'x')}--xx--` }],
      [
        { in: 'body', path: '', keyword: 'required' },
        { in: 'body', path: '/note', keyword: 'type' },
      ],
    ],
    [
      'no multipart',
      ['/orders', { method: 'POST', headers: multipart, body: 'x' }],
      [{ in: 'body', path: '', keyword: 'multipart' }],
    ],
    [
      'bytes are not looked into',
      ['/orders', { method: 'POST', headers: { 'content-type': 'image/png' }, body: 'x' }],
      [],
    ],
  ]
  for (const [name, [path, options], expected] of cases) {
    const warned = await server.call(`/mock/orders${path}`, options)
    t.equal(warned.status, 200, `${name}: warn answers`)
    t.equal(
      warned.headers['x-svc-mock-violations'],
      expected.length === 0 ? undefined : String(expected.length),
      `${name}: counted`,
    )
    const refused = await server.call(`/mock/strict${path}`, options)
    t.equal(refused.status, expected.length === 0 ? 200 : 422, `${name}: enforce`)
    if (expected.length > 0)
      t.match(
        refused,
        {
          headers: { 'content-type': 'application/problem+json', 'x-svc-mock-error': 'invalid_request' },
          json: { code: 'invalid_request', mock: 'strict', errors: expected },
        },
        name,
      )
    t.match(await server.call(`/mock/loose${path}`, options), { status: 200 }, `${name}: off`)
  }
})

t.test("an unsupported type is 415; the document's response takes precedence [MOCK-37]", async t => {
  t.match(
    await server.call('/mock/strict/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/cbor' },
      body: 'x',
    }),
    {
      status: 415,
      json: {
        code: 'unsupported_media_type',
        supported: [
          'application/json',
          'application/x-www-form-urlencoded',
          'text/plain',
          'multipart/form-data',
          'image/*',
        ],
      },
    },
  )
  t.match(
    await server.call('/mock/strict/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.x+json' },
      body: { items: [] },
    }),
    { status: 200 },
  )
  t.match(await server.call('/mock/strict/documented', { method: 'POST', body: {} }), {
    status: 400,
    json: { mine: true },
    headers: { 'x-svc-mock-error': 'invalid_request', 'x-svc-mock-source': 'error' },
  })
  t.match(
    await server.call('/mock/strict/documented', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'x',
    }),
    { status: 415, json: { type: true } },
  )
})

t.test('a huge invalid body is rejected at the first error, a deep one safely [MOCK-80]', async t => {
  const many = JSON.stringify({ items: Array.from({ length: 60_000 }, () => ({ qty: 0 })) })
  const reply = await server.call('/mock/strict/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: many,
  })
  t.match(reply, { status: 422, json: { errors: [{ path: '/items/0/qty' }] } })
  t.equal((reply.json['errors'] as Json[]).length, 1)
  const deep = `{"items":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  t.match(
    await server.call('/mock/strict/orders', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: deep,
    }),
    { status: 422 },
  )
  await server.mock('tree', {
    spec: documentOf(
      {
        '/x': {
          post: answering(
            { example: 1 },
            { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/T' } } } } },
          ),
        },
      },
      {
        components: {
          schemas: {
            T: { items: { allOf: [{ $ref: '#/components/schemas/T' }, { $ref: '#/components/schemas/T' }] } },
          },
        },
      },
    ),
    settings: { validation: 'enforce' },
  })
  t.match(
    await server.call('/mock/tree/x', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `${'['.repeat(200)}${']'.repeat(200)}`,
    }),
    { status: 200 },
    'a check that would double at every level is given up',
  )
})

t.test('validation stays fast for hostile bodies [MOCK-82]', async t => {
  const schema = {
    type: 'object',
    properties: {
      many: { type: 'array', uniqueItems: true, items: { type: 'object' } },
      link: { type: 'string', format: 'url' },
    },
  }
  await server.mock('slow', {
    spec: documentOf({
      '/x': { post: answering({ example: 1 }, { requestBody: { content: { 'application/json': { schema } } } }) },
    }),
    settings: { validation: 'enforce' },
  })
  const post = (body: object): ReturnType<typeof server.call> => server.call('/mock/slow/x', { method: 'POST', body })
  t.match(await post({ many: Array.from({ length: 60_000 }, (_, index) => ({ index })) }), { status: 200 })
  t.match(
    await post({
      many: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    }),
    { status: 422, json: { errors: [{ path: '/many', keyword: 'uniqueItems' }] } },
  )
  t.match(await post({ many: [{ a: 1 }, { a: '1' }, { a: [1] }] }), { status: 200 })
  t.match(await post({ link: `http://${':'.repeat(500_000)}` }), { status: 200 })
  t.match(await post({ link: 'nowhere' }), { status: 422 })
})

const SECURE = documentOf(
  Object.fromEntries(
    Object.entries<Json>({
      key: [{ key: [] }],
      'key-query': [{ keyQuery: [] }],
      'key-cookie': [{ keyCookie: [] }],
      basic: [{ basic: [] }],
      bearer: [{ bearer: [] }],
      digest: [{ digest: [] }],
      mtls: [{ mtls: [] }],
      either: [{ key: [] }, { basic: [] }],
      both: [{ key: [], basic: [] }],
      open: [{}, { key: [] }],
      none: [],
      missing: [{ nothing: [] }],
      oauth: [{ oauth: ['read'] }],
    }).map(([name, security]) => [`/${name}`, { get: answering({ example: 'in' }, { security }) }]),
  ),
  {
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        keyQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
        keyCookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer' },
        digest: { type: 'http', scheme: 'digest' },
        mtls: { type: 'mutualTLS' },
        oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/t', scopes: { read: 'r' } } } },
      },
    },
  },
)
const basicOf = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

t.test('credentials are checked by scheme [MOCK-35]', async t => {
  await server.mock('secure', { spec: SECURE, settings: { security: 'enforce' } })
  const cases: [string, Record<string, string>, number, string?][] = [
    ['/key', {}, 401, 'ApiKey realm="secure", in="header", name="X-API-Key"'],
    ['/key', { 'x-api-key': '' }, 401],
    ['/key', { 'x-api-key': 'k' }, 200],
    ['/key-query', {}, 401, 'ApiKey realm="secure", in="query", name="api_key"'],
    ['/key-query?api_key=k', {}, 200],
    ['/key-cookie', {}, 401],
    ['/key-cookie', { cookie: 'sid=1' }, 200],
    ['/basic', {}, 401, 'Basic realm="secure"'],
    ['/basic', { authorization: 'Basic !!!' }, 401],
    ['/basic', { authorization: basicOf('nouser') }, 401],
    ['/basic', { authorization: basicOf('ada:secret') }, 200],
    ['/bearer', {}, 401, 'Bearer realm="secure"'],
    ['/bearer', { authorization: 'Bearer ' }, 401],
    ['/bearer', { authorization: 'bearer t' }, 200],
    ['/bearer', { authorization: basicOf('a:b') }, 401],
    ['/digest', {}, 401, 'Digest realm="secure"'],
    ['/digest', { authorization: 'Digest username="a"' }, 200],
    ['/mtls', {}, 401],
    ['/either', {}, 401, 'ApiKey realm="secure", in="header", name="X-API-Key", Basic realm="secure"'],
    ['/either', { authorization: basicOf('a:b') }, 200],
    ['/both', { 'x-api-key': 'k' }, 401, 'Basic realm="secure"'],
    ['/both', { 'x-api-key': 'k', authorization: basicOf('a:b') }, 200],
    ['/open', {}, 200],
    ['/none', {}, 200],
    ['/missing', {}, 401],
  ]
  for (const [path, headers, status, challenge] of cases) {
    const reply = await server.call(`/mock/secure${path}`, { headers })
    t.equal(reply.status, status, `${path} ${JSON.stringify(headers)}`)
    if (challenge !== undefined) t.equal(reply.headers['www-authenticate'], challenge, path)
    if (status === 401) t.match(reply.headers, { 'x-svc-mock-error': 'unauthorized' })
  }
})

t.test('missing credentials are described as the document combines them [MOCK-35]', async t => {
  await server.mock('secure', { spec: SECURE, settings: { security: 'enforce' } })
  const cases: [string, RegExp][] = [
    ['/both', /^an API key is required in the header "X-API-Key" and a valid user name and password are required$/],
    ['/either', /^an API key is required in the header "X-API-Key"; or a valid user name and password are required$/],
    ['/oauth', /^an access token of the built-in identity provider is required$/],
  ]
  for (const [path, detail] of cases) t.match((await server.call(`/mock/secure${path}`)).json, { detail }, path)
  t.match((await server.call('/mock/secure/both')).headers, {
    'www-authenticate': 'ApiKey realm="secure", in="header", name="X-API-Key", Basic realm="secure"',
  })
  const wrong = await server.call('/mock/secure/oauth', { headers: { authorization: 'Bearer made-up' } })
  t.match(wrong, { status: 401, json: { detail: /not valid; expected one of the built-in identity provider/ } })
})

t.test('credentials can be configured, and warn accepts missing ones [MOCK-35]', async t => {
  await server.mock('fixed', {
    spec: SECURE,
    settings: { security: 'enforce', credentials: { api_keys: ['k1', 'k2'], basic: { ada: 'x:y' }, bearer: ['t1'] } },
  })
  const cases: [string, Record<string, string>, number][] = [
    ['/key', { 'x-api-key': 'k2' }, 200],
    ['/key', { 'x-api-key': 'k3' }, 401],
    ['/basic', { authorization: basicOf('ada:x:y') }, 200],
    ['/basic', { authorization: basicOf('ada:z') }, 401],
    ['/basic', { authorization: basicOf('constructor:z') }, 401],
    ['/bearer', { authorization: 'Bearer t1' }, 200],
    ['/bearer', { authorization: 'Bearer t2' }, 401],
  ]
  for (const [path, headers, status] of cases)
    t.equal((await server.call(`/mock/fixed${path}`, { headers })).status, status, `${path} ${JSON.stringify(headers)}`)
  await server.mock('warned', { spec: SECURE })
  t.match(await server.call('/mock/warned/key'), { status: 200, headers: { 'x-svc-mock-violations': '1' } })
  t.equal(
    (await server.call('/mock/warned/key', { headers: { 'x-api-key': 'k' } })).headers['x-svc-mock-violations'],
    undefined,
  )
})
