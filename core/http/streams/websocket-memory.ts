/**
 * Owns what WebSockets have yet to send: for each and in all. Whoever reads slowly is not read from; whoever goes on
 * being sent to, or reads nothing while others need the room, is cut off.
 */
import type { WebSocket } from 'ws'

const KIB = 1024
const MIB = 1024 * KIB

/** Bytes that a socket may have unsent before nothing more is read from it, and below which it is read from again. */
const PAUSE_ABOVE = 256 * KIB
const RESUME_BELOW = 64 * KIB
/** A socket with more unsent is cut off at the next message: its plugin does not wait for it. */
const CUT_OFF_ABOVE = 16 * MIB
/** Memory of a frame that waits, beside its bytes: buffers, write requests and callbacks. */
const FRAME_OVERHEAD = 512

export interface WebSocketBounds {
  /** Bytes unsent of all sockets together. Above half of it nobody is read from; above it the socket is cut off that took nothing for longest. */
  totalBytes: number
  /** Sockets of one client address. */
  perAddress: number
}

export function webSocketBoundsOf({ publicMode }: { publicMode: boolean }): WebSocketBounds {
  return publicMode ? { totalBytes: 32 * MIB, perAddress: 100 } : { totalBytes: 64 * MIB, perAddress: Infinity }
}

/** What the bounds need of a socket. */
export type BoundedSocket = Pick<WebSocket, 'send' | 'pause' | 'resume' | 'terminate' | 'once'>

interface Sender {
  readonly socket: BoundedSocket
  unsent: number
}

type Sent = (error?: Error) => void

export class WebSocketMemory {
  readonly #bounds: WebSocketBounds
  readonly #countOf = new Map<string, number>()
  /** Those with something unsent, whoever took nothing for longest first. */
  readonly #waiting = new Set<Sender>()
  readonly #paused = new Set<Sender>()
  #unsent = 0

  constructor(bounds: WebSocketBounds) {
    this.#bounds = bounds
  }

  /** Bytes unsent of all sockets. */
  get unsent(): number {
    return this.#unsent
  }

  get perAddress(): number {
    return this.#bounds.perAddress
  }

  /** Whether one more socket of this address may open. */
  admits(address: string): boolean {
    return (this.#countOf.get(address) ?? 0) < this.#bounds.perAddress
  }

  /** Counts a socket, and from now on what is sent on it, until it closes. */
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
    // It was forgotten with all that it had unsent.
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

/** Bytes of what `send` takes: text, bytes, or anything that it makes text of. */
function byteLength(data: unknown): number {
  if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return data.byteLength
  if (Array.isArray(data)) return data.reduce((sum: number, part) => sum + byteLength(part), 0)
  return Buffer.byteLength(String(data))
}
