/** PROXY headers of haproxy and of nginx's stream module, as they write them (sheet drop-in, 3 and 12). */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import { keyPem, makeCertificate } from '../support/certificates.ts'
import { openPorts } from '../support/layer4.ts'
import { send } from '../support/request.ts'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'
import { findProgram, type Program } from './support/program.ts'
import { freePorts } from '../support/free-ports.ts'

const haproxy = findProgram('haproxy', ['-v'])
const nginx = findProgram('nginx', ['-v'])
const streamModule = typeof nginx === 'string' ? null : findStreamModule(nginx)
const CLOSE = { Connection: 'close' }

const server = await serve(t, {
  plugins: ['layer4', 'drop-in', 'httpbin', 'tls'],
  settings: {
    layer4: {
      listeners: [
        { name: 'info', port: 0, mode: 'info', proxy_protocol: 'strict' },
        { name: 'info-tls', port: 0, mode: 'info', tls: true, proxy_protocol: 'strict' },
      ],
    },
    drop_in: { listeners: [{ name: 'who', port: 0, serve: 'whoami', proxy_protocol: 'strict' }] },
  },
  oneProcess: 'ports belong to a process',
})
const open = await openPorts(server)
const get = async (path: string): Promise<string> => (await fetch(server.url + path)).text()

interface Info {
  client_ip: string
  peer: { address: string; port: number }
  tls: { version: string; sni: string } | null
  proxy_protocol: {
    version: number
    command: string | null
    transport: string
    source: { address: string; port: number } | null
    destination: { port: number } | null
    tlvs: { type: number; name: string | null; value?: unknown }[]
  }
}

/** The line that the mode `info` sends at once, and the port that the client has. */
async function infoFrom(socket: Socket): Promise<{ info: Info; localPort: number }> {
  let text = ''
  let failure: Error | null = null
  socket.on('data', (chunk: Buffer) => (text += chunk)).on('error', error => (failure = error))
  await until(() => text.includes('\n') || socket.destroyed, 'a line')
  const localPort = socket.localPort!
  socket.destroy()
  if (!text.includes('\n')) throw failure ?? new Error('closed without a line')
  return { info: JSON.parse(text) as Info, localPort }
}

/** Starts a program until the test ends, and waits until its port takes connections. */
async function start(t: Test, path: string, args: string[], port: number): Promise<void> {
  let output = ''
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise(resolve => child.on('exit', resolve))
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  await until(async () => {
    if (child.exitCode !== null) throw new Error(output)
    return new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  }, `${path} listens`)
}

/** Null if nginx has no stream module, empty if it is part of the program. */
function findStreamModule({ path }: Program): string | null {
  const built = execFileSync('sh', ['-c', '"$0" -V 2>&1', path], { encoding: 'utf8' })
  if (/--with-stream(?:\s|$)/.test(built)) return ''
  const folder = /--modules-path=(\S+)/.exec(built)?.[1]
  const file = folder === undefined ? '' : join(folder, 'ngx_stream_module.so')
  return existsSync(file) ? file : null
}

t.test('haproxy', { skip: typeof haproxy === 'string' && haproxy }, async t => {
  if (typeof haproxy === 'string') return
  t.setTimeout(0)
  const [v1, v2, overTls, inside, http, checked] = (await freePorts(6)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const folder = t.testdir({})
  const authority = await makeCertificate({ subject: 'CN=front' })
  const front = await makeCertificate({ subject: 'CN=front.test', ca: false, issuer: authority })
  const client = await makeCertificate({ subject: 'CN=one client', ca: false, issuer: authority })
  const frontCa = authority.certificate.toString()
  writeFileSync(join(folder, 'front-ca.pem'), frontCa)
  writeFileSync(join(folder, 'front.pem'), front.certificate.toString() + keyPem(front.key))
  writeFileSync(join(folder, 'ca.pem'), await get('/tls/ca.pem'))
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `global
  maxconn 100
defaults
  mode tcp
  timeout connect 30s
  timeout client 60s
  timeout server 60s
listen v1
  bind 127.0.0.1:${v1}
  server svc 127.0.0.1:${open.info} send-proxy
listen v2
  bind 127.0.0.1:${v2}
  server svc 127.0.0.1:${open.info} send-proxy-v2
listen tls
  bind 127.0.0.1:${overTls} ssl crt ${folder}/front.pem ca-file ${folder}/front-ca.pem verify optional
  unique-id-format req-81
  server svc 127.0.0.1:${open.info} send-proxy-v2 proxy-v2-options ssl,cert-cn,unique-id
listen inside
  bind 127.0.0.1:${inside}
  server svc 127.0.0.1:${open['info-tls']} send-proxy-v2 ssl sni str(backend.test) ca-file ${folder}/ca.pem verify required verifyhost backend.test
listen http
  mode http
  option forwardfor
  bind 127.0.0.1:${http}
  server svc 127.0.0.1:${open.who} send-proxy-v2
listen checked
  bind 127.0.0.1:${checked}
  server svc 127.0.0.1:${open.info} send-proxy-v2 check inter 200ms
`,
  )
  await start(t, haproxy.path, ['-db', '-f', join(folder, 'haproxy.cfg')], v1)
  t.comment(haproxy.title)

  for (const [version, port] of [
    [1, v1],
    [2, v2],
  ] as const) {
    const { info, localPort } = await infoFrom(connect(port, '127.0.0.1'))
    t.match(info, { client_ip: '127.0.0.1', tls: null, proxy_protocol: { version, transport: 'TCP4' } })
    t.strictSame(info.proxy_protocol.source, { address: '127.0.0.1', port: localPort }, 'the address of the client')
    t.equal(info.proxy_protocol.destination?.port, port)
    t.not(info.peer.port, localPort, 'the peer is haproxy')
  }

  const { info } = await infoFrom(
    connectTls({
      port: overTls,
      host: '127.0.0.1',
      servername: 'front.test',
      ca: frontCa,
      cert: client.certificate.toString(),
      key: keyPem(client.key),
    }),
  )
  const tlvs = new Map(info.proxy_protocol.tlvs.map(({ name, value }) => [name, value]))
  t.equal(tlvs.get('unique_id'), 'req-81')
  t.match(tlvs.get('ssl'), {
    client: ['ssl', 'cert_conn', 'cert_sess'],
    verify: 0,
    version: /^TLSv1\.[23]$/,
    cn: 'one client',
  })

  const secured = await infoFrom(connect(inside, '127.0.0.1'))
  t.match(secured.info, { tls: { sni: 'backend.test' }, proxy_protocol: { version: 2, command: 'PROXY' } })

  const reply = await send(`http://127.0.0.1:${http}`, '/a', { headers: CLOSE })
  t.equal(reply.status, 200)
  t.match(reply.text, /^X-Forwarded-For: 127\.0\.0\.1\r$/m)

  await until(
    async () => /"command":"LOCAL"/.test(await get('/_svc/connections?listener=info&limit=100')),
    'a check with the command LOCAL',
  )
})

const skipNginx = typeof nginx === 'string' ? nginx : streamModule === null && 'nginx has no stream module here'
t.test("nginx's stream module", { skip: skipNginx }, async t => {
  if (typeof nginx === 'string' || streamModule === null) return
  t.setTimeout(0)
  const [plain, inside] = (await freePorts(2)) as [number, number]
  const folder = t.testdir({})
  writeFileSync(join(folder, 'ca.pem'), await get('/tls/ca.pem'))
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${streamModule === '' ? '' : `load_module ${streamModule};`}
daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
stream {
  proxy_protocol on;
  server { listen 127.0.0.1:${plain}; proxy_pass 127.0.0.1:${open.info}; }
  server {
    listen 127.0.0.1:${inside};
    proxy_pass 127.0.0.1:${open['info-tls']};
    proxy_ssl on;
    proxy_ssl_name backend.test;
    proxy_ssl_server_name on;
    proxy_ssl_verify on;
    proxy_ssl_trusted_certificate ${folder}/ca.pem;
  }
}
`,
  )
  await start(t, nginx.path, ['-p', folder, '-c', join(folder, 'nginx.conf')], plain)
  t.comment(nginx.title)
  for (const [port, sni] of [
    [plain, null],
    [inside, 'backend.test'],
  ] as const) {
    const { info, localPort } = await infoFrom(connect(port, '127.0.0.1'))
    t.match(info.proxy_protocol, { version: 1, transport: 'TCP4', command: null })
    t.strictSame(info.proxy_protocol.source, { address: '127.0.0.1', port: localPort })
    t.equal(info.tls?.sni ?? null, sni)
  }
})
