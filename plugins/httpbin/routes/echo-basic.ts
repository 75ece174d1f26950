/** The `echo-basic` server of the conformance tests of Gateway API. */
import { describe, readQuery, type FastifyInstance, type FastifyReply, type FastifyRequest, type Svc } from 'svc/plugin'
import { cleanPath, connectionTls, escapeHtml, headerProblem, parseGoDuration } from 'svc/toolkit'
import { CATEGORY } from '../mounting.ts'
import type { HttpbinOptions } from '../options.ts'
import { readHeaders } from '../request/headers.ts'
import { goLine, goNarrowJson } from '../response/json.ts'
import { deploymentOf, type Variables } from '../variables.ts'
import { ECHO_BASIC } from '../replies.ts'
import { type Attempts, serveRetry } from './echo-basic-retry.ts'

type EchoSvc = Svc<HttpbinOptions, Variables>

const JSON_HEADERS = { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' }
const TEXT = 'text/plain; charset=utf-8'
const MAX_SET_HEADERS = 50

export function addEchoBasic(app: FastifyInstance, svc: EchoSvc, attempts: Attempts): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): unknown => {
    const path = request.url.slice('/echo-basic'.length).split('?', 1)[0]!
    return retry(svc, attempts, path, request, reply) ?? respond(svc, request, reply)
  }
  const shared = { category: CATEGORY, responses: { 200: { description: 'The request, as echo-basic shows it' } } }
  app.all(
    '/echo-basic',
    describe({
      ...shared,
      summary: "Echo as Gateway API's echo-basic",
      reply: ECHO_BASIC,
      examples: [{ name: 'Echo', path: '/echo-basic', expectStatus: 200 }],
    }),
    handler,
  )
  app.all(
    '/echo-basic/*',
    describe({
      ...shared,
      summary: "Echo any path as Gateway API's echo-basic",
      reply: ECHO_BASIC,
      examples: [{ name: 'Echo', path: '/echo-basic/v2/example?x=1', expectStatus: 200 }],
    }),
    handler,
  )
}

/** A whole host of echo-basic: it also has a health check, statuses and a WebSocket. */
export function addEchoBasicHost(app: FastifyInstance, svc: EchoSvc, mount: string, attempts: Attempts): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): unknown => {
    // For routing, two slashes are one.
    const path = request.url
      .slice(mount.length)
      .split('?', 1)[0]!
      .replace(/\/{2,}/g, '/')
    const clean = cleanPath(path)
    if (clean !== null) {
      const target = svc.http.target(request)
      return redirect(request, reply, clean + (target.includes('?') ? target.slice(target.indexOf('?')) : ''))
    }
    if (path === '/ws') return reply.code(400).header('Content-Type', TEXT).send('not websocket protocol')
    if (path === '/health') return reply.header('Content-Type', TEXT).send('OK')
    const status = /^\/status\/([^/]*)$/.exec(path)?.[1]
    if (status !== undefined) return sendStatus(request, reply, status)
    return retry(svc, attempts, path, request, reply) ?? respond(svc, request, reply)
  }
  app.all(`${mount}/*`, handler)
  app.route({
    method: 'GET',
    url: `${mount}/ws`,
    handler,
    wsHandler: (socket, request) => {
      svc.streams.websocket(request, socket)
      socket.on('message', (message: Buffer, isBinary: boolean) => socket.send(message, { binary: isBinary }))
    },
  })
}

/** The port of echo-basic for HTTP/2 without TLS: nothing but the echo. */
export function addEchoBasicH2c(app: FastifyInstance, svc: EchoSvc, mount: string): void {
  app.all(`${mount}/*`, (request: FastifyRequest, reply: FastifyReply): unknown =>
    request.raw.httpVersionMajor === 2
      ? respond(svc, request, reply)
      : reply.code(400).header('Content-Type', TEXT).send('Expected h2c request'),
  )
}

/** Null for another path. */
function retry(svc: EchoSvc, attempts: Attempts, path: string, request: FastifyRequest, reply: FastifyReply): unknown {
  if (path === '/retry') {
    const target = svc.http.target(request)
    const mark = target.indexOf('?')
    const [before, query] = mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark)]
    return redirect(request, reply, `${before}/${query}`)
  }
  if (!path.startsWith('/retry/')) return null
  return serveRetry(request, reply, {
    svc: svc as never,
    attempts,
    sendDelayError,
    echo: (asked, answer) => respond(svc, asked, answer),
  })
}

/** As Go's `http.Redirect`: with a page for GET. */
function redirect({ method }: FastifyRequest, reply: FastifyReply, location: string): FastifyReply {
  void reply.code(307).header('Location', location)
  if (method !== 'GET' && method !== 'HEAD') return reply.send()
  return reply
    .header('Content-Type', 'text/html; charset=utf-8')
    .send(`<a href="${escapeHtml(location)}">Temporary Redirect</a>.\n\n`)
}

function sendStatus(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  if (request.url.includes('?')) return reply.code(400).send()
  const status = /^\d{3}$/.test(text) ? Number(text) : 0
  if (status < 200 || status > 599) return reply.code(400).send()
  return reply.code(status).send()
}

function sendMessage(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply
    .code(status)
    .headers(JSON_HEADERS)
    .send(Buffer.from(goLine({ message })))
}

function sendDelayError(reply: FastifyReply, delay: string): FastifyReply {
  return sendMessage(reply, 500, `time: invalid duration ${JSON.stringify(delay.slice(0, 100))}`)
}

async function respond(svc: EchoSvc, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const delay = formOf(svc, request).get('delay') ?? readQuery(request).get('delay') ?? ''
  const delayMs = delay === '' ? 0 : parseGoDuration(delay)
  if (delayMs === null) return sendDelayError(reply, delay)
  if (delayMs > 0 && !(await svc.http.delay(request, delayMs))) return reply.hijack()
  const body = goNarrowJson(await describeRequest(svc, request), svc.budgets.output(request))
  for (const [name, value] of requestedHeaders(request)) reply.raw.setHeader(name, value)
  return reply.headers(JSON_HEADERS).send(Buffer.from(body))
}

/** A form comes before the query, as in Go. */
function formOf(svc: EchoSvc, request: FastifyRequest): URLSearchParams {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')
  const takesForm = /^(?:POST|PUT|PATCH)$/.test(request.method)
  return new URLSearchParams(isForm && takesForm ? svc.http.receivedBody(request).toString() : '')
}

async function describeRequest(svc: EchoSvc, request: FastifyRequest): Promise<Record<string, unknown>> {
  const headers = readHeaders(svc.http.receivedHeaders(request), 'go-httpbin')
  const host = headers.get('Host')?.[0] ?? ''
  headers.delete('Host')
  const tls = readTls(request)
  return {
    path: request.originalUrl,
    host,
    method: request.method,
    proto: request.raw.httpVersionMajor === 2 ? 'HTTP/2.0' : `HTTP/${request.raw.httpVersion}`,
    headers,
    httpPort: String(httpPortOf(svc, request)),
    ...deploymentOf(svc),
    ...(tls === null ? {} : { tls }),
    ...(svc.options.echo_basic.sni === true ? { sni: tls?.serverName ?? '' } : {}),
  }
}

/** The port for HTTP of the same server, also over TLS and on the port for h2c. */
function httpPortOf(svc: EchoSvc, request: FastifyRequest): number | string {
  const { kind, name, port } = svc.http.listener(request)
  const listeners = svc.instance.listeners()
  const own = listeners.find(listener => listener.name === name)
  if (kind === 'http' && own?.serves !== 'echo-basic-h2c') return port
  const plain =
    own?.plugin == null ? undefined : listeners.find(other => other.kind === 'http' && other.serves === 'echo-basic')
  return plain?.port ?? svc.instance.ports().http ?? ''
}

/** The connection; null without TLS. */
function readTls({ socket }: FastifyRequest) {
  const tls = connectionTls(socket)
  if (tls === null) return null
  const { version, serverName, protocol, cipherSuite, certificates } = tls
  return {
    version,
    ...(certificates.length === 0 ? {} : { peerCertificates: certificates }),
    serverName,
    ...(protocol === '' ? {} : { negotiatedProtocol: protocol }),
    cipherSuite,
  }
}

/** `X-Echo-Set-Header: A:1, B:2`; values of a repeated name are joined. */
function requestedHeaders(request: FastifyRequest): Map<string, string> {
  const wanted = new Map<string, string>()
  const header = request.headers['x-echo-set-header']
  for (const item of String(header ?? '')
    .split(',')
    .slice(0, MAX_SET_HEADERS)) {
    const colon = item.indexOf(':')
    // A name alone sets an empty value.
    const name = (colon === -1 ? item : item.slice(0, colon)).trim()
    const value = colon === -1 ? '' : item.slice(colon + 1).trim()
    if (isProtected(name) || headerProblem(name, value) !== null) continue
    const known = [...wanted.keys()].find(key => key.toLowerCase() === name.toLowerCase()) ?? name
    wanted.set(known, wanted.has(known) ? `${wanted.get(known)},${value}` : value)
  }
  return wanted
}

/** Fields that belong to svc, or protect its pages. */
function isProtected(name: string): boolean {
  return /^(?:x-request-id|x-svc-.*|content-type|x-content-type-options)$/i.test(name)
}
