/** The upstream of APISIX's tests. */
import type { Call, Server } from '../request/call.ts'
import { argumentsOf, nginxUri } from '../request/nginx.ts'

const MAX_SLEEP_MS = 600_000

type Handler = (call: Call) => unknown

/** Not shown by `/uri`. */
const FORWARDED = new Set(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port'])

/** Fields by lower-case name, sorted. Repeated values follow each other, as nginx's Lua module prints a list. */
function fieldsOf(call: Call, { withForwarded = true } = {}): string {
  return [...call.header, ['Host', [call.host]] as const]
    .map(([name, values]) => [name.toLowerCase(), values] as const)
    .filter(([name]) => withForwarded || !FORWARDED.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, values]) => `${name}: ${values.join('')}\n`)
    .join('')
}

const plain =
  (body: string, status = 200): Handler =>
  call =>
    call.send('text/plain', body, status)
const uri: Handler = call =>
  call.send('text/plain', `uri: ${nginxUri(call.target)}\n${fieldsOf(call, { withForwarded: false })}`)

function shownArguments({ target }: Call): string {
  return [...argumentsOf(target)]
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, values]) => `${name}: ${values.join(',')}\n`)
    .join('')
}

async function sleep(call: Call): Promise<unknown> {
  const seconds = Number(call.query.get('seconds') ?? 0)
  const ms = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, MAX_SLEEP_MS) : 0
  if (!(await call.wait(ms))) return call.reply
  if (call.query.has('abort')) {
    call.svc.http.breakConnection(call.request, 'reset')
    call.reply.hijack()
    return call.reply
  }
  return call.send('text/plain', `${call.query.get('seconds') ?? ''}\n`)
}

const serverPort: Handler = call => call.send('text/plain', String(call.port))

async function limitConn(call: Call): Promise<unknown> {
  return (await call.wait(300)) ? call.send('text/plain', 'hello world\n') : call.reply
}

function helloInChunks(call: Call): unknown {
  const stream = call.svc.streams.body(call.request, call.reply.header('Content-Type', 'text/plain'))
  if (stream === null) return call.reply
  for (const piece of ['hell', 'o w', 'orld\n']) stream.write(piece)
  stream.end()
  return call.reply
}

function echo(call: Call): unknown {
  call.setChosen(
    [...call.header].flatMap(([name, values]) => values.map(value => [name.toLowerCase(), value] as const)),
  )
  return call.send('text/plain', call.body)
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  '/hello': plain('hello world\n'),
  '/hello_chunked': helloInChunks,
  '/hello1': plain('hello1 world\n'),
  '/server_port': serverPort,
  '/server_port_route2': serverPort,
  '/server_port_hello': serverPort,
  '/server_port_aa': serverPort,
  '/ewma': async call => ((await call.wait(100)) ? serverPort(call) : call.reply),
  '/limit_conn': limitConn,
  '/status': plain('ok\n'),
  '/specific_status': call => {
    const text = call.request.headers['x-test-upstream-status']
    if (text === undefined) return call.send(null, '')
    const status = /^[2-5]\d\d$/.test(String(text)) ? Number(text) : 200
    return call.send('text/plain', `upstream status: ${status}\n`, status)
  },
  '/uri': uri,
  '/old_uri': call => call.send('text/plain', `uri: ${nginxUri(call.target)}\n${fieldsOf(call)}`),
  '/plugin_proxy_rewrite': call =>
    call.send(
      'text/plain',
      `uri: ${nginxUri(call.target)}\nhost: ${call.host}\nscheme: ${call.svc.http.origin(call.request).scheme}\n`,
    ),
  '/plugin_proxy_rewrite_args': call =>
    call.send('text/plain', `uri: ${nginxUri(call.target)}\n${shownArguments(call)}`),
  '/print_uri_detailed': call =>
    call.send('text/plain', `ngx.var.uri: ${nginxUri(call.target)}\nngx.var.request_uri: ${call.target}\n`),
  '/print_request_received': call => call.send('text/plain', `request_uri: ${call.target}\n${fieldsOf(call)}`),
  '/headers': call => {
    call.setChosen(call.query)
    return call.send('text/plain', '/headers\n')
  },
  '/echo': echo,
  '/with_header': plain('hello\nworld\n!\n'),
  '/opentracing': plain('opentracing\n'),
  '/plugin_proxy_rewrite_resp_header': plain('plugin_proxy_rewrite_resp_header\n'),
  '/course_foo': plain('course foo\n'),
  '/mysleep': sleep,
  '/api_breaker': call => {
    const code = call.query.get('code') ?? ''
    const status = /^[2-5]\d\d$/.test(code) ? Number(code) : 200
    return call.send('text/plain', status < 300 ? '' : `${status}\n`, status)
  },
  '/server_error': plain('500 Internal Server Error\n', 500),
  '/log': plain(''),
}

export const APISIX_UPSTREAM: Server = {
  name: 'apisix-upstream',
  title: "APISIX's test upstream",
  summary: 'The paths of the upstream of its tests',
  example: '/hello',
  mediaTypes: ['text/plain'],
  rootStatus: 404,
  handle(call) {
    call.setChosen(
      [...call.header].flatMap(([name, values]) =>
        /^resp-./i.test(name) ? values.map(value => [name.slice('resp-'.length), value] as const) : [],
      ),
    )
    // The original makes the name of a function of the path.
    const name = `/${nginxUri(call.path).slice(1).replace(/[/.-]/g, '_')}`
    const handle = Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined
    if (handle !== undefined) return handle(call)
    const number = /^\/print_uri_(\d{1,3})$/.exec(name)?.[1]
    if (number !== undefined && Number(number) >= 1 && Number(number) <= 100)
      return call.send('text/plain', `${nginxUri(call.target)}\n`)
    if (name.startsWith('/uri_')) return uri(call)
    return call.send('text/plain', '404 Not Found\n', 404)
  },
  socket: {
    paths: ['/websocket_handshake', '/websocket_handshake/route', '/websocket_hold'],
    plainStatus: 404,
    open(socket, { path }) {
      if (path.includes('handshake')) socket.send('hello')
      else socket.on('message', () => {})
    },
  },
}
