/** Bounds the WebSockets of all providers: their number, and what their routes keep for them. */

const KIB = 1024
const MIB = 1024 * KIB

export interface SocketBounds {
  sockets: number
  /** Sockets of one session. */
  perSession: number
  /** Items of one conversation. */
  items: number
  /** Bytes kept for one socket, and for all. */
  bytes: number
  totalBytes: number
  /** The longest time that one stays open. */
  lifetimeMs: number
}

const NORMAL: SocketBounds = {
  sockets: 500,
  perSession: Infinity,
  items: 1000,
  bytes: 4 * MIB,
  totalBytes: 64 * MIB,
  lifetimeMs: 3_600_000,
}
const PUBLIC: SocketBounds = {
  sockets: 20,
  perSession: 2,
  items: 100,
  bytes: 256 * KIB,
  totalBytes: 5 * MIB,
  lifetimeMs: 600_000,
}

export function socketBoundsOf({ publicMode }: { publicMode: boolean }): SocketBounds {
  return publicMode ? PUBLIC : NORMAL
}

/** The open sockets of this process. */
export class OpenSockets {
  readonly bounds: SocketBounds
  readonly #countOf = new Map<string, number>()
  #count = 0
  #bytes = 0

  constructor(bounds: SocketBounds) {
    this.bounds = bounds
  }

  /** The bound that one more socket of a session would exceed; null: it may open. */
  full(session: string): { limit: number; of: 'session' | 'instance' } | null {
    const { sockets, perSession } = this.bounds
    if ((this.#countOf.get(session) ?? 0) >= perSession) return { limit: perSession, of: 'session' }
    return this.#count >= sockets ? { limit: sockets, of: 'instance' } : null
  }

  open(session: string): OpenSocket {
    this.#count += 1
    this.#countOf.set(session, (this.#countOf.get(session) ?? 0) + 1)
    return new OpenSocket(this, session)
  }

  /** Counts bytes, unless all sockets together would keep too many. */
  keep(bytes: number): boolean {
    if (bytes > 0 && this.#bytes + bytes > this.bounds.totalBytes) return false
    this.#bytes += bytes
    return true
  }

  close(session: string): void {
    this.#count -= 1
    const left = (this.#countOf.get(session) ?? 1) - 1
    if (left > 0) this.#countOf.set(session, left)
    else this.#countOf.delete(session)
  }
}

export class OpenSocket {
  readonly #all: OpenSockets
  readonly #session: string
  #bytes = 0
  #isClosed = false

  constructor(all: OpenSockets, session: string) {
    this.#all = all
    this.#session = session
  }

  /** Counts bytes that are kept for the socket, and returns whether they may be kept; less than 0: they no longer are. */
  keep(bytes: number): boolean {
    if (this.#isClosed) return false
    if (bytes > 0 && this.#bytes + bytes > this.#all.bounds.bytes) return false
    if (!this.#all.keep(bytes)) return false
    this.#bytes += bytes
    return true
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#all.keep(-this.#bytes)
    this.#all.close(this.#session)
  }
}
