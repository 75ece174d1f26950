/** Suites of projects with upstreams besides `echo-basic`, as their gateways forward the requests; `test/suites` has the cases. */
import { connect as connectTls } from 'node:tls'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import { ask } from '../../originals/drop-in/connections.ts'
import { GrpcCaller, loadProto, type Message } from '../../support/grpc-caller.ts'
import { dial, entriesOf, openPorts } from '../../support/layer4.ts'
import { post } from '../../support/mcp.ts'
import { exchange } from '../../support/raw-client.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { readSuite, type SuiteFile } from '../../suites/suite.ts'

interface Case {
  file: string
}

interface HttpCase extends Case {
  /** A listener below. */
  server: string
  /** Default: GET. */
  method?: string
  path: string
  host?: string
  headers?: Record<string, string | string[]>
  body?: string
  status: number
  fields?: Record<string, string>
  /** Lines of the head, in their case. */
  rawFields?: string[]
  /** Fields that the answer must not have. */
  absent?: string[]
  text?: string
  contains?: string[]
  /** Members that the answer must have. */
  json?: object
  /** Lines of JSON, one after the other. */
  lines?: number
  /** Members of the load report in the head. */
  report?: object
}

interface StreamCase extends Case {
  listener: string
  /** What goes before, such as a PROXY header. */
  head?: string
  /** Nothing: the server speaks first. */
  send?: string
  contains: string
  tls?: { servername: string; version?: 'TLSv1.2' | 'TLSv1.3' }
}

interface GrpcCase extends Case {
  service: string
  method: string
  request?: Message
  authority?: string
  metadata?: Record<string, string>
}

interface WebSocketCase extends Case {
  server: string
  path: string
  /** What the server sends first. */
  first?: string
  send?: string
  contains?: string
}

interface McpCase extends Case {
  server: string
  tools: string[]
  call?: { name: string; arguments: object; text: string }
}

/** A request of Istio's `ForwardEcho`, and what its parser finds in the output. `{name}` is the port of a listener. */
interface ForwardCase extends Case {
  url: string
  expect: Record<string, string>
  headers?: Record<string, string>
  requestHeaders?: Record<string, string>
  responseHeaders?: Record<string, string>
  rawBody?: Record<string, string>
  alpn?: string[]
  count?: number
  [option: string]: unknown
}

interface Suite extends SuiteFile {
  http?: HttpCase[]
  tcp?: StreamCase[]
  udp?: StreamCase[]
  grpc?: GrpcCase[]
  websocket?: WebSocketCase[]
  mcp?: McpCase[]
  forward?: ForwardCase[]
}

const FOLDERS = [
  'agentgateway',
  'apisix',
  'azure-ai-gateway',
  'envoy-gateway',
  'inference-extension',
  'istio',
  'kong',
  'nginx-gateway-fabric',
  'traefik',
]
const SUITES = FOLDERS.map(folder => readSuite<Suite>(folder))
const PROTOS: Record<string, string> = {
  'helloworld.Greeter': 'services/helloworld.proto',
  'xds.service.orca.v3.OpenRcaService': 'xds/service/orca/v3/orca.proto',
}
const ISTIO = { cluster: 'c1', version: 'v1' }

const server = await serve(t, {
  plugins: ['drop-in', 'grpc-services', 'httpbin', 'layer4', 'mcp', 'orca', 'tls'],
  env: { NAMESPACE: 'gateway-conformance-infra', POD_NAME: 'infra-backend-v1-0' },
  settings: {
    layer4: {
      listeners: entriesOf({
        'whoami-a': { mode: 'whoami', text: 'whoami-a', tls: true },
        'whoami-b': { mode: 'whoami', text: 'whoami-b', tls: true },
        'whoami-no-tls': { mode: 'whoami', text: 'whoami-no-tls' },
        'whoami-banner': { mode: 'whoami', text: 'whoami-banner', banner: 'Welcome' },
        'whoami-udp': { mode: 'whoami', text: 'whoami-udp', transport: 'udp' },
        tcp: { mode: 'istio', ...ISTIO },
        'tcp-server': { mode: 'istio', banner: true },
        'tcp-proxy': { mode: 'istio', proxy_protocol: 'strict' },
        udp: { mode: 'istio', transport: 'udp' },
        'raw-headers': { mode: 'raw-headers' },
        proxied: { mode: 'echo-basic', proxy_protocol: 'strict' },
      }),
    },
    drop_in: {
      listeners: entriesOf({
        ...Object.fromEntries(
          ['echo-basic', 'whoami', 'nginx-hello', 'kong-mock', 'apisix-upstream', 'azure-mock', 'preserve-case'].map(
            name => [name, { serve: name }],
          ),
        ),
        'testbox-llm': { serve: 'testbox-llm' },
        'testbox-a2a': { serve: 'testbox-a2a' },
        'whoami-admin': { serve: 'whoami', as: 'whoami-admin' },
        'whoami-developer': { serve: 'whoami', as: 'whoami-developer' },
        'istio-echo': { serve: 'istio-echo', namespace: 'echo', ...ISTIO },
        app: { serve: 'istio-echo', ...ISTIO },
        'app-tls': { serve: 'istio-echo', tls: true, ...ISTIO },
      }),
    },
    mcp: {
      servers: [
        {
          name: 'mcp-website-fetcher',
          info_name: 'mcp-website-fetcher',
          tools: [tool('fetch', 'fetched: {{args.url}}')],
        },
        {
          name: 'mcp-admin-server',
          info_name: 'mcp-admin-server',
          tools: [tool('fetch', 'fetched: {{args.url}}'), tool('admin_status', 'ok')],
        },
      ],
      listeners: entriesOf({
        'mcp-website-fetcher': { server: 'mcp-website-fetcher' },
        'mcp-admin-server': { server: 'mcp-admin-server' },
      }),
    },
  },
  oneProcess: 'ports belong to a process',
})
const open = await openPorts(server)
const ca = await (await fetch(`${server.url}/tls/ca.pem`)).text()

function tool(name: string, text: string): object {
  return { name, answers: [{ text }] }
}

function portOf(listener: string): number {
  const port = open[listener]
  if (port === undefined) throw new Error(`no listener ${listener}`)
  return port
}

async function replayHttp(t: Test, one: HttpCase, name: string): Promise<void> {
  const { method = 'GET', path, host, headers, body } = one
  const url = `http://127.0.0.1:${portOf(one.server)}`
  const reply = await send(url, path, {
    method,
    headers: { Host: host ?? 'example.test', Connection: 'close', ...headers },
    ...(body === undefined ? {} : { body }),
  })
  t.equal(reply.status, one.status, name)
  for (const [field, value] of Object.entries(one.fields ?? {}))
    t.equal(reply.headers[field.toLowerCase()], value, `${name}: ${field}`)
  for (const field of one.absent ?? []) t.equal(reply.headers[field], undefined, `${name}: ${field}`)
  if (one.text !== undefined) t.equal(withoutConnection(reply.text), one.text, name)
  for (const part of one.contains ?? []) t.ok(reply.text.includes(part), `${name}: ${part}`)
  if (one.json !== undefined) t.hasStrict(reply.json(), one.json, name)
  if (one.lines !== undefined) {
    const lines = reply.text.trimEnd().split('\n')
    t.equal(lines.length, one.lines, name)
    for (const line of lines) t.type(JSON.parse(line), Object, name)
  }
  if (one.report !== undefined) {
    const report = /^JSON (.*)$/.exec(String(reply.headers['endpoint-load-metrics']))?.[1] ?? '{}'
    t.hasStrict(JSON.parse(report), one.report, name)
  }
  if (one.rawFields === undefined) return
  const { text } = await exchange(
    portOf(one.server),
    `GET ${path} HTTP/1.1\r\nHost: example.test\r\nConnection: close\r\n\r\n`,
  )
  for (const line of one.rawFields) t.ok(text.includes(`\r\n${line}\r\n`), `${name}: ${line}`)
}

/** Lines of the connection that the client of this test adds, and no gateway forwards. */
function withoutConnection(text: string): string {
  return text.replace(/^connection: close\n/m, '')
}

async function replayTcp(t: Test, one: StreamCase, name: string): Promise<void> {
  const port = portOf(one.listener)
  const { tls } = one
  const socket =
    tls === undefined
      ? await dial(port)
      : connectTls({
          port,
          host: '127.0.0.1',
          servername: tls.servername,
          ca,
          ...(tls.version === undefined ? {} : { minVersion: tls.version, maxVersion: tls.version }),
        })
  let text = ''
  const done = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes(one.contains)) resolve()
    })
    socket.on('error', reject).on('close', () => resolve())
  })
  socket.write(`${one.head ?? ''}${one.send ?? ''}`)
  await done
  socket.destroy()
  t.ok(text.includes(one.contains), `${name}: ${text}`)
}

async function replayGrpc(t: Test, one: GrpcCase, name: string): Promise<void> {
  const caller = new GrpcCaller(
    `127.0.0.1:${server.ports.grpc}`,
    loadProto(PROTOS[one.service]!)[one.service]!,
    one.authority === undefined ? {} : { 'grpc.default_authority': one.authority },
  )
  t.teardown(() => caller.close())
  const { messages } = await caller.call(one.method, one.request ?? {}, {
    metadata: one.metadata ?? {},
    cancelAt: () => true,
  })
  t.equal(messages.length, 1, name)
}

async function replayWebSocket(t: Test, one: WebSocketCase, name: string): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${portOf(one.server)}${one.path}`)
  const first = new Promise<string>((resolve, reject) => {
    socket.once('message', data => resolve(String(data)))
    socket.once('error', reject).once('close', () => reject(new Error(`${name}: closed`)))
  })
  if (one.send !== undefined) socket.once('open', () => socket.send(one.send!))
  const text = await first
  socket.terminate()
  if (one.first !== undefined) t.equal(text, one.first, name)
  if (one.contains !== undefined) t.ok(text.includes(one.contains), name)
}

async function replayMcp(t: Test, one: McpCase, name: string): Promise<void> {
  const url = `http://127.0.0.1:${portOf(one.server)}/mcp`
  const headers = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' }
  const started = await post(
    url,
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    headers,
  )
  t.hasStrict(started.answer, { result: { serverInfo: { name: one.server } } }, name)
  const session = started.headers.get('mcp-session-id')
  const call = (method: string, params: object) =>
    post(url, { jsonrpc: '2.0', id: 1, method, params }, { ...headers, ...(session && { 'Mcp-Session-Id': session }) })
  const listed = (await call('tools/list', {})).answer as unknown as { result: { tools: { name: string }[] } }
  t.same(
    listed.result.tools.map(({ name }) => name),
    one.tools,
    name,
  )
  if (one.call === undefined) return
  const { text, ...params } = one.call
  t.hasStrict((await call('tools/call', params)).answer, { result: { content: [{ type: 'text', text }] } }, name)
}

const ECHO = loadProto('services/istio_echo.proto')['proto.EchoTestService']!

/** How Istio's tests read each field of an output: the first match of its name. */
const FIELDS: Record<string, string> = {
  Code: 'StatusCode',
  Host: 'Host',
  URL: 'URL',
  Method: 'Method',
  Protocol: 'Proto',
  Alpn: 'Alpn',
  SNI: 'Sni',
  ProxyProtocol: 'ProxyProtocol',
  Version: 'ServiceVersion',
  Port: 'ServicePort',
  Cluster: 'Cluster',
}

function withPorts(text: string, isUrl: boolean): string {
  return text.replace(/\{([\w-]+)\}/g, (_, name: string) => {
    const port = name === 'grpc' ? server.ports.grpc : portOf(name)
    return isUrl ? `127.0.0.1:${port}` : String(port)
  })
}

async function replayForward(t: Test, one: ForwardCase, name: string): Promise<void> {
  const { file: _, url, expect, headers = {}, requestHeaders, responseHeaders, rawBody, alpn, ...options } = one
  const caller = new GrpcCaller(`127.0.0.1:${server.ports.grpc}`, ECHO)
  t.teardown(() => caller.close())
  const { code, details, messages } = await caller.call('ForwardEcho', {
    count: 1,
    ...options,
    url: withPorts(url, true),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    ...(alpn === undefined ? {} : { alpn: { value: alpn } }),
  })
  t.equal(code, 0, `${name}: ${details}`)
  const outputs: string[] = messages[0]?.output ?? []
  t.equal(outputs.length, one.count ?? 1, name)
  for (const output of outputs) {
    for (const [field, value] of Object.entries(expect))
      t.equal(
        new RegExp(`${FIELDS[field]}=(.*)`).exec(output)?.[1],
        withPorts(value, false),
        `${name}: ${field} of\n${output}`,
      )
    for (const [kind, wanted] of Object.entries({ RequestHeader: requestHeaders, ResponseHeader: responseHeaders }))
      for (const [key, value] of Object.entries(wanted ?? {}))
        t.match(output, new RegExp(`${kind}=${key}:${value}$`, 'im'), name)
    for (const [key, value] of Object.entries(rawBody ?? {})) t.ok(output.includes(` body] ${key}=${value}\n`), name)
  }
}

for (const {
  project,
  commit,
  http = [],
  tcp = [],
  udp = [],
  grpc = [],
  websocket = [],
  mcp = [],
  forward = [],
} of SUITES)
  t.test(`${project}: svc answers as its upstreams do [DIN-61]`, async t => {
    t.match(commit, /^[\da-f]{40}$/)
    for (const one of http) await replayHttp(t, one, `${one.file}: ${one.method ?? 'GET'} ${one.server}${one.path}`)
    for (const one of tcp) await replayTcp(t, one, `${one.file}: ${one.listener}`)
    for (const one of udp) {
      const { datagram } = await ask(portOf(one.listener), { datagram: one.send ?? '' })
      t.ok(datagram.includes(one.contains), `${one.file}: ${datagram}`)
    }
    for (const one of grpc) await replayGrpc(t, one, `${one.file}: ${one.service}`)
    for (const one of websocket) await replayWebSocket(t, one, `${one.file}: ${one.path}`)
    for (const one of mcp) await replayMcp(t, one, `${one.file}: ${one.server}`)
    for (const one of forward) await replayForward(t, one, `${one.file}: ${one.url}`)
  })
