/** The representation of a response: what `Accept` selects, declared ranges, sequences and multipart bodies. */
import t from 'tap'
import { multipartFields } from '../../../plugins/mocks/request/body.ts'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer } from './client.ts'
import { documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)
const object = { type: 'object', properties: { id: { type: 'integer' } } }
const get = (content: JsonObject, more: JsonObject = {}): JsonObject => ({
  get: { responses: { 200: { description: 'ok', content } }, ...more },
})
const typeOf = async (path: string, accept?: string): Promise<string | undefined> =>
  (await server.call(path, { headers: accept === undefined ? {} : { accept } })).headers['content-type']

t.test('the exact type of a response wins over plain JSON, and parameters distinguish versions [MOCK-52]', async t => {
  const spec = documentOf({
    '/todos': get({
      'application/json': { example: 'plain' },
      'application/vnd.api+json': { example: 'vendor' },
      'application/hal+json': { example: 'hal' },
    }),
    '/versions': get({
      'application/vnd.acme+json; v=1': { example: 1 },
      'application/vnd.acme+json; v=2': { example: 2 },
      'application/json; profile="https://example.com/P"': { example: 'profile' },
    }),
    '/only': get({ 'application/vnd.acme+json; v=1': { example: 1 } }),
    '/xml': get({ 'application/xml': { example: '<a/>' }, 'application/atom+xml': { example: '<feed/>' } }),
  })
  await server.mock('accept', { spec, settings: { validation: 'enforce' } })
  const cases: [string, string, number | string][] = [
    ['/todos', 'application/vnd.api+json', 'vendor'],
    ['/todos', 'application/hal+json', 'hal'],
    ['/todos', 'application/hal+json, application/json;q=0.9', 'hal'],
    ['/todos', 'application/json, */*;q=0.5', 'plain'],
    ['/todos', 'application/vnd.other+json', 'plain'],
    ['/todos', '*/*', 'plain'],
    ['/todos', 'application/json;q=0, application/vnd.other+json, */*;q=0.1', 'vendor'],
    ['/versions', 'application/vnd.acme+json;v=2', 2],
    ['/versions', 'application/vnd.acme+json; V="1"', 1],
    ['/versions', 'application/vnd.acme+json', 1],
    ['/versions', 'application/json;profile="https://example.com/p"', 'profile'],
    ['/versions', 'application/vnd.acme+json;v=2;q=0.2, application/vnd.acme+json;v=1;q=0.9', 1],
    ['/versions', 'application/vnd.acme+json;charset=utf-8;v=2', 2],
  ]
  for (const [path, accept, expected] of cases) {
    const reply = await server.call(`/mock/accept${path}`, { headers: { accept } })
    t.equal(JSON.stringify(reply.json), JSON.stringify(expected), `${path} ${accept}`)
  }
  t.equal(await typeOf('/mock/accept/versions', 'application/vnd.acme+json;v=2'), 'application/vnd.acme+json; v=2')
  t.equal(await typeOf('/mock/accept/xml', 'application/atom+xml'), 'application/atom+xml')
  t.match(await server.call('/mock/accept/only', { headers: { accept: 'application/vnd.acme+json;v=3' } }), {
    status: 406,
    json: { code: 'not_acceptable' },
  })
})

t.test('a request body is validated by the version that its type names [MOCK-37]', async t => {
  const body = (type: string): JsonObject => ({ schema: { type: 'object', properties: { a: { type } } } })
  const spec = documentOf({
    '/a': {
      post: {
        requestBody: {
          content: {
            'application/vnd.acme+json; v=1': body('string'),
            'application/vnd.acme+json; v=2': body('integer'),
          },
        },
        responses: { 204: { description: 'done' } },
      },
    },
  })
  await server.mock('bodies', { spec, settings: { validation: 'enforce' } })
  const cases: [string, string | number, number][] = [
    ['application/vnd.acme+json;v=2', 1, 204],
    ['application/vnd.acme+json;v=2;charset=UTF-8', 1, 204],
    ['application/vnd.acme+json;v=2', 'x', 422],
    ['application/vnd.acme+json;v=1', 'x', 204],
    ['application/vnd.acme+json', 'x', 204],
    ['application/vnd.acme+json;v=3', 'x', 415],
  ]
  for (const [type, a, status] of cases)
    t.equal(
      (await server.call('/mock/bodies/a', { method: 'POST', headers: { 'content-type': type }, body: { a } })).status,
      status,
      `${type} ${a}`,
    )
})

t.test('the example of a request has the type that the client accepts [MOCK-50] [MOCK-52]', async t => {
  const spec = documentOf({
    '/pastry/{name}': get(
      {
        'application/json': { examples: { Cafe: { value: { name: 'Cafe' } }, Only: { value: { only: 'json' } } } },
        'text/xml': { examples: { 'Cafe Xml': { value: '<p>Cafe</p>' } } },
      },
      {
        parameters: [
          {
            name: 'name',
            in: 'path',
            required: true,
            schema: { type: 'string' },
            examples: { Cafe: { value: 'Cafe' }, 'Cafe Xml': { value: 'Cafe' }, Only: { value: 'Only' } },
          },
        ],
      },
    ),
  })
  await server.mock('pastry', { spec, settings: { validation: 'enforce' } })
  const call = (path: string, accept: string) => server.call(`/mock/pastry/pastry/${path}`, { headers: { accept } })
  t.match(await call('Cafe', 'text/xml'), { status: 200, text: '<p>Cafe</p>' })
  t.match(await call('Cafe', 'application/json'), { status: 200, json: { name: 'Cafe' } })
  t.match(await call('Cafe', '*/*'), { status: 200, json: { name: 'Cafe' } })
  t.match(await call('Only', 'text/xml'), { status: 200, headers: { 'x-svc-mock-source': 'example:Cafe%20Xml' } })
  t.match(
    await server.call('/mock/pastry/pastry/x', { headers: { accept: 'text/xml', prefer: 'example=Only' } }),
    { status: 406, json: { available: ['application/json'] } },
    'an example that the client names is not replaced',
  )
})

t.test('a declared range gets the type that the body has [MOCK-52] [MOCK-53]', async t => {
  const spec = documentOf({
    '/users/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: {
          200: { description: 'ok', content: { '*/*': { schema: object } } },
          404: { description: 'no', content: { '*/*': { schema: { properties: { message: { type: 'string' } } } } } },
        },
      },
    },
    '/ex': get({ '*/*': { example: { a: 1 } } }),
    '/str': get({ '*/*': { schema: { type: 'string', example: 'hi' } } }),
    '/app': get({ 'application/*': { schema: object } }),
    '/txt': get({ 'text/*': { schema: { type: 'string', example: 'hi' } } }),
    '/img': get({ 'image/*': {} }),
    '/bin': get({ '*/*': { schema: { type: 'string', format: 'binary' } } }),
    '/nothing': get({ '*/*': {} }),
  })
  await server.mock('spring', { spec })
  const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const cases: [string, string | undefined, string, string | RegExp][] = [
    ['/users/7', undefined, 'application/json', '{"id":7}'],
    ['/users/7', '*/*', 'application/json', '{"id":7}'],
    ['/users/7', 'application/json', 'application/json', '{"id":7}'],
    ['/users/7', 'application/hal+json', 'application/hal+json', '{"id":7}'],
    ['/users/7', 'application/*', 'application/json', '{"id":7}'],
    ['/users/7', 'text/plain, */*;q=0.1', 'application/json', '{"id":7}'],
    ['/users/7', page, 'application/xml', /<id>7<\/id>/],
    ['/users/7', 'text/html', 'application/json', '{"id":7}'],
    ['/users/7?__code=404', undefined, 'application/json', /"message":/],
    ['/ex', undefined, 'application/json', '{"a":1}'],
    ['/str', undefined, 'text/plain; charset=utf-8', 'hi'],
    ['/str', 'application/json', 'application/json', '"hi"'],
    ['/app', undefined, 'application/json', /^\{"id":\d+\}$/],
    ['/txt', undefined, 'text/plain; charset=utf-8', 'hi'],
    ['/img', undefined, 'image/png', /PNG/],
    ['/bin', undefined, 'application/octet-stream', /./],
    ['/nothing', undefined, 'application/json', '{}'],
  ]
  for (const [path, accept, type, text] of cases) {
    const reply = await server.call(`/mock/spring${path}`, { headers: accept === undefined ? {} : { accept } })
    t.equal(reply.headers['content-type'], type, `${path} ${accept ?? ''}`)
    t.match(reply.text, text, `${path} ${accept ?? ''}`)
  }
  t.match((await server.call('/mock/spring/users/7', { headers: { accept: 'text/html' } })).headers, {
    'x-svc-mock-violations': '1',
  })
})

t.test('sequences are framed [MOCK-53]', async t => {
  const event = 'text/event-stream'
  const spec = documentOf({
    '/one': get({ [event]: { schema: object, examples: { one: { value: { id: 1 } }, two: { value: { id: 2 } } } } }),
    '/list': get({ [event]: { example: [{ id: 1 }, 'two\nlines', { event: 'end', data: { ok: true }, id: '9' }] } }),
    '/framed': get({ [event]: { example: 'event: a\ndata: 1' } }),
    '/generated': get({ [event]: { schema: object } }),
    '/lines': get({ 'application/x-ndjson': { example: [{ id: 1 }, { id: 2 }] } }),
    '/jsonl': get({ 'application/jsonl': { schema: object } }),
    '/seq': get({ 'application/json-seq': { example: [1, 2] } }),
    '/text': get({ 'application/x-ndjson': { example: '{"id":1}\n{"id":2}' } }),
  })
  await server.mock('streams', { spec })
  const cases: [string, string | RegExp][] = [
    ['/one', 'data: {"id":1}\n\n'],
    ['/one?__example=two', 'data: {"id":2}\n\n'],
    ['/list', 'data: {"id":1}\n\ndata: two\ndata: lines\n\nevent: end\nid: 9\ndata: {"ok":true}\n\n'],
    ['/framed', 'event: a\ndata: 1\n\n'],
    ['/generated', /^(?:data: \{"id":\d+\}\n\n){2}$/],
    ['/lines', '{"id":1}\n{"id":2}\n'],
    ['/jsonl', /^(?:\{"id":\d+\}\n){2}$/],
    ['/seq', '\u001E1\n\u001E2\n'],
    ['/text', '{"id":1}\n{"id":2}\n'],
  ]
  for (const [path, text] of cases) {
    const reply = await server.call(`/mock/streams${path}`)
    if (typeof text === 'string') t.equal(reply.text, text, path)
    else t.match(reply.text, text, path)
  }
  await server.call('/_svc/mocks/streams/overrides/GET%20%2Fone', { method: 'PUT', body: { body: [{ id: 5 }] } })
  t.equal((await server.call('/mock/streams/one')).text, 'data: {"id":5}\n\n', 'the body of an override, too')
})

t.test('multipart bodies have parts and a boundary [MOCK-53]', async t => {
  const spec = documentOf({
    '/form': get({
      'multipart/form-data': {
        example: { 'na"me': 'Rex', info: { id: 1 }, tags: ['a', 'svc-part-0'] },
        encoding: { info: { contentType: 'application/vnd.acme+json' } },
      },
    }),
    '/mixed': get({ 'multipart/mixed; boundary=abc': { example: [{ id: 1 }, 'text'] } }),
    '/raw': get({ 'multipart/related': { example: '--xyz\r\n\r\nhi\r\n--xyz--\r\n' } }),
    '/generated': get({ 'multipart/form-data': { schema: object } }),
  })
  await server.mock('parts', { spec })
  const form = await server.call('/mock/parts/form')
  t.strictSame(multipartFields(Buffer.from(form.text), form.headers['content-type'] ?? ''), [
    ['na"me', 'Rex'],
    ['info', '{"id":1}'],
    ['tags', 'a'],
    ['tags', 'svc-part-0'],
  ])
  t.match(form.text, 'name="na%22me"')
  t.match(form.text, 'Content-Type: application/vnd.acme+json\r\n\r\n{"id":1}')
  t.equal((await server.call('/mock/parts/form')).text, form.text, 'the same request gets the same boundary')
  t.match(await server.call('/mock/parts/mixed'), {
    headers: { 'content-type': 'multipart/mixed; boundary=abc' },
    text: '--abc\r\nContent-Type: application/json\r\n\r\n{"id":1}\r\n--abc\r\nContent-Type: text/plain; charset=utf-8\r\n\r\ntext\r\n--abc--\r\n',
  })
  t.match(await server.call('/mock/parts/raw'), { headers: { 'content-type': 'multipart/related; boundary=xyz' } })
  t.match(
    (await server.call('/mock/parts/generated')).text,
    /name="id"\r\nContent-Type: text\/plain; charset=utf-8\r\n\r\n\d+\r\n/,
  )
})
