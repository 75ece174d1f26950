/**
 * `svc as` and `SVC_AS`: what they serve for the arguments and variables of the originals, in real processes.
 * Takes long: it starts processes.
 */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import t from 'tap'
import { dial, exchange, readUntil } from '../../support/layer4.ts'
import { startProcess, type ServerProcess, type StartOptions } from '../../support/process.ts'
import { send } from '../../support/request.ts'
import { svc } from '../../support/terminal.ts'
import { until } from '../../support/until.ts'

type Listener = Record<string, unknown>

async function sectionsOf(
  args: string[],
  env: Record<string, string> = {},
): Promise<Record<string, { listeners: Listener[] }>> {
  const { outcome, errors } = await svc(['as', ...args], { env, folder: '/work' })
  if (!('serve' in outcome)) throw new Error(errors)
  return outcome.serve.options.addedSections as never
}

/** The port of a listener of the process, read from its output. */
async function portOf(child: ServerProcess, name: string): Promise<number> {
  return Number(
    await until(() => new RegExp(`\\b${name} \\(\\w+\\) listening on [^\\n]*:(\\d+)`).exec(child.output())?.[1], name),
  )
}

function start(t: Parameters<typeof startProcess>[0], options: StartOptions): ServerProcess {
  return startProcess(t, { ...options, env: { SVC_WATCH: 'false', ...options.env } })
}

t.test('arguments and variables are those of the originals [DIN-20]', async t => {
  t.strictSame(await sectionsOf(['whoami', '--port=81', '-name', 'blue', '-verbose']), {
    drop_in: { listeners: [{ name: 'whoami', serve: 'whoami', port: 81, as: 'blue' }] },
  })
  t.strictSame(await sectionsOf(['whoami'], { WHOAMI_PORT_NUMBER: '82', WHOAMI_NAME: 'n' }), {
    drop_in: { listeners: [{ name: 'whoami', serve: 'whoami', port: 82, as: 'n' }] },
  })
  t.match(await sectionsOf(['whoami', '-cert', 'a.crt', '-key', 'a.key', '-cacert', 'ca.crt']), {
    drop_in: {
      listeners: [
        { tls: { cert: '/work/a.crt', key: '/work/a.key', client: 'require', client_ca: '/work/ca.crt' }, port: 80 },
      ],
    },
  })
  t.strictSame(await sectionsOf(['whoamitcp', '-port', ':81', '-banner']), {
    layer4: { listeners: [{ name: 'whoamitcp', mode: 'whoami', port: 81, banner: true }] },
  })
  t.strictSame(await sectionsOf(['whoamiudp', '-name=u']), {
    layer4: { listeners: [{ name: 'whoamiudp', transport: 'udp', mode: 'whoami', port: 8080, text: 'u' }] },
  })
  t.strictSame(await sectionsOf(['http-echo', '-text', 'a=b', '-listen', '127.0.0.1:81', '-status-code=418']), {
    drop_in: {
      listeners: [{ name: 'http-echo', serve: 'http-echo', port: 81, host: '127.0.0.1', text: 'a=b', status: 418 }],
    },
  })
  t.match(await sectionsOf(['http-echo'], { ECHO_TEXT: 'env' }), {
    drop_in: { listeners: [{ text: 'env', port: 5678 }] },
  })
  t.match(await sectionsOf(['nginx-hello']), { drop_in: { listeners: [{ port: 80 }, { port: 8080 }] } })
  t.strictSame(await sectionsOf(['fortio', 'server', '-http-port', '81', '-grpc-port', 'disabled']), {
    drop_in: { listeners: [{ name: 'fortio-http', serve: 'fortio', port: 81 }] },
    layer4: {
      listeners: [
        { name: 'fortio-tcp', mode: 'echo', directives: false, port: 8078 },
        { name: 'fortio-udp', transport: 'udp', mode: 'echo', directives: false, port: 8078 },
      ],
    },
  })
  t.strictSame(await sectionsOf(['httpbin']), {
    drop_in: { listeners: [{ name: 'httpbin', serve: 'httpbin', port: 80 }] },
  })
  t.strictSame(await sectionsOf(['go-httpbin', '-host', '127.0.0.1'], { PORT: '81', PREFIX: '/p' }), {
    drop_in: {
      listeners: [{ name: 'go-httpbin', serve: 'go-httpbin', port: 81, host: '127.0.0.1', prefix: '/p' }],
    },
  })
  t.match(await sectionsOf(['testupstream'], { LISTENER_PORT: '81' }), { drop_in: { listeners: [{ port: 81 }] } })
})

t.test('echo-basic is one of four servers by its variables [DIN-21]', async t => {
  const files = { TLS_SERVER_CERT: 'a.crt', TLS_SERVER_PRIVKEY: 'a.key' }
  const ports = async (env: Record<string, string>): Promise<unknown> =>
    Object.fromEntries(
      Object.entries(await sectionsOf(['echo-basic'], env)).map(([section, { listeners }]) => [
        section,
        listeners.map(({ port, serve, mode, transport, tls }) => [
          port,
          serve ?? mode,
          ...(tls === undefined ? [] : [tls === true || (tls as { client: string }).client]),
          ...(transport === undefined ? [] : [transport]),
        ]),
      ]),
    )
  t.strictSame(await ports({}), {
    drop_in: [
      [3000, 'echo-basic'],
      [3001, 'echo-basic-h2c'],
    ],
  })
  t.strictSame(await ports({ ...files, HTTP_PORT: '81', H2C_PORT: '82', HTTPS_PORT: '83', TLS_CLIENT_CACERTS: 'c' }), {
    drop_in: [
      [81, 'echo-basic'],
      [83, 'echo-basic', 'require'],
      [82, 'echo-basic-h2c'],
    ],
  })
  const other = { TLS_SERVER_CERT: 'a.crt', TLS_SERVER_PRIV_KEY: 'a.key' }
  t.strictSame(await ports({ GRPC_ECHO_SERVER: '1', ...other }), {
    drop_in: [
      [3000, 'grpc'],
      [8443, 'grpc', 'none'],
    ],
  })
  t.strictSame(await ports({ TCP_ECHO_SERVER: '1', TCP_PORT: '81' }), {
    layer4: [
      [81, 'echo-basic'],
      [8443, 'echo-basic', true],
    ],
  })
  t.strictSame(await ports({ UDP_ECHO_SERVER: '1', UDP_PORT: '81' }), { layer4: [[81, 'echo-basic', 'udp']] })
})

t.test("istio-echo has Istio's flags [DIN-22]", async t => {
  t.strictSame(await sectionsOf(['istio-echo']), {
    drop_in: {
      listeners: [
        { port: 8080, name: 'http-8080', serve: 'istio-echo' },
        { port: 7070, name: 'grpc-7070', serve: 'grpc' },
      ],
    },
    layer4: { listeners: [{ port: 9090, name: 'tcp-9090', mode: 'istio' }] },
  })
  const all = await sectionsOf(
    '--port 1 --port=2,3 --tls 2 --mtls=3 --grpc 4 --tcp 5 --tcp 6 --server-first 5 --proxy-protocol 6 --udp 7 --version v1 --cluster c --istio-version 1.28 --crt a.crt --key a.key --ca ca.crt --disable-alpn --tls-min-version 1.3'
      .split(' ')
      .reduce<string[]>((args, part) => [...args, part], ['istio-echo']),
    { NAMESPACE: 'apps' },
  )
  const tls = { cert: '/work/a.crt', key: '/work/a.key', client_ca: '/work/ca.crt', min_version: '1.3' }
  const settings = { version: 'v1', cluster: 'c', istio_version: '1.28', namespace: 'apps' }
  t.match(all, {
    drop_in: {
      listeners: [
        { port: 1, ...settings },
        { port: 2, tls: { ...tls, client: 'request' }, http2: false },
        { port: 3, tls: { ...tls, client: 'require' } },
        { port: 4, serve: 'grpc' },
      ],
    },
    layer4: {
      listeners: [
        { port: 5, banner: true, ...settings },
        { port: 6, proxy_protocol: 'strict' },
        { port: 7, transport: 'udp', mode: 'istio' },
      ],
    },
    grpc_services: { version: 'v1' },
  })
  const ignored = await svc(['as', 'istio-echo', '--hbone', '15008', '--xds-grpc-server=1', '--uds', 'x'])
  t.equal(ignored.code, null)
  for (const flag of ['hbone', 'xds-grpc-server', 'uds']) t.match(ignored.errors, `-${flag} is ignored`)
})

t.test('wrong arguments end with code 2 [DIN-23]', async t => {
  for (const [args, message] of [
    [[], 'expected the name of a server'],
    [['whoam'], /unknown server "whoam" \(did you mean "whoami"\?\)/],
    [['whoami', '-prot', '1'], 'unknown argument: -prot (did you mean -port?)'],
    [['whoami', '-port'], '-port needs a port'],
    [['whoami', '-port', 'x'], '-port: expected a port, got "x"'],
    [['whoami', '-port', '65536'], '-port: expected a port'],
    [['whoami', '-cert', 'a'], '-cert and -key go together'],
    [['whoami', 'extra'], 'unexpected argument: extra'],
    [['whoami', '-verbose=maybe'], '-verbose: expected true or false'],
    [['fortio', 'load'], 'unexpected argument: load'],
    [['http-echo'], 'Missing -text option or ECHO_TEXT env var!'],
    [['http-echo', '-text', 'a', '-status-code', '99'], '-status-code: expected a status'],
    [['istio-echo', '--tls', '1'], '1 is not a port of --port, --grpc or --tcp'],
    [['istio-echo', '--tls-min-version', '1.1'], 'expected 1.2 or 1.3'],
    [['go-httpbin', '-prefix', '/a/'], 'expected a path such as /httpbin'],
  ] as const) {
    const { code, errors } = await svc(['as', ...args])
    t.equal(code, 2, args.join(' '))
    t.match(errors, message)
    t.match(errors, 'usage: svc as <server>')
  }
  const help = await svc(['as', '--help'])
  t.equal(help.code, 0)
  for (const name of ['echo-basic', 'whoamiudp', 'testbox', 'WHOAMI_NAME']) t.match(help.output, name)
})

t.test('ports of svc give way to those of the server, others stay [DIN-24]', async t => {
  const options = async (env: Record<string, string>) => {
    const { outcome } = await svc(['as', 'whoami', '-port', '8080'], { env })
    return 'serve' in outcome ? outcome.serve.options : {}
  }
  t.match(await options({}), {
    loopback: ['http', 'https', 'grpc'],
    environment: { SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0' },
  })
  t.match(await options({ SVC_HTTP_PORT: '8080', SVC_HTTPS_PORT: '8443', SVC_GRPC_PORT: '50051' }), {
    loopback: ['http'],
    environment: { SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '8443' },
  })
})

t.test('SVC_AS takes the arguments of the process, and leaves commands alone [DIN-25]', async t => {
  const env = { SVC_AS: 'whoami' }
  const run = async (args: string[], given: Record<string, string> = env) => (await svc(args, { env: given })).outcome
  t.match(await run(['-port', '81']), {
    serve: { options: { addedSections: { drop_in: { listeners: [{ port: 81 }] } } } },
  })
  t.match(await run([]), { serve: { options: { addedSections: { drop_in: { listeners: [{ port: 80 }] } } } } })
  t.match(await run(['server'], { SVC_AS: 'fortio' }), { serve: { options: { addedSections: { layer4: {} } } } })
  t.equal((await svc(['-prot'], { env })).code, 2)
  t.notOk(JSON.stringify(await run(['serve'])).includes('addedSections'))
  t.equal((await svc(['check'], { env })).code, 0)
  const mock = await svc(['mock', 'check'], { env })
  t.notMatch(mock.errors, /svc as/, 'a command of a plugin')
  t.strictSame(mock, await svc(['mock', 'check']))
  t.notOk(JSON.stringify(await run([], { SVC_AS: 'whomai' })).includes('addedSections'), 'an unknown name')
})

t.test('processes respond as the originals [DIN-26]', async t => {
  const folder = t.testdir()
  execFileSync('openssl', [
    ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'.split(' '),
    '-keyout',
    join(folder, 'a.key'),
    '-out',
    join(folder, 'a.crt'),
  ])
  const certificate = { TLS_SERVER_CERT: join(folder, 'a.crt'), TLS_SERVER_PRIVKEY: join(folder, 'a.key') }
  const http = start(t, {
    args: ['as', 'echo-basic'],
    env: { HTTP_PORT: '0', H2C_PORT: '0', HTTPS_PORT: '0', NAMESPACE: 'infra', ...certificate },
  })
  const tcp = start(t, {
    env: { SVC_AS: 'echo-basic', TCP_ECHO_SERVER: '1', TCP_PORT: '0', TLS_PORT: '0', POD_NAME: 'p-1' },
  })
  const udp = start(t, { args: ['as', 'whoamiudp', '-port', ':0'] })
  const istio = start(t, {
    args: 'as istio-echo --port 0 --grpc 0 --tcp 0 --version v7'.split(' '),
    env: { SVC_HTTP_PORT: '' },
  })

  const port = await portOf(http, 'echo-basic')
  const echoed = JSON.parse((await send(`http://127.0.0.1:${port}`, '/a?b')).text) as Record<string, unknown>
  t.match(echoed, { path: '/a?b', namespace: 'infra', httpPort: String(port) })
  const h2c = await portOf(http, 'echo-basic-h2c')
  t.match(await send(`http://127.0.0.1:${h2c}`, '/health'), { status: 400, text: 'Expected h2c request' })
  const session = connectHttp2(`http://127.0.0.1:${h2c}`)
  const stream = session.request({ ':path': '/health' })
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  session.close()
  t.match(JSON.parse(text), { path: '/health', proto: 'HTTP/2.0', httpPort: String(port) })
  const secured = execFileSync('curl', ['-sk', `https://localhost:${await portOf(http, 'echo-basic-tls')}/x`])
  t.match(JSON.parse(secured.toString()), { path: '/x', httpPort: String(port), tls: { version: 'TLSv1.3' } })
  t.match(await send(`http://127.0.0.1:${await http.port('HTTP')}`, '/echo'), { status: 200 }, 'all of svc')

  const plain = await portOf(tcp, 'echo-basic')
  const tlsport = await portOf(tcp, 'echo-basic-tls')
  const socket = await dial(plain)
  await readUntil(socket, 'Gateway API Test TCP Server\n')
  socket.write('TEST\n')
  t.match(JSON.parse(await readUntil(socket, '\n')), {
    pod: 'p-1',
    tcpport: String(plain),
    tlsport: String(tlsport),
    isTLS: false,
  })
  socket.destroy()

  const client = createSocket('udp4')
  client.send('hi', await portOf(udp, 'whoamiudp'), '127.0.0.1')
  const [answer] = (await once(client, 'message')) as [Buffer]
  client.close()
  t.equal(answer.toString(), 'Received: hi')

  t.match(await send(`http://127.0.0.1:${await portOf(istio, 'http-0')}`, '/'), { text: /^ServiceVersion=v7$/m })
  t.match(await exchange(await portOf(istio, 'tcp-0'), 'hi'), /^ServiceVersion=v7$[^]*hi$/m)
  t.match(istio.output(), /\bHTTP listening on 127\.0\.0\.1:/)
  t.match(await send(`http://127.0.0.1:${await portOf(istio, 'grpc-0')}`, '/echo'), { status: 404 }, 'gRPC only')

  for (const child of [http, tcp, udp, istio]) child.child.kill('SIGTERM')
  for (const child of [http, tcp, udp, istio]) t.equal((await child.exited).code, 0)
})

t.test('a port in use ends the process with code 1, an unknown SVC_AS only warns [DIN-27]', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const refused = start(t, { args: ['as', 'http-echo', '-text', 'x', '-listen', `127.0.0.1:${port}`] })
  const disabled = start(t, { args: ['as', 'whoami', '-port', '0'], yaml: 'plugins: { disable: [drop-in] }\n' })
  const unknown = start(t, { env: { SVC_AS: 'whomai' } })
  t.equal((await refused.exited).code, 1)
  t.equal(refused.errors(), `can't listen on 127.0.0.1:${port} (EADDRINUSE)\n`)
  t.notMatch(refused.output(), 'EADDRINUSE', 'it is said once')
  t.equal((await disabled.exited).code, 1)
  t.match(disabled.errors(), 'no plugin serves drop_in\n')
  await unknown.port('HTTP')
  await until(
    () => /SVC_AS has no effect: unknown server "whomai" \(did you mean "whoami"\?\)/.test(unknown.output()),
    'warning',
  )
})
