/** The modes of layer 4 listeners. */
import t from 'tap'
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { dial, exchange, readAll, readUntil, serveLayer4 } from '../../support/layer4.ts'

async function ask(port: number, data: string | Buffer): Promise<string> {
  const socket = createSocket('udp4')
  socket.send(data, port, '127.0.0.1')
  const [message] = (await once(socket, 'message')) as [Buffer]
  socket.close()
  return message.toString()
}

async function askTls(port: number, options: ConnectionOptions, text: string): Promise<string> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  socket.end(text)
  return (await readAll(socket)).text
}

t.test('echo, discard, fixed, hash, info [L4-1]', async t => {
  const { open } = await serveLayer4(t, {
    echo: {},
    discard: { mode: 'discard' },
    fixed: { mode: 'fixed', text: 'blue\r\n' },
    hash: { mode: 'hash' },
    info: { mode: 'info' },
    banner: { banner: '220 ready\r\n' },
  })
  t.equal(await exchange(open.echo!, 'hello ', 'world'), 'hello world')
  const large = Buffer.alloc(300_000, 'abc')
  t.equal(await exchange(open.echo!, large), large.toString())
  t.equal(await exchange(open.discard!, 'hello'), '')
  t.equal(await exchange(open.fixed!, 'whatever'), 'blue\r\n')
  const sum = createHash('sha256').update('hello').digest('hex')
  t.equal(await exchange(open.hash!, 'hel', 'lo'), `5 ${sum}\n`)
  const [line, rest] = (await exchange(open.info!, 'data')).split('\n')
  t.match(JSON.parse(line!), {
    listener: 'info',
    client_ip: '127.0.0.1',
    peer: { address: '127.0.0.1' },
    local: { port: open.info },
    proxy_protocol: null,
    tls: null,
  })
  t.equal(rest, 'data')
  const banner = await dial(open.banner!)
  t.equal(await readUntil(banner, '\n'), '220 ready\r\n', 'before the client has sent a byte')
  banner.destroy()
})

t.test('echo-basic over TCP [L4-1]', async t => {
  const { open } = await serveLayer4(
    t,
    {
      'tcp-basic': { mode: 'echo-basic' },
      'tls-basic': { mode: 'echo-basic', tls: { alpn: ['h2'], curves: ['P-256'] }, tls_port_of: 'tcp-basic' },
    },
    { NAMESPACE: 'ns<1>', POD_NAME: 'pod-1' },
  )
  const welcome = 'Gateway API Test TCP Server\n'
  t.equal(await exchange(open['tcp-basic']!, 'PI', 'NG\r\nIS_TLS\nother\nPING\n'), `${welcome}PONG\nfalse\nPONG\n`)
  const names = '{"namespace":"ns\\u003c1\\u003e","ingress":"","service":"","pod":"pod-1"'
  t.equal(
    await exchange(open['tcp-basic']!, 'TEST\n'),
    `${welcome}${names},"tcpport":"${open['tcp-basic']}","tlsport":"${open['tls-basic']}","isTLS":false}\n`,
  )
  t.equal(
    await askTls(open['tls-basic']!, { servername: 'a.test', ALPNProtocols: ['h2'] }, 'TEST\nIS_TLS\n'),
    `${welcome}${names},"tcpport":"${open['tcp-basic']}","tlsport":"${open['tls-basic']}","isTLS":true,` +
      '"tls":{"version":"TLS 1.3","serverName":"a.test","negotiatedProtocol":"h2","curves":"CurveP256","cipherSuite":"TLS_AES_256_GCM_SHA384"}}\ntrue\n',
  )
  t.match(await askTls(open['tls-basic']!, { maxVersion: 'TLSv1.2' }, 'TEST\n'), /"version":"TLS 1\.2","serverName":""/)
  const socket = await dial(open['tcp-basic']!)
  socket.write(Buffer.alloc(1024 * 1024, 'x'))
  t.equal((await readAll(socket)).text, welcome, 'FIN for a line without an end')
  socket.destroy()
})

t.test('echo-basic: the port with TLS may have no name [L4-1]', async t => {
  const { open } = await serveLayer4(t, {
    plain: { mode: 'echo-basic' },
    secured: { mode: 'echo-basic', tls: true, tls_port_of: 'plain', name: undefined },
  })
  const { 'layer4-0': secured, plain } = open
  t.match(await exchange(plain!, 'TEST\n'), `"tcpport":"${plain}","tlsport":"${secured}"`)
})

t.test('istio, whoami and raw-headers over TCP [L4-1]', async t => {
  const { open } = await serveLayer4(t, {
    istio: { mode: 'istio', banner: true, version: 'v1', cluster: 'east' },
    bare: { mode: 'istio' },
    whoami: { mode: 'whoami', text: 'blue' },
    welcome: { mode: 'whoami', banner: true },
    raw: { mode: 'raw-headers' },
  })
  const lines = (port: number, version: string, cluster = ''): string =>
    `StatusCode=200\n${cluster}ServiceVersion=${version}\nServicePort=${port}\nIP=127.0.0.1\nProto=TCP\nHostname=${hostname()}\n`
  t.equal(
    await exchange(open.istio!, 'hello'),
    `server-first-protocol\n${lines(open.istio!, 'v1', 'Cluster=east\n')}hello`,
  )
  t.equal(await exchange(open.bare!), lines(open.bare!, ''), 'a client that ends without a byte')
  t.match(await exchange(open.whoami!, 'WHO\n'), /^Name: blue\nHostname: .+\nIP: 127\.0\.0\.1\n/)
  t.equal(await exchange(open.whoami!, 'hello'), 'Received: hello')
  const pieces = await exchange(open.whoami!, 'x'.repeat(300))
  t.equal(pieces, `Received: ${'x'.repeat(256)}Received: ${'x'.repeat(44)}`, 'a read has at most 256 bytes')
  const socket = await dial(open.welcome!)
  t.equal(await readUntil(socket, 'Welcome'), 'Welcome')
  socket.write('STOP')
  t.equal((await readAll(socket)).text, '', 'STOP ends the connection')
  socket.destroy()
  const head = 'GET /a HTTP/1.1\r\nhOsT: x\r\nX-Two:  b\r\n\r\n'
  const answer = await exchange(open.raw!, ...head)
  t.equal(
    answer,
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 37\r\nConnection: close\r\n\r\nGET /a HTTP/1.1\nhOsT: x\nX-Two:  b\n'.replace(
      '37',
      String('GET /a HTTP/1.1\nhOsT: x\nX-Two:  b\n'.length),
    ),
    'byte by byte',
  )
  t.equal(await exchange(open.raw!, Buffer.alloc(100_000, 'x')), '', 'a head that is too long')
})

t.test('UDP [L4-1]', async t => {
  const { open } = await serveLayer4(
    t,
    {
      echo: { transport: 'udp' },
      discard: { transport: 'udp', mode: 'discard' },
      fixed: { transport: 'udp', mode: 'fixed', text: 'blue' },
      hash: { transport: 'udp', mode: 'hash' },
      info: { transport: 'udp', mode: 'info' },
      basic: { transport: 'udp', mode: 'echo-basic' },
      istio: { transport: 'udp', mode: 'istio' },
      whoami: { transport: 'udp', mode: 'whoami', text: 'blue' },
    },
    { POD_NAME: 'pod-1' },
  )
  t.equal(await ask(open.echo!, 'hello'), 'hello')
  t.equal(await ask(open.fixed!, 'x'), 'blue')
  t.equal(await ask(open.hash!, 'hello'), `5 ${createHash('sha256').update('hello').digest('hex')}`)
  t.match(JSON.parse(await ask(open.info!, 'x')), { listener: 'info', peer: { address: '127.0.0.1' } })
  const wrong = Buffer.concat([Buffer.from('a&<é'), Buffer.from([0xff, 0xe2, 0x82])])
  t.equal(
    await ask(open.basic!, wrong),
    '{"request":"a\\u0026\\u003cé\\ufffd\\ufffd\\ufffd","namespace":"","ingress":"","service":"","pod":"pod-1"}',
  )
  t.equal((JSON.parse(await ask(open.basic!, 'x'.repeat(2000))) as { request: string }).request.length, 1024)
  t.match(await ask(open.istio!, 'hello'), /^StatusCode=200\n.*Proto=TCP\n.*Hostname=.+\n$/s)
  t.match(await ask(open.whoami!, ' WHO\n'), /^Name: blue\nHostname: /)
  t.equal(await ask(open.whoami!, 'x'.repeat(1100)), `Received: ${'x'.repeat(1024)}`)
})

t.test('public mode hides the machine [L4-1]', async t => {
  const { open, url } = await serveLayer4(
    t,
    {
      whoami: { mode: 'whoami' },
      'udp-whoami': { mode: 'whoami', transport: 'udp' },
      secured: { tls: { client: 'none' } },
    },
    { SVC_PUBLIC_MODE: 'true', SVC_INSTANCE_ID: 'inst-1' },
  )
  const { listeners } = (await (await fetch(`${url}/_svc/layer4`)).json()) as { listeners: { settings: object }[] }
  t.match(listeners.at(-1)!.settings, { tls: true }, 'paths of files are not shown')
  t.equal(await exchange(open.whoami!, 'WHO'), 'Hostname: inst-1\nIP: 127.0.0.1\n')
  t.equal(open['udp-whoami'], undefined, 'no mode that answers more than it gets')
})
