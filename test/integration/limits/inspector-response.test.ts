/** The response side of the inspector: headers and beginning of the body as sent, and why a request ended as it did. */
import t from 'tap'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer, type TestServerOptions } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const ROUTES = `import { definePlugin, describe } from 'svc/plugin'
const plain = { summary: 's', category: 'Test', examples: [] }
export default definePlugin({ title: 'x', paths: ['/x'], faultKinds: ['ai'], register(app, svc) {
  app.all('/x/text', describe(plain), async (request, reply) => reply.header('X-Twice', ['a', 'b']).send('grüße'))
  app.get('/x/whole/:n', describe(plain), async request => 'é'.repeat(Number(request.params.n)))
  app.get('/x/base64', describe(plain), (request, reply) => { reply.hijack(); reply.raw.setHeader('X-Raw', '1'); reply.raw.end('aGFsbG8=', 'base64') })
  app.get('/x/bytes/:n', describe(plain), async (request, reply) => reply.type('application/octet-stream').send(Buffer.alloc(Number(request.params.n), 0xff)))
  app.get('/x/stream/:n', describe(plain), (request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'Content-Type': 'text/plain' })
    for (let index = 0; index < Number(request.params.n); index++) reply.raw.write(index % 2 === 0 ? 'a'.repeat(99) + '\\n' : Buffer.from('b'.repeat(99) + '\\n'))
    if (request.query.open === undefined) reply.raw.end('end')
  })
  app.get('/x/empty', describe(plain), (request, reply) => reply.code(204).send())
  app.get('/x/echo', describe(plain), async (request, reply) => reply.header('X-Seen', request.query.q).send({ q: request.query.q }))
  app.get('/x/hold', describe(plain), () => new Promise(() => {}))
  app.get('/x/fails', describe(plain), async () => { throw new Error('no') })
  app.get('/x/teapot', describe(plain), async (request, reply) => reply.code(418).send('short'))
  app.get('/x/marked', describe(plain), async (request, reply) => { svc.http.markFault(request, reply, 'ai', 'rule: busy', 'rule'); return reply.code(503).send('busy') })
  app.get('/x/unsaid', describe(plain), async (request, reply) => { svc.http.markFault(request, reply, 'ai'); return reply.code(500).send('') })
  app.get('/x/cut', describe(plain), (request, reply) => { reply.hijack(); svc.http.abortResponse(request, reply) })
} })`

function start(
  test: Parameters<typeof serve>[0],
  env: Record<string, string> = {},
  options: TestServerOptions = {},
): Promise<TestServer> {
  return serve(test, { env, builtinFolder: pluginFolder(test, { x: ROUTES }).folder, ...options })
}

async function newest(server: TestServer, token?: string): Promise<InspectorEntry> {
  const response = await fetch(`${server.url}/_svc/requests?limit=1`, {
    headers: token === undefined ? {} : { 'X-Svc-Admin-Token': token },
  })
  return ((await response.json()) as { requests: [InspectorEntry] }).requests[0]
}

const ended = (server: TestServer) =>
  until(async () => {
    const entry = await newest(server)
    return entry.ended === 'open' ? undefined : entry
  })

/** Resolves with the raw headers, or null if there was no response. */
function read(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<string[] | null> {
  return new Promise(resolve => {
    httpRequest(url, { headers, method, agent: false }, answer =>
      answer
        .on('error', () => {})
        .on('close', () => resolve(answer.rawHeaders))
        .resume(),
    )
      .on('error', () => resolve(null))
      .end()
  })
}

const pairs = (raw: string[] | null) =>
  Array.from({ length: raw!.length / 2 }, (_, index) => ({
    name: raw![2 * index]!.toLowerCase(),
    value: raw![2 * index + 1]!,
  }))

t.test('headers are those that the client received, in their order [INSP-14]', async t => {
  const server = await start(t, {}, { oneProcess: 'a proxy owns the field Connection' })
  for (const path of ['/x/text', '/x/base64', '/x/stream/3', '/x/empty', '/unknown', '/x/bytes/5']) {
    const received = await read(server.url + path)
    t.strictSame((await newest(server)).response_headers, pairs(received), path)
  }
  const entry = await newest(server)
  t.ok(
    entry.response_headers!.some(({ name }) => name === 'date'),
    'also those that Node adds',
  )
})

t.test('headers and body over HTTP/2 [INSP-14]', async t => {
  const server = await start(t, { SVC_GRPC_ON_HTTP: 'true' })
  const session = connectHttp2(server.url)
  t.teardown(() => session.close())
  const stream = session.request({ ':path': '/x/text' })
  const received = new Promise<Record<string, unknown>>(resolve => {
    stream.on('response', headers => resolve(headers))
  })
  t.equal(await text(stream), 'grüße')
  const { ':status': status, 'x-twice': twice, ...others } = await received
  t.equal(status, 200)
  t.ok(twice)
  const entry = await newest(server)
  t.equal(entry.response_body, 'grüße')
  const shown = entry.response_headers!
  t.strictSame(
    shown.filter(({ name }) => name === 'x-twice').map(({ value }) => value),
    ['a', 'b'],
  )
  for (const [name, value] of Object.entries(others))
    t.ok(
      shown.some(header => header.name === name && header.value === String(value)),
      name,
    )
  t.notOk(shown.some(({ name }) => name.startsWith(':')))
})

t.test('the beginning of the body is kept as it was sent [INSP-15]', async t => {
  const server = await start(t)
  const bodyOf = async (path: string, method = 'GET') => {
    await read(server.url + path, {}, method)
    const { response_body, response_body_base64, response_body_truncated, bytes_sent } = await ended(server)
    return { response_body, response_body_base64, response_body_truncated, bytes_sent }
  }
  const whole = { response_body_base64: null, response_body_truncated: false }
  t.strictSame(await bodyOf('/x/text'), { response_body: 'grüße', ...whole, bytes_sent: 7 })
  t.strictSame(await bodyOf('/x/base64'), { response_body: 'hallo', ...whole, bytes_sent: 5 })
  t.strictSame(await bodyOf('/x/text', 'HEAD'), { response_body: null, ...whole, bytes_sent: 0 })
  t.strictSame(await bodyOf('/x/empty'), { response_body: null, ...whole, bytes_sent: 0 })
  t.strictSame(await bodyOf('/x/bytes/3'), {
    response_body: null,
    response_body_base64: '////',
    response_body_truncated: false,
    bytes_sent: 3,
  })
  const cut = await bodyOf('/x/whole/40000')
  t.equal(cut.response_body, 'é'.repeat(32_768), '65536 bytes of a body in one piece')
  t.equal(cut.response_body_truncated, true)
  t.equal(Buffer.from((await bodyOf('/x/bytes/70000')).response_body_base64!, 'base64').length, 65_536)
  const piece = `${'a'.repeat(99)}\n${'b'.repeat(99)}\n`
  t.strictSame(await bodyOf('/x/stream/4'), { response_body: `${piece}${piece}end`, ...whole, bytes_sent: 403 })
  const stream = await bodyOf('/x/stream/400')
  t.equal(stream.response_body, piece.repeat(200).slice(0, 16_384), '16384 bytes of a body in several pieces')
  t.equal(stream.response_body_truncated, true)
  t.equal(stream.bytes_sent, 40_003)
})

t.test('an open stream shows what was sent so far [INSP-15]', async t => {
  const server = await start(t)
  const stop = new AbortController()
  const response = await fetch(`${server.url}/x/stream/1?open`, { signal: stop.signal })
  await response.body!.getReader().read()
  const open = await newest(server)
  t.match(open, {
    ended: 'open',
    response_body: `${'a'.repeat(99)}\n`,
    response_body_truncated: false,
    end_reason: null,
  })
  t.equal(open.response_headers!.find(({ name }) => name === 'content-type')!.value, 'text/plain')
  stop.abort()
  const last = await ended(server)
  t.match(last, {
    ended: 'client_left',
    response_body: open.response_body!,
    end_reason: 'the client disconnected after 100 bytes of the body',
  })
})

t.test('credentials of the control plane are redacted in responses too [INSP-4]', async t => {
  const token = 'a-secret-of-the-operator'
  const server = await start(t, { SVC_ADMIN_TOKEN: token })
  await read(`${server.url}/x/echo?q=${token}`)
  const entry = await newest(server, token)
  t.equal(entry.response_body, '{"q":"redacted"}')
  t.strictSame(
    entry.response_headers!.find(({ name }) => name === 'x-seen'),
    { name: 'x-seen', value: 'redacted' },
  )
  t.notOk(JSON.stringify(entry).includes(token))
})

t.test('why a request ended as it did [INSP-16]', async t => {
  const server = await start(t, { SVC_REQUEST_TIMEOUT: '1', SVC_BODY_LIMIT: '1024' })
  type Why = Pick<InspectorEntry, 'status' | 'fault_origin' | 'abort' | 'end_reason'>
  const check = async (name: string, wanted: Why) => {
    const { status, fault_origin, abort, end_reason } = await ended(server)
    t.strictSame({ status, fault_origin, abort, end_reason }, wanted, name)
  }
  for (const [abort, status, what] of [
    ['reset', 444, 'connection reset'],
    ['close', 444, 'connection closed before the response'],
    ['empty', 200, 'connection closed after the headers'],
    ['truncate', 200, 'connection closed in the middle of the body'],
    ['bad-chunk', 200, 'connection closed after an invalid chunk'],
    ['garbage', 444, 'connection closed after bytes that are not HTTP'],
  ] as const) {
    await read(`${server.url}/x/text`, { 'X-Svc-Abort': abort })
    await check(abort, { status, fault_origin: 'header', abort, end_reason: `${what} by X-Svc-Abort` })
  }
  const none = { fault_origin: null, abort: null }
  const rows: [path: string, headers: Record<string, string>, Why][] = [
    ['/x/text', {}, { ...none, status: 200, end_reason: null }],
    ['/x/teapot', {}, { ...none, status: 418, end_reason: null }],
    [
      '/x/text',
      { 'X-Svc-Fail': '503' },
      { status: 503, fault_origin: 'header', abort: null, end_reason: '503 injected by X-Svc-Fail' },
    ],
    [
      '/x/text',
      { 'X-Svc-Delay': '5' },
      { status: 200, fault_origin: 'header', abort: null, end_reason: 'delayed by X-Svc-Delay: 5' },
    ],
    ['/x/marked', {}, { status: 503, fault_origin: 'rule', abort: null, end_reason: '503 injected by rule: busy' }],
    ['/x/unsaid', {}, { status: 500, fault_origin: 'endpoint', abort: null, end_reason: '500 injected by ai' }],
    ['/x/cut', {}, { ...none, status: 444, end_reason: 'response aborted by the plugin x' }],
    ['/x/fails', {}, { ...none, status: 500, end_reason: 'the route failed' }],
    ['/nothing', {}, { ...none, status: 404, end_reason: 'no route matches this path' }],
    ['/x/hold', {}, { ...none, status: 503, end_reason: 'the route sent no response headers in time' }],
  ]
  for (const [path, headers, wanted] of rows) {
    await read(server.url + path, headers)
    await check(`${path} ${JSON.stringify(headers)}`, wanted)
  }
  await read(`${server.url}/x/teapot`, {}, 'PUT')
  await check('405', { ...none, status: 405, end_reason: 'no route of this path has this method' })
  await fetch(`${server.url}/x/text`, { method: 'POST', body: 'x'.repeat(2000) })
  await check('413', { ...none, status: 413, end_reason: 'the body exceeds the limit' })
  await fetch(`${server.url}/x/hold`, { signal: AbortSignal.timeout(100) }).catch(() => {})
  await until(async () => (await newest(server)).status === 499)
  await check('client', { ...none, status: 499, end_reason: 'the client disconnected before the response' })
})
