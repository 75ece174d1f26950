/**
 * `CONNECT` (RFC 9110, 9.3.6) to hosts that plugins serve whole: the connection goes on to a listener of this process, so that
 * clients with svc as their proxy reach these hosts at their own names. It never leads out of the process.
 */
import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { parseAuthority } from '../../fields/authority.ts'
import type { PipelineServices, Stage } from '../pipeline/stage.ts'
import { assignRequestId, runStages } from '../pipeline/pipeline.ts'
import { observe } from '../pipeline/stages/observation.ts'
import { limitByPlan } from '../pipeline/stages/plan-limits.ts'
import { limitTogether } from '../pipeline/stages/shared-limits.ts'
import { enterTrace } from '../pipeline/stages/tracing.ts'
import { RequestContext } from '../request/context.ts'
import type { RequestFactsSource } from '../request/request-facts.ts'
import type { ListenerFacts, RoutingGeneration } from '../request/types.ts'
import { defaultHeaders } from '../response/default-headers.ts'
import { badRequest, methodNotAllowed } from '../response/error-bodies.ts'
import { createHttp1Response } from '../response/response.ts'
import { sendResponse } from '../response/send.ts'
import { Handshake } from '../sockets/handshake.ts'
import { rawResponse } from '../sockets/raw-response.ts'
import { markSocketInUse } from '../sockets/socket-owner.ts'

/** Continues a connection at a listener; false if that is not up. */
export type EnterListener = (kind: 'http' | 'https', socket: Socket) => boolean

export interface TunnelOptions {
  current(): RoutingGeneration
  services: PipelineServices
  facts: RequestFactsSource
  enter: EnterListener
}

const TIMES = { idleMs: 300_000, lifetimeMs: 3_600_000 }
const PUBLIC_TIMES = { idleMs: 30_000, lifetimeMs: 120_000 }

const HTTP_PORT = 80

const ConnectResponse = createHttp1Response(ServerResponse)

/** Returns the handler of `CONNECT`. */
export function createTunnels({ current, services, facts, enter }: TunnelOptions) {
  const times = services.config.publicMode ? PUBLIC_TIMES : TIMES
  const stages: readonly Stage[] = [observe, assignRequestId, enterTrace, limitTogether, limitByPlan, open]

  function open(context: RequestContext): boolean {
    const { generation, url } = context
    const target = targetOf(url)
    if ('problem' in target) {
      sendResponse(context, { status: 400, body: badRequest(target.problem) })
      return false
    }
    const { host, port } = target
    if (host.includes(':') || generation.hosts.mountOf(host) === null) {
      const hosts = generation.hosts.entries.map(({ pattern }) => pattern)
      sendResponse(context, { status: 403, body: { error: 'connect_refused', host, hosts } })
      return false
    }
    const { socket } = context.upgrade!
    context.lease?.becomeStream()
    context.headGoesOut(200)
    socket.write(establishedHead(context))
    const early = context.upgrade!.handOver()
    if (early.length > 0) socket.unshift(early)
    endWhenIdle(socket, times)
    if (!enter(port === HTTP_PORT ? 'http' : 'https', socket)) socket.destroy()
    return true
  }

  return (request: IncomingMessage, socket: Socket, head: Buffer, listener: ListenerFacts): void => {
    const generation = current()
    socket.on('error', () => socket.destroy())
    if (generation.hosts.isEmpty) {
      const body = methodNotAllowed('CONNECT', request.url ?? '', [])
      socket.end(rawResponse({ status: 405, body, headers: {} }))
      return
    }
    markSocketInUse(socket)
    // What the HTTP server has set for the time between requests.
    socket.setTimeout(0)
    const response = new ConnectResponse(request)
    const context = new RequestContext({
      request,
      response,
      listener,
      generation,
      facts,
      path: null,
      route: null,
      upgrade: new Handshake(socket, head),
      activity: null,
    })
    response.context = context
    generation.retain()
    socket.once('close', () => context.close(true))
    runStages(stages, context, services)
  }
}

/** Host and port of a target in authority form (RFC 9112, 3.2.3). */
function targetOf(url: string): { host: string; port: number } | { problem: string } {
  const named = parseAuthority(url)
  if (named?.port != null) return { host: named.host, port: named.port }
  const problem =
    named === null ? 'the target of CONNECT is not a host with a port' : 'the target of CONNECT has no port'
  return { problem }
}

function establishedHead(context: RequestContext): string {
  const headers = { ...defaultHeaders(context), ...context.response.getHeaders() }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map(one => `${name}: ${String(one)}\r\n`),
  )
  return `HTTP/1.1 200 Connection Established\r\n${lines.join('')}\r\n`
}

/** The tunnel may end a quarter of the idle time late. */
function endWhenIdle(socket: Socket, { idleMs, lifetimeMs }: typeof TIMES): void {
  let bytes = -1
  let sameSince = performance.now()
  const check = setInterval(() => {
    const now = socket.bytesRead + socket.bytesWritten
    if (now !== bytes) sameSince = performance.now()
    else if (performance.now() - sameSince >= idleMs) socket.destroy()
    bytes = now
  }, idleMs / 4)
  const end = setTimeout(() => socket.destroy(), lifetimeMs)
  check.unref()
  end.unref()
  socket.once('close', () => {
    clearInterval(check)
    clearTimeout(end)
  })
}
