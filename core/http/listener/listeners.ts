/**
 * The listening servers. They belong to the process and outlive every generation: each request and upgrade is handled
 * by the generation that is current when it arrives.
 */
import { createServer, type Server, type ServerOptions, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  createSecureServer,
  createServer as createHttp2Server,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Duplex } from 'node:stream'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { TlsAccept } from '../../contract/tls.ts'
import { ConnectionActivity } from '../sockets/connection-activity.ts'
import { isHttp2, type ListenerFacts, type ServerRequest } from '../request/types.ts'
import { rawResponse } from '../sockets/raw-response.ts'
import { badRequest, headerFieldsTooLarge } from '../response/error-bodies.ts'
import { Http2Response, type Http1ResponseClass, type SvcResponse } from '../response/response.ts'
import { sniffHttp2 } from '../sockets/http2-preface.ts'
import type { ProxyPolicy } from '../sockets/proxy-protocol/policy.ts'
import { markContinued, readProxyHeaders } from '../sockets/proxy-protocol/reader.ts'
import { RequestPacer } from '../sockets/http2-pacing.ts'
import { closeWhenIdle } from '../sockets/http2-sessions.ts'
import { isOwnedElsewhere, isRefused, markSocketInUse } from '../sockets/socket-owner.ts'
import { setTransport, transportOf } from '../sockets/transport.ts'
import type { ServedNames } from '../sockets/served-names.ts'
import { acceptAnyName, routeServerNames, type TlsNames } from '../sockets/tls-names.ts'
import { TurnLimit } from '../sockets/turn-limit.ts'
import type { HostMount } from '../routes/host-mounts.ts'
import type { Tap, TappedListener } from '../tap/tap.ts'
import { hasRefusedCertificate } from '../../pki/client-certificate.ts'

/** Node's default of 5 s would race with gateways that keep idle connections open for a minute. */
const KEEP_ALIVE_MS = 75_000
const HEADERS_MS = 20_000
const CHECK_CONNECTIONS_MS = 5_000
export const MAX_HEAD_BYTES = 64 * 1024
const MAX_SOCKETS = 20_000
/** Streams of HTTP/2 that begin in one turn of the event loop; an ordinary client begins fewer. */
const STREAMS_PER_TURN = 200

export interface ListenerHandlers {
  /** `activity` is decremented when the response ends. */
  request(
    request: ServerRequest,
    response: SvcResponse,
    listener: ListenerFacts,
    activity: ConnectionActivity | null,
    expectsContinue: boolean,
  ): void
  /** `replay` returns the socket to the HTTP server. */
  upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    listener: ListenerFacts,
    replay: (socket: Socket) => void,
  ): void
  /** `CONNECT`. `head` holds the bytes received after the request. */
  connect(request: IncomingMessage, socket: Socket, head: Buffer, listener: ListenerFacts): void
}
export interface TlsMaterial {
  cert: string
  key: string
  ca: string
}

export interface ListenerOptions {
  Http1Response: Http1ResponseClass
  /** Whether the listener supports HTTP/2. */
  http2: boolean
  /** `made`: others make the handshakes, and pass secured connections to `take`. */
  tls?: TlsMaterial | 'made'
  /** A listener that does not listen: others pass it connections. Default: the name is the kind. */
  named?: { name: string; mount: HostMount | null; grpc: boolean | null }
  /** HTTPS only: server names that plugins serve. */
  tlsNames?: TlsNames
  /** HTTPS only: certificates for hosts that plugins serve whole. */
  servedNames?: ServedNames
  tap: Tap
  /** Streams of one HTTP/2 connection. */
  http2Streams: number
  /** Whether connections begin with a PROXY protocol header. Default: they do not. */
  proxy?: ProxyPolicy
}

/** One listening port and its accepted sockets. */
export class Listener {
  readonly facts: ListenerFacts
  readonly #server: Server | Http2SecureServer
  /** For HTTP/2 connections if `#server` serves only HTTP/1.1; it never listens. */
  readonly #http2: Http2Server | Http2SecureServer | null
  readonly #alpnProtocols: readonly string[]
  readonly #sockets = new Map<Socket, ConnectionActivity>()
  /** TLS only: plain sockets by peer until their handshake completes. */
  readonly #handshakes = new Map<string, Socket>()
  readonly #sessions = new Map<ServerHttp2Session, RequestPacer>()
  readonly #streams = new TurnLimit(STREAMS_PER_TURN)
  /** Connections that the HTTP/1 server has. */
  readonly #served = new WeakSet<Socket>()
  #leaveTap: () => void = () => {}

  constructor(kind: ListenerFacts['kind'], handlers: ListenerHandlers, options: ListenerOptions) {
    const { name = kind, mount = null, grpc = null } = options.named ?? {}
    const facts: ListenerFacts = { name, kind, scheme: options.tls ? 'https' : 'http', port: 0, mount, grpc }
    this.facts = facts
    const settings = {
      ServerResponse: options.Http1Response as never,
      Http1ServerResponse: options.Http1Response as never,
      Http2ServerResponse: Http2Response as never,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: 0,
      connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
      // Our own head validation responds to this one, in our own format.
      requireHostHeader: false,
      // Otherwise a connection could hold any number of waiting streams, each of about 17 KB.
      settings: { maxConcurrentStreams: options.http2Streams },
    } satisfies ServerOptions & Record<string, unknown>
    if (options.tls) {
      const tls = {
        ...settings,
        ...(options.tls === 'made' ? {} : options.tls),
        requestCert: true,
        rejectUnauthorized: false,
        minVersion: 'TLSv1.2' as const,
        ...(options.servedNames === undefined ? {} : { SNICallback: options.servedNames.find }),
      }
      this.#server = options.http2
        ? createSecureServer({ ...tls, allowHTTP1: true })
        : createHttpsServer({ ...tls, ALPNProtocols: ['http/1.1'] })
      this.#http2 = options.http2 ? null : createSecureServer(settings)
      this.#tapConnections('secureConnection', options.tap)
      this.#server.on('secureConnection', rejectForeignCertificate)
    } else {
      this.#server = createServer(settings)
      this.#http2 = options.http2 ? createHttp2Server(settings) : null
      this.#tapConnections('connection', options.tap)
      if (this.#http2) sniffHttp2(this.#server, this.#http2)
    }
    this.#alpnProtocols = options.http2 ? ['h2', 'http/1.1'] : ['http/1.1']
    this.#server.setMaxListeners(20)
    this.#server.maxConnections = MAX_SOCKETS
    // By default Node keeps the first thousand fields and silently drops the rest, possibly including Content-Length.
    // Only the size of the head is limited.
    ;(this.#server as Server).maxHeadersCount = 0
    for (const server of [this.#server, this.#http2]) if (server) this.#wire(server as Server, handlers)
    const http2 = this.#http2 ?? (options.tls && options.http2 ? (this.#server as Http2SecureServer) : null)
    if (http2 !== null) this.#tapStreams(http2, options.tap)
    this.#server.on('connection', (socket: Socket) => this.#track(socket))
    if (options.tlsNames) routeServerNames(this.#server, options.tlsNames, this.#alpnProtocols)
    if (options.tls) this.#server.on('secureConnection', (socket: TLSSocket) => this.#trackSecured(socket))
    if (options.proxy !== undefined && options.proxy.mode !== 'off') readProxyHeaders(this.#server, options.proxy)
    // Node checks the times of requests from then on.
    if (options.named !== undefined) this.#server.emit('listening')
  }

  /** Whether no further connection should be passed to `take`. */
  get isFull(): boolean {
    return this.#sockets.size >= MAX_SOCKETS
  }

  /** Serves a connection that was accepted elsewhere: a secured one, if the listener is one for HTTPS. */
  take(socket: Socket): void {
    // Node's HTTP/2 server takes its settings for HTTP/1.1 from here.
    if (this.facts.scheme === 'https') Object.assign(socket, { server: this.#server })
    this.#server.emit(this.facts.scheme === 'https' ? 'secureConnection' : 'connection', socket)
  }

  /** HTTPS only: takes a connection of another port, which `accept` secures, as if it had come to this one. */
  adopt(socket: Socket, accept: TlsAccept): void {
    if (this.isFull) return void socket.destroy()
    this.#track(socket)
    acceptAnyName(socket, accept, this.#server, this.#alpnProtocols)
  }

  /** Continues a connection of another listener, from its first byte. */
  enter(socket: Socket): void {
    markContinued(socket)
    this.#server.emit('connection', socket)
  }

  /** Puts the tap in front of the requests of HTTP/2, whose listener Node adds with that of `request`. */
  #tapStreams(server: Http2Server | Http2SecureServer, tap: Tap): void {
    type StreamListener = (stream: ServerHttp2Stream, headers: object, flags: number, raw: string[]) => void
    const [serve] = server.listeners('stream') as StreamListener[]
    server.removeAllListeners('stream')
    server.on('stream', (stream, headers, flags, ...more: unknown[]) => {
      const raw = more[0] as string[]
      if (tap.isArmed && tap.claimStream(this.facts.kind, stream, raw)) return
      serve!.call(server, stream, headers, flags, raw)
    })
  }

  /** Puts the tap in front of the HTTP/1 server. HTTP/2 connections have no requests as bytes. */
  #tapConnections(event: 'connection' | 'secureConnection', tap: Tap): void {
    const [serve] = this.#server.listeners(event) as ((socket: Socket) => void)[]
    this.#server.removeListener(event, serve!)
    const toServer = (socket: Socket): void => {
      this.#served.add(socket)
      serve!.call(this.#server, socket)
    }
    const tapped: TappedListener = {
      kind: this.facts.kind,
      servedSockets: () =>
        [...this.#sockets.keys()].filter(socket => this.#served.has(socket) && !isOwnedElsewhere(socket)),
      activityOf: socket => this.#sockets.get(socket) ?? null,
    }
    this.#leaveTap = tap.addListener(tapped)
    this.#server.on(event, (socket: Socket) => {
      if ((socket as TLSSocket).alpnProtocol !== 'h2') {
        if (tap.isArmed) tap.accept(tapped, socket, toServer)
        else toServer(socket)
      } else if (this.#http2 === null) serve!.call(this.#server, socket)
      // A plugin can negotiate HTTP/2 where the listener does not offer it.
      else this.#http2.emit(event, socket)
    })
  }

  #wire(server: Server, handlers: ListenerHandlers): void {
    const serve = (request: IncomingMessage, response: SvcResponse, expectsContinue: boolean): void => {
      if (isHttp2(request)) {
        const stream = request.stream as ServerHttp2Stream
        const { session } = stream
        const start = (): void =>
          this.#streams.run(() => handlers.request(request, response, this.facts, null, expectsContinue))
        const pacer = session && this.#sessions.get(session as ServerHttp2Session)
        if (pacer === undefined) start()
        else pacer.start({ start, isOver: () => stream.closed || stream.destroyed })
        return
      }
      const activity = this.#sockets.get(request.socket) ?? null
      if (activity === null || activity.enter())
        handlers.request(request, response, this.facts, activity, expectsContinue)
      else activity.wait(() => handlers.request(request, response, this.facts, activity, expectsContinue))
    }
    server.on('request', (request, response) => serve(request, response as SvcResponse, false))
    server.on('checkContinue', (request, response) => serve(request, response as SvcResponse, true))
    const replay = (socket: Socket): void =>
      void server.emit(this.facts.scheme === 'https' ? 'secureConnection' : 'connection', socket)
    server.on('upgrade', (request, socket, head) =>
      handlers.upgrade(request, socket as Socket, head, this.facts, replay),
    )
    server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if ('stream' in request) return
      handlers.connect(request, socket as Socket, head, this.facts)
    })
    server.on('clientError', sendClientError)
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.set(session, new RequestPacer(session))
      closeWhenIdle(session, KEEP_ALIVE_MS)
      session.on('close', () => this.#sessions.delete(session)).on('error', () => {})
    })
    server.on('sessionError', () => {})
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) return
    this.#sockets.set(socket, new ConnectionActivity(socket))
    if ((socket as TLSSocket).alpnProtocol === 'h2') markSocketInUse(socket)
    socket.on('error', () => socket.destroy())
    const peer = peerOf(socket)
    if (this.facts.scheme === 'https' && !('encrypted' in socket)) this.#handshakes.set(peer, socket)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (this.#handshakes.get(peer) === socket) this.#handshakes.delete(peer)
    })
  }

  /** After the handshake the TLS socket represents the connection instead of the plain one. */
  #trackSecured(socket: TLSSocket): void {
    const peer = peerOf(socket)
    const known = transportOf(socket)
    const plain = known === socket ? this.#handshakes.get(peer) : known
    this.#handshakes.delete(peer)
    if (plain !== undefined) {
      this.#sockets.delete(plain)
      setTransport(socket, plain)
    }
    this.#track(socket)
  }

  /** Starts listening; rejects with Node's error (`EADDRINUSE`, `EACCES`, …). */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const onListening = (): void => {
        this.#server.off('error', onError)
        this.#server.on('error', () => {})
        this.facts.port = (this.#server.address() as AddressInfo).port
        resolve(this.facts.port)
      }
      const onError = (error: Error): void => {
        this.#server.off('listening', onListening)
        reject(error)
      }
      this.#server.once('error', onError).once('listening', onListening)
      this.#server.listen({ host, port, backlog: 4096 })
    })
  }

  get address(): AddressInfo | null {
    return this.#server.address() as AddressInfo | null
  }

  /** Ends what a listener without connections still does, once nothing is passed to it any more. */
  dispose(): void {
    this.#leaveTap()
    this.#server.close()
  }

  /** Stops accepting connections and closes idle ones. */
  stopAccepting(): void {
    this.#server.close()
    for (const session of this.#sessions.keys()) session.close()
    this.closeIdle()
  }

  closeIdle(): void {
    for (const [socket, state] of this.#sockets) if (state.busy === 0 && !isOwnedElsewhere(socket)) socket.destroy()
  }

  get openSockets(): number {
    return this.#sockets.size
  }

  destroyAll(): void {
    for (const session of this.#sessions.keys()) session.destroy()
    for (const socket of this.#sockets.keys()) socket.destroy()
  }
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}

/** Client certificates are requested, not required; one that is presented must chain to the demo CA. */
function rejectForeignCertificate(socket: TLSSocket): void {
  if (hasRefusedCertificate(socket)) socket.destroy()
}

interface ClientError extends Error {
  code?: string
  bytesParsed?: number
  rawPacket?: Buffer
}

/** Responds to requests that Node's parser rejects (RFC 9112, 2.2), in our own format, and closes the connection. */
function sendClientError(error: ClientError, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  if (
    error.code === 'ECONNRESET' ||
    !socket.writable ||
    ((socket as { bytesWritten?: number }).bytesWritten !== 0 && error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
  ) {
    socket.destroy()
    return
  }
  if (isRefused(socket)) return void socket.end()
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const body = isTooLarge ? headerFieldsTooLarge(MAX_HEAD_BYTES) : badRequest(describeParseError(error))
  socket.end(rawResponse({ status: isTooLarge ? 431 : 400, body, headers: {} }))
}

function describeParseError(error: ClientError): string {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'the request head did not arrive in time'
  return error.message.replace(/^Parse Error:?\s*/, '').trim() || 'the request could not be parsed'
}
