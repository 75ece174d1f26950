/**
 * The WebSocket routes of a generation. The WebSocket package hooks into every request of the scope in which it is
 * registered, at a noticeable cost. It therefore gets a separate scope with one route, and the routes of plugins call
 * the handler of that route. Large messages and compressed ones have other such scopes, because the package has one limit and one
 * setting of compression.
 */
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import websocketPlugin, { type WebsocketPluginOptions } from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { MessageCompression, RouteDescription } from '../../contract/plugin.ts'
import { contextOf, type RequestContext } from '../request/context.ts'
import { tooManyCompressed, tooManyWebSockets, unsupportedWebSocketVersion } from '../response/error-bodies.ts'
import { requestFactsOf } from '../response/send.ts'
import type { WebSocketMemory } from './websocket-memory.ts'

type Handler = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => unknown
type SocketHandler = (this: FastifyInstance, socket: WebSocket, request: FastifyRequest) => void

/** What distinguishes the sockets of a route: the size of the messages that it takes, or how they are compressed. */
export type SocketKind = 'usual' | 'large' | MessageCompression
export const SOCKET_KINDS: readonly SocketKind[] = ['usual', 'large', 'context-takeover', 'no-context-takeover']

/** The version of RFC 6455, the only one. */
const VERSION = '13'

/** Unreachable, because the pipeline does not know it. */
function hiddenPath(kind: SocketKind): string {
  return `/-/websocket-${kind}`
}

/** Options of the package for compression: every message is compressed, with little memory. */
function compressionOf(kind: SocketKind): WebsocketPluginOptions['options'] {
  if (kind === 'usual' || kind === 'large') return {}
  const isAnew = kind === 'no-context-takeover'
  return {
    perMessageDeflate: {
      threshold: 0,
      zlibDeflateOptions: { memLevel: 4 },
      ...(isAnew && { serverNoContextTakeover: true, clientNoContextTakeover: true }),
    },
  }
}

export class WebSocketRoutes {
  /** The handlers of the package, which turn a handshake into a WebSocket. */
  readonly #accept = {} as Record<SocketKind, Handler>
  readonly #handlers = new WeakMap<FastifyRequest, (socket: WebSocket) => void>()
  readonly #memory: WebSocketMemory

  constructor(memory: WebSocketMemory) {
    this.#memory = memory
  }

  /**
   * Uses this scope for the package, for sockets of a kind; returns its server. `onFailure` gets exceptions of plugin
   * handlers.
   */
  async open(
    scope: FastifyInstance,
    kind: SocketKind,
    options: NonNullable<WebsocketPluginOptions['options']>,
    onFailure: (error: Error, request: FastifyRequest) => void,
  ): Promise<WebSocketServer> {
    await scope.register(websocketPlugin, {
      // One of them takes the upgrades of the HTTP server and passes them to the router, which serves all.
      options: {
        ...options,
        ...compressionOf(kind),
        ...(kind !== 'usual' && { server: new EventEmitter() as Server }),
      },
      errorHandler: (error, socket, request) => {
        // A message that violates the protocol or a limit: its close code (1002, 1007, 1009) is on its way and must
        // arrive.
        if (socket.readyState !== socket.OPEN) return
        onFailure(error, request)
        socket.close(1011, 'internal error')
      },
      // By default all clients are closed as soon as the old generation closes.
      preClose: (done: () => void) => done(),
    })
    scope.addHook('onRoute', ({ handler }) => {
      this.#accept[kind] = handler as Handler
    })
    scope.route({
      method: 'GET',
      url: hiddenPath(kind),
      exposeHeadRoute: false,
      handler: sendNotFound,
      wsHandler: (socket, request) => this.#handlers.get(request)!(socket),
    })
    return scope.websocketServer as never
  }

  /**
   * Installs the handler of the package in a WebSocket route; returns false for other routes. Throws if the route is
   * not valid.
   */
  adapt(route: RouteOptions): boolean {
    if (route.websocket !== true && route.wsHandler === undefined) return false
    if ([route.method].flat().some(method => !['GET', 'HEAD'].includes(method.toUpperCase())))
      throw new Error(`the WebSocket route ${route.url} must be GET`)
    const serve = (route.websocket === true ? route.handler : route.wsHandler) as unknown as SocketHandler
    if (typeof serve !== 'function') throw new TypeError(`the WebSocket handler of ${route.url} must be a function`)
    const plain: Handler = route.websocket === true ? sendNotFound : (route.handler as Handler)
    const isLarge = takesLargeMessages(route)
    const accepts = this.#accept
    const handlers = this.#handlers
    const memory = this.#memory
    route.handler = function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      const context = contextOf(request)
      if (context.upgrade === null) return plain.call(this, request, reply)
      if (!memory.admits(context.clientIp)) return reply.code(429).send(tooManyWebSockets(memory.perAddress))
      const kind = isLarge ? 'large' : (compressionFor(context) ?? 'usual')
      if (isCompressed(kind) && !memory.admitsCompressed)
        return reply.code(429).send(tooManyCompressed(memory.maxCompressed))
      handlers.set(request, socket => serve.call(this, socket, request))
      return accepts[kind].call(this, request, reply)
    } as never
    // Before the hooks of the route, which read what only a handshake of this version has.
    route.onRequest = [checkVersion, route.onRequest ?? []].flat() as never
    route.onResponse = [route.onResponse ?? [], closeRefused].flat() as never
    return true
  }
}

function takesLargeMessages({ config }: RouteOptions): boolean {
  const { descriptions = [] } = (config ?? {}) as { descriptions?: RouteDescription[] }
  return descriptions.some(description => description.takesLargeMessages === true)
}

/** The compression that the route accepts for this request, if the client offers any. */
function compressionFor(context: RequestContext): MessageCompression | null {
  const choose = context.description?.compression
  if (choose === undefined || context.request.headers['sec-websocket-extensions'] === undefined) return null
  return choose(requestFactsOf(context))
}

/** Whether the messages of a kind of sockets can be compressed. */
export function isCompressed(kind: SocketKind): kind is MessageCompression {
  return kind !== 'usual' && kind !== 'large'
}

function sendNotFound(_request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).send()
}

/** A handshake of another version is 426 (RFC 6455, 4.2.2). */
function checkVersion(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const version = request.headers['sec-websocket-version']
  if (contextOf(request).upgrade === null || version === VERSION) return done()
  void reply.headers({ 'Sec-WebSocket-Version': VERSION, Upgrade: 'websocket', Connection: 'Upgrade' })
  void reply.code(426).send(unsupportedWebSocketVersion(version))
}

/** A handshake that got a plain HTTP response: the connection ends. */
function closeRefused(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  contextOf(request).upgrade?.socket.destroy()
  done()
}
