/** `Proxy-Status` of the proxy (RFC 9209), and `Incremental` on its way through it (RFC 10036). */
import http from 'node:http'
import net from 'node:net'
import t from 'tap'
import { proxyErrorOf } from '../../../plugins/proxy/proxy-status.ts'
import { exchange } from '../../support/raw-client.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { proxyTo, startUpstream } from './upstream.ts'

/** A server that sends these bytes to each request and closes the connection. */
async function rawServer(test: { teardown(callback: () => unknown): unknown }, bytes: string): Promise<string> {
  const server = net.createServer(socket => socket.on('error', () => {}).once('data', () => socket.end(bytes)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  test.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`
}

async function closedPort(): Promise<number> {
  const closed = net.createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => closed.once('listening', resolve))
  const { port } = closed.address() as net.AddressInfo
  await new Promise(resolve => closed.close(resolve))
  return port
}

t.test('errors of the proxy itself have their cause in Proxy-Status [PROXY-70]', async t => {
  const hanging = await startUpstream(t, () => {})
  const secure = await serve(t, { plugins: ['echo'] })
  const { url, ports } = await proxyTo(t, [
    { name: 'gone', target: `http://127.0.0.1:${await closedPort()}` },
    { name: 'slow', target: hanging.url, timeout_ms: 50 },
    { name: 'nowhere', target: 'http://nobody.invalid' },
    { name: 'untrusted', target: secure.httpsUrl },
    { name: 'silent', target: await rawServer(t, '') },
    { name: 'partial', target: await rawServer(t, 'HTTP/1.1 200 OK\r\nContent-Ty') },
    { name: 'garbled', target: await rawServer(t, 'no HTTP at all\r\n\r\n') },
    { name: 'empty', target: hanging.url, mode: 'replay' },
  ])
  for (const [path, status, error] of [
    ['/proxy/gone/x', 502, 'connection_refused'],
    ['/proxy/slow/x', 504, 'http_response_timeout'],
    ['/proxy/nowhere/x', 502, 'dns_error'],
    ['/proxy/untrusted/x', 502, 'tls_certificate_error'],
    ['/proxy/silent/x', 502, 'connection_terminated'],
    ['/proxy/partial/x', 502, 'http_response_incomplete'],
    ['/proxy/garbled/x', 502, 'http_protocol_error'],
    ['/proxy/empty/x', 404, 'proxy_internal_response; details="no recording matches"'],
    ['/proxy/nobody/x', 404, 'http_request_error'],
    ['/proxy/gone/a%00b', 400, 'http_request_error'],
  ] as const) {
    const reply = await send(url, path)
    t.match(reply, { status, headers: { 'proxy-status': `svc; error=${error}` } }, path)
  }
  const loop = await send(url, '/proxy/gone/x', { headers: { Via: '1.1 svc-test-1' } })
  t.match(loop, { status: 508, headers: { 'proxy-status': 'svc; error=proxy_loop_detected' } })
  const { text } = await exchange(
    ports.http!,
    'GET /proxy/gone/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  t.match(text, /^HTTP\/1\.1 501[^]*proxy-status: svc; error=http_request_error/i)
})

t.test('codes of Node have error types of RFC 9209 [PROXY-70]', async t => {
  for (const [code, error] of [
    ['ETIMEDOUT', 'connection_timeout'],
    ['EAI_AGAIN', 'dns_error'],
    ['ENOTFOUND', 'dns_error'],
    ['EHOSTUNREACH', 'destination_ip_unroutable'],
    ['CERT_HAS_EXPIRED', 'tls_certificate_error'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_certificate_error'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_certificate_error'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_certificate_error'],
    ['EPROTO', 'tls_protocol_error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_protocol_error'],
    ['HPE_HEADER_OVERFLOW', 'http_response_header_section_size'],
    ['HPE_INVALID_CONSTANT', 'http_protocol_error'],
    ['EMFILE', 'destination_unavailable'],
    ['constructor', 'destination_unavailable'],
    [undefined, 'destination_unavailable'],
  ] as const)
    t.equal(proxyErrorOf(code, false), error, String(code))
})

t.test("an upstream's Proxy-Status is kept, with the member of svc behind it [PROXY-71]", async t => {
  const upstream = await startUpstream(t, ({ url }, response) => {
    if (url === '/one') response.setHeader('Proxy-Status', 'inner; received-status=200')
    if (url === '/two') response.setHeader('Proxy-Status', ['a.example; error=dns_error', '"b c"; next-hop=x'])
    response.statusCode = url === '/two' ? 503 : 200
    response.end('x')
  })
  const { url } = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  const seen = async (path: string): Promise<unknown> => {
    const { headers } = await send(url, `/proxy/api${path}`)
    return [headers['x-svc-proxy'], headers['proxy-status']]
  }
  t.same(await seen('/one'), ['record', 'inner; received-status=200, svc; received-status=200'])
  t.same(await seen('/one'), ['replay', 'inner; received-status=200, svc'])
  t.same(await seen('/two'), ['record', 'a.example; error=dns_error, "b c"; next-hop=x, svc; received-status=503'])
  t.same(await seen('/none'), ['record', undefined], 'without one, there is nothing to continue')
})

t.test('Incremental passes in both directions, and the response has what the upstream sends [PROXY-72]', async t => {
  let sendRest = (): void => {}
  const upstream = await startUpstream(t, ({ url }, response) => {
    if (url === '/marked') response.setHeader('Incremental', '?1')
    response.setHeader('Content-Type', 'text/event-stream')
    response.write('data: 1\n\n')
    sendRest = () => response.end('data: 2\n\n')
  })
  const { url } = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'passthrough' }])
  for (const [path, field] of [
    ['/marked', '?1'],
    ['/plain', undefined],
  ] as const) {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
      http
        .get(`${url}/proxy/api${path}`, { headers: { Incremental: '?1' }, agent: false }, resolve)
        .on('error', reject),
    )
    t.equal(response.statusCode, 200)
    t.equal(response.headers.incremental, field, path)
    t.equal(upstream.received.at(-1)?.headers.incremental, '?1')
    const first = await new Promise(resolve => response.once('data', resolve))
    t.equal(String(first), 'data: 1\n\n', 'before the upstream has sent the rest')
    sendRest()
    t.equal((await response.toArray()).map(String).join(''), 'data: 2\n\n')
  }
})

t.test('a QUERY is forwarded with its content [PROXY-73]', async t => {
  const upstream = await startUpstream(t)
  const { url } = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'passthrough' }])
  const reply = await send(url, '/proxy/api/q', { method: 'QUERY', body: 'a=1', headers: { 'Content-Type': 'text/x' } })
  t.equal(reply.status, 200)
  t.match(upstream.received[0], { method: 'QUERY', body: 'a=1', headers: { 'content-type': 'text/x' } })
})
