/** Requests and responses through the proxy. */
import { gzipSync } from 'node:zlib'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { exchange } from '../../support/raw-client.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { proxyTo, recordingNames, startUpstream } from './upstream.ts'
import { freePort } from '../../support/free-ports.ts'

t.test('method, path, query and body reach the upstream below its path [PROXY-1]', async t => {
  const upstream = await startUpstream(t)
  const { url } = await proxyTo(t, [{ name: 'api', target: `${upstream.url}/v2/`, mode: 'passthrough' }])
  const rows: [method: string, path: string, expected: string, body?: string][] = [
    ['GET', '/proxy/api/charges?a=1&a=%20b', '/v2/charges?a=1&a=%20b'],
    ['GET', '/proxy/api', '/v2'],
    ['GET', '/proxy/api/', '/v2'],
    ['POST', '/proxy/api/charges', '/v2/charges', '{"amount":5}'],
    ['PUT', '/proxy/api/a/%C3%A9/b%2Fc', '/v2/a/%C3%A9/b%2Fc', 'x'],
    ['PATCH', '/proxy/api/x/', '/v2/x/', 'y'],
    ['DELETE', '/proxy/api/x?', '/v2/x'],
    ['OPTIONS', '/proxy/api/x', '/v2/x'],
    ['REPORT', '/proxy/api/x', '/v2/x', 'z'],
  ]
  for (const [method, path, expected, body] of rows) {
    const reply = await send(url, path, { method, ...(body === undefined ? {} : { body }) })
    t.strictSame([reply.status, reply.headers['x-svc-proxy']], [200, 'passthrough'], `${method} ${path}`)
    const last = upstream.received.at(-1)
    t.match(last, { method, url: expected, body: body ?? '' }, `${method} ${path}`)
    t.equal(last?.headers['content-length'], body === undefined ? undefined : String(body.length))
    t.equal(last?.headers['transfer-encoding'], undefined)
  }
})

t.test('end-to-end headers are forwarded, and nothing of the connection or of svc [PROXY-2]', async t => {
  const upstream = await startUpstream(t)
  const { url } = await proxyTo(
    t,
    [
      {
        name: 'api',
        target: upstream.url,
        mode: 'passthrough',
        set_headers: { Authorization: 'Bearer ${BILLING_TOKEN}', 'X-Own': 'fixed' },
      },
    ],
    { BILLING_TOKEN: 'abc-123', SVC_ADMIN_TOKEN: 'the-admin-token-of-this-instance' },
  )
  await send(url, '/proxy/api/x', {
    headers: {
      Accept: 'text/plain',
      'Accept-Encoding': 'zstd, gzip',
      'X-Tag': ['a', 'b'],
      'X-Named': 'gone',
      Connection: 'X-Named',
      'Keep-Alive': 'timeout=5',
      TE: 'trailers',
      'Proxy-Authorization': 'Basic eDp5',
      'X-Svc-Session': 's',
      'X-Svc-Admin-Token': 'the-admin-token-of-this-instance',
      'X-Copied': 'the-admin-token-of-this-instance',
      'X-Own': 'from the client',
      Via: '1.0 fred',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=1',
    },
  })
  const { headers, rawHeaders } = upstream.received[0]!
  t.match(headers, {
    host: `127.0.0.1:${upstream.port}`,
    accept: 'text/plain',
    'accept-encoding': 'zstd, gzip',
    'x-tag': 'a, b',
    authorization: 'Bearer abc-123',
    'x-own': 'fixed',
    via: '1.0 fred, 1.1 svc-test-1',
    tracestate: 'a=1',
  })
  t.match(headers.traceparent, /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[\da-f]{16}-01$/)
  const gone = ['x-named', 'keep-alive', 'te', 'proxy-authorization', 'x-svc-session', 'x-svc-admin-token', 'x-copied']
  for (const name of [...gone, 'x-request-id']) t.equal(headers[name], undefined, name)
  t.equal(rawHeaders.filter(name => name.toLowerCase() === 'host').length, 1)
  await send(url, '/proxy/api/x', { headers: { 'X-Request-Id': 'chosen' } })
  t.equal(upstream.received[1]?.headers['x-request-id'], 'chosen', 'an id that the client chose is forwarded')
  t.equal(upstream.received[1]?.headers.traceparent, undefined)
})

t.test('a response arrives piece by piece, as it was sent [PROXY-3]', async t => {
  let proceed = (): void => {}
  const upstream = await startUpstream(t, async (_request, response) => {
    response.writeHead(207, 'Several', { 'Content-Type': 'text/event-stream', 'X-Twice': ['1', '2'] })
    response.write('data: one\n\n')
    await new Promise<void>(resolve => (proceed = resolve))
    response.end('data: two\n\n')
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const chunks: string[] = []
  const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
    http.get(`${server.url}/proxy/api/feed`, resolve).on('error', reject),
  )
  response.on('data', (chunk: Buffer) => chunks.push(chunk.toString()))
  await until(async () => chunks.length === 1, 'the first event, before the second is sent')
  t.strictSame(chunks, ['data: one\n\n'])
  t.strictSame(
    [response.statusCode, response.headers['content-type'], response.headers['x-twice']],
    [207, 'text/event-stream', '1, 2'],
  )
  proceed()
  await new Promise(resolve => response.once('end', resolve))
  t.equal(chunks.join(''), 'data: one\n\ndata: two\n\n')
})

t.test('bodies are sent on with their coding; HEAD, 204 and 304 have none [PROXY-3]', async t => {
  const zipped = gzipSync('hello '.repeat(1000))
  const upstream = await startUpstream(t, ({ url }, response) => {
    if (url === '/gzip') {
      response.setHeader('Content-Encoding', 'gzip')
      response.setHeader('Content-Length', zipped.length)
      return response.end(zipped)
    }
    response.statusCode = Number(url.slice(1))
    response.setHeader('ETag', '"x"')
    return response.end(response.statusCode === 200 ? 'four' : undefined)
  })
  const { url } = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  const reply = await send(url, '/proxy/api/gzip')
  t.same(reply.body, zipped)
  t.match(reply.headers, { 'content-encoding': 'gzip', 'content-length': String(zipped.length) })
  for (const status of [204, 304]) {
    const empty = await send(url, `/proxy/api/${status}`)
    t.strictSame([empty.status, empty.text, empty.headers.etag], [status, '', '"x"'])
  }
  const zippedHead = await send(url, '/proxy/api/gzip', { method: 'HEAD' })
  t.match(zippedHead.headers, { 'content-encoding': 'gzip', 'content-length': String(zipped.length) })
  t.equal(zippedHead.headers['x-svc-proxy'], 'record')
  const head = await send(url, '/proxy/api/200', { method: 'HEAD' })
  t.strictSame([head.status, head.text, head.headers.etag], [200, '', '"x"'])
})

t.test('a Location below the target leads back through the proxy; others are passed on [PROXY-4]', async t => {
  const upstream = await startUpstream(t, ({ headers }, response) => {
    response.writeHead(302, { Location: String(headers['x-location']) })
    response.end()
  })
  const { url } = await proxyTo(t, [{ name: 'api', target: `${upstream.url}/v2` }])
  const rows: [location: string, expected: string][] = [
    [`${upstream.url}/v2/next?a=1#f`, '/proxy/api/next?a=1#f'],
    ['/v2/next', '/proxy/api/next'],
    ['next', '/proxy/api/deep/next'],
    ['../up', '/proxy/api/up'],
    ['/v2', '/proxy/api'],
    ['/other', '/other'],
    [`${upstream.url}/v22/x`, `${upstream.url}/v22/x`],
    ['https://elsewhere.example/v2/x', 'https://elsewhere.example/v2/x'],
    ['http://[', 'http://['],
  ]
  for (const [index, [location, expected]] of rows.entries()) {
    const path = `/proxy/api/deep/x?n=${index}`
    for (const mode of ['record', 'replay'] as const) {
      const reply = await send(url, path, { headers: { 'X-Location': location } })
      t.strictSame(
        [reply.status, reply.headers.location, reply.headers['x-svc-proxy']],
        [302, expected, mode],
        location,
      )
    }
  }
  const prefixed = await proxyTo(t, [{ name: 'api', target: `${upstream.url}/v2` }], { SVC_BASE_PATH: '/base' })
  const reply = await send(prefixed.url, '/proxy/api/x', { headers: { 'X-Location': '/v2/next' } })
  t.equal(reply.headers.location, '/base/proxy/api/next')
})

t.test('a response cannot act for the origin of svc [PROXY-5]', async t => {
  const upstream = await startUpstream(t, (_request, response) => {
    response.writeHead(200, {
      'Content-Type': 'text/html',
      'Clear-Site-Data': '"*"',
      'Service-Worker-Allowed': '/',
      'Strict-Transport-Security': 'max-age=1',
      'Access-Control-Allow-Origin': 'https://a.example',
      'X-Svc-Fault': 'delay',
      'Set-Cookie': ['a=1; Path=/', 'b=2'],
      'Content-Security-Policy': "default-src 'self'",
    })
    response.end('<script>alert(1)</script>')
  })
  const { url } = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  for (const mode of ['record', 'replay']) {
    const { headers } = await send(url, '/proxy/api/page')
    t.equal(headers['x-svc-proxy'], mode)
    t.match(headers['content-security-policy'], /^default-src 'self', sandbox /)
    for (const name of ['clear-site-data', 'service-worker-allowed', 'strict-transport-security', 'x-svc-fault'])
      t.equal(headers[name], undefined, name)
    t.equal(headers['set-cookie']?.length, 2)
    t.not(headers['access-control-allow-origin'], 'https://a.example')
  }
})

t.test('an upstream that fails is reported in plain words [PROXY-6]', async t => {
  const hanging = await startUpstream(t, () => {})
  const closed = net.createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => closed.once('listening', resolve))
  const { port } = closed.address() as net.AddressInfo
  await new Promise(resolve => closed.close(resolve))
  const { url } = await proxyTo(t, [
    { name: 'gone', target: `http://127.0.0.1:${port}/secret-path` },
    { name: 'slow', target: hanging.url, timeout_ms: 50 },
  ])
  const gone = await send(url, '/proxy/gone/x')
  t.strictSame(
    [gone.status, gone.json()],
    [
      502,
      {
        error: 'upstream_unreachable',
        upstream: 'gone',
        details: 'the upstream "gone" can\'t be reached (ECONNREFUSED)',
      },
    ],
  )
  const slow = await send(url, '/proxy/slow/x')
  t.match([slow.status, slow.json()], [504, { error: 'upstream_timeout', upstream: 'slow' }])
  await until(async () => hanging.received[0]?.isAborted === true, 'the request at the upstream is aborted')
  const unknown = await send(url, '/proxy/nobody/x')
  t.match([unknown.status, unknown.json()], [404, { error: 'unknown_upstream', upstreams: ['gone', 'slow'] }])
})

t.test('a response that breaks off, breaks off for the client too, and is not recorded [PROXY-7]', async t => {
  const upstream = await startUpstream(t, async ({ url }, response) => {
    if (url === '/sized') response.setHeader('Content-Length', '100')
    response.write('the beginning')
    await wait(20)
    response.destroy()
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  for (const path of ['/sized', '/chunked']) {
    await t.rejects(send(server.url, `/proxy/api${path}`), { code: /ECONNRESET|aborted/ }, path)
  }
  t.strictSame(await recordingNames(server, 'api'), [])
})

t.test('a client that disconnects ends the request at the upstream, and nothing is recorded [PROXY-7]', async t => {
  const upstream = await startUpstream(t, ({ url }, response) => {
    if (url === '/body') response.write('first')
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  for (const [index, path] of ['/body', '/head'].entries()) {
    const request = http.get(`${server.url}/proxy/api${path}`).on('error', () => {})
    if (path === '/body') await new Promise(resolve => request.once('response', resolve))
    else await until(async () => upstream.received.length === index + 1, 'the request')
    request.destroy()
    await until(async () => upstream.received[index]?.isAborted === true, `the end of ${path}`)
  }
  t.strictSame(await recordingNames(server, 'api'), [])
})

t.test('a request does not pass the proxy twice; other routes of the instance can be targets [PROXY-8]', async t => {
  const port = await freePort()
  const { url } = await proxyTo(
    t,
    [
      { name: 'own', target: `http://127.0.0.1:${port}/`, mode: 'passthrough' },
      { name: 'again', target: `http://127.0.0.1:${port}/proxy/own`, mode: 'passthrough' },
    ],
    { SVC_HTTP_PORT: String(port) },
    { oneProcess: 'its port is fixed' },
  )
  const echoed = await send(url, '/proxy/own/echo')
  t.match([echoed.status, echoed.json()], [200, { path: '/echo' }])
  const loop = await send(url, '/proxy/again/echo')
  t.match([loop.status, loop.json()], [508, { error: 'proxy_loop' }])
  t.equal((await send(url, '/proxy/own/echo', { headers: { Via: '1.1 svc-other, 1.1 svc-test-10' } })).status, 200)
  t.equal((await send(url, '/proxy/own/echo', { headers: { Via: '1.1 svc-test-1 (a comment)' } })).status, 508)
})

t.test('no path leaves the path of the target [PROXY-9]', async t => {
  const upstream = await startUpstream(t)
  const { url, ports } = await proxyTo(t, [{ name: 'api', target: `${upstream.url}/v2`, mode: 'passthrough' }])
  for (const [path, expected] of [
    ['/proxy/api/a/../b', '/v2/b'],
    ['/proxy/api/./a//b', '/v2/a/b'],
    ['/proxy/api/a/%2e%2e/b', '/v2/b'],
    ['/proxy/api/a/%2E./b/', '/v2/b/'],
    ['/proxy/api/a\\..\\b', '/v2/b'],
    ['/proxy/api/a/..', '/v2'],
    ['/proxy/api/a/%252e%252e/b', '/v2/a/%252e%252e/b'],
  ] as const) {
    const { text } = await exchange(ports.http!, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    t.match(text, /^HTTP\/1\.1 200/, path)
    t.equal(upstream.received.at(-1)?.url, expected, path)
  }
  const before = upstream.received.length
  for (const path of [
    '/proxy/api/../admin',
    '/proxy/api/%2e%2e/admin',
    '/proxy/api/a/../../admin',
    '/proxy/api/..\\admin',
    '/proxy/api/..%2fadmin',
    '/proxy/api/a%2f..%2f..%2fadmin',
    '/proxy/api/..%5cadmin',
    '/proxy/api/a%00b',
    '/proxy/api/a%0d%0ab',
  ]) {
    const { text } = await exchange(ports.http!, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    t.match(text, /^HTTP\/1\.1 400[^]*invalid_path/, path)
  }
  t.equal(upstream.received.length, before)
  t.equal((await send(url, '/proxy/api/%zz')).status, 400)
})

t.test('a WebSocket handshake gets 501 [PROXY-10]', async t => {
  const upstream = await startUpstream(t)
  const { ports } = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const { text } = await exchange(
    ports.http!,
    'GET /proxy/api/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  t.match(text, /^HTTP\/1\.1 501[^]*not_supported/)
  t.equal(upstream.received.length, 0)
})

t.test('faults of the request act before the proxy [PROXY-11]', async t => {
  const upstream = await startUpstream(t)
  const { url } = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  t.equal((await send(url, '/proxy/api/x', { headers: { 'X-Svc-Fail': '503' } })).status, 503)
  t.equal(upstream.received.length, 0)
})

t.test('TLS of the upstream is verified; ca_file adds an authority [PROXY-12]', async t => {
  const upstream = await serve(t, { plugins: ['auth', 'echo'] })
  const ca = await send(upstream.url, '/auth/mtls/get-ca-cert?format=pem')
  const folder = t.testdir({ 'ca.pem': ca.text })
  const { url } = await proxyTo(t, [
    { name: 'unknown', target: upstream.httpsUrl, mode: 'passthrough' },
    { name: 'known', target: upstream.httpsUrl, mode: 'passthrough', ca_file: `${folder}/ca.pem` },
  ])
  t.match((await send(url, '/proxy/unknown/echo')).json(), {
    error: 'upstream_unreachable',
    details: /\((?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)\)/,
  })
  t.match((await send(url, '/proxy/known/echo')).json(), { path: '/echo' })
})

t.test('a web page of another origin reaches no upstream and no recording [PROXY-13]', async t => {
  const upstream = await startUpstream(t)
  const proxy = [{ name: 'api', target: upstream.url }]
  const open = await proxyTo(t, proxy)
  const withToken = await proxyTo(t, proxy, { SVC_CONTROL_AUTH: 'token', SVC_ADMIN_TOKEN: 'a'.repeat(32) })
  const listed = await proxyTo(t, proxy, { SVC_CORS_ORIGINS: 'https://app.example', SVC_HOSTS: 'svc.example' })
  await send(open.url, '/proxy/api/x')
  const before = upstream.received.length
  const foreign: Record<string, string>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    { Host: 'evil.example' },
  ]
  for (const { url } of [open, withToken, listed])
    for (const headers of foreign) {
      const reply = await send(url, '/proxy/api/x', { headers })
      t.equal(reply.status, headers.Host === undefined ? 403 : 421, JSON.stringify(headers))
      t.equal(reply.headers['access-control-allow-origin'], undefined)
    }
  t.equal(upstream.received.length, before)
  for (const [url, headers] of [
    [open.url, { Origin: open.url, 'Sec-Fetch-Site': 'same-origin' }],
    [listed.url, { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' }],
    [listed.url, { Host: 'svc.example' }],
  ] as const)
    t.equal((await send(url, '/proxy/api/x', { headers })).status, 200, JSON.stringify(headers))
})

t.test('sessions in the path keep their prefix [PROXY-4]', async t => {
  const upstream = await startUpstream(t, ({ url }, response) => {
    response.writeHead(302, { Location: '/v2/next' })
    response.end(url)
  })
  const { url } = await proxyTo(t, [{ name: 'api', target: `${upstream.url}/v2` }])
  const reply = await send(url, '/s/t-1/proxy/api/a/b?c=1')
  t.strictSame([reply.text, reply.headers.location], ['/v2/a/b?c=1', '/s/t-1/proxy/api/next'])
})
