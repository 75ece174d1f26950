/** Kong's `mock_upstream`, which its tests send requests to. */
import { isIP } from 'node:net'
import { HttpError, type JsonObject, type Store, type Svc } from 'svc/plugin'
import { connectionTls, isRecord, readBasicCredentials, readFormParts } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'

const MAX_NAMES = 200
const MAX_ENTRIES = 1000
const MAX_LOG_BYTES = 1_048_576
const ALL_LOG_BYTES = 16_777_216
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

interface Log {
  entries: JsonObject[]
}

export function createKongMock(svc: Svc<unknown>): Server {
  const logs = svc.state<Log>('kong-logs', { maxCount: MAX_NAMES, maxBytes: ALL_LOG_BYTES, ttlMs: 3_600_000 })
  return {
    name: 'kong-mock',
    title: "Kong's mock upstream",
    summary: 'The request in JSON, and the paths of its tests',
    example: '/anything',
    mediaTypes: ['application/json', 'text/plain'],
    handle: call => respond(call, logs),
    socket: {
      takes: path => path === '/ws',
      open(socket) {
        socket.on('message', (message: Buffer, isBinary: boolean) => socket.send(message, { binary: isBinary }))
      },
    },
  }
}

async function respond(call: Call, logs: Store<Log>): Promise<unknown> {
  const { path, method, reply } = call
  reply.raw.setHeader('X-Powered-By', 'mock_upstream')
  reply.raw.setHeader('Server', 'mock-upstream/1.0.0')
  const [, action, name, user, password] = LOG.exec(path) ?? []
  if (action !== undefined) return serveLog(call, logs, { action, name: name!, user, password })
  const [first = ''] = path.slice(1).split('/')
  const rest = path.slice(first.length + 2)
  switch (first) {
    case '':
      return show(call, { valid_routes: ROUTES })
    case 'get':
    case 'post':
      if (method !== first.toUpperCase() && !(first === 'get' && method === 'HEAD'))
        return call.text('Method not allowed for the requested URL\n', 405)
      return show(call)
    case 'anything':
    case 'request':
      return show(call)
    case 'response-headers':
      call.setChosen(call.query)
      return show(call, { headers: Object.fromEntries(call.query) })
    case 'cache':
      if (/^\d{1,9}$/.test(rest)) reply.raw.setHeader('Cache-Control', `public, max-age=${rest}`)
      return show(call)
    case 'delay':
      if (!/^\d{1,3}$/.test(rest)) break
      return (await call.wait(Number(rest) * 1000)) ? show(call, { delay: Number(rest) }) : reply
    case 'status':
      if (!/^[2-5]\d\d$/.test(rest)) break
      return show(call, { code: Number(rest) }, Number(rest))
    case 'stream':
      if (!/^\d{1,4}$/.test(rest)) break
      return stream(call, Number(rest))
    case 'basic-auth':
      return checkCredentials(call, ...(rest.split('/', 2) as [string, string]))
    case 'xml':
      return call.send(
        'application/xml',
        "<?xml version='1.0' encoding='us-ascii'?>\n<note>\n  <to>svc</to>\n</note>\n",
      )
    case 'timestamp':
      reply.raw.setHeader('Server-Time', String(Date.now() / 1000))
      return show(call)
    case 'hop-by-hop':
      return hopByHop(call)
    case 'ws':
      return call.text('bad WebSocket handshake\n', 400)
  }
  return show(call, {}, 404)
}

function show(call: Call, more: object = {}, status = 200): unknown {
  return call.send('application/json', `${JSON.stringify({ ...describeRequest(call), ...more })}\n`, status)
}

function describeRequest(call: Call): JsonObject {
  const { request, svc } = call
  const { scheme, host, port } = svc.http.origin(request)
  const one = (values: readonly string[]): string | string[] => (values.length === 1 ? values[0]! : [...values])
  const fields = [['Host', [call.host]] as const, ...call.header]
  const names = [...new Set(call.query.keys())]
  const isSecure = scheme === 'https'
  const target = call.target
  const mark = target.indexOf('?')
  const serverName = connectionTls(request.socket)?.serverName ?? ''
  const clientIp = svc.http.clientIp(request)
  return {
    headers: Object.fromEntries(fields.map(([name, values]) => [name.toLowerCase(), one(values)])),
    post_data: readBody(call),
    url: withPort(svc.http.url(request, target), port),
    uri_args: Object.fromEntries(names.map(name => [name, one(call.query.getAll(name))])),
    vars: {
      uri: mark === -1 ? target : target.slice(0, mark),
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
      ssl_server_name: isIP(serverName) === 0 ? serverName : '',
    },
  }
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
  if (/^application\/x-www-form-urlencoded\b/i.test(type))
    return { text, kind: 'form', params: Object.fromEntries(new URLSearchParams(text)) }
  if (/^multipart\/form-data\b/i.test(type)) {
    const form = readFormParts(body, type)
    if (form === null || !form.isComplete) return failed('multipart-form', 'the form cannot be read')
    const params = Object.fromEntries(
      form.parts.map(({ name, content }) => [name, svc.inspector.redactText(String(content))]),
    )
    return { text, kind: 'multipart-form', params }
  }
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
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
  for (let index = 0; index < Math.min(count, MAX_ENTRIES) && !opened.closed; index++)
    if (!opened.write(`${facts}\n`)) await opened.ready()
  opened.end()
  return call.reply
}

function checkCredentials(call: Call, user = '', password = ''): unknown {
  const { headers } = call.request
  const given = String(headers.authorization ?? headers['proxy-authorization'] ?? '')
  const found = basicCredentials(given)
  if (found !== null && found.username === user && found.password === password)
    return show(call, { authenticated: true, user })
  call.reply.raw.setHeader('WWW-Authenticate', 'mock_upstream')
  return call.text('Unauthorized\n', 401)
}

function basicCredentials(field: string): { username: string; password: string } | null {
  const [, credentials] = /^basic +(\S{1,1000})$/i.exec(field) ?? []
  return credentials === undefined ? null : readBasicCredentials(credentials)
}

/** Fields that belong to one connection, which a gateway must not forward. */
function hopByHop(call: Call): unknown {
  const { raw } = call.reply
  if (call.request.raw.httpVersionMajor === 1) {
    raw.setHeader('Keep-Alive', 'timeout=5, max=1000')
    raw.setHeader('Proxy', 'remove-me')
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

interface LogCall {
  action: string
  name: string
  user: string | undefined
  password: string | undefined
}

async function serveLog(call: Call, logs: Store<Log>, { action, name, user, password }: LogCall): Promise<unknown> {
  const { header } = call.svc.http.session(call.request)
  if (header === null && call.svc.config.publicMode)
    throw new HttpError(400, { error: 'session_required', details: 'logs of a shared instance belong to sessions' })
  const key = `${header ?? ''} ${decodeText(name)}`
  switch (action) {
    case 'post_auth_log': {
      const given = basicCredentials(String(call.request.headers.authorization ?? ''))
      if (given === null || given.username !== user || given.password !== password)
        return call.text('Unauthorized\n', 401)
      return post(call, logs, key)
    }
    case 'post_log':
      return call.method === 'POST'
        ? post(call, logs, key)
        : call.text('Method not allowed for the requested URL\n', 405)
    case 'reset_log':
      await logs.delete(key)
      return call.send(null, '')
    case 'count_log':
      return call.text(`${(await logs.get(key))?.entries.length ?? 0}\n`)
    default: {
      const entries = (await logs.get(key))?.entries ?? []
      return call.send('application/json', JSON.stringify({ entries, count: entries.length }))
    }
  }
}

/** Adds the object or the objects of the body, each with the headers of the request. */
async function post(call: Call, logs: Store<Log>, key: string): Promise<unknown> {
  let sent: unknown
  try {
    sent = JSON.parse(call.body.toString())
  } catch {
    return call.text('the body must be JSON\n', 400)
  }
  const headers = Object.fromEntries([...call.header].map(([name, values]) => [name.toLowerCase(), values.join(', ')]))
  const added = [sent].flat().filter(isRecord)
  if (added.length === 0) return call.text('the body must be an object, or a list of objects\n', 400)
  const entries = added.map(entry => ({ ...entry, log_req_headers: headers }) as JsonObject)
  let isFull = false
  await logs.update(key, (log = { entries: [] }) => {
    const all = [...log.entries, ...entries]
    isFull = all.length > MAX_ENTRIES || JSON.stringify(all).length > MAX_LOG_BYTES
    return isFull ? log : { entries: all }
  })
  return isFull ? call.text('the log is full\n', 413) : call.send(null, '')
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
