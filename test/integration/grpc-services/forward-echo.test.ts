/** `ForwardEcho` of Istio's echo service: what it sends, and where it may not. */
import dgram from 'node:dgram'
import http from 'node:http'
import net from 'node:net'
import tls from 'node:tls'
import { status } from '@grpc/grpc-js'
import t from 'tap'
import { type DestinationRules, destinationOf } from '../../../plugins/grpc-services/forward/destination.ts'
import { isClosed } from '../../../plugins/grpc-services/forward/own-paths.ts'
import { readTarget } from '../../../plugins/grpc-services/forward/plan.ts'
import { keyPem, makeCertificate } from '../../support/certificates.ts'
import { GrpcCaller, loadProto, type Message, type Outcome } from '../../support/grpc-caller.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { PORTS_PLUGIN } from '../../support/ports-plugin.ts'
import { serve, type TestServer, type TestServerOptions } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const SERVICE = loadProto('services/istio_echo.proto')['proto.EchoTestService']!
const PLUGINS = ['grpc-services', 'echo', 'redirects', 'websocket', 'llm-openai', 'bins']

interface Received {
  method: string
  url: string
  headers: http.IncomingHttpHeaders
}

/** A server that is not part of svc. */
async function startOther(behavior?: (request: http.IncomingMessage, response: http.ServerResponse) => void) {
  const received: Received[] = []
  let connections = 0
  const server = http.createServer((request, response) => {
    received.push({ method: request.method!, url: request.url!, headers: request.headers })
    if (behavior === undefined) response.setHeader('X-Kind', 'other').end('one\n\ntwo\n')
    else behavior(request, response)
  })
  server.on('connection', () => connections++)
  const port = await listen(server)
  return { port, received, connections: () => connections }
}

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    if (server instanceof http.Server) server.closeAllConnections()
  })
  return (server.address() as net.AddressInfo).port
}

async function start(
  allow: string[],
  options: Partial<TestServerOptions> = {},
): Promise<{
  server: TestServer
  forward(request: Message, metadata?: Record<string, string>): Promise<Outcome>
}> {
  const server = await serve(t, {
    plugins: PLUGINS,
    settings: { grpc_services: { forward_allow: allow }, llm: { hosts: 'vendors' } },
    ...options,
  })
  const caller = new GrpcCaller(`127.0.0.1:${server.ports.grpc}`, SERVICE)
  t.teardown(() => caller.close())
  return { server, forward: (request, metadata = {}) => caller.call('ForwardEcho', request, { metadata }) }
}

function linesOf({ messages, code, details }: Outcome, index = 0): string[] {
  if (code !== status.OK) throw new Error(`${code}: ${details}`)
  return messages[0].output[index].split('\n').filter((line: string) => line !== '')
}

t.test(
  'requests go to ports of this instance and to allowed places, and are shown as Istio shows them [GSV-30]',
  async t => {
    const other = await startOther()
    const { server, forward } = await start([`127.0.0.1:${other.port}`])
    const url = `http://127.0.0.1:${other.port}/a%2Fb/../c?x=1`
    const lines = linesOf(
      await forward({
        url,
        method: 'PUT',
        headers: [
          { key: 'X-B', value: '2' },
          { key: 'Host', value: 'a.test' },
          { key: 'X-A', value: '1' },
        ],
      }),
    )
    t.equal(lines[0], `[0] Url=${url}`)
    t.same(lines.slice(1, 4), ['[0] Header=Host:a.test', '[0] Header=X-A:1', '[0] Header=X-B:2'])
    t.match(lines.slice(4, 8), [
      '[0] SourceIP=127.0.0.1',
      /^\[0\] Latency=[\d.]+ms$/,
      '[0] ActiveRequests=1',
      '[0] StatusCode=200',
    ])
    t.ok(lines.includes('[0] ResponseHeader=X-Kind:other'))
    t.same(lines.slice(-2), ['[0 body] one', '[0 body] two'])
    t.match(other.received[0], {
      method: 'PUT',
      url: '/a%2Fb/../c?x=1',
      headers: { host: 'a.test', 'x-a': '1', via: '1.1 svc-test-1' },
    })
    const own = linesOf(await forward({ url: `${server.url}/echo?x=1`, count: 3 }), 2)
    t.equal(own[0], `[2] Url=${server.url}/echo?x=1`)
    t.ok(own.some(line => line.startsWith('[2 body]') && line.includes('"path":"/echo"')))
  },
)

t.test('HTTPS, HTTP/2, gRPC and WebSockets are spoken, also to hosts that are served [GSV-31]', async t => {
  const { server, forward } = await start([], {
    env: { SVC_GRPC_ON_HTTP: 'true' },
  })
  const https = linesOf(await forward({ url: `${server.httpsUrl.replace('127.0.0.1', 'localhost')}/echo` }))
  t.ok(https.includes('[0] StatusCode=200'), 'the demo CA is trusted')
  for (const url of [`${server.url}/wire`, `${server.httpsUrl.replace('127.0.0.1', 'localhost')}/wire`]) {
    const two = linesOf(await forward({ url, http2: true, headers: [{ key: 'X-A', value: '1' }] }))
    t.match(two.join('\n'), /StatusCode=200[^]*:method[^]*x-a: 1/)
  }
  const served = linesOf(await forward({ url: 'https://api.openai.com/v1/models' }))
  t.match(served.join('\n'), /StatusCode=200[^]*"object":"list"/)
  const socket = linesOf(await forward({ url: `${server.url.replace('http', 'ws')}/ws`, message: 'hello' }))
  t.equal(socket.at(-1), '[0 body] hello')
  const rpc = linesOf(
    await forward({
      url: `grpc://127.0.0.1:${server.ports.grpc}`,
      message: 'hello',
      headers: [{ key: 'X-A', value: '1' }],
    }),
  )
  t.ok(rpc.includes('[0 body] Echo=hello'))
  t.ok(rpc.includes('[0 body] RequestHeader=x-a:1'))
  t.ok(rpc.some(line => line.startsWith('[0 body] RequestHeader=via:1.1 svc-')))
  const secure = linesOf(await forward({ url: `grpcs://localhost:${server.ports.https}`, message: 'x' }))
  t.ok(secure.includes('[0 body] Echo=x'))
})

t.test('TCP, TLS and UDP: a message, and an answer with the expected text [GSV-32]', async t => {
  const answer = 'StatusCode=200\nHostname=x\n'
  let proxyLine = ''
  const tcp = await listen(
    net.createServer(socket => {
      socket
        .on('error', () => {})
        .on('data', data => {
          proxyLine = data.toString('latin1')
          socket.write(`${answer}${data.toString()}`)
        })
    }),
  )
  const first = await listen(
    net.createServer(socket => {
      socket.write('server-first-protocol\n')
      socket.on('error', () => {}).on('data', () => socket.end(answer))
    }),
  )
  const silent = await listen(
    net.createServer(socket => socket.on('error', () => {}).on('data', () => socket.end('nothing\n'))),
  )
  const udp = dgram
    .createSocket('udp4')
    .on('message', (data, { port, address }) => udp.send(`StatusCode=200\n${data}`, port, address))
  await new Promise<void>(resolve => udp.bind(0, '127.0.0.1', resolve))
  t.teardown(() => udp.close())
  const { port: udpPort } = udp.address()
  const { forward } = await start([`127.0.0.0/8:${tcp}`, ...[first, silent, udpPort].map(port => `127.0.0.1:${port}`)])
  const plain = linesOf(await forward({ url: `tcp://127.0.0.1:${tcp}`, message: 'hi' }))
  t.same(plain.slice(0, 2), [`[0] Url=tcp://127.0.0.1:${tcp}`, '[0] Echo=hi'])
  t.ok(plain.includes('[0 body] StatusCode=200'))
  t.match(linesOf(await forward({ url: `tcp://127.0.0.1:${tcp}` })).join(), /HelloWorld/)
  linesOf(await forward({ url: `tcp://127.0.0.1:${tcp}`, proxyProtocolVersion: 'V1' }))
  t.match(proxyLine, /^PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+\r\n/)
  linesOf(await forward({ url: `tcp://127.0.0.1:${tcp}`, proxyProtocolVersion: 'V2' }))
  t.equal(proxyLine.slice(0, 16), '\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c')
  t.match(
    linesOf(await forward({ url: `tcp://127.0.0.1:${first}`, serverFirst: true })).join(),
    /server-first-protocol.*StatusCode=200/,
  )
  const refused = await forward({ url: `tcp://127.0.0.1:${silent}` })
  t.match(refused, { code: status.UNKNOWN, details: /expected an answer with "StatusCode=200", got "nothing/ })
  t.ok(linesOf(await forward({ url: `tcp://127.0.0.1:${silent}`, expectedResponse: { value: 'noth' } })))
  t.match(linesOf(await forward({ url: `udp://127.0.0.1:${udpPort}`, message: 'hi' })).join(), /StatusCode=200.*hi/)
})

t.test('TLS has the certificates, names and protocols of the request [GSV-32]', async t => {
  const context = tls.createServer(
    { ...(await certificate()), ALPNProtocols: ['a', 'b'], requestCert: true, rejectUnauthorized: false },
    socket => {
      socket.on('error', () => {})
      socket.on('data', () =>
        socket.end(
          `StatusCode=200 ${socket.servername} ${socket.alpnProtocol} ${JSON.stringify(socket.getPeerCertificate().subject ?? null)}\n`,
        ),
      )
    },
  )
  const port = await listen(context)
  const allowed = await start([`localhost:${port}`])
  const url = `tls://localhost:${port}`
  t.match(
    await allowed.forward({ url }),
    { code: status.UNKNOWN, details: /self-signed|certificate/i },
    'verified by default',
  )
  const { cert, key } = await certificate()
  t.match(
    linesOf(
      await allowed.forward({ url, insecureSkipVerify: true, serverName: 'a.test', alpn: { value: ['b'] }, cert, key }),
    ).at(-1),
    /StatusCode=200 a\.test b \{.*"CN":"localhost"/,
  )
  t.ok(linesOf(await allowed.forward({ url, caCert: cert })))
})

let kept: Promise<{ cert: string; key: string }> | undefined
/** A certificate of `localhost` that nobody trusts. */
function certificate(): Promise<{ cert: string; key: string }> {
  return (kept ??= makeCertificate({ subject: 'CN=localhost' }).then(({ certificate: made, key }) => ({
    cert: made.toString(),
    key: keyPem(key),
  })))
}

t.test('redirects are followed if asked for, and each hop is checked [GSV-33]', async t => {
  let location = '/end'
  const other = await startOther((request, response) => {
    if (request.url === '/end') response.end('over')
    else response.writeHead(302, { Location: location }).end()
  })
  const { server, forward } = await start([`127.0.0.1:${other.port}`])
  const url = `http://127.0.0.1:${other.port}/start`
  t.ok(linesOf(await forward({ url })).includes('[0] StatusCode=302'))
  t.ok(linesOf(await forward({ url, followRedirects: true })).includes('[0 body] over'))
  for (const [to, code] of [
    [`${server.url}/_svc/config`, status.PERMISSION_DENIED],
    [`http://127.0.0.1:1/`, status.PERMISSION_DENIED],
    ['ftp://127.0.0.1/', status.UNKNOWN],
    [`http://127.0.0.1:${other.port}/start`, status.UNKNOWN],
  ] as const) {
    location = to
    t.equal((await forward({ url, followRedirects: true })).code, code, to)
  }
})

t.test('what a caller may not request itself stays closed [GSV-34]', async t => {
  const other = await startOther()
  const { server, forward } = await start([`127.0.0.1:${other.port}`, '10.0.0.0/8:80', '*.example.test:80'])
  const { ports } = server
  const denied = async (request: Message, what: string, metadata = {}): Promise<void> => {
    const { code, details } = await forward(request, metadata)
    t.equal(code, status.PERMISSION_DENIED, `${what}: ${details}`)
  }
  for (const path of [
    '/_svc/config',
    '/_svc',
    '/ui/',
    '/proxy/x',
    '/%5fsvc/config',
    '/%255fsvc/config',
    '//_svc/config',
    '/echo/../_svc/config',
    '/s/a/_svc/config',
    '/_SVC/config',
    '/%zz',
  ])
    await denied({ url: `${server.url}${path}` }, path)
  await denied({ url: `ws://127.0.0.1:${ports.http}/_svc/mcp` }, 'WebSocket')
  await denied({ url: `http://localhost:${ports.http}/_svc/config` }, 'localhost')
  await denied({ url: `http://[::ffff:127.0.0.1]:${ports.http}/_svc/config` }, 'mapped')
  await denied({ url: `http://0.0.0.0:${ports.http}/_svc/config` }, 'unspecified')
  await denied({ url: 'https://api.openai.com/_svc/config' }, 'served host')
  await denied({ url: `tcp://127.0.0.1:${ports.http}` }, 'an HTTP port over TCP')
  await denied({ url: `tls://127.0.0.1:${ports.https}` }, 'an HTTPS port over TLS')
  await denied({ url: `udp://127.0.0.1:${ports.http}` }, 'an HTTP port over UDP')
  await denied({ url: 'http://127.0.0.1:1/' }, 'another port')
  await denied({ url: 'http://127.1:1/' }, 'another spelling')
  await denied({ url: 'http://other.test/' }, 'a name')
  await denied({ url: 'http://10.0.0.1:81/' }, 'another port of a range')
  await denied({ url: 'http://example.test/' }, 'the domain of a pattern')
  await denied({ url: `${server.url}/echo` }, 'a page', { origin: 'https://a.example' })
  const via = linesOf(await forward({ url: `http://127.0.0.1:${other.port}/` }))
  t.ok(via.length > 0)
  await denied({ url: `${server.url}/echo` }, 'a call of this instance', {
    via: String(other.received[0]!.headers.via),
  })
  const config = await fetch(`${server.url}/_svc/rules`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Via: String(other.received[0]!.headers.via) },
    body: JSON.stringify({ name: 'r', match: {}, then: [{ fail: 503 }] }),
  })
  t.equal(config.status, 403, 'guarded routes refuse what this instance sends')
})

t.test('layer 4 listeners of this instance are reached, without an entry [GSV-35]', async t => {
  const plugins = pluginFolder(t, { ports: PORTS_PLUGIN })
  const { server, forward } = await start([], {
    plugins: [...PLUGINS, 'ports'],
    folders: [plugins.folder],
    oneProcess: 'ports belong to a process',
    settings: {
      ports: {
        tcp: [{ port: 0, name: 'plain' }],
        udp: [{ port: 0, name: 'datagrams' }],
      },
    },
  })
  const open = (await (await fetch(`${server.url}/ports`)).json()) as Record<string, number>
  const expectedResponse = { value: '"clientIp":"127.0.0.1"' }
  t.ok(
    linesOf(await forward({ url: `tcp://127.0.0.1:${open.plain}`, expectedResponse })).includes(
      '[0] SourceIP=127.0.0.1',
    ),
  )
  t.ok(linesOf(await forward({ url: `udp://127.0.0.1:${open.datagrams}`, expectedResponse })))
  for (const url of [`udp://127.0.0.1:${open.plain}`, `tcp://127.0.0.1:${open.datagrams}`])
    t.equal((await forward({ url })).code, status.PERMISSION_DENIED, url)
})

t.test('a base path and sessions do not hide a closed path [GSV-34]', t => {
  for (const path of [
    '/base/_svc/x',
    '/base/s/a/_svc/x',
    '/s/a/base/_svc',
    '/base//ui',
    '/s/a/ui?x',
    '/_svc',
    '/proxy/a',
  ])
    t.equal(isClosed(path, '/base'), true, path)
  for (const path of ['/base/echo', '/echo/_svc', '/uid', '/s/a/echo', '/', '/?/_svc', '/_svcx'])
    t.equal(isClosed(path, '/base'), false, path)
  t.end()
})

t.test('the checked address is used: a name is resolved once [GSV-35]', async t => {
  const other = await startOther()
  const { forward } = await start([`localhost:${other.port}`])
  t.ok(linesOf(await forward({ url: `http://localhost:${other.port}/`, force_ip_family: 'tcp4' })))
  t.match(await forward({ url: `http://LOCALHOST:${other.port}/`, force_ip_family: 'tcp4' }), { code: status.OK })
  const answers = ['198.51.100.7', '127.0.0.1']
  const rules = rulesOf({ allow: ['a.test:80'], lookUp: async () => answers.shift()! })
  t.strictSame(await destinationOf(readTarget('http://a.test/'), null, rules), { address: '198.51.100.7', port: 80 })
  t.strictSame(answers, ['127.0.0.1'], 'it is not asked for again')
  await t.rejects(
    destinationOf(readTarget('http://a.test/'), null, rules),
    { code: status.PERMISSION_DENIED },
    'the next request does not reach this machine by a name',
  )
})

t.test('served hosts are reached where their listener is [GSV-31]', async t => {
  for (const [address, reached] of [
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['192.0.2.4', '192.0.2.4'],
    ['::1', '::1'],
  ] as const) {
    const rules = rulesOf({ servedHosts: () => ['api.test'], address })
    t.strictSame(await destinationOf(readTarget('http://api.test/'), null, rules), { address: reached, port: 8080 })
  }
})

function rulesOf({
  address = '0.0.0.0',
  ...given
}: Partial<DestinationRules> & { address?: string }): DestinationRules {
  const listener = {
    name: 'http',
    kind: 'http',
    plugin: null,
    address,
    port: 8080,
    serves: null,
    connections: 0,
  } as const
  return {
    allow: [],
    ownOnly: false,
    basePath: '',
    listeners: () => [{ ...listener, proxy_protocol: 'off' }],
    servedHosts: () => [],
    lookUp: () => Promise.reject(new Error('unknown')),
    ...given,
  }
}

t.test('bounds: number, rate, time, size; connections are shared unless they are to be new [GSV-36]', async t => {
  const other = await startOther((request, response) => {
    if (request.url === '/hang') return
    response.end(request.url === '/large' ? 'x'.repeat(70_000) : 'ok')
  })
  const { forward } = await start([`127.0.0.1:${other.port}`])
  const base = `http://127.0.0.1:${other.port}`
  t.equal((await forward({ url: base, count: 100 })).messages[0].output.length, 100)
  t.ok(other.connections() <= 10)
  const before = other.connections()
  await forward({ url: base, count: 12, newConnectionPerRequest: true })
  t.equal(other.connections() - before, 12)
  const startedAt = performance.now()
  await forward({ url: base, count: 4, qps: 20 })
  t.ok(performance.now() - startedAt >= 145, 'three intervals of 50 ms')
  t.match(await forward({ url: `${base}/large` }), { code: status.UNKNOWN, details: /more than 65536 bytes/ })
  t.match(await forward({ url: `${base}/hang`, timeout_micros: '50000' }), {
    code: status.UNKNOWN,
    details: /timed out/,
  })
  for (const [request, details] of [
    [{ url: base, count: 101 }, /count/],
    [{ url: base, count: -1 }, /count/],
    [{ url: base, qps: -1 }, /qps/],
    [{ url: base, timeout_micros: '30000001' }, /timeout_micros/],
    [{ url: base, method: 'A B' }, /method/],
    [{ url: base, method: 'CONNECT' }, /method/],
    [{ url: base, headers: [{ key: 'a b', value: '' }] }, /headers/],
    [{ url: base, headers: [{ key: 'a', value: 'x\r\ny' }] }, /headers/],
    [{ url: base, headers: [{ key: 'Transfer-Encoding', value: 'chunked' }] }, /headers/],
    [{ url: '' }, /url/],
    [{ url: 'ftp://a/' }, /url/],
    [{ url: 'tcp://127.0.0.1' }, /port/],
    [{ url: 'http://a:0/' }, /port/],
    [{ url: 'http://a/#x' }, /fragment/],
    [{ url: 'http://user@a/' }, /url/],
    [{ url: base, http3: true }, /http3/],
    [{ url: base, certFile: '/etc/x' }, /certFile/],
    [{ url: base, hbone: { address: 'a' } }, /hbone/],
    [{ url: base, message: 'x'.repeat(65_537) }, /message/],
    [{ url: base, force_ip_family: 'x' }, /force_ip_family/],
  ] as const)
    t.match(await forward(request), { code: status.INVALID_ARGUMENT, details }, JSON.stringify(request).slice(0, 60))
})

t.test('an error of a request ends the call and the requests that are open [GSV-36]', async t => {
  let open = 0
  const other = await startOther((request, response) => {
    open++
    response.on('close', () => open--)
    if (open === 3) request.socket.destroy()
  })
  const { forward } = await start([`127.0.0.1:${other.port}`])
  const { code, details } = await forward({ url: `http://127.0.0.1:${other.port}`, count: 5 })
  t.equal(code, status.UNKNOWN)
  t.match(details, /socket hang up|ECONNRESET/)
  await until(() => open === 0, 'the other requests are ended')
})

t.test('in public mode only ports of this instance are reached, ten times in a call [GSV-37]', async t => {
  const other = await startOther()
  const { server, forward } = await start([`127.0.0.1:${other.port}`], { env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal((await forward({ url: `http://127.0.0.1:${other.port}/` })).code, status.PERMISSION_DENIED)
  t.equal((await forward({ url: `${server.url}/echo`, count: 11 })).code, status.INVALID_ARGUMENT)
  t.equal((await forward({ url: `${server.url}/echo`, count: 10 })).messages[0].output.length, 10)
})
