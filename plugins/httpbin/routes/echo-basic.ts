/** The `echo-basic` server of the conformance tests of Gateway API. */
import { describe, readQuery, type FastifyInstance, type FastifyReply, type FastifyRequest, type Svc } from 'svc/plugin'
import { connectionTls, headerProblem, parseGoDuration } from 'svc/toolkit'
import { CATEGORY } from '../mounting.ts'
import type { HttpbinOptions } from '../options.ts'
import { readHeaders } from '../request/headers.ts'
import { goNarrowJson } from '../response/json.ts'
import { deploymentOf, type Variables } from '../variables.ts'
import { ECHO_BASIC } from '../replies.ts'

type EchoSvc = Svc<HttpbinOptions, Variables>

const JSON_HEADERS = { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' }
const MAX_SET_HEADERS = 50

export function addEchoBasic(app: FastifyInstance, svc: EchoSvc): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => respond(svc, request, reply)
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
export function addEchoBasicHost(app: FastifyInstance, svc: EchoSvc, mount: string): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    // For routing, two slashes are one.
    const path = request.url
      .slice(mount.length)
      .split('?', 1)[0]!
      .replace(/\/{2,}/g, '/')
    if (path === '/health') return Promise.resolve(reply.header('Content-Type', 'text/plain; charset=utf-8').send('OK'))
    const status = /^\/status\/([^/]*)$/.exec(path)?.[1]
    return status === undefined ? respond(svc, request, reply) : Promise.resolve(sendStatus(reply, status))
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

function sendStatus(reply: FastifyReply, text: string): FastifyReply {
  const status = /^\d{3}$/.test(text) ? Number(text) : 0
  if (status < 200 || status > 599) return sendMessage(reply, 400, 'the status must be a number from 200 to 599')
  return reply.code(status).send(Buffer.alloc(0))
}

function sendMessage(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply
    .code(status)
    .headers(JSON_HEADERS)
    .send(Buffer.from(goNarrowJson({ message })))
}

async function respond(svc: EchoSvc, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const delay = readQuery(request).get('delay') ?? ''
  const delayMs = delay === '' ? 0 : parseGoDuration(delay)
  if (delayMs === null || delayMs < 0)
    return sendMessage(reply, 400, `time: invalid duration ${JSON.stringify(delay.slice(0, 100))}`)
  if (delayMs > 0 && !(await svc.http.delay(request, delayMs))) return reply.hijack()
  const body = goNarrowJson(await describeRequest(svc, request), svc.budgets.output(request))
  for (const [name, value] of requestedHeaders(request)) reply.raw.setHeader(name, value)
  return reply.headers(JSON_HEADERS).send(Buffer.from(body))
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
    httpPort: String(request.socket.localPort ?? ''),
    ...deploymentOf(svc),
    ...(tls === null ? {} : { tls }),
    sni: tls?.serverName ?? '',
  }
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
    const name = item.slice(0, Math.max(colon, 0)).trim()
    const value = item.slice(colon + 1).trim()
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
