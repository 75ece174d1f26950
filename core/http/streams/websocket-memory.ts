/**
 * Bounds the unsent data of WebSockets, per socket and in total. svc stops reading from clients that read slowly.
 * Clients that still receive more data, or that read nothing while others need memory, are disconnected.
 */
import type { WebSocket } from 'ws'

const KIB = 1024
const MIB = 1024 * KIB

/** Unsent bytes per socket above which svc stops reading from it, and below which it resumes. */
const PAUSE_ABOVE = 256 * KIB
const RESUME_BELOW = 64 * KIB
/** A socket with more unsent bytes is closed at the next message, because its plugin does not wait for it. */
const CUT_OFF_ABOVE = 16 * MIB
/** Memory of a queued frame in addition to its bytes: buffers, write requests and callbacks. */
const FRAME_OVERHEAD = 512

export interface WebSocketBounds {
  /**
   * Unsent bytes of all sockets. Above half of this limit svc reads from no socket; above it, the socket that has read
   * nothing for the longest time is closed.
   */
  totalBytes: number
  /** Sockets per client address. */
  perAddress: number
}

export function webSocketBoundsOf({ publicMode }: { publicMode: boolean }): WebSocketBounds {
  return publicMode ? { totalBytes: 32 * MIB, perAddress: 100 } : { totalBytes: 64 * MIB, perAddress: Infinity }
}

/** What the bounds need from a socket. */
export type BoundedSocket = Pick<WebSocket, 'send' | 'pause' | 'resume' | 'terminate' | 'once'>

interface Sender {
  readonly socket: BoundedSocket
  unsent: number
}

type Sent = (error?: Error) => void

export class WebSocketMemory {
  readonly #bounds: WebSocketBounds
  readonly #countOf = new Map<string, number>()
  /** Sockets with unsent bytes, those that have read nothing for the longest time first. */
  readonly #waiting = new Set<Sender>()
  readonly #paused = new Set<Sender>()
  #unsent = 0

  constructor(bounds: WebSocketBounds) {
    this.#bounds = bounds
  }

  /** Unsent bytes of all sockets. */
  get unsent(): number {
    return this.#unsent
  }

  get perAddress(): number {
    return this.#bounds.perAddress
  }

  /** Whether this address may open another socket. */
  admits(address: string): boolean {
    return (this.#countOf.get(address) ?? 0) < this.#bounds.perAddress
  }

  /** Tracks a socket and what is sent on it until it closes. */
  adopt(socket: BoundedSocket, address: string): void {
    this.#countOf.set(address, (this.#countOf.get(address) ?? 0) + 1)
    const sender: Sender = { socket, unsent: 0 }
    const send = socket.send.bind(socket) as (data: unknown, options: object, sent: Sent) => void
    socket.send = ((data: unknown, options: object | Sent = {}, sent?: Sent): void => {
      const callback = typeof options === 'function' ? (options as Sent) : sent
      if (sender.unsent > CUT_OFF_ABOVE) socket.terminate()
      const bytes = byteLength(data) + FRAME_OVERHEAD
      this.#take(sender, bytes)
      try {
        send(data, typeof options === 'function' ? {} : options, error => {
          this.#give(sender, bytes)
          callback?.(error)
        })
      } catch (error) {
        this.#give(sender, bytes)
        throw error
      }
    }) as WebSocket['send']
    socket.once('close', () => this.#release(sender, address))
  }

  #take(sender: Sender, bytes: number): void {
    sender.unsent += bytes
    this.#unsent += bytes
    this.#waiting.add(sender)
    if (sender.unsent > PAUSE_ABOVE || this.#unsent > this.#bounds.totalBytes / 2) this.#pause(sender)
    while (this.#unsent > this.#bounds.totalBytes) {
      const [slowest] = this.#waiting
      if (slowest === undefined) return
      this.#forget(slowest)
      slowest.socket.terminate()
    }
  }

  #give(sender: Sender, bytes: number): void {
    // It was removed together with its unsent bytes.
    if (!this.#waiting.delete(sender)) return
    sender.unsent -= bytes
    this.#unsent -= bytes
    if (sender.unsent > 0) this.#waiting.add(sender)
    if (sender.unsent < RESUME_BELOW) this.#resume(sender)
    if (this.#paused.size > 0 && this.#unsent < this.#bounds.totalBytes / 4)
      for (const paused of this.#paused) if (paused.unsent < RESUME_BELOW) this.#resume(paused)
  }

  #pause(sender: Sender): void {
    if (this.#paused.has(sender)) return
    this.#paused.add(sender)
    sender.socket.pause()
  }

  #resume(sender: Sender): void {
    if (this.#unsent > this.#bounds.totalBytes / 2 || !this.#paused.delete(sender)) return
    sender.socket.resume()
  }

  #release(sender: Sender, address: string): void {
    this.#forget(sender)
    const left = (this.#countOf.get(address) ?? 1) - 1
    if (left > 0) this.#countOf.set(address, left)
    else this.#countOf.delete(address)
  }

  #forget(sender: Sender): void {
    this.#waiting.delete(sender)
    this.#paused.delete(sender)
    this.#unsent -= sender.unsent
    sender.unsent = 0
  }
}

/** Size in bytes of an argument of `send`: text, bytes, or a value that it converts to text. */
function byteLength(data: unknown): number {
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return data.byteLength
  if (Array.isArray(data)) return data.reduce((sum: number, part) => sum + byteLength(part), 0)
  return Buffer.byteLength(String(data))
}
