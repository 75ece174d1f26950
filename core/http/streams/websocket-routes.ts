/**
 * The WebSocket routes of a generation. The package that makes WebSockets hooks itself into every request of the scope in
 * which it is registered, which is felt: it gets a scope of its own with one route, whose handler those of plugins call.
 */
import websocketPlugin from '@fastify/websocket'
import type { WebsocketPluginOptions } from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { WebSocket, WebSocketServer } from 'ws'
import { contextOf } from '../request/context.ts'
import { tooManyWebSockets } from '../pipeline/error-bodies.ts'
import type { WebSocketMemory } from './websocket-memory.ts'

type Handler = (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => unknown
type SocketHandler = (this: FastifyInstance, socket: WebSocket, request: FastifyRequest) => void

/** Nobody gets there: the pipeline does not know it. */
const HIDDEN_PATH = '/-/websocket'

export class WebSocketRoutes {
  /** Known once `open` has resolved. */
  server!: WebSocketServer
  /** The package's handler: makes the WebSocket of a handshake. */
  #accept!: Handler
  readonly #handlers = new WeakMap<FastifyRequest, (socket: WebSocket) => void>()
  readonly #memory: WebSocketMemory

  constructor(memory: WebSocketMemory) {
    this.#memory = memory
  }

  /** Takes a scope for the package. `onFailure` gets what a plugin's handler throws. */
  async open(
    scope: FastifyInstance,
    options: NonNullable<WebsocketPluginOptions['options']>,
    onFailure: (error: Error, request: FastifyRequest) => void,
  ): Promise<void> {
    await scope.register(websocketPlugin, {
      options,
      errorHandler: (error, socket, request) => {
        // A message that breaks the protocol or a limit: its close code (1002, 1007, 1009) is on its way, and must arrive.
        if (socket.readyState !== socket.OPEN) return
        onFailure(error, request)
        socket.close(1011, 'internal error')
      },
      // The default closes every client as soon as the old generation is closed.
      preClose: (done: () => void) => done(),
    })
    this.server = scope.websocketServer as never
    scope.addHook('onRoute', ({ handler }) => {
      this.#accept = handler as Handler
    })
    scope.route({
      method: 'GET',
      url: HIDDEN_PATH,
      exposeHeadRoute: false,
      handler: answerNotFound,
      wsHandler: (socket, request) => this.#handlers.get(request)!(socket),
    })
  }

  /** Puts the package's handler into a route for WebSockets; false: it is none. Throws when it can't be one. */
  adapt(route: RouteOptions): boolean {
    if (route.websocket !== true && route.wsHandler === undefined) return false
    if ([route.method].flat().some(method => !['GET', 'HEAD'].includes(method.toUpperCase())))
      throw new Error(`the WebSocket route ${route.url} must be GET`)
    const serve = (route.websocket === true ? route.handler : route.wsHandler) as unknown as SocketHandler
    if (typeof serve !== 'function') throw new TypeError(`the WebSocket handler of ${route.url} must be a function`)
    const plain: Handler = route.websocket === true ? answerNotFound : (route.handler as Handler)
    const accept = this.#accept
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

function answerNotFound(_request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).send()
}

/** A handshake that was answered like a request: the connection ends. */
function closeRefused(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  contextOf(request).upgrade?.socket.destroy()
  done()
}
