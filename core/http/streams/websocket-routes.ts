/**
 * The WebSocket routes of a generation. The WebSocket package hooks into every request of the scope in which it is
 * registered, at a noticeable cost. It therefore gets a separate scope with one route, and the routes of plugins call
 * the handler of that route. Routes with large messages have another such scope, because the package has one limit.
 */
import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import websocketPlugin, { type WebsocketPluginOptions } from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import type { RouteDescription } from '../../contract/plugin.ts'
import { contextOf } from '../request/context.ts'
import { tooManyWebSockets } from '../response/error-bodies.ts'
import type { WebSocketMemory } from './websocket-memory.ts'

type Handler = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => unknown
type SocketHandler = (this: FastifyInstance, socket: WebSocket, request: FastifyRequest) => void

/** Unreachable, because the pipeline does not know them. */
const HIDDEN_PATHS = { usual: '/-/websocket', large: '/-/websocket-large' }

/** By the size of the messages that a route takes. */
export type MessageSize = keyof typeof HIDDEN_PATHS

export class WebSocketRoutes {
  /** The handlers of the package, which turn a handshake into a WebSocket. */
  readonly #accept = {} as Record<MessageSize, Handler>
  readonly #handlers = new WeakMap<FastifyRequest, (socket: WebSocket) => void>()
  readonly #memory: WebSocketMemory

  constructor(memory: WebSocketMemory) {
    this.#memory = memory
  }

  /**
   * Uses this scope for the package, for routes that take messages of a size; returns its server. `onFailure` gets
   * exceptions of plugin handlers.
   */
  async open(
    scope: FastifyInstance,
    size: MessageSize,
    options: NonNullable<WebsocketPluginOptions['options']>,
    onFailure: (error: Error, request: FastifyRequest) => void,
  ): Promise<WebSocketServer> {
    await scope.register(websocketPlugin, {
      // One of the two takes the upgrades of the HTTP server and passes them to the router, which serves both.
      options: size === 'usual' ? options : { ...options, server: new EventEmitter() as Server },
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
      this.#accept[size] = handler as Handler
    })
    scope.route({
      method: 'GET',
      url: HIDDEN_PATHS[size],
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
    const accept = this.#accept[sizeOf(route)]
    const handlers = this.#handlers
    const memory = this.#memory
    route.handler = function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      const context = contextOf(request)
      if (context.upgrade === null) return plain.call(this, request, reply)
      if (!memory.admits(context.clientIp)) return reply.code(429).send(tooManyWebSockets(memory.perAddress))
      handlers.set(request, socket => serve.call(this, socket, request))
      return accept.call(this, request, reply)
    } as never
    route.onResponse = [route.onResponse ?? [], closeRefused].flat() as never
    return true
  }
}

function sizeOf({ config }: RouteOptions): MessageSize {
  const { descriptions = [] } = (config ?? {}) as { descriptions?: RouteDescription[] }
  return descriptions.some(({ takesLargeMessages }) => takesLargeMessages === true) ? 'large' : 'usual'
}

function sendNotFound(_request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).send()
}

/** A handshake that got a plain HTTP response: the connection ends. */
function closeRefused(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  contextOf(request).upgrade?.socket.destroy()
  done()
}
