import t from 'tap'
import { mockServer } from './client.ts'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)

t.test('the petstore responds, and each response names its source [MOCK-12] [MOCK-30]', async t => {
  const cases: [string, string, object, object][] = [
    [
      'GET',
      '/v1/pets/7',
      { id: 7, name: 'Rex', tag: 'good', status: 'available' },
      {
        'x-svc-mock': 'petstore',
        'x-svc-mock-version': '1',
        'x-svc-mock-operation': 'getPetById',
        'x-svc-mock-source': 'example:dog',
      },
    ],
    ['GET', '/pets/7', { id: 7, name: 'Rex' }, { 'x-svc-mock-operation': 'getPetById' }],
    [
      'GET',
      '/v1/pets',
      [
        { id: 1, name: 'Rex' },
        { id: 2, name: 'Misty', tag: null },
      ],
      { 'x-svc-mock-operation': 'listPets', 'x-svc-mock-source': 'example' },
    ],
    [
      'GET',
      '/v1/store/inventory',
      { available: 12, pending: 3, sold: 7 },
      { 'x-svc-mock-operation': 'getInventory', 'x-svc-mock-violations': '1' },
    ],
    ['PUT', '/v1/pets/5', { id: 5 }, { 'x-svc-mock-operation': 'updatePet', 'x-svc-mock-source': 'generated' }],
  ]
  for (const [method, path, body, headers] of cases) {
    const reply = await server.call(`/mock/petstore${path}`, {
      method,
      ...(method === 'PUT' ? { body: { name: 'Rex' } } : {}),
    })
    t.equal(reply.status, 200, path)
    t.match(reply.json, body, path)
    t.match(reply.headers, { 'content-type': 'application/json', ...headers }, path)
  }
  const created = await server.call('/mock/petstore/v1/pets', { method: 'POST', body: { name: 'Rex' } })
  t.match(created, { status: 201, headers: { location: '/v1/pets/3' } })
  const removed = await server.call('/mock/petstore/v1/pets/7', { method: 'DELETE' })
  t.match(removed, { status: 204, text: '' })
  t.match(
    await server.call('/mock/petstore/v1/pets/7/photo', {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: 'x',
    }),
    { status: 204 },
  )
  t.match(await server.call('/mock/petstore/v1/pets/7', { method: 'HEAD' }), {
    status: 200,
    text: '',
    headers: { 'x-svc-mock-operation': 'getPetById' },
  })
})

t.test('unknown mocks, paths and methods are explained [MOCK-31] [MOCK-32]', async t => {
  t.match(await server.call('/mock/shop/x'), {
    status: 404,
    json: { error: 'unknown mock', name: 'shop', path: '/mock/shop/x', mocks: ['petstore'] },
  })
  t.match(await server.call('/mock/petstore/v1/pet/7'), {
    status: 404,
    headers: {
      'content-type': 'application/problem+json',
      'x-svc-mock-error': 'no_path_matched',
      'x-svc-mock-source': 'error',
    },
    json: {
      code: 'no_path_matched',
      status: 404,
      mock: 'petstore',
      detail: 'closest match is "/v1/pets/{id}": segment 2 is "pet", expected "pets"',
    },
  })
  t.match(await server.call('/mock/petstore/v1/pets', { method: 'DELETE' }), {
    status: 405,
    headers: { allow: 'GET, POST, HEAD' },
    json: { code: 'no_method_matched' },
  })
  t.match(await server.call('/mock/petstore'), { status: 404, json: { code: 'no_path_matched' } })
  await server.call('/_svc/mocks/petstore/disable', { method: 'POST' })
  t.match(await server.call('/mock/petstore/v1/pets'), {
    status: 503,
    headers: { 'retry-after': '1' },
    json: { code: 'mock_disabled' },
  })
  await server.call('/_svc/mocks/petstore/enable', { method: 'POST' })
  t.match(await server.call('/mock/petstore/v1/pets'), { status: 200 })
})

t.test('Prefer and its query forms select a response [MOCK-38]', async t => {
  const cases: [string, string | null, object][] = [
    [
      '/pets/7',
      'code=404',
      { status: 404, json: { code: 404, message: 'no such pet' }, headers: { 'preference-applied': 'code=404' } },
    ],
    [
      '/pets/7',
      'example=cat',
      {
        status: 200,
        json: { id: 7, name: 'Misty' },
        headers: { 'preference-applied': 'example=cat', 'x-svc-mock-source': 'example:cat' },
      },
    ],
    [
      '/pets/7',
      'code=200; example="cat"',
      { json: { name: 'Misty' }, headers: { 'preference-applied': 'code=200, example=cat' } },
    ],
    ['/pets/7', 'respond-async, code=404, wait=10', { status: 404 }],
    ['/pets/7?__code=404', null, { status: 404 }],
    ['/pets/7?__example=cat', null, { json: { name: 'Misty' } }],
    ['/pets/7?__code=404', 'code=200', { status: 200 }],
    [
      '/pets/7',
      'dynamic=true',
      {
        status: 200,
        headers: { 'x-svc-mock-source': 'generated', 'preference-applied': 'dynamic=true' },
        json: { id: 7 },
      },
    ],
    [
      '/pets/7',
      'code=500',
      { status: 404, json: { code: 'no_such_response', available: ['200', '200:dog', '200:cat', '404'] } },
    ],
    ['/pets/7', 'example=horse', { status: 404, json: { code: 'no_such_response' } }],
    ['/pets/7', 'code=abc', { status: 200 }],
    ['/pets/7', ';;;', { status: 200 }],
    ['/pets/7', `x=${'y'.repeat(8192)}`, { status: 200 }],
    ['/pets/7', 'code=404, code=200', { status: 404 }],
  ]
  for (const [path, prefer, expected] of cases)
    t.match(
      await server.call(`/mock/petstore${path}`, { headers: prefer === null ? {} : { prefer } }),
      expected,
      `${path} ${prefer?.slice(0, 40)}`,
    )
  t.equal((await server.call('/mock/petstore/pets/7')).headers['preference-applied'], undefined)
  t.equal(
    (await server.call('/mock/petstore/pets/7?__code=200')).headers['x-svc-mock-violations'],
    undefined,
    'the query forms are not validated',
  )
})

t.test('a seed gives reproducible data, "random" new data each time [MOCK-38] [MOCK-56]', async t => {
  const ask = async (seed: string): Promise<string> =>
    (await server.call('/mock/petstore/pets/7', { headers: { prefer: `dynamic=true, seed=${seed}` } })).text
  const blue = await ask('blue')
  t.equal(await ask('blue'), blue)
  const others = await Promise.all(['a', 'b', 'c', 'd'].map(ask))
  t.ok(new Set([blue, ...others]).size > 2)
  const random = await Promise.all(Array.from({ length: 8 }, () => ask('random')))
  t.ok(new Set(random).size > 1)
})

t.test('the same request gives the same response after a restart [MOCK-56]', async t => {
  const other = await mockServer(t)
  for (const path of ['/pets/7', '/pets/8', '/pets', '/store/inventory']) {
    const headers = { prefer: 'dynamic=true' }
    t.equal(
      (await other.call(`/mock/petstore${path}`, { headers })).text,
      (await server.call(`/mock/petstore${path}`, { headers })).text,
      path,
    )
  }
})

t.test('prefer can be disabled [MOCK-38]', async t => {
  await server.mock('plain', {
    spec: documentOf({ '/x': { get: answering({ example: 1 }) } }),
    settings: { prefer: false },
  })
  t.match(await server.call('/mock/plain/x?__code=404', { headers: { prefer: 'code=404' } }), {
    status: 200,
    text: '1',
  })
})

t.test('Accept selects the media type [MOCK-52]', async t => {
  const content = {
    'application/json': { example: { a: 1 } },
    'application/xml': { schema: { type: 'object', properties: { a: { type: 'integer', example: 1 } } } },
    'text/csv': { example: 'a,b' },
  }
  const spec = documentOf({
    '/x': { get: { responses: { 200: { description: 'ok', content } } } },
    '/any': { get: { responses: { 200: { description: 'ok', content: { '*/*': { example: 'raw' } } } } } },
  })
  await server.mock('types', { spec })
  const cases: [string | undefined, string][] = [
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    [';;;q=x', 'application/json'],
    ['application/xml', 'application/xml'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['application/json;q=0.5, text/csv;q=0.9', 'text/csv; charset=utf-8'],
    ['application/vnd.acme.v3+json', 'application/json'],
    ['application/vnd.acme+xml', 'application/xml'],
    ['application/json;q=0, */*;q=0.1', 'application/xml'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/xml'],
    ['image/png', 'application/json'],
  ]
  for (const [accept, type] of cases)
    t.equal(
      (await server.call('/mock/types/x', { headers: accept === undefined ? {} : { accept } })).headers['content-type'],
      type,
      accept ?? 'no Accept',
    )
  t.equal(
    (await server.call('/mock/types/any', { headers: { accept: 'image/gif' } })).headers['content-type'],
    'image/gif',
    'a declared range uses the requested type',
  )
  t.equal((await server.call('/mock/types/any')).headers['content-type'], 'application/octet-stream')
  t.match((await server.call('/mock/types/x', { headers: { accept: 'image/png' } })).headers, {
    'x-svc-mock-violations': '1',
  })
  await server.mock('types', { spec, settings: { validation: 'enforce' } })
  t.match(await server.call('/mock/types/x', { headers: { accept: 'image/png' } }), {
    status: 406,
    json: { code: 'not_acceptable', available: ['application/json', 'application/xml', 'text/csv'] },
  })
  await server.mock('types', { spec, settings: { validation: 'off' } })
  t.equal(
    (await server.call('/mock/types/x', { headers: { accept: 'image/png' } })).headers['x-svc-mock-violations'],
    undefined,
  )
})

t.test('XML, forms, images and bytes are valid for their type [MOCK-53]', async t => {
  const order = {
    type: 'object',
    xml: { name: 'order', prefix: 'o', namespace: 'urn:shop' },
    properties: {
      id: { type: 'integer', xml: { attribute: true } },
      note: { type: 'string' },
      tags: { type: 'array', xml: { name: 'tags', wrapped: true }, items: { type: 'string', xml: { name: 'tag' } } },
      lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
      none: { type: 'null' },
    },
  }
  const example = { id: 7, note: 'a < b & "c"', tags: ['x', 'y'], lines: [{ sku: 'A' }, { sku: 'B' }], none: null }
  await server.mock('wire', {
    spec: documentOf({
      '/xml': {
        get: { responses: { 200: { description: 'ok', content: { 'application/xml': { schema: order, example } } } } },
      },
      '/form': {
        get: {
          responses: {
            200: {
              description: 'ok',
              content: { 'application/x-www-form-urlencoded': { example: { a: 1, b: { c: 'x y' }, d: [1, 2] } } },
            },
          },
        },
      },
      '/png': { get: { responses: { 200: { description: 'ok', content: { 'image/png': {} } } } } },
      '/svg': { get: { responses: { 200: { description: 'ok', content: { 'image/svg+xml': {} } } } } },
      '/bytes': { get: { responses: { 200: { description: 'ok', content: { 'application/octet-stream': {} } } } } },
      '/quoted': {
        get: { responses: { 200: { description: 'ok', content: { 'application/json': { example: 'text' } } } } },
      },
    }),
  })
  t.equal(
    (await server.call('/mock/wire/xml')).text,
    '<?xml version="1.0" encoding="UTF-8"?>\n<o:order xmlns:o="urn:shop" id="7"><note>a &lt; b &amp; &quot;c&quot;</note><tags><tag>x</tag><tag>y</tag></tags><lines><sku>A</sku></lines><lines><sku>B</sku></lines><none/></o:order>',
  )
  t.equal((await server.call('/mock/wire/form')).text, 'a=1&b%5Bc%5D=x+y&d=1&d=2')
  t.match((await server.call('/mock/wire/png')).text, /^.PNG\r\n/)
  t.match((await server.call('/mock/wire/svg')).text, /^<svg /)
  t.equal((await server.call('/mock/wire/bytes')).headers['content-length'], '16')
  t.equal((await server.call('/mock/wire/quoted')).text, '"text"')
})

t.test('declared headers are sent, except those that the server controls [MOCK-54]', async t => {
  const header = (value: Json): JsonObject => ({ schema: { type: 'string' }, example: value })
  await server.mock('headers', {
    spec: documentOf({
      '/x': {
        get: {
          responses: {
            200: {
              description: 'ok',
              headers: {
                'X-Rate': { schema: { type: 'integer', minimum: 9, maximum: 9 } },
                'X-List': header(['a', 'b']),
                'X-Split': header('a\r\nSet-Cookie: b=1'),
                'X-Wide': header('é€'),
                'Content-Encoding': header('gzip'),
                'Content-Length': header('5'),
                'Transfer-Encoding': header('chunked'),
                Connection: header('close'),
                'X-Request-Id': header('mine'),
                'X-Svc-Mock': header('other'),
                'Access-Control-Allow-Origin': header('https://evil.example'),
                'Set-Cookie': header('a=1'),
                'bad name': header('x'),
              },
            },
          },
        },
      },
    }),
  })
  const { headers } = await server.call('/mock/headers/x')
  t.match(headers, {
    'x-rate': '9',
    'x-list': 'a,b',
    'x-split': 'aSet-Cookie: b=1',
    'x-wide': 'é',
    'set-cookie': 'a=1',
    'x-svc-mock': 'headers',
    'access-control-allow-origin': '*',
  })
  t.equal(headers['content-encoding'], undefined)
  t.not(headers['x-request-id'], 'mine')
  t.equal(headers['bad name'], undefined)
})

t.test('the response is the lowest 2xx, else 2XX, default, the lowest status [MOCK-51]', async t => {
  const with_ = (...statuses: string[]): object => ({
    get: {
      responses: Object.fromEntries(
        statuses.map(status => [status, { description: status, content: { 'text/plain': { example: status } } }]),
      ),
    },
  })
  await server.mock('choice', {
    spec: documentOf({
      '/a': with_('404', '202', '201'),
      '/b': with_('404', 'default', '2XX'),
      '/c': with_('404', 'default'),
      '/d': with_('500', '404'),
      '/e': with_('5XX'),
      '/f': { get: { responses: {} } },
      '/g': { get: { responses: { 200: { description: 'empty' } } } },
      '/h': { get: { responses: { 200: { description: 'x', content: { 'application/json': {} } } } } },
      '/i': with_('204'),
    } as never),
  })
  const cases: [string, number, string][] = [
    ['/a', 201, '201'],
    ['/b', 200, '2XX'],
    ['/c', 200, 'default'],
    ['/d', 404, '404'],
    ['/e', 500, '5XX'],
    ['/g', 200, ''],
    ['/h', 200, '{}'],
    ['/i', 204, ''],
  ]
  for (const [path, status, text] of cases) t.match(await server.call(`/mock/choice${path}`), { status, text }, path)
  t.match(await server.call('/mock/choice/f'), { status: 501, json: { code: 'no_response_defined' } })
  t.match(await server.call('/mock/choice/a', { headers: { prefer: 'code=404' } }), { status: 404, text: '404' })
  t.match(await server.call('/mock/choice/b', { headers: { prefer: 'code=418' } }), { status: 418, text: 'default' })
  t.match(await server.call('/mock/choice/e', { headers: { prefer: 'code=503' } }), { status: 503, text: '5XX' })
})

t.test('request and response examples with the same name are paired [MOCK-50]', async t => {
  const named = (values: Record<string, unknown>): object =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))
  await server.mock('pairs', {
    spec: documentOf({
      '/pets/{id}': {
        get: {
          parameters: [
            {
              name: 'id',
              in: 'path',
              required: true,
              schema: { type: 'integer' },
              examples: named({ cat: 2, ghost: 9 }),
            },
            { name: 'full', in: 'query', schema: { type: 'boolean' }, examples: named({ cat: true }) },
          ],
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { examples: named({ dog: { name: 'Rex' }, cat: { name: 'Misty' } }) } },
            },
            404: {
              description: 'none',
              content: { 'application/json': { examples: named({ ghost: { message: 'gone' } }) } },
            },
          },
        },
      },
      '/pets': {
        post: {
          requestBody: { content: { 'application/json': { examples: named({ bad: { name: '', tags: [1] } }) } } },
          responses: {
            201: { description: 'ok', content: { 'application/json': { example: { ok: true } } } },
            400: { description: 'bad', content: { 'application/json': { examples: named({ bad: { ok: false } }) } } },
          },
        },
      },
    } as never),
  })
  const cases: [string, object][] = [
    ['/pets/1', { status: 200, json: { name: 'Rex' } }],
    ['/pets/2?full=true', { status: 200, json: { name: 'Misty' } }],
    ['/pets/2', { json: { name: 'Rex' } }],
    ['/pets/9', { status: 404, json: { message: 'gone' } }],
  ]
  for (const [path, expected] of cases) t.match(await server.call(`/mock/pairs${path}`), expected, path)
  t.match(await server.call('/mock/pairs/pets', { method: 'POST', body: { tags: [1], name: '' } }), {
    status: 400,
    json: { ok: false },
  })
  t.match(await server.call('/mock/pairs/pets', { method: 'POST', body: { name: 'x' } }), { status: 201 })
})

t.test('request values are echoed with the type of the schema [MOCK-55]', async t => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      order_id: { type: 'string' },
      active: { type: 'boolean' },
      tags: { type: 'array' },
      data: { type: 'object', properties: { id: { type: 'string' } } },
    },
  }
  const example = { id: 1, order_id: 'o-1', active: true, tags: [], data: { id: 'x' } }
  const paths = Object.fromEntries(
    ['/items/{id}', '/orders/{orderId}', '/coupons/{coupon}', '/flags/{active}', '/tags/{tags}'].map(path => [
      path,
      { get: answering({ schema, example }), post: answering({ schema, example }) },
    ]),
  )
  await server.mock('echoes', { spec: documentOf(paths as never) })
  const cases: [string, object][] = [
    ['/items/7', { id: 7, data: { id: '7' } }],
    ['/items/abc', { id: 1, data: { id: 'abc' } }],
    ['/items/1e3', { id: 1 }],
    ['/items/1234567890123456', { id: 1 }],
    ['/orders/o-9', { order_id: 'o-9', id: 1 }],
    ['/coupons/5', { id: 5 }],
    ['/flags/false', { active: false }],
    ['/flags/no', { active: true }],
    ['/tags/x', { tags: [] }],
  ]
  for (const [path, expected] of cases) t.match((await server.call(`/mock/echoes${path}`)).json, expected, path)
  await server.call('/_svc/mocks/echoes/settings', { method: 'PATCH', body: { echo: 'path+body' } })
  t.match(
    (await server.call('/mock/echoes/items/7', { method: 'POST', body: { order_id: 'mine', active: 'yes', other: 1 } }))
      .json,
    { id: 7, order_id: 'mine', active: true },
  )
  t.notOk('other' in (await server.call('/mock/echoes/items/7', { method: 'POST', body: { other: 1 } })).json)
  await server.call('/_svc/mocks/echoes/settings', { method: 'PATCH', body: { echo: 'off' } })
  t.match((await server.call('/mock/echoes/items/7')).json, { id: 1 })
})

t.test('the configured delay applies, and ends when the client disconnects [MOCK-28]', async t => {
  await server.mock('slow', {
    spec: documentOf({ '/x': { get: answering({ example: 1 }) } }),
    settings: { delay_ms: 30_000 },
  })
  const controller = new AbortController()
  const gone = fetch(`${server.url}/mock/slow/x`, { signal: controller.signal })
  controller.abort()
  await t.rejects(gone)
  await server.call('/_svc/mocks/slow/settings', { method: 'PATCH', body: { delay_ms: 40 } })
  const startedAt = performance.now()
  t.match(await server.call('/mock/slow/x'), { status: 200 })
  t.ok(performance.now() - startedAt >= 39)
})
