/** Request bodies with a content coding (RFC 9110, 8.4). */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { pluginFolder } from '../../support/plugins.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const ROUTES = `import { definePlugin, describe } from 'svc/plugin'
const plain = { summary: 's', category: 'Test', examples: [] }
export default definePlugin({ title: 'r', paths: ['/r'], register(app, svc) {
  app.post('/r/bytes', describe(plain), async request => String(request.body))
  app.post('/r/both', describe(plain), async request => [svc.http.body(request), svc.http.receivedBody(request)].map(String))
  app.post('/r/ignores', describe(plain), async () => 'ignored')
  app.post('/r/parsed', { schema: { body: { type: 'object' } }, ...describe(plain) }, async request => ({ body: request.body, coding: request.headers['content-encoding'] ?? null }))
  app.post('/r/form', describe({ ...plain, errorForm: ({ status, kind, body }) => ({ body: { mine: status, kind, detail: body.detail } }) }), async request => String(svc.http.body(request)))
} })`

const coded = (coding: string, body: Buffer | string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'Content-Encoding': coding },
  body,
})
const TEXT = '{"a":1}'

async function serveRoutes(t: Parameters<typeof serve>[0], env: Record<string, string> = {}) {
  const { folder } = pluginFolder(t, { r: ROUTES })
  return serve(t, { env: { SVC_PLUGINS_DIR: folder, ...env } })
}

t.test('routes get the body without its coding [BODY-1]', async t => {
  const { url } = await serveRoutes(t)
  const rows: [coding: string, body: Buffer][] = [
    ['gzip', gzipSync(TEXT)],
    ['X-GZIP', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['identity', Buffer.from(TEXT)],
    ['identity, gzip', gzipSync(TEXT)],
  ]
  for (const [coding, body] of rows) {
    t.equal((await send(url, '/r/bytes', coded(coding, body))).text, TEXT, coding)
    const [decoded, received] = (await send(url, '/r/both', coded(coding, body))).json<string[]>()
    t.strictSame([decoded, received === TEXT], [TEXT, body.equals(Buffer.from(TEXT))], coding)
    const parsed = (await send(url, '/r/parsed', coded(coding, body))).json()
    t.match(parsed, { body: { a: 1 }, coding: coding === 'identity' ? 'identity' : null }, coding)
  }
  t.equal((await send(url, '/r/bytes', coded('foo', ''))).text, '', 'no body has no coding')
})

t.test('a body that cannot be decoded is refused where it is read [BODY-2]', async t => {
  const { url } = await serveRoutes(t, { SVC_BODY_LIMIT: '100000' })
  const rows: [coding: string, body: Buffer | string, status: number, detail: RegExp][] = [
    ['compress', 'x', 415, /the content coding "compress" is not supported \(supported: gzip, deflate, br/],
    ['gzip, gzip, gzip, gzip, gzip', 'x', 415, /5 content codings/],
    ['gzip', 'plain', 400, /the body is not valid gzip data/],
    ['br', 'plain text that is not brotli', 400, /not valid br data/],
    ['gzip', gzipSync(TEXT).subarray(0, 20), 400, /not valid gzip data/],
    ['gzip', gzipSync(Buffer.alloc(100_001)), 413, /the decoded body exceeds the limit of 100000 bytes/],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(10_000_000))), 413, /the decoded body/],
  ]
  for (const [coding, body, status, detail] of rows) {
    for (const path of ['/r/bytes', '/r/both', '/r/parsed']) {
      const reply = await send(url, path, coded(coding, body))
      t.equal(reply.status, status, `${path} ${coding}`)
      t.match(reply.json(), { detail }, `${path} ${coding}`)
      t.equal(/gzip, deflate, br/.test(reply.headers['accept-encoding'] ?? ''), status === 415)
    }
    t.equal((await send(url, '/r/ignores', coded(coding, body))).text, 'ignored')
    const kind = status === 413 ? 'payload_too_large' : 'refused'
    t.match((await send(url, '/r/form', coded(coding, body))).json(), { mine: status, kind, detail })
  }
  t.equal((await send(url, '/r/bytes', coded('gzip', gzipSync(Buffer.alloc(100_000))))).status, 200)
})

t.test('decoded bodies draw on the memory for large answers [BODY-2]', async t => {
  const { url } = await serveRoutes(t, { SVC_BUDGET_MEMORY_BYTES: '1048576', SVC_BODY_LIMIT: '4000000' })
  const reply = await send(url, '/r/bytes', coded('gzip', gzipSync(Buffer.alloc(2_000_000))))
  t.strictSame([reply.status, reply.headers['retry-after']], [503, '1'])
})

t.test('conditions test the decoded body, also of captured requests [BODY-3]', async t => {
  const { url } = await serveRoutes(t)
  const headers = { 'X-Svc-Session': 'coded', 'Content-Type': 'application/json' }
  const rule = { match: { path: '/r/ignores', json: { '/a': 1 } }, then: { respond: { status: 299 } } }
  const stored = await send(url, '/_svc/rules/coded', { method: 'PUT', headers, body: JSON.stringify(rule) })
  t.equal(stored.status, 201, stored.text)
  const gzip = { ...headers, 'Content-Encoding': 'gzip' }
  const post = (path: string, body: Buffer | string, more: object = {}) =>
    send(url, path, { method: 'POST', headers: { ...gzip, ...more }, body })
  t.equal((await post('/r/ignores', gzipSync(TEXT))).status, 299)
  t.equal((await post('/r/ignores', gzipSync('{"a":2}'))).status, 200)
  t.equal((await post('/r/ignores', 'no gzip')).status, 200)
  t.equal((await post('/r/ignores', gzipSync('{"a":3}'), { 'X-Svc-Fail': '503' })).status, 503)
  for (const a of [1, 2, 3]) {
    const body = JSON.stringify({ match: { json: { '/a': a } }, exactly: 1 })
    const verified = await send(url, '/_svc/verify', { method: 'POST', headers, body })
    t.equal(verified.status, 200, verified.text)
  }
  const { requests } = (await send(url, '/_svc/requests?session=coded&limit=4')).json<{ requests: object[] }>()
  t.match(requests, [
    { body: null, body_base64: gzipSync('{"a":3}').toString('base64'), body_decoded: '{"a":3}' },
    { body: 'no gzip', body_decoded: null },
    { body_decoded: '{"a":2}' },
    { body_decoded: '{"a":1}', body_size: gzipSync(TEXT).length },
  ])
})

t.test('exports of captured requests have no secrets of coded bodies [BODY-3]', async t => {
  const { url } = await serveRoutes(t)
  const headers = { 'X-Svc-Session': 'secret', 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
  await send(url, '/r/bytes', { method: 'POST', headers, body: gzipSync('{"password":"hunter-22"}') })
  const har = (await send(url, '/_svc/requests/export?format=har&session=secret')).text
  t.match(har, /REDACTED/)
  t.notMatch(har, /hunter-22|content-encoding|_encoding/)
})

t.test('protocols, models and mocks read coded bodies and refuse unknown codings [BODY-4]', async t => {
  const { url } = await serve(t, {
    plugins: ['llm-openai', 'llm-anthropic', 'graphql', 'jsonrpc', 'mcp', 'a2a', 'soap', 'mocks'],
  })
  const paths = [
    '/ai/v1/chat/completions',
    '/ai/anthropic/v1/messages',
    '/graphql',
    '/jsonrpc',
    '/mcp',
    '/a2a/echo',
    '/_svc/verify',
    '/soap',
    '/mock/petstore/v1/pets',
  ]
  for (const path of paths) {
    const plain = await send(url, path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: TEXT })
    const gzip = await send(url, path, coded('gzip', gzipSync(TEXT)))
    const unlike = (text: string): string =>
      text.replaceAll(/[\da-f]{8}-[\da-f-]{27}|"req_\w+"|"timestamp":"[^"]*"/g, '')
    t.strictSame([gzip.status, unlike(gzip.text)], [plain.status, unlike(plain.text)], path)
    const unknown = await send(url, path, coded('rot13', TEXT))
    t.equal(unknown.status, 415, `${path} ${unknown.text.slice(0, 200)}`)
    t.match(unknown.text, /rot13/, path)
  }
})

t.test('routes that show or store what was sent keep the coding [BODY-5]', async t => {
  const { url } = await serve(t, { plugins: ['echo', 'httpbin'] })
  const body = gzipSync(TEXT)
  t.match((await send(url, '/echo', coded('gzip', body))).json(), {
    body: { included: false, bytes: body.length, utf8: false, reason: 'binary' },
  })
  t.equal((await send(url, '/echo', coded('rot13', 'x'))).status, 200)
  t.equal((await send(url, '/httpbin/post', coded('rot13', 'x'))).status, 200)
})
