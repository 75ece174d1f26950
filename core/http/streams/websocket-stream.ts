/** The limits of an open WebSocket: idle time, lifetimes, and the close code and reason of each forced end. */
import type { WebSocket, WebSocketOptions } from '../../contract/plugin.ts'
import type { OpenWebSocket } from '../request/types.ts'
import type { ForcedEnd, OpenStream, StreamRegistry } from './stream-registry.ts'

/** What the pipeline knows when a WebSocket opens. */
export interface WebSocketOpening {
  generation: number
  options?: WebSocketOptions
  /** Lifetime granted by the plan in milliseconds, from the 101 on. */
  planLifetimeMs?: number | null
  /** Called when the connection is closed, so that the slot is released. */
  onClose?: () => void
}

/** Close codes (RFC 6455, 7.4.1) and reasons. */
const CLOSES: Record<ForcedEnd | 'idle', readonly [code: number, reason: string]> = {
  idle: [1001, 'idle timeout'],
  lifetime: [1001, 'maximum connection lifetime reached'],
  stop: [1001, 'server shutting down'],
  reload: [1001, 'server reloaded'],
  plan: [1008, 'svc plan stream lifetime reached'],
}

/** Registers an open WebSocket until its connection is closed. */
export function registerWebSocket(
  registry: StreamRegistry,
  socket: WebSocket,
  opening: WebSocketOpening,
): OpenWebSocket {
  const stream = new WebSocketStream(registry, socket, opening)
  stream.begin(opening.onClose)
  return stream
}

class WebSocketStream implements OpenStream, OpenWebSocket {
  readonly kind = 'websocket'
  readonly generation: number
  isEndless = false
  dueAt = Infinity
  place = -1
  link: OpenStream['link'] = null
  readonly #registry: StreamRegistry
  readonly #socket: WebSocket
  // On the clock of the registry.
  readonly #planEndsAt: number
  #endsAt = Infinity
  #lastFrameAt = 0
  #idleMs = Infinity
  #watchesFrames = false
  #isClosing = false

  constructor(registry: StreamRegistry, socket: WebSocket, { generation, options, planLifetimeMs }: WebSocketOpening) {
    this.#registry = registry
    this.#socket = socket
    this.generation = generation
    this.#planEndsAt = registry.now() + (planLifetimeMs ?? Infinity)
    if (options) this.#take(options)
  }

  begin(onClose?: () => void): void {
    this.#registry.add(this)
    this.#schedule()
    this.#socket.once('close', () => {
      this.#isClosing = true
      this.#registry.remove(this)
      onClose?.()
    })
  }

  limit(options: WebSocketOptions): void {
    this.#take(options)
    this.#schedule()
  }

  forceEnd(reason: ForcedEnd): void {
    this.#close(reason)
  }

  onDue(now: number): void {
    if (now >= this.#planEndsAt) this.#close('plan')
    else if (now >= this.#endsAt) this.#close('lifetime')
    else if (now >= this.#lastFrameAt + this.#idleMs) this.#close('idle')
    else this.#schedule()
  }

  #take({ endless, lifetimeMs, idleMs }: WebSocketOptions): void {
    const now = this.#registry.now()
    if (endless !== undefined) this.isEndless = endless
    if (lifetimeMs !== undefined) this.#endsAt = now + lifetimeMs
    if (idleMs === undefined) return
    // Routes toggle it: one set of listeners serves for all.
    if (!this.#watchesFrames) this.#watchFrames()
    this.#idleMs = idleMs
    this.#lastFrameAt = now
  }

  #watchFrames(): void {
    this.#watchesFrames = true
    const onFrame = (): void => {
      this.#lastFrameAt = this.#registry.now()
    }
    for (const frame of ['message', 'ping', 'pong'] as const) this.#socket.on(frame, onFrame)
  }

  #schedule(): void {
    if (!this.#isClosing)
      this.#registry.schedule(this, Math.min(this.#planEndsAt, this.#endsAt, this.#lastFrameAt + this.#idleMs))
  }

  /** The client has half a minute for its close frame; then `ws` closes the connection. */
  #close(why: keyof typeof CLOSES): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#registry.schedule(this, Infinity)
    this.#socket.close(...CLOSES[why])
  }
}
