/** Standard Fastify features in a third-party plugin: bodies, schemas, logs, errors, hooks and scopes. */
import t from 'tap'
import { once } from 'node:events'
import { request as open } from 'node:http'
import http2 from 'node:http2'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { serve, type TestServer } from '../../support/server.ts'

let server: TestServer
t.before(async () => {
  server = await serve(t, {
    oneProcess: 'it reads the log of the process',
    folders: [join(import.meta.dirname, '..', '..', 'fixtures', 'fastify-plugin', 'idioms')],
    plugins: ['idioms', 'echo'],
    env: { SVC_LOG_LEVEL: 'info', SVC_LOG_FORMAT: 'json', SVC_BODY_LIMIT: '4096', SVC_GRPC_ON_HTTP: 'true' },
  })
})

interface Answer {
  status: number
  body: unknown
  headers: Headers
}
async function call(
  method: string,
  path: string,
  { body, type, headers = {} }: { body?: BodyInit; type?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/idioms${path}`, {
    method,
    headers: { ...(type === undefined ? {} : { 'Content-Type': type }), ...headers },
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  })
  const content = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(content) : content, headers: response.headers }
}
const post = (path: string, body: BodyInit, type?: string): Promise<Answer> =>
  call('POST', path, { body, ...(type === undefined ? {} : { type }) })
const JSON_TYPE = 'application/json'

t.test('the plugin starts', async t => {
  t.equal(server.plugins().find(({ name }) => name === 'idioms')?.error, null)
})

t.test('bodies of any type are bytes unless the scope parses them [KIT-7]', async t => {
  for (const type of [JSON_TYPE, 'text/csv', 'no type at all', 'multipart/form-data']) {
    t.match(await post('/bytes', '{"broken', type), { status: 200, body: { is: 'bytes 8', type } })
  }
  t.match(await call('POST', '/bytes'), { status: 200, body: { is: 'bytes 0' } })
})

t.test("a body schema parses, sets defaults, coerces and validates by Fastify's rules [KIT-7]", async t => {
  t.match(await post('/schema', '{"name":"Ada"}', JSON_TYPE), { status: 200, body: { name: 'Ada', age: 1 } })
  t.match(await post('/schema', '{"name":"Ada","age":"7"}', 'application/json; charset=utf-8'), {
    status: 200,
    body: { name: 'Ada', age: 7 },
  })
  t.match(await call('PATCH', '/schema', { body: '{"name":"Ada"}', type: JSON_TYPE }), {
    status: 200,
    body: { method: 'PATCH', body: { name: 'Ada', age: 1 }, bytes: 14, raw: 'PATCH' },
  })
  t.match(await post('/late', '{"name":"Ada"}', JSON_TYPE), { status: 200, body: { name: 'Ada', age: 1 } })
  t.match(await post('/attached', '{}', JSON_TYPE), {
    status: 200,
    body: { invalid: "body must have required property 'name'" },
  })
  t.match(await call('POST', '/empty'), { status: 200, body: { body: null } })

  const refusals: [body: string, type: string, status: number, answer: object][] = [
    ['{"age":1}', JSON_TYPE, 400, { error: 'bad request', detail: "body must have required property 'name'" }],
    ['{"name":"x","age":"old"}', JSON_TYPE, 400, { error: 'bad request', detail: 'body/age must be integer' }],
    ['{"name":', JSON_TYPE, 400, { error: 'bad request', detail: 'the body is not valid JSON' }],
    [
      '{"name":"x","__proto__":{"admin":true}}',
      JSON_TYPE,
      400,
      { error: 'bad request', detail: 'the body is not valid JSON' },
    ],
    [
      'name=x',
      'application/x-www-form-urlencoded',
      415,
      { error: 'unsupported media type', detail: 'no parser for the Content-Type "application/x-www-form-urlencoded"' },
    ],
    [
      'x',
      'no type at all',
      415,
      { error: 'unsupported media type', detail: 'no parser for the Content-Type "no type at all"' },
    ],
    ['x', 'text/plain', 400, { error: 'bad request', detail: 'body must be object' }],
  ]
  for (const [body, type, status, answer] of refusals) {
    const { status: got, body: answered } = await post('/schema', body, type)
    t.strictSame([got, answered], [status, answer], `${type} ${body}`)
  }
  t.match(await post('/schema', new ReadableStream({ start: controller => controller.close() }), JSON_TYPE), {
    status: 400,
    body: { error: 'bad request', detail: 'the body is empty; expected JSON' },
  })
  t.match(await call('POST', '/schema', { type: JSON_TYPE }), {
    status: 400,
    body: { error: 'bad request', detail: 'the body is empty; expected JSON' },
  })
})

t.test('SVC_BODY_LIMIT and bodyLimit of a route limit the body [KIT-7]', async t => {
  const body = JSON.stringify({ name: 'x'.repeat(5000) })
  t.match(await post('/schema', body, JSON_TYPE), { status: 413, body: { error: 'payload too large', limit: 4096 } })
  t.match(await post('/small', '{"name":"1234567890"}', JSON_TYPE), {
    status: 413,
    body: { error: 'payload too large', limit: 20 },
  })
  t.match(await post('/small', '{"name":"123456789"}', JSON_TYPE), { status: 200 })
})

t.test('chunked bodies are parsed [KIT-7]', async t => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = open(
      `${server.url}/idioms/schema`,
      { method: 'POST', headers: { 'Content-Type': JSON_TYPE } },
      response => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    request.on('error', reject)
    request.write('{"name":')
    setTimeout(() => request.end('"Ada"}'), 20)
  })
  t.equal(status, 200)
})

t.test('bodies over HTTP/2 are parsed [KIT-7]', async t => {
  const session = http2.connect(server.url)
  t.teardown(() => session.close())
  const send = async (path: string, body: string): Promise<{ status: number | undefined; body: unknown }> => {
    const stream = session.request({ ':method': 'POST', ':path': `/idioms${path}`, 'content-type': JSON_TYPE })
    stream.end(body)
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader]
    return { status: headers[':status'], body: JSON.parse(await text(stream)) }
  }
  t.strictSame(await send('/schema', '{"name":"Ada"}'), { status: 200, body: { name: 'Ada', age: 1 } })
  t.match(await send('/schema', '{"name"'), { status: 400, body: { error: 'bad request' } })
  t.match(await send('/bytes', '{"name"'), { status: 200, body: { is: 'bytes 7' } })
})

t.test('query, headers, parameters and response can have schemas [KIT-8]', async t => {
  t.match(await call('GET', '/query?n=21'), { status: 200, body: { n: 21, twice: 42 } })
  t.notMatch((await call('GET', '/query?n=21')).body, { hidden: true })
  t.match(await call('GET', '/query'), {
    status: 400,
    body: { error: 'bad request', detail: "querystring must have required property 'n'" },
  })
  t.match(await call('GET', '/query?n=1', { headers: { 'X-Mode': 'c' } }), {
    status: 400,
    body: { detail: 'headers/x-mode must be equal to one of the allowed values' },
  })
  t.match(await call('GET', '/params/x'), { status: 400, body: { detail: 'params/id must be integer' } })
})

t.test('a scope can parse forms, files, custom types and streams, and have hooks before parsing [KIT-7]', async t => {
  t.match(await post('/forms', 'a=1&b=x+y', 'application/x-www-form-urlencoded'), {
    status: 200,
    body: { body: { a: '1', b: 'x y' } },
  })
  t.match(await post('/forms/', '{"a":1}', JSON_TYPE), { status: 200, body: { body: { a: 1 } } })
  t.match(await post('/forms', 'a,b', 'text/csv'), { status: 415, body: { error: 'unsupported media type' } })
  t.match(await post('/lines', 'a\nb', 'text/x-lines'), { status: 200, body: ['a', 'b'] })
  t.match(await post('/lines', 'x'.repeat(4000), 'application/x-stream'), { status: 200, body: { bytes: 4000 } })
  t.match(await post('/lines/upper', 'a\nb', 'text/x-lines'), { status: 200, body: ['A', 'B'] })
  t.match(await post('/lines/upper', '{"a":"b"}', JSON_TYPE), { status: 200, body: { A: 'B' } })
  t.match(await post('/lines', '1234567890', 'text/x-short'), { status: 200, body: '1234567890' })
  t.match(await post('/lines', '12345678901', 'text/x-short'), {
    status: 413,
    body: { error: 'payload too large', detail: 'the body exceeds the limit of its parser' },
  })
  t.match(await post('/lines/piped', '[1]', JSON_TYPE), { status: 200, body: '[1]' })
})

t.test('files are streamed [KIT-8]', async t => {
  const form = (size: number): FormData => {
    const data = new FormData()
    data.set('file', new Blob(['x'.repeat(size)]), 'a.txt')
    return data
  }
  t.match(await post('/files/file', form(900)), { status: 200, body: { name: 'a.txt', bytes: 900 } })
  t.match(await post('/files/file', form(1001)), {
    status: 413,
    body: { error: 'payload too large', code: 'FST_REQ_FILE_TOO_LARGE', detail: 'request file too large' },
  })
  t.match(await post('/files/file', '{}', JSON_TYPE), { status: 406, body: { error: 'not acceptable' } })
  t.match(await post('/files/other', '{"a":1}', JSON_TYPE), { status: 200, body: { is: 'object', raw: 'bytes 7' } })
  const cut = await post(
    '/files/file',
    '--a\r\nContent-Disposition: form-data; name="p"; filename="x"\r\n\r\ncut',
    'multipart/form-data; boundary=a',
  )
  t.ok(cut.status >= 400, 'a form that is cut off ends')
})

t.test('app.log, svc.log and request.log write to the log of svc [KIT-9]', async t => {
  const id = 'fastify-idioms-log'
  t.match(await call('GET', '/log', { headers: { 'X-Request-Id': id } }), { status: 200, body: { level: 'info', id } })
  t.match(await call('GET', '/log-debug', { headers: { 'X-Request-Id': id } }), {
    status: 200,
    body: { level: 'debug' },
  })
  const lines = server.lines.map(line => JSON.parse(line) as Record<string, unknown>)
  t.match(
    lines.find(({ message }) => message === 'app registered'),
    { level: 'info', plugin: 'idioms' },
  )
  t.match(
    lines.find(({ message }) => message === 'svc registered'),
    { level: 'info', plugin: 'idioms', by: 'svc' },
  )
  const own = lines.filter(({ request_id: of, message }) => of === id && message !== 'request')
  const common = { plugin: 'idioms', request_id: id }
  t.match(own, [
    { level: 'info', message: 'fields first', ...common, a: 1 },
    { level: 'info', message: 'values x 2', ...common },
    { level: 'warn', message: 'from a child', ...common, area: 'inner' },
    { level: 'error', message: 'logged error', ...common, error: /^Error: logged error\n/ },
    { level: 'info', message: 'a request', ...common, req: { method: 'GET', url: '/idioms/log' } },
    { level: 'debug', message: 'shown', ...common },
  ])
  t.equal(own.length, 6)
  t.equal(lines.filter(({ message }) => /incoming request|request completed/.test(String(message))).length, 0)
})

t.test('errors are sent with their status; messages of 5xx are not sent [KIT-10]', async t => {
  const refused = await call('GET', '/throw/418')
  t.strictSame(
    [refused.status, refused.body],
    [418, { error: "i'm a teapot", code: 'OWN_CODE', detail: 'secret of 418' }],
  )
  t.equal(refused.headers.get('retry-after'), '7')
  const busy = await call('GET', '/throw/503', { headers: { 'X-Request-Id': 'busy' } })
  t.strictSame([busy.status, busy.body], [503, { error: 'service unavailable', request_id: 'busy' }])
  t.equal(busy.headers.get('retry-after'), '7')
  t.match(
    server.lines.find(line => line.includes('"request_id":"busy"') && line.includes('exception in a route')),
    /secret of 503/,
  )
  for (const status of [200, 399, 600, 500]) {
    t.match(await call('GET', `/throw/${status}`, { headers: { 'X-Request-Id': 'broken' } }), {
      status: 500,
      body: { error: 'internal error', request_id: 'broken' },
    })
  }
  t.strictSame((await call('GET', '/send')).body, { error: "i'm a teapot", detail: 'short and stout' })
  t.match(await call('GET', '/nothing'), { status: 500 })
  t.match(await call('GET', '/negotiated', { headers: { Accept: 'application/xml' } }), {
    status: 409,
    body: /<detail>secret of 409<\/detail>/,
  })
  const formed = await call('GET', '/form')
  t.strictSame(
    [formed.status, formed.headers.get('x-form'), formed.body],
    [409, 'refused', { status: 409, was: { error: 'conflict', detail: 'secret of 409' } }],
  )
})

t.test('error and not-found handlers apply to their scope [KIT-10]', async t => {
  t.match(await call('GET', '/own/error'), { status: 444, body: { own: 'secret of 444' } })
  t.match(await call('GET', '/own/refusal'), { status: 409, body: { own: 'taken' } })
  t.match(await call('GET', '/own/http-error'), { status: 410, body: { own: 'gone' } })
  t.match(await call('GET', '/own/rethrown'), { status: 418, body: { own: 'secret of 418' } })
  t.match(await post('/own/schema', '{}', JSON_TYPE), {
    status: 400,
    body: { own: "body must have required property 'name'" },
  })
  for (const method of ['GET', 'POST', 'DELETE']) {
    t.match(await call(method, '/own/lost/way', { headers: { 'X-Visitor': 'Ada' } }), {
      status: 404,
      body: { lost: '/idioms/own/lost/way', visitor: 'Ada' },
    })
  }
  for (const type of [JSON_TYPE, 'text/csv', 'text/x-own'])
    t.match(await post('/own/lost', '{', type), { status: 404, body: { lost: '/idioms/own/lost' } })
  t.match(await call('GET', '/own/call-not-found'), { status: 404, body: { lost: '/idioms/own/call-not-found' } })
  t.match(await call('GET', '/call-not-found'), {
    status: 404,
    body: { error: 'not found', path: '/idioms/call-not-found' },
  })
  t.match(await call('GET', '/elsewhere'), { status: 404, body: { error: 'not found', hint: /GET \// } })
  t.match(await call('DELETE', '/query'), { status: 405, body: { error: 'method not allowed' } })
  const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as { endpoints: { path: string }[] }
  t.equal(endpoints.filter(({ path }) => path.includes('/own/{*')).length, 0, 'it is not an endpoint')
})

t.test('hooks, decorators, cookies and nested plugins work [KIT-8]', async t => {
  await call('GET', '/seen')
  const { status, body, headers } = await call('GET', '/hooked', { headers: { 'X-Visitor': 'Ada', Cookie: 'a=b' } })
  t.strictSame([status, body], [200, { answer: 42, cookie: 'b', serialized: true }])
  t.match(Object.fromEntries(headers), { 'x-shout': 'HELLO', 'x-sent': '1', 'set-cookie': /^seen=yes/ })
  t.match(await call('GET', '/hooked', { headers: { 'X-Visitor': 'breaker' } }), { status: 422 })
  t.strictSame((await call('GET', '/seen')).body, [
    'preHandler Ada',
    'onResponse',
    'preHandler breaker',
    'onError secret of 422',
    'onResponse',
  ])
})

t.test('other plugins are not affected', async t => {
  const echoed = (await (
    await fetch(`${server.url}/echo`, { method: 'POST', body: 'a=1', headers: { 'Content-Type': 'no type at all' } })
  ).json()) as { body: unknown }
  t.match(JSON.stringify(echoed.body), 'a=1')
})
