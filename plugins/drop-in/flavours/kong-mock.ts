/** Kong's `mock_upstream`, which its tests send requests to. */
import { isIP } from 'node:net'
import type { JsonObject, Store, Svc } from 'svc/plugin'
import { connectionTls, readFormParts } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import { basicCredentials, decodeText } from '../request/credentials.ts'
import { type Argument, argumentsOf, nginxArguments, nginxUri } from '../request/nginx.ts'
import { type Log, openLogs, serveLog } from './kong-logs.ts'

const MAX_LINES = 1000
const LOG =
  /^\/(?:(post_log|read_log|count_log|reset_log)\/([a-z\d_]{1,100})|(post_auth_log)\/([a-z\d_]{1,100})\/(\w{1,100})\/(.+))$/

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
  const { path } = call
  const [, action, name, actionOfUser, nameForUser, user = '', password = ''] = LOG.exec(path) ?? []
  if (actionOfUser !== undefined)
    return areCredentials(call, decodeText(user), decodeText(password))
      ? serveLog(call, logs, { action: 'post_log', name: nameForUser! })
      : refuseCredentials(call)
  if (action !== undefined) return serveLog(call, logs, { action, name: name! })
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
    call.method === method
      ? handle(call)
      : sendText(call, 'text/plain', 'Method not allowed for the requested URL', 405)

const EXACT: Readonly<Record<string, Handler>> = {
  '/response-headers': onlyFor('GET', call => {
    call.setChosen([...argumentsOf(call.target)].map(([name, values]) => [name, values.join(', ')] as const))
    return show(call)
  }),
  '/timestamp': call => {
    call.reply.raw.setHeader('Server-Time', String(Date.now() / 1000))
    return call.send('text/plain', '')
  },
  '/hop-by-hop': hopByHop,
  '/echo_sni': call => sendText(call, 'text/plain', `SNI=${serverNameOf(call)}`),
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
      sendText(call, 'application/xml', '<?xml version="1.0" encoding="UTF-8"?>\n<note>\n  <body>svc</body>\n</note>'),
  ],
]

function show(call: Call, more: object = {}, status = 200): unknown {
  return sendText(call, 'application/json', JSON.stringify({ ...describeRequest(call), ...more }), status)
}

/** With the fields of the original, and a newline that a response to HEAD has alone. */
function sendText(call: Call, type: string, body: string, status = 200): unknown {
  const { raw } = call.reply
  raw.setHeader('X-Powered-By', 'mock_upstream')
  raw.setHeader('Server', 'mock-upstream/1.0.0')
  return call.send(type, call.method === 'HEAD' ? '\n' : `${body}\n`, status)
}

function describeRequest(call: Call): JsonObject {
  const { request, svc } = call
  const { scheme, host } = svc.http.origin(request)
  const fields = [['Host', [call.host]] as const, ...call.header]
  const isSecure = scheme === 'https'
  const target = call.target
  const mark = target.indexOf('?')
  const clientIp = svc.http.clientIp(request)
  return {
    headers: Object.fromEntries(fields.map(([name, values]) => [name.toLowerCase(), one(values)])),
    post_data: readBody(call),
    url: withPort(svc.http.url(request, target), call.port),
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
      remote_port: String(call.remotePort),
      realip_remote_addr: clientIp,
      realip_remote_port: String(request.socket.remotePort ?? ''),
      request: `${call.method} ${target} ${call.protocol}`,
      request_uri: target,
      request_time: '0.000',
      request_length: String(lengthOf(call)),
      request_method: call.method,
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

/** A URL with the port of the listener, which the original shows even if it is that of the scheme. */
function withPort(url: string, port: number): string {
  return url.replace(/^(https?:\/\/(?:\[[^\]]{1,45}\]|[^/:]{1,255}))(?::\d{1,5})?(?=\/|$)/, `$1:${port}`)
}

/** Bytes of the head: the original looks before it reads the body. */
function lengthOf(call: Call): number {
  const fields = call.svc.http.receivedHeaders(call.request)
  const head = `${call.method} ${call.target} ${call.protocol}\r\n\r\n`.length
  return fields.reduce((sum, text) => sum + text.length + 2, head)
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
  call.reply.raw.setHeader('X-Powered-By', 'mock_upstream')
  const opened = call.svc.streams.body(call.request, call.reply, { headers: { 'Content-Type': 'application/json' } })
  if (opened === null) return call.reply
  for (let index = 0; index < Math.min(count, MAX_LINES) && !opened.closed; index++)
    if (!opened.write(`${facts}\n`)) await opened.ready()
  opened.end()
  return call.reply
}

function checkCredentials(call: Call, user = '', password = ''): unknown {
  return areCredentials(call, user, password) ? show(call, { authenticated: true, user }) : refuseCredentials(call)
}

/** Those for the proxy count before those for the server. */
function areCredentials(call: Call, user: string, password: string): boolean {
  const { headers } = call.request
  const found =
    basicCredentials(String(headers['proxy-authorization'] ?? '')) ?? basicCredentials(headers.authorization ?? '')
  return found !== null && found.username === user && found.password === password
}

function refuseCredentials(call: Call): unknown {
  call.reply.raw.setHeader('WWW-Authenticate', 'mock_upstream')
  call.reply.raw.setHeader('X-Powered-By', 'mock_upstream')
  return call.send('text/html', '<html><head><title>401 Authorization Required</title></head></html>\n', 401)
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
