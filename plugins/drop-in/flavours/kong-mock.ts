/** Kong's `mock_upstream`, which its tests send requests to. */
import { isIP } from 'node:net'
import type { JsonObject, Store, Svc } from 'svc/plugin'
import { connectionTls, readFormParts } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { basicCredentials, decodeText } from '../request/credentials.ts'
import { type Argument, argumentsOf, nginxArguments, nginxUri } from '../request/nginx.ts'
import { type Log, openLogs, serveLog } from './kong-logs.ts'

const MAX_LINES = 1000
const LOG = /^\/(post_log|post_auth_log|read_log|count_log|reset_log)\/([^/]{1,100})(?:\/([^/]*)\/([^/]*))?$/

const ROUTES: Readonly<Record<string, string>> = {
  '/ws': 'Websocket echo server',
  '/get': 'Accepts a GET request and returns it in JSON format',
  '/xml': 'Returns a simple XML document',
  '/post': 'Accepts a POST request and returns it in JSON format',
  '/response-headers?:key=:val': 'Returns given response headers',
  '/cache/:n': 'Sets a Cache-Control header for n seconds',
  '/anything': 'Accepts any request and returns it in JSON format',
  '/request': 'Alias to /anything',
  '/delay/:duration': 'Delay the response for <duration> seconds',
  '/basic-auth/:user/:pass': 'Performs HTTP basic authentication with the given credentials',
  '/status/:code': 'Returns a response with the specified <status code>',
  '/stream/:num': 'Stream <num> chunks of JSON data via chunked Transfer Encoding',
  '/timestamp': 'Returns server timestamp in header',
}

export function createKongMock(svc: Svc<unknown>): Server {
  const logs = openLogs(svc)
  return {
    name: 'kong-mock',
    title: "Kong's mock upstream",
    summary: 'The request in JSON, and the paths of its tests',
    example: '/anything',
    mediaTypes: ['application/json', 'text/plain'],
    handle: call => respond(call, logs),
    socket: {
      paths: ['/ws'],
      plainStatus: 400,
      open(socket) {
        socket.on('message', (message: Buffer, isBinary: boolean) => socket.send(message, { binary: isBinary }))
      },
    },
  }
}

async function respond(call: Call, logs: Store<Log>): Promise<unknown> {
  const { path, reply } = call
  reply.raw.setHeader('X-Powered-By', 'mock_upstream')
  reply.raw.setHeader('Server', 'mock-upstream/1.0.0')
  const [, action, name, user, password] = LOG.exec(path) ?? []
  if (action !== undefined) return serveLog(call, logs, { action, name: name!, user, password })
  if (path === '/') return show(call, { valid_routes: ROUTES })
  const exact = EXACT[path]
  if (exact !== undefined) return exact(call)
  for (const [pattern, handle] of PATTERNS) {
    const found = pattern.exec(path)
    if (found !== null) return handle(call, ...found.slice(1).map(decodeText))
  }
  const route = PREFIXES.find(([prefix]) => path.startsWith(prefix))
  return route === undefined ? show(call, {}, 404) : route[1](call)
}

type Handler = (call: Call, ...parts: string[]) => unknown

/** Only GET: not HEAD either. */
const onlyFor =
  (method: string, handle: Handler): Handler =>
  call =>
    call.method === method ? handle(call) : call.send('text/plain', 'Method not allowed for the requested URL\n', 405)

const EXACT: Readonly<Record<string, Handler>> = {
  '/response-headers': onlyFor('GET', call => {
    call.setChosen([...argumentsOf(call.target)].map(([name, values]) => [name, values.join(', ')] as const))
    return show(call)
  }),
  '/timestamp': call => {
    call.reply.raw.setHeader('Server-Time', String(Date.now() / 1000))
    return call.send(null, '')
  },
  '/hop-by-hop': hopByHop,
  '/echo_sni': call => call.send('text/plain', `SNI=${serverNameOf(call)}\n`),
  '/ws': call => call.text('bad WebSocket handshake\n', 400),
}

const PATTERNS: readonly (readonly [RegExp, Handler])[] = [
  [
    /^\/cache\/(\d{1,9})$/,
    (call, seconds) => {
      call.reply.raw.setHeader('Cache-Control', `public, max-age=${seconds}`)
      return show(call)
    },
  ],
  [/^\/basic-auth\/(\w{1,100})\/(.+)$/, (call, user, password) => checkCredentials(call, user, password)],
  [
    /^\/delay\/(\d{1,3})$/,
    async (call, seconds) =>
      (await call.wait(Number(seconds) * 1000)) ? show(call, { delay: Number(seconds) }) : call.reply,
  ],
  [/^\/status\/([2-5]\d\d)$/, (call, code) => show(call, { code: Number(code) }, Number(code))],
  [/^\/stream\/(\d{1,4})$/, (call, count) => stream(call, Number(count))],
]

/** What matches no route above. */
const PREFIXES: readonly (readonly [string, Handler])[] = [
  ['/get', onlyFor('GET', call => show(call))],
  ['/post', onlyFor('POST', call => show(call))],
  ['/anything', call => show(call)],
  ['/request', call => show(call)],
  [
    '/xml',
    call =>
      call.send('application/xml', "<?xml version='1.0' encoding='us-ascii'?>\n<note>\n  <to>svc</to>\n</note>\n"),
  ],
]

function show(call: Call, more: object = {}, status = 200): unknown {
  return call.send('application/json', `${JSON.stringify({ ...describeRequest(call), ...more })}\n`, status)
}

function describeRequest(call: Call): JsonObject {
  const { request, svc } = call
  const { scheme, host, port } = svc.http.origin(request)
  const fields = [['Host', [call.host]] as const, ...call.header]
  const isSecure = scheme === 'https'
  const target = call.target
  const mark = target.indexOf('?')
  const clientIp = svc.http.clientIp(request)
  return {
    headers: Object.fromEntries(fields.map(([name, values]) => [name.toLowerCase(), one(values)])),
    post_data: readBody(call),
    url: withPort(svc.http.url(request, target), port),
    uri_args: byName(argumentsOf(target)),
    vars: {
      uri: nginxUri(target),
      host,
      hostname: call.hostname,
      https: isSecure ? 'on' : '',
      scheme,
      is_args: mark === -1 ? '' : '?',
      server_addr: call.localAddress.replace(/:\d+$/, ''),
      server_port: String(call.port),
      server_name: 'mock_upstream',
      server_protocol: call.protocol,
      remote_addr: clientIp,
      remote_port: String(request.socket.remotePort ?? ''),
      realip_remote_addr: clientIp,
      realip_remote_port: String(request.socket.remotePort ?? ''),
      request: `${call.method} ${target} ${call.protocol}`,
      request_uri: target,
      request_time: '0.000',
      request_length: String(call.body.length),
      request_method: call.method,
      bytes_received: String(call.body.length),
      ssl_server_name: serverNameOf(call) || 'no SNI',
    },
  }
}

/** The name that the client sent in its TLS handshake; empty without one. */
function serverNameOf(call: Call): string {
  const name = connectionTls(call.request.socket)?.serverName ?? ''
  return isIP(name) === 0 ? name : ''
}

function one<T>(values: readonly T[]): T | T[] {
  return values.length === 1 ? values[0]! : [...values]
}

function byName(found: ReadonlyMap<string, readonly Argument[]>): JsonObject {
  return Object.fromEntries([...found].map(([name, values]) => [name, one(values)]))
}

/** A URL whose port is shown, even if it is that of the scheme. */
function withPort(url: string, port: number): string {
  return url.replace(/^(https?:\/\/(?:\[[^\]]{1,45}\]|[^/:]{1,255}))(?=\/|$)/, `$1:${port}`)
}

function readBody(call: Call): JsonObject {
  const { body, svc } = call
  const text = svc.inspector.redactText(body.toString())
  const type = String(call.request.headers['content-type'] ?? '')
  const failed = (kind: string, error: string): JsonObject => ({ text, kind: `${kind} (error)`, params: null, error })
  if (type.includes('application/x-www-form-urlencoded'))
    return { text, kind: 'form', params: byName(nginxArguments(text)) }
  if (type.includes('multipart/form-data')) {
    const form = readFormParts(body, type)
    if (form === null || !form.isComplete) return failed('multipart-form', 'the form cannot be read')
    const params = Object.fromEntries(
      form.parts.map(({ name, content }) => [name, svc.inspector.redactText(String(content))]),
    )
    return { text, kind: 'multipart-form', params }
  }
  if (type.includes('application/json')) {
    try {
      return { text, kind: 'json', params: JSON.parse(text) as never }
    } catch (error) {
      return failed('json', (error as Error).message)
    }
  }
  return { text, kind: 'unknown', params: null }
}

/** Lines of JSON, one a chunk. */
async function stream(call: Call, count: number): Promise<unknown> {
  const facts = JSON.stringify(describeRequest(call))
  const opened = call.svc.streams.body(call.request, call.reply, { headers: { 'Content-Type': 'application/json' } })
  if (opened === null) return call.reply
  for (let index = 0; index < Math.min(count, MAX_LINES) && !opened.closed; index++)
    if (!opened.write(`${facts}\n`)) await opened.ready()
  opened.end()
  return call.reply
}

function checkCredentials(call: Call, user = '', password = ''): unknown {
  const { headers } = call.request
  const found =
    basicCredentials(String(headers['proxy-authorization'] ?? '')) ?? basicCredentials(headers.authorization ?? '')
  if (found !== null && found.username === user && found.password === password)
    return show(call, { authenticated: true, user })
  call.reply.raw.setHeader('WWW-Authenticate', 'mock_upstream')
  return call.text('Unauthorized\n', 401)
}

/** Fields that belong to one connection, which a gateway must not forward. */
function hopByHop(call: Call): unknown {
  const { raw } = call.reply
  if (call.request.raw.httpVersionMajor === 1) {
    raw.setHeader('Keep-Alive', 'timeout=5, max=1000')
    raw.setHeader('Proxy', 'Remove-Me')
    raw.setHeader('Proxy-Connection', 'close')
    raw.setHeader('Proxy-Authenticate', 'Basic')
    raw.setHeader('Proxy-Authorization', 'Basic YWxhZGRpbjpvcGVuc2VzYW1l')
    raw.setHeader('TE', 'trailers, deflate;q=0.5')
    raw.setHeader('Trailer', 'Expires')
    raw.setHeader('Upgrade', 'example/1, foo/2')
  }
  const opened = call.svc.streams.body(call.request, call.reply, { headers: { 'Content-Type': 'text/plain' } })
  if (opened === null) return call.reply
  opened.write('hello\r\n\r\nExpires: Wed, 21 Oct 2015 07:28:00 GMT\r\n\r\n')
  opened.end()
  return call.reply
}
