/** Sends a request to an upstream. */
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import { IncompleteBody } from 'svc/plugin'
import { drained } from 'svc/toolkit'
import type { Upstream } from '../config/upstream.ts'
import { type ProxyError, proxyErrorOf } from '../proxy-status.ts'
import type { Pairs } from '../recordings/request-shape.ts'

export interface UpstreamRequest {
  method: string
  /** Path and query. */
  path: string
  /** Names and values in turn. */
  headers: string[]
  /** Sent on as it arrives; null if there is none. */
  body: AsyncIterable<Buffer> | null
  /** Trailer fields of the client, once the body is complete. */
  trailers(): Pairs
  /** Called with names and values in turn for each 103 before the response. */
  onEarlyHints(rawHeaders: readonly string[]): void
  /** The complete body, to send it again; null if it is not complete. */
  receivedBody(): Buffer | null
  /** Aborts when the client has disconnected. */
  signal: AbortSignal
}

/** Why there is no response. */
export class UpstreamFailure extends Error {
  readonly kind: 'unreachable' | 'timeout' | 'client_left'
  override readonly cause: ProxyError

  constructor(kind: UpstreamFailure['kind'], message: string, cause: ProxyError = 'destination_unavailable') {
    super(message)
    this.kind = kind
    this.cause = cause
  }
}

const SOCKETS = 256
/** Methods that may be sent again if a kept connection turns out to be closed (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'])

export type Client = (request: UpstreamRequest) => Promise<IncomingMessage>

/** A client with its own connections. `close` ends idle ones. */
export function createClient(upstream: Upstream): { send: Client; close(): void } {
  const { target, address, timeoutMs, ca } = upstream
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const isSecure = target.protocol === 'https:'
  const options = { keepAlive: true, maxSockets: SOCKETS, maxFreeSockets: 16 }
  const agent = isSecure
    ? new https.Agent({ ...options, ...(ca === null ? {} : { ca: [...rootCertificates, ca] }) })
    : new http.Agent(options)

  function sendOnce(
    { method, path, headers, signal, trailers, onEarlyHints }: UpstreamRequest,
    body: AsyncIterable<Buffer> | Buffer | null,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new UpstreamFailure('client_left', 'the client has disconnected'))
      const request = (isSecure ? https : http).request({
        agent,
        method,
        path,
        headers: headers as never,
        host: address ?? host,
        ...(isSecure && address !== null && isIP(host) === 0 ? { servername: host } : {}),
        port: target.port,
        setHost: false,
      })
      const received = watchConnection(request)
      const timer = setTimeout(
        () =>
          request.destroy(
            new UpstreamFailure(
              'timeout',
              `no response head within ${timeoutMs} ms`,
              received.isConnected ? 'http_response_timeout' : 'connection_timeout',
            ),
          ),
        timeoutMs,
      )
      const leave = (): void => void request.destroy(new UpstreamFailure('client_left', 'the client has disconnected'))
      signal.addEventListener('abort', leave, { once: true })
      request.on('information', ({ statusCode, rawHeaders }) => {
        if (statusCode === 103) onEarlyHints(rawHeaders)
      })
      request.once('response', response => {
        clearTimeout(timer)
        response.once('close', () => signal.removeEventListener('abort', leave))
        resolve(response)
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        const isOwn = error instanceof UpstreamFailure || error instanceof IncompleteBody
        const failure = isOwn
          ? error
          : new UpstreamFailure(
              'unreachable',
              error.code ?? error.message,
              proxyErrorOf(error.code, received.hasBegun()),
            )
        reject(Object.assign(failure, { isStale: request.reusedSocket && error.code === 'ECONNRESET' }))
      })
      // An upgrade that was not asked for.
      request.once('upgrade', (_response, socket) => socket.destroy())
      sendBody(request, body, trailers, () => timer.refresh()).catch((error: Error) => request.destroy(error))
    })
  }

  return {
    async send(request) {
      try {
        return await sendOnce(request, request.body)
      } catch (error) {
        const isStale = (error as { isStale?: boolean }).isStale === true
        const body = isStale && IDEMPOTENT.has(request.method) ? request.receivedBody() : null
        if (body === null) throw error
        return sendOnce(request, body)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Sends the body as it arrives. `restart` is called with each piece: the upstream need not respond before the last one. */
async function sendBody(
  request: ClientRequest,
  body: AsyncIterable<Buffer> | Buffer | null,
  trailers: () => Pairs,
  restart: () => void,
): Promise<void> {
  if (body !== null && !Buffer.isBuffer(body)) {
    // Together with the first piece, if it has already arrived.
    setImmediate(() => request.flushHeaders())
    for await (const piece of body) {
      if (request.destroyed) return
      restart()
      if (!request.write(piece)) await drained(request, Infinity)
    }
    // Only a body in chunks has trailers, and it is sent on in chunks.
    request.addTrailers(trailers() as Record<string, string>)
    request.end()
  } else request.end(body?.length ? body : undefined)
}

/** Whether a request has a connection that is ready, and whether a response has begun on it. */
function watchConnection(request: ClientRequest): { isConnected: boolean; hasBegun(): boolean } {
  let before = 0
  let socket: Socket | null = null
  const state = { isConnected: false, hasBegun: () => socket !== null && socket.bytesRead > before }
  request.once('socket', connection => {
    const isReady = (): void => {
      state.isConnected = true
      socket = connection
      before = connection.bytesRead
    }
    const isSecure = 'encrypted' in connection
    if (request.reusedSocket || !connection.connecting) isReady()
    else connection.once(isSecure ? 'secureConnect' : 'connect', isReady)
  })
  return state
}
