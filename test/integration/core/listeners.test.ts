/** `svc.listeners`: ports that plugins open. */
import t from 'tap'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { Agent, get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { parse, stringify } from 'yaml'
import { PORTS_PLUGIN } from '../../support/ports-plugin.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/** A file without certificates. */
const NO_PEM = resolve('package.json')

type Test = Parameters<typeof serve>[0]

async function start(t: Test, section: object, env: Record<string, string> = {}): Promise<TestServer> {
  const { folder } = pluginFolder(t, { ports: PORTS_PLUGIN })
  return serve(t, {
    folders: [folder],
    plugins: ['ports', 'tls'],
    settings: { ports: section },
    env,
    oneProcess: 'ports belong to a process',
  })
}

async function change(server: TestServer, section: object): Promise<void> {
  const file = join(server.folder, 'svc.yaml')
  const settings = parse(await readFile(file, 'utf8')) as object
  await writeFile(file, stringify({ ...settings, ports: section }))
  await server.reload()
}

async function openPorts(server: TestServer): Promise<Record<string, number>> {
  return (await (await fetch(`${server.url}/ports`)).json()) as Record<string, number>
}

interface Facts {
  listener: { name: string; port: number }
  peer: { address: string; port: number }
  local: { address: string; port: number }
  clientIp: string
  proxy: object | null
  tls: { [name: string]: unknown; certificate: Record<string, unknown> | null } | null
  greeting: string | null
}

/** The first line that a listener sends. */
async function factsOf(socket: Socket): Promise<Facts> {
  let text = ''
  while (!text.includes('\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString()
  }
  return JSON.parse(text.slice(0, text.indexOf('\n'))) as Facts
}

async function statusOf(server: TestServer): Promise<Record<string, Record<string, unknown>>> {
  const { listeners } = (await (await fetch(`${server.url}/_svc/status`)).json()) as {
    listeners: Record<string, unknown>[]
  }
  return Object.fromEntries(listeners.map(listener => [listener.name, listener]))
}

async function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

t.test('TCP connections reach the plugin, and are counted and listed [LSN-1]', async t => {
  const server = await start(t, { tcp: [{ name: 'facts', port: 0, greeting: 'hi' }] })
  const { facts: port } = await openPorts(server)
  t.ok(
    server.lines.some(line => line.includes(`facts (TCP) listening on 127.0.0.1:${port}`)),
    'its line',
  )
  const socket = connect(port!, '127.0.0.1')
  const facts = await factsOf(socket)
  t.match(facts, {
    listener: { name: 'facts', port },
    peer: { address: '127.0.0.1', port: socket.localPort },
    local: { address: '127.0.0.1', port },
    clientIp: '127.0.0.1',
    proxy: null,
    tls: null,
    greeting: 'hi',
  })
  t.match((await statusOf(server)).facts, {
    kind: 'tcp',
    plugin: 'ports',
    address: '127.0.0.1',
    port,
    proxy_protocol: 'off',
    serves: 'facts',
    connections: 1,
  })
  t.strictSame(Object.keys(await statusOf(server)), ['http', 'https', 'grpc', 'facts'], 'those of svc first')
  socket.end('bye')
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  t.equal(chunk.toString(), 'bye', 'half open until it has answered')
  await once(socket, 'close')
  await until(async () => {
    const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
    return (
      /svc_connections_total\{kind="tcp",listener="facts",end="client_fin"[^}]*\} 1/.test(metrics) &&
      /svc_connections_open\{kind="tcp"[^}]*\} 0/.test(metrics)
    )
  })
})

t.test('what fails in the plugin ends that connection only [LSN-1]', async t => {
  const server = await start(t, {
    tcp: [
      { name: 'facts', port: 0 },
      { name: 'wrong', port: 0, greeting: 'throw' },
    ],
  })
  const { facts, wrong } = await openPorts(server)
  const failing = connect(wrong!, '127.0.0.1')
  failing.on('error', () => {})
  await once(failing, 'close')
  t.ok(
    server.lines.some(line => line.includes('asked for')),
    'the log has the error',
  )
  const other = connect(facts!, '127.0.0.1')
  t.match(await factsOf(other), { listener: { name: 'facts' } })
  other.destroy()
})

t.test('TLS: a certificate for the name, and what was negotiated [LSN-2]', async t => {
  const server = await start(t, {
    tcp: [
      { name: 'plain-tls', port: 0, tls: true },
      { name: 'chosen', port: 0, tls: { alpn: ['one', 'two'], curves: ['P-384'], client: 'none' } },
      { name: 'old', port: 0, tls: { min_version: '1.3' } },
    ],
  })
  const ports = await openPorts(server)
  const named = await openTls(ports['plain-tls']!, { servername: 'a.test', ALPNProtocols: ['h2', 'x'] })
  t.equal(named.getPeerX509Certificate()?.subjectAltName, 'DNS:a.test')
  t.match(await factsOf(named), {
    tls: {
      version: 'TLSv1.3',
      sni: 'a.test',
      alpn: null,
      offered: ['h2', 'x'],
      cipher: 'TLS_AES_256_GCM_SHA384',
      curve: /^X25519/,
      certificate: null,
      resumed: false,
    },
  })
  named.destroy()
  const unnamed = await openTls(ports['plain-tls']!)
  t.match(unnamed.getPeerX509Certificate()?.subjectAltName, /DNS:localhost.*DNS:svc.*127\.0\.0\.1/)
  unnamed.destroy()
  const chosen = await openTls(ports.chosen!, { ALPNProtocols: ['two'], maxVersion: 'TLSv1.2' })
  t.match(await factsOf(chosen), { tls: { version: 'TLSv1.2', sni: null, alpn: 'two', curve: 'secp384r1' } })
  chosen.destroy()
  const refused = connectTls({ port: ports.old!, host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false })
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException]
  t.match(error.code, /ERR_SSL/)
})

t.test('TLS: client certificates [LSN-2]', async t => {
  const server = await start(t, {
    tcp: [
      { name: 'request', port: 0, tls: true },
      { name: 'require', port: 0, tls: { client: 'require' } },
    ],
  })
  const ports = await openPorts(server)
  const pair = (await (await fetch(`${server.url}/ports/client`)).json()) as { certificate: string; key: string }
  const shown = await openTls(ports.request!, { cert: pair.certificate, key: pair.key })
  t.match((await factsOf(shown)).tls?.certificate, {
    subject: /CN=/,
    issuer: /CN=/,
    serial: /^[0-9A-F]+$/,
    not_after: /Z$/,
    verified: true,
    error: null,
  })
  shown.destroy()
  const allowed = await openTls(ports.require!, { cert: pair.certificate, key: pair.key })
  t.equal((await factsOf(allowed)).tls?.certificate?.verified, true)
  allowed.destroy()
  const refused = connectTls({ port: ports.require!, host: '127.0.0.1', rejectUnauthorized: false })
  refused.on('data', () => {})
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException]
  t.match(error.code, /CERTIFICATE_REQUIRED/)
})

t.test('UDP datagrams are answered [LSN-1]', async t => {
  const server = await start(t, { udp: [{ name: 'dgrams', port: 0 }] })
  const { dgrams: port } = await openPorts(server)
  const socket = createSocket('udp4')
  socket.send('ping', port!, '127.0.0.1')
  const [message] = (await once(socket, 'message')) as [Buffer]
  t.match(JSON.parse(message.toString()), {
    data: 'ping',
    listener: { name: 'dgrams', port },
    clientIp: '127.0.0.1',
    peer: { port: socket.address().port },
  })
  t.match((await statusOf(server)).dgrams, { kind: 'udp', connections: 1 })
  socket.close()
})

function fetchText(
  get: typeof getHttp | typeof getHttps,
  port: number,
  path: string,
  options: object = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, ...options }, response => {
      let text = ''
      response.on('data', chunk => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    }).on('error', reject)
  })
}

t.test('HTTP listeners feed the pipeline: HTTP/1.1, HTTP/2, TLS, a mount [LSN-1]', async t => {
  const server = await start(t, {
    http: [
      { name: 'web', port: 0 },
      { name: 'safe', port: 0, tls: true },
      { name: 'mounted', port: 0, mount: '/ports', http2: false },
    ],
  })
  const ports = await openPorts(server)
  const web = await fetchText(getHttp, ports.web!, '/ports/who')
  t.match(JSON.parse(web.text), { listener: { name: 'web', kind: 'http', port: ports.web }, version: '1.1' })
  const session = connectHttp2(`http://127.0.0.1:${ports.web}`)
  const stream = session.request({ ':path': '/ports/who' })
  let text = ''
  for await (const chunk of stream) text += chunk
  session.close()
  t.match(JSON.parse(text), { listener: { name: 'web' }, version: '2.0' })
  const safe = await fetchText(getHttps, ports.safe!, '/ports/who', { rejectUnauthorized: false, agent: false })
  t.match(JSON.parse(safe.text), { listener: { name: 'safe', kind: 'https' }, origin: /^https:/ })
  const overTls = connectHttp2(`https://127.0.0.1:${ports.safe}`, { rejectUnauthorized: false })
  const secured = overTls.request({ ':path': '/ports/who' })
  let securedText = ''
  for await (const chunk of secured) securedText += chunk
  overTls.close()
  t.match(JSON.parse(securedText), { version: '2.0', listener: { name: 'safe' } })
  const mounted = await fetchText(getHttp, ports.mounted!, '/who?a=b')
  t.match(JSON.parse(mounted.text), { target: '/who?a=b', listener: { name: 'mounted' } })
  t.equal((await fetchText(getHttp, ports.mounted!, '/other')).status, 404)
  const { requests } = (await (await fetch(`${server.url}/_svc/requests?path=/ports/who&limit=10`)).json()) as {
    requests: { listener: string }[]
  }
  t.ok(requests.some(({ listener }) => listener === 'web') && requests.some(({ listener }) => listener === 'safe'))
})

t.test('a head that does not come ends the connection, as on the listeners of svc [LSN-1]', async t => {
  const server = await start(t, { http: [{ name: 'web', port: 0 }] })
  const { web } = await openPorts(server)
  const socket = connect(web!, '127.0.0.1')
  socket.write('GARBAGE\r\n\r\n')
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  t.match(chunk.toString(), /^HTTP\/1\.1 400 /)
  socket.destroy()
})

t.test('a reload refuses no connection, and open ones keep their settings [LSN-1]', async t => {
  const server = await start(t, {
    tcp: [
      { name: 'kept', port: 0, greeting: 'first' },
      { name: 'gone', port: 0 },
    ],
    http: [{ name: 'web', port: 0 }],
  })
  const ports = await openPorts(server)
  const before = connect(ports.kept!, '127.0.0.1')
  t.equal((await factsOf(before)).greeting, 'first')
  const leaving = connect(ports.gone!, '127.0.0.1')
  await factsOf(leaving)
  let isReloading = true
  let refused = 0
  let served = 0
  const clients = (async () => {
    while (isReloading) {
      const socket = connect(ports.kept!, '127.0.0.1')
      await factsOf(socket).then(
        () => served++,
        () => refused++,
      )
      socket.destroy()
    }
  })()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const requests = (async () => {
    while (isReloading) {
      const { status } = await fetchText(getHttp, ports.web!, '/ports/who', { agent })
      if (status !== 200) refused++
    }
  })()
  for (let round = 0; round < 3; round++)
    await change(server, {
      tcp: [
        { name: 'kept', port: 0, greeting: `round ${round}` },
        ...(round === 1 ? [] : [{ name: 'new', port: 0, greeting: `new ${round}` }]),
      ],
      http: [{ name: 'web', port: 0, http2: round % 2 === 0 }],
    })
  isReloading = false
  await Promise.all([clients, requests])
  agent.destroy()
  t.equal(refused, 0)
  t.ok(served > 0)
  t.equal((await openPorts(server)).kept, ports.kept, 'the same free port')
  const after = connect(ports.kept!, '127.0.0.1')
  t.equal((await factsOf(after)).greeting, 'round 2')
  const added = connect((await openPorts(server)).new!, '127.0.0.1')
  t.equal((await factsOf(added)).greeting, 'new 2', 'it came, went and came again')
  added.destroy()
  before.write('alive')
  t.equal(String((await once(before, 'data'))[0]), 'alive')
  leaving.write('alive too')
  t.equal(String((await once(leaving, 'data'))[0]), 'alive too', 'it ends by itself')
  const late = connect(ports.gone!, '127.0.0.1')
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException]
  t.equal(error.code, 'ECONNREFUSED')
  for (const socket of [before, after, leaving]) socket.destroy()
})

t.test('settings that are wrong, and ports that are taken, are load errors [LSN-3]', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const taken = (other.address() as AddressInfo).port
  const server = await start(t, {
    tcp: [
      { name: 'taken', port: taken },
      { name: 'one', port: 0 },
      { name: 'one', port: 0 },
      { name: 'http', port: 0 },
      { name: 'unreadable', port: 0, tls: { cert: 'no.crt', key: 'no.key' } },
      { name: 'curves', port: 0, tls: { curves: ['nonsense'] } },
      { name: 'no-pem', port: 0, tls: { cert: NO_PEM, key: NO_PEM } },
      { name: 'no-ca', port: 0, tls: { client_ca: NO_PEM } },
      { name: 'host', port: 0, host: 'example.com' },
      { name: 'number', port: 70_000 },
    ],
  })
  const problems = server.problems().map(({ at, message }) => `${at}: ${message}`)
  t.match(problems.toSorted(), [
    /^ports\.tcp\[0\]: can't listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)$/,
    /^ports\.tcp\[2\]: the name one is already used by the plugin ports/,
    /^ports\.tcp\[3\]: the name http is already used by svc itself/,
    /^ports\.tcp\[4\]: can't read no\.crt/,
    /^ports\.tcp\[5\]: unknown curve "nonsense" \(expected a name of OpenSSL, such as X25519\)$/,
    /^ports\.tcp\[6\]: can't use .*package\.json with .*package\.json: the certificate cannot be parsed$/,
    /^ports\.tcp\[7\]: can't use .*package\.json: the certificate cannot be parsed$/,
    /^ports\.tcp\[8\]: host is not an address/,
    /^ports\.tcp\[9\]\.port: /,
  ])
  const ports = await openPorts(server)
  t.equal(ports.taken, null)
  const socket = connect(ports.one ?? 0, '127.0.0.1')
  socket.on('error', () => {})
  t.match((await statusOf(server)).one, { port: Number }, 'the rest is served')
  socket.destroy()
})

t.test('several processes cannot share a free port [LSN-1]', async t => {
  const server = await start(t, { tcp: [{ name: 'free', port: 0 }] }, { SVC_WORKERS: '2' })
  t.match(server.problems(), [{ at: 'ports.tcp[0]', message: 'several processes cannot share a free port' }])
})

t.test('when svc stops, connections get FIN after what is pending [LSN-1]', async t => {
  const server = await start(t, { tcp: [{ name: 'facts', port: 0 }] })
  const { facts: port } = await openPorts(server)
  const socket = connect({ port: port!, host: '127.0.0.1', allowHalfOpen: true })
  await factsOf(socket)
  const ended = once(socket, 'end')
  socket.resume()
  const stopped = server.stop()
  await ended
  socket.end()
  await stopped
  const late = connect(port!, '127.0.0.1')
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException]
  t.equal(error.code, 'ECONNREFUSED')
})
