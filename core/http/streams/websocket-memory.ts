/**
 * Bounds the unsent data of WebSockets. svc stops reading from clients that read slowly. Clients that still receive more
 * data, or that read nothing while others need memory, are disconnected.
 */
import type { WebSocket } from 'ws'
import type { UnsentMemory, UnsentShare } from '../../limits/unsent-memory.ts'

/** Memory of a queued frame in addition to its bytes: buffers, write requests and callbacks. */
const FRAME_OVERHEAD = 512

/** What the bounds need from a socket. */
export type BoundedSocket = Pick<WebSocket, 'send' | 'pause' | 'resume' | 'terminate' | 'once'>

interface Sender {
  readonly socket: BoundedSocket
  /** Reads from the client again, unless the plugin of the socket has paused it. */
  readonly resume: () => void
  /** Reads nothing, whatever the plugin wants. */
  readonly pause: () => void
  readonly share: UnsentShare
  unsent: number
}

type Sent = (error?: Error) => void

export class WebSocketMemory {
  readonly #memory: UnsentMemory
  /** Sockets per client address. */
  readonly perAddress: number
  /** Sockets with compressed messages: the contexts of each take some 200 KiB outside of the heap. */
  readonly maxCompressed: number
  #compressed = 0
  readonly #countOf = new Map<string, number>()
  readonly #paused = new Set<Sender>()
  #unsent = 0

  constructor(memory: UnsentMemory, { perAddress, maxCompressed }: { perAddress: number; maxCompressed: number }) {
    this.#memory = memory
    this.perAddress = perAddress
    this.maxCompressed = maxCompressed
  }

  /** Unsent bytes of all sockets. Above half of the total bound svc reads from no socket. */
  get unsent(): number {
    return this.#unsent
  }

  /** Whether this address may open another socket. */
  admits(address: string): boolean {
    return (this.#countOf.get(address) ?? 0) < this.perAddress
  }

  /** Whether another socket may have compressed messages. */
  get admitsCompressed(): boolean {
    return this.#compressed < this.maxCompressed
  }

  /** Counts a socket with compressed messages until it closes. */
  adoptCompressed(socket: Pick<BoundedSocket, 'once'>): void {
    this.#compressed++
    socket.once('close', () => void this.#compressed--)
  }

  /** Tracks a socket and what is sent on it until it closes. */
  adopt(socket: BoundedSocket, address: string): void {
    this.#countOf.set(address, (this.#countOf.get(address) ?? 0) + 1)
    const share = this.#memory.open(address, {
      cutOff: () => {
        this.#forget(sender)
        socket.terminate()
      },
    })
    const sender: Sender = { socket, share, unsent: 0, ...this.#reading(socket, () => this.#paused.has(sender)) }
    const send = socket.send.bind(socket) as (data: unknown, options: object, sent: Sent) => void
    socket.send = ((data: unknown, options: object | Sent = {}, sent?: Sent): void => {
      const callback = typeof options === 'function' ? (options as Sent) : sent
      // Its plugin does not wait for it.
      if (share.isOverflowing) socket.terminate()
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

  /** The plugin of a socket may pause it too: it reads again when nobody wants it to wait. */
  #reading(socket: BoundedSocket, isPaused: () => boolean): Pick<Sender, 'pause' | 'resume'> {
    const pause = socket.pause.bind(socket)
    const resume = socket.resume.bind(socket)
    let isPausedByPlugin = false
    socket.pause = () => {
      isPausedByPlugin = true
      pause()
    }
    socket.resume = () => {
      isPausedByPlugin = false
      if (!isPaused()) resume()
    }
    return {
      pause,
      resume: () => {
        if (!isPausedByPlugin) resume()
      },
    }
  }

  get #totalBytes(): number {
    return this.#memory.bounds.unsentTotalBytes
  }

  get #resumeBelow(): number {
    return this.#memory.bounds.unsentStreamBytes / 4
  }

  #take(sender: Sender, bytes: number): void {
    if (sender.share.isOver) return
    sender.unsent += bytes
    this.#unsent += bytes
    sender.share.set(sender.unsent, false)
    if (sender.share.isFull || this.#unsent > this.#totalBytes / 2) this.#pause(sender)
  }

  #give(sender: Sender, bytes: number): void {
    // It was cut off together with its unsent bytes.
    if (sender.share.isOver) return
    sender.unsent -= bytes
    this.#unsent -= bytes
    sender.share.set(sender.unsent, true)
    if (sender.unsent < this.#resumeBelow) this.#resume(sender)
    if (this.#paused.size > 0 && this.#unsent < this.#totalBytes / 4)
      for (const paused of this.#paused) if (paused.unsent < this.#resumeBelow) this.#resume(paused)
  }

  #pause(sender: Sender): void {
    if (sender.share.isOver || this.#paused.has(sender)) return
    this.#paused.add(sender)
    sender.pause()
  }

  #resume(sender: Sender): void {
    if (this.#unsent > this.#totalBytes / 2 || !this.#paused.delete(sender)) return
    sender.resume()
  }

  #release(sender: Sender, address: string): void {
    this.#forget(sender)
    sender.share.release()
    const left = (this.#countOf.get(address) ?? 1) - 1
    if (left > 0) this.#countOf.set(address, left)
    else this.#countOf.delete(address)
  }

  #forget(sender: Sender): void {
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
