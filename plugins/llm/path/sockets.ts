/** Serves the WebSocket routes of providers. */
import type { FastifyReply, FastifyRequest, WebSocket } from 'svc/plugin'
import { joinSignals, receiveMessages } from 'svc/toolkit'
import { errorResponse } from '../call/error-responses.ts'
import { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'
import { ProviderError } from '../contract/errors.ts'
import type { Parsed } from '../contract/parsed.ts'
import type { LlmRoute } from '../contract/route.ts'
import type { LlmSocket, SocketError, SocketRun, SocketRunOptions } from '../contract/socket.ts'
import type { StreamEvent } from '../contract/stream.ts'
import type { ProviderInstance } from '../providers/instance.ts'
import { checkCredential } from '../steps/credential.ts'
import { rollFault } from '../steps/fault.ts'
import { errorOf } from '../steps/refuse.ts'
import type { OpenSocket } from '../streaming/socket-bounds.ts'
import type { PlacedRoute } from '../testing/protocol.ts'
import { REQUEST } from './call-path.ts'
import { checkMessage, runMessage } from './message.ts'

export interface SocketRoute {
  preValidation: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | void>
  wsHandler(socket: WebSocket, request: FastifyRequest): void
}

/** A socket with more unsent bytes has to wait. */
const MAX_BUFFERED = 256 * 1024
const WAIT_MS = 10

export function socketRoute(
  services: CallServices,
  { instance, route }: { instance: ProviderInstance; route: LlmRoute },
  find: (path: string) => PlacedRoute | null,
): SocketRoute {
  const accepted = new WeakMap<FastifyRequest, { call: ModelCall; parsed: Parsed }>()
  return {
    async preValidation(request, reply) {
      if (!request.ws) return
      const params = request.params as Record<string, string>
      const call = new ModelCall(services, { instance, route, params }, { request, reply }, REQUEST)
      try {
        await checkHandshake(call)
        refuseIfFull(services, request)
        // Faults that need a reply apply to the messages.
        rollFault(call, services)
        accepted.set(request, { call, parsed: await call.parse() })
      } catch (error) {
        const { kind, facts } = errorOf(error, services.faults, call)
        const { status, headers, body } = errorResponse(instance, call, kind, facts)
        if (facts.injected !== undefined) services.metrics.fault(instance.name, facts.injected)
        return reply.code(status).headers(headers).send(JSON.stringify(body))
      }
    },
    wsHandler(socket, request) {
      const { call, parsed } = accepted.get(request)!
      const { socketLifetimeMs: lifetimeMs } = services
      services.svc.streams.websocket(request, socket, { lifetimeMs: lifetimeMs + 1000, idleMs: Infinity })
      const { key } = services.svc.http.session(request)
      // Others may have opened since the handshake was checked.
      if (services.sockets.full(key) !== null) return socket.close(1013, 'too many open sockets')
      const open = services.sockets.open(key)
      socket.once('close', () => open.close())
      route.socket!(new ProviderSocket(services, call, socket, find, open), parsed, call.input())
    },
  }
}

async function checkHandshake(call: ModelCall): Promise<void> {
  const { modelRoute, instance, credential } = call
  const isAccepted =
    credential === null ? undefined : await modelRoute?.acceptsCredential?.(credential.value, instance.name)
  if (isAccepted === false) throw new ProviderError('invalid_credential')
  if (isAccepted === undefined) checkCredential(call)
}

function refuseIfFull({ svc, sockets }: CallServices, request: FastifyRequest): void {
  const full = sockets.full(svc.http.session(request).key)
  if (full === null) return
  throw new ProviderError('rate_limit', {
    message: `Too many open WebSockets: this ${full.of} may have ${full.limit}. Close one of them first.`,
  })
}

class ProviderSocket implements LlmSocket {
  readonly lifetimeMs: number
  readonly maxItems: number
  readonly #open: OpenSocket
  readonly #services: CallServices
  readonly #call: ModelCall
  readonly #socket: WebSocket
  readonly #find: (path: string) => PlacedRoute | null
  readonly #closed = new AbortController()

  constructor(
    services: CallServices,
    call: ModelCall,
    socket: WebSocket,
    find: (path: string) => PlacedRoute | null,
    open: OpenSocket,
  ) {
    this.#services = services
    this.#call = call
    this.#socket = socket
    this.#find = find
    this.#open = open
    this.lifetimeMs = services.socketLifetimeMs
    this.maxItems = services.sockets.bounds.items
    socket.on('close', () => this.#closed.abort())
    // A message that violates the protocol closes the socket; the close event follows.
    socket.on('error', () => this.#closed.abort())
  }

  get isClosed(): boolean {
    return this.#socket.readyState !== this.#socket.OPEN
  }

  send(message: object): void {
    if (!this.isClosed) this.#socket.send(JSON.stringify(message))
  }

  keep(bytes: number): boolean {
    return this.#open.keep(bytes)
  }

  onMessage(listener: (message: Buffer, isBinary: boolean) => void): void {
    receiveMessages(this.#socket, listener, error => this.#fail(error))
  }

  onText(listener: (text: string) => void): void {
    this.onMessage((message, isBinary) => {
      if (isBinary) this.close(1003, 'binary messages are not supported')
      else listener(message.toString())
    })
  }

  after(ms: number, listener: () => void): () => void {
    const stop = (): void => {
      clearTimeout(timer)
      this.#closed.signal.removeEventListener('abort', stop)
    }
    const timer = setTimeout(() => {
      stop()
      listener()
    }, ms)
    timer.unref()
    this.onClosed(stop)
    return stop
  }

  onClosed(listener: () => void): void {
    this.#closed.signal.addEventListener('abort', listener, { once: true })
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  get target(): string {
    return this.#call.url
  }

  check(message: object): SocketError | null {
    const { instance, route, params, request, reply } = this.#call
    return checkMessage(
      this.#services,
      { request, reply },
      { instance, route, params },
      { path: this.target, body: message },
    )
  }

  async run(target: string, body: object, { send, signal, data, route }: SocketRunOptions): Promise<SocketRun> {
    const { instance, request, reply, params } = this.#call
    const placed = route === undefined ? this.#find(decodeURIComponent(target.split('?', 1)[0]!)) : { route, params }
    if (placed === null) throw new Error(`no provider has the route POST ${target}`)
    const socket = this.#socket
    const isFull = (): boolean => this.#isFull
    const joined = signal === undefined ? null : joinSignals(signal, this.#closed.signal)
    const served = { instance, route: placed.route, params: placed.params }
    const running = runMessage(this.#services, { instance, request, reply }, served, {
      path: target,
      body,
      data,
      signal: joined?.signal ?? this.#closed.signal,
      send: send ?? ((event: StreamEvent) => this.send(event.data as object)),
      sendBroken: event => {
        const text = typeof event.data === 'string' ? event.data : JSON.stringify(event.data)
        if (!this.isClosed) socket.send(text.slice(0, Math.max(1, text.length >> 1)))
      },
      get isFull() {
        return isFull()
      },
      ready: () => this.#drained(),
      destroy: () => socket.terminate(),
      close: (code, reason) => socket.close(code, reason),
    })
    const ended = running.finally(() => joined?.release())
    return ended.catch((error: unknown) => {
      this.#fail(error)
      const { status, headers, body } = errorResponse(instance, this.#call, 'server_error', {})
      return { kind: 'error', status, headers, body }
    })
  }

  #fail(error: unknown): void {
    this.#services.svc.log.error('a message on a WebSocket failed', { error, request_id: this.#call.requestId })
    this.close(1011, 'internal error')
  }

  get #isFull(): boolean {
    return !this.isClosed && this.#socket.bufferedAmount > MAX_BUFFERED
  }

  async #drained(): Promise<void> {
    while (this.#isFull) await new Promise(resolve => setTimeout(resolve, WAIT_MS))
  }
}
