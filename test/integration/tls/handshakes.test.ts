/** HTTP/2 and slow handshakes of the TLS endpoints. */
import t from 'tap'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectPlain, createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { type TestServer, serve } from '../../support/server.ts'

const yaml = 'plugins: { enable: [tls, info] }\n'
const server = await serve(t, { yaml, env: { SVC_GRPC_ON_HTTP: 'true' } })
/** A client that does not offer HTTP/2. */
const HTTP1 = { ALPNProtocols: ['http/1.1'] }
const ca = await (await fetch(`${server.url}/tls/ca.pem`)).text()

function open(kind: string, { ports }: Pick<TestServer, 'ports'> = server, options: ConnectionOptions = {}): TLSSocket {
  const servername = `${kind}.tls.localhost`
  return connect({ port: ports.https!, servername, ca, ALPNProtocols: ['h2', 'http/1.1'], ...options })
}

/** Response of `path` over HTTP/2. */
async function getOverHttp2(
  kind: string,
  path: string,
  of: TestServer = server,
  options: ConnectionOptions = {},
): Promise<unknown> {
  const session = connectHttp2(`https://${kind}.tls.localhost`, { createConnection: () => open(kind, of, options) })
  const request = session.request({ ':path': path })
  const body = JSON.parse(await text(request)) as unknown
  session.close()
  return body
}

async function getOverHttp1(socket: TLSSocket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return text(socket)
}

t.test('endpoints serve HTTP/2 as the HTTPS listener does [TLSZ-10]', async t => {
  for (const kind of ['good', 'alpn-h2-only', 'tls1.2', 'drip-handshake', 'client-cert-optional'])
    t.match(await getOverHttp2(kind, '/tls'), { kind, alpn: 'h2', server_name: `${kind}.tls.localhost` }, kind)
  t.match(await getOverHttp1(open('alpn-http1-only'), '/tls'), /"alpn":"http\/1.1"/)
  t.match(await getOverHttp1(open('no-alpn'), '/tls'), /"alpn":null/)
})

t.test('without SVC_GRPC_ON_HTTP only alpn-h2-only has HTTP/2 [TLSZ-10]', async t => {
  const http1Only = await serve(t, { yaml })
  const trusted = await (await fetch(`${http1Only.url}/tls/ca.pem`)).text()
  t.match(await getOverHttp1(open('good', http1Only, { ca: trusted }), '/tls'), /"alpn":"http\/1.1"/)
  t.match(await getOverHttp2('alpn-h2-only', '/tls', http1Only, { ca: trusted }), { alpn: 'h2' })
  await http1Only.stop()
})

t.test('drip-handshake sends the handshake in small pieces, and the response at once [TLSZ-10]', async t => {
  const sizes: number[] = []
  const proxy = createServer(from => {
    const to = connectPlain(server.ports.https!, '127.0.0.1')
    from.pipe(to).on('data', (chunk: Buffer) => sizes.push(chunk.length))
    to.pipe(from)
    for (const end of [from, to]) end.on('error', () => {}).on('close', () => (from.destroy(), to.destroy()))
  }).listen(0, '127.0.0.1')
  t.teardown(() => proxy.close())
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const socket = open('drip-handshake', server, { port, ...HTTP1 })
  await once(socket, 'secureConnect')
  t.ok(sizes.length > 30, `${sizes.length} pieces`)
  const pieces = sizes.length
  t.match(await getOverHttp1(socket, '/random?bytes=1'), /^HTTP\/1.1 \d/)
  t.ok(sizes.length - pieces < 20, `${sizes.length - pieces} more`)
})

t.test('the client address and resets work as on other connections [TLSZ-10]', async t => {
  for (const kind of ['good', 'drip-handshake']) {
    t.match(await getOverHttp1(open(kind, server, HTTP1), '/ip'), '127.0.0.1', kind)
    t.match(JSON.stringify(await getOverHttp2(kind, '/ip')), '127.0.0.1', kind)
    const socket = open(kind, server, HTTP1)
    socket.write('GET /ip HTTP/1.1\r\nHost: x\r\nX-Svc-Abort: reset\r\n\r\n')
    await t.rejects(text(socket), { code: 'ECONNRESET' }, kind)
  }
})
