/** Callbacks of documents: sent to paths of the instance and to allowed hosts, bounded in number and size. */
import t from 'tap'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { until } from '../../support/until.ts'
import { mockServer } from './client.ts'
import { documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

interface Received {
  method: string
  url: string
  headers: Record<string, unknown>
  body: string
}

const received: Received[] = []
const sink = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => (body += chunk))
  request.on('end', () => {
    received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    setTimeout(() => response.end(), (request.url ?? '').includes('slow') ? 300 : 0)
  })
})
await new Promise<void>(resolve => void sink.listen(0, '127.0.0.1', resolve))
const port = (sink.address() as AddressInfo).port
t.teardown(() => void sink.close())
const server = await mockServer(t, {
  plugins: ['mocks', 'bins'],
  env: { SVC_MOCKS_CALLBACK_ALLOWLIST: `127.0.0.1:${port}` },
})

const event = (content: JsonObject, more: JsonObject = {}): JsonObject => ({
  post: { requestBody: { content }, responses: { 200: { description: 'ok' } }, ...more },
})
const subscription = (callbacks: JsonObject, more: JsonObject = {}): JsonObject =>
  documentOf({
    '/subs/{id}': {
      post: {
        operationId: 'subscribe',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: {
          201: {
            description: 'ok',
            headers: { Location: { schema: { type: 'string' }, example: '/subs/9' } },
            content: { 'application/json': { example: { id: 's1', number: 5 } } },
          },
          400: { description: 'no' },
        },
        callbacks,
        ...more,
      },
    },
  })
const subscribe = (name: string, body: Json, headers: Record<string, string> = {}, query = '') =>
  server.call(`/mock/${name}/subs/7${query}`, { method: 'POST', body: body as object, headers })

t.test('a callback is sent to the URL that its expression names [MOCK-99]', async t => {
  const spec = subscription({
    ev: { '{$request.body#/url}/event': event({ 'application/json': { example: { e: 1 } } }) },
    other: {
      '$request.query.hook': {
        put: {
          parameters: [{ name: 'X-Event', in: 'header', schema: { type: 'string' }, example: 'made' }],
          requestBody: {
            content: { 'application/xml': { schema: { type: 'object', properties: { n: { type: 'integer' } } } } },
          },
          responses: {},
        },
      },
    },
  })
  await server.mock('ev', { spec })
  const url = `http://127.0.0.1:${port}`
  const reply = await subscribe('ev', { url: `${url}/a` }, {}, `?hook=${encodeURIComponent(`${url}/b?x=1`)}`)
  t.match(reply, { status: 201, headers: { 'x-svc-mock-callbacks': 'sent=2; skipped=0' } })
  await until(() => received.length === 2, 'both are delivered')
  t.match(
    received.find(({ url }) => url === '/a/event'),
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"e":1}' },
  )
  t.match(
    received.find(({ url }) => url === '/b?x=1'),
    { method: 'PUT', headers: { 'content-type': 'application/xml', 'x-event': 'made' }, body: /<n>\d+<\/n>/ },
  )
})

t.test('expressions read all parts of the request and the response [MOCK-99]', async t => {
  const target = `http://127.0.0.1:${port}`
  const parts =
    '{$method}/{$statusCode}/{$request.path.id}/{$request.header.x-a}/{$response.body#/number}/{$response.header.location}'
  const spec = subscription({ all: { [`${target}/${parts}?{$request.query.q}`]: event({}) } })
  await server.mock('parts', { spec })
  received.length = 0
  t.match(await subscribe('parts', {}, { 'x-a': 'A' }, '?q=Q'), {
    headers: { 'x-svc-mock-callbacks': 'sent=1; skipped=0' },
  })
  await until(() => received.length === 1, 'it is delivered')
  t.equal(received[0]?.url, '/POST/201/7/A/5//subs/9?Q')
})

t.test('a request bin of this instance gets callbacks without a list [MOCK-99]', async t => {
  const spec = subscription({ ev: { '{$request.body#/url}': event({ 'application/json': { example: { e: 2 } } }) } })
  await server.mock('bin', { spec })
  const id = String((await server.call('/bin', { method: 'POST', body: {} })).json['id'])
  for (const url of [`${server.url}/bin/${id}`, `/bin/${id}`])
    t.match((await subscribe('bin', { url })).headers, { 'x-svc-mock-callbacks': 'sent=1; skipped=0' }, url)
  await until(async () => {
    const list = (await server.call(`/bin/${id}/requests`)).json['requests'] as JsonObject[]
    return list.length === 2
  }, 'the bin has them')
})

t.test('what is not sent is said, and nothing else is reached [MOCK-99]', async t => {
  const spec = subscription({ ev: { '{$request.body#/url}': event({ 'application/json': { example: { e: 3 } } }) } })
  await server.mock('not', { spec })
  const cases: [Json, RegExp][] = [
    [{ url: 'http://169.254.169.254/x' }, /^sent=0; skipped=1; reason="ev: SVC_MOCKS_CALLBACK_ALLOWLIST does not have/],
    [{ url: `http://localhost:${port}/x` }, /skipped=1/],
    [{ url: `http://u:p@127.0.0.1:${port}/x` }, /skipped=1/],
    [{ url: 'file:///etc/passwd' }, /skipped=1/],
    [{ url: `//127.0.0.1:${port}/x` }, /skipped=1/],
    [{}, /^sent=0; skipped=1; reason="ev: the request names no URL"$/],
  ]
  received.length = 0
  for (const [body, header] of cases)
    t.match((await subscribe('not', body)).headers['x-svc-mock-callbacks'], header, JSON.stringify(body))
  const own = await subscribe('not', { url: '/_svc/health/unhealthy' })
  t.equal(own.status, 201)
  const failed = await subscribe('not', { url: `http://127.0.0.1:${port}/x` }, { prefer: 'code=400' })
  t.equal(failed.headers['x-svc-mock-callbacks'], undefined, 'only a 2xx response causes callbacks')
  await server.call('/_svc/mocks/not/settings', { method: 'PATCH', body: { callbacks: false } })
  const off = await subscribe('not', { url: `http://127.0.0.1:${port}/x` })
  t.equal(off.headers['x-svc-mock-callbacks'], undefined, 'they can be disabled')
  t.strictSame(received, [])
})

t.test('the number of callbacks is limited [MOCK-99] [MOCK-80]', async t => {
  const callbacks = Object.fromEntries(
    Array.from({ length: 14 }, (_, index) => [`c${index}`, { [`http://127.0.0.1:${port}/slow/${index}`]: event({}) }]),
  )
  await server.mock('many', { spec: subscription(callbacks) })
  received.length = 0
  t.match(
    (await subscribe('many', {})).headers['x-svc-mock-callbacks'],
    /^sent=10; skipped=4; reason="c10: more than 10/,
  )
  await until(() => received.length === 10, 'ten are delivered')
  const replies = await Promise.all(Array.from({ length: 40 }, () => subscribe('many', {})))
  t.ok(
    replies.some(({ headers }) => headers['x-svc-mock-callbacks']?.startsWith('sent=0; skipped=14')),
    'few wait',
  )
})
