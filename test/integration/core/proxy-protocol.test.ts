/** The PROXY protocol on the listeners of the process, and on those of plugins. */
import t from 'tap'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PORTS_PLUGIN } from '../../support/ports-plugin.ts'
import { binaryHeader, tlv } from '../../support/proxy-headers.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const run = promisify(execFile)
const LINE = 'PROXY TCP4 203.0.113.7 198.51.100.9 40111 443\r\n'
const GET = 'GET /ports/who HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

async function start(t: Parameters<typeof serve>[0], env: Record<string, string>, section = {}): Promise<TestServer> {
  const { folder } = pluginFolder(t, { ports: PORTS_PLUGIN })
  return serve(t, {
    folders: [folder],
    plugins: ['ports', 'echo', 'tls'],
    settings: { ports: section },
    env,
    oneProcess: 'ports belong to a process',
  })
}

/** All that a connection answers; empty if it is closed without an answer. */
async function exchange(port: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return answerOf(socket, pieces)
}

async function answerOf(socket: Socket, pieces: (string | Buffer)[]): Promise<string> {
  let text = ''
  socket.on('data', chunk => (text += String(chunk)))
  const closed = once(socket, 'close')
  for (const piece of pieces) {
    socket.write(piece)
    if (pieces.length > 1) await wait(1)
  }
  await closed
  return text
}

interface Who {
  ip: string
  proxy: Record<string, unknown> | null
}

function who(answer: string): Who {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Who
}

async function metric(server: TestServer, port: number, listener: string, result: string): Promise<boolean> {
  const text = await exchange(port, LINE, 'GET /_svc/metrics HTTP/1.0\r\n\r\n')
  return new RegExp(`svc_proxy_protocol_total\\{listener="${listener}",result="${result}"[^}]*\\} [1-9]`).test(text)
}

t.test('strict: the header is read, and nothing is answered without one [PPR-1]', async t => {
  const server = await start(t, { SVC_PROXY_PROTOCOL: 'http=strict' })
  const port = server.ports.http!
  t.match(who(await exchange(port, LINE + GET)), {
    ip: '203.0.113.7',
    proxy: { version: 1, command: null, transport: 'TCP4', source: { port: 40_111 }, trusted: true },
  })
  t.match(who(await exchange(port, ...(LINE + GET))).ip, '203.0.113.7', 'byte by byte')
  const binary = binaryHeader({ tlvs: [tlv(5, 'req-81'), tlv(0xe0, Buffer.from([1, 2]))] })
  t.match(who(await exchange(port, binary, GET)), {
    ip: '203.0.113.7',
    proxy: { version: 2, command: 'PROXY', tlvs: [{ value: 'req-81' }, { value_base64: 'AQI=' }] },
  })
  t.match(who(await exchange(port, binaryHeader({ command: 0 }), GET)), {
    ip: '127.0.0.1',
    proxy: { command: 'LOCAL' },
  })
  t.match(who(await exchange(port, 'PROXY UNKNOWN\r\n' + GET)), { ip: '127.0.0.1', proxy: { transport: 'UNKNOWN' } })
  t.equal(await exchange(port, GET), '', 'without a header')
  t.equal(await exchange(port, 'GET /_svc/ready HTTP/1.1\r\nHost: x\r\n\r\n'), '', 'also for probes')
  t.equal(await exchange(port, 'PROXY TCP4 nonsense\r\n' + GET), '')
  for (const result of ['v1', 'v2', 'none', 'invalid']) t.ok(await metric(server, port, 'http', result), result)
  const echo = JSON.parse((await exchange(port, LINE, GET.replace('/ports/who', '/echo'))).split('\r\n\r\n')[1]!)
  t.match(echo, { remote_ip: '203.0.113.7', proxy_protocol: { version: 1 } })
  const identity = JSON.parse(
    (await exchange(port, LINE, GET.replace('/ports/who', '/identity'))).split('\r\n\r\n')[1]!,
  )
  t.match(identity.request, { peer_ip: '127.0.0.1', remote_ip: '203.0.113.7', proxy_protocol: { version: 1 } })
  const listed = await exchange(port, LINE, 'GET /_svc/requests?path=/echo HTTP/1.0\r\n\r\n')
  t.match(JSON.parse(listed.slice(listed.indexOf('\r\n\r\n'))).requests, [
    { client_ip: '203.0.113.7', listener: 'http', proxy_protocol: { source: { address: '203.0.113.7' } } },
  ])
  const config = await exchange(port, LINE, 'GET /_svc/config HTTP/1.0\r\n\r\n')
  t.match(JSON.parse(config.slice(config.indexOf('\r\n\r\n'))), {
    proxy_protocol: { http: 'strict', https: 'off', grpc: 'off' },
    proxy_protocol_from: null,
  })
})

t.test('X-Forwarded-For still wins where it is trusted [PPR-1]', async t => {
  const server = await start(t, { SVC_PROXY_PROTOCOL: 'strict', SVC_TRUST_FORWARD: 'true' })
  const forwarded = GET.replace('Host: x', 'Host: x\r\nX-Forwarded-For: 192.0.2.44')
  t.match(who(await exchange(server.ports.http!, LINE, forwarded)).ip, '192.0.2.44')
  t.match(who(await exchange(server.ports.http!, LINE, GET)).ip, '203.0.113.7')
})

t.test('optional: with and without a header, HTTP/2 and TLS too; curl agrees [PPR-1]', async t => {
  const server = await start(t, { SVC_PROXY_PROTOCOL: 'optional', SVC_GRPC_ON_HTTP: 'true' })
  const port = server.ports.http!
  t.match(who(await exchange(port, GET)), { ip: '127.0.0.1', proxy: null })
  t.match(who(await exchange(port, ...GET)), { proxy: null }, 'byte by byte')
  t.match(who(await exchange(port, LINE + GET)).ip, '203.0.113.7')
  t.equal(await exchange(port, 'PROXY TCP4 1 2 3 4\r\n' + GET), '', 'a broken header closes')
  const secured = connect({ port: server.ports.https!, host: '127.0.0.1' })
  await once(secured, 'connect')
  secured.write(LINE)
  const overTls = connectTls({ socket: secured, rejectUnauthorized: false })
  await once(overTls, 'secureConnect')
  t.match(who(await answerOf(overTls, [GET])).ip, '203.0.113.7')
  for (const options of [[], ['--http2-prior-knowledge']]) {
    const { stdout } = await run('curl', ['-s', '--haproxy-protocol', ...options, `http://127.0.0.1:${port}/ports/who`])
    t.match(JSON.parse(stdout), { ip: '127.0.0.1', proxy: { version: 1, transport: 'TCP4' } }, options.join())
  }
  const { stdout } = await run('curl', [
    '-sk',
    '--haproxy-protocol',
    `https://127.0.0.1:${server.ports.https}/ports/who`,
  ])
  t.match(JSON.parse(stdout), { proxy: { version: 1 } }, 'curl over TLS')
})

t.test('off: a header is garbage [PPR-1]', async t => {
  const server = await start(t, {})
  t.match(await exchange(server.ports.http!, LINE + GET), /^HTTP\/1\.1 400 /)
})

t.test('a peer that is not believed [PPR-1]', async t => {
  const server = await start(t, {
    SVC_PROXY_PROTOCOL: 'http=optional,https=strict',
    SVC_PROXY_PROTOCOL_FROM: '10.0.0.0/8',
  })
  t.match(who(await exchange(server.ports.http!, LINE + GET)), { ip: '127.0.0.1', proxy: { trusted: false } })
  t.ok(await metric(server, server.ports.http!, 'http', 'untrusted'))
  t.equal(await exchange(server.ports.https!, LINE), '', 'strict closes')
})

t.test('public mode believes no one [PPR-1]', async t => {
  const server = await start(t, { SVC_PROXY_PROTOCOL: 'http=optional', SVC_PUBLIC_MODE: 'true' })
  t.match(who(await exchange(server.ports.http!, LINE + GET)), { ip: '127.0.0.1', proxy: { trusted: false } })
})

t.test('listeners of plugins: TCP, TLS, HTTP and UDP [PPR-1]', async t => {
  const server = await start(
    t,
    {},
    {
      tcp: [
        { name: 'strict', port: 0, proxy_protocol: 'strict' },
        { name: 'safe', port: 0, proxy_protocol: 'strict', tls: true },
      ],
      http: [{ name: 'web', port: 0, proxy_protocol: 'strict' }],
      udp: [{ name: 'dgrams', port: 0, proxy_protocol: 'strict' }],
    },
  )
  const ports = (await (await fetch(`${server.url}/ports`)).json()) as Record<string, number>
  const facts = async (socket: Socket): Promise<Record<string, unknown>> => {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return JSON.parse(chunk.toString()) as Record<string, unknown>
  }
  const plain = connect(ports.strict!, '127.0.0.1')
  plain.write(LINE)
  t.match(await facts(plain), { clientIp: '203.0.113.7', peer: { address: '127.0.0.1' }, proxy: { version: 1 } })
  t.equal(await exchange(ports.strict!, 'hello'), '')
  const safe = connect(ports.safe!, '127.0.0.1')
  safe.write(binaryHeader())
  const secured = connectTls({ socket: safe, rejectUnauthorized: false, servername: 'a.test' })
  t.match(await facts(secured), { clientIp: '203.0.113.7', proxy: { version: 2 }, tls: { sni: 'a.test' } })
  t.match(who(await exchange(ports.web!, LINE + GET)).ip, '203.0.113.7')
  const socket = createSocket('udp4')
  socket.send('no header', ports.dgrams!, '127.0.0.1')
  socket.send(Buffer.concat([binaryHeader({ family: 0x12 }), Buffer.from('ping')]), ports.dgrams!, '127.0.0.1')
  const [message] = (await once(socket, 'message')) as [Buffer]
  t.match(JSON.parse(message.toString()), { data: 'ping', clientIp: '203.0.113.7', proxy: { transport: 'UDP4' } })
  socket.close()
  await until(async () => {
    const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
    return /svc_connections_total\{kind="tcp",listener="strict",end="proxy_invalid"[^}]*\} 1/.test(metrics)
  })
})

t.test('many clients that send half a header are closed, and others are served meanwhile [LSN-3]', async t => {
  const server = await start(t, { SVC_PROXY_PROTOCOL: 'http=strict' })
  const sockets = Array.from({ length: 200 }, () => {
    const socket = connect(server.ports.http!, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('PROXY TC')
    socket.resume()
    return socket
  })
  const closed = Promise.all(sockets.map(socket => once(socket, 'close')))
  t.match(who(await exchange(server.ports.http!, LINE + GET)).ip, '203.0.113.7')
  await closed
})
