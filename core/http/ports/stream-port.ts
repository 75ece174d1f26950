/** A TCP port of a plugin. Its socket stays open while handlers with other settings come and go. */
import { createServer, type AddressInfo, type Server } from 'node:net'
import type { PeerAddress } from '../../contract/listeners.ts'
import type { StreamHandler } from './stream-handler.ts'

/** How long the connections of a port that is gone may go on, in milliseconds. */
const DRAIN_MS = 10_000
const POLL_MS = 200
const DISPOSE_MS = 1_000

export class StreamPort {
  readonly #server: Server
  #current: StreamHandler
  /** Handlers of earlier settings that have open connections. */
  readonly #earlier = new Set<StreamHandler>()
  #disposing: NodeJS.Timeout | null = null

  constructor(handler: StreamHandler) {
    this.#current = handler
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, socket => this.#current.accept(socket))
  }

  /** Rejects with Node's error (`EADDRINUSE`, `EACCES`, …). */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ host, port, backlog: 4096 }, () => {
        this.#server.off('error', reject).on('error', () => {})
        resolve((this.#server.address() as AddressInfo).port)
      })
    })
  }

  get address(): PeerAddress {
    const { address, port } = this.#server.address() as AddressInfo
    return { address, port }
  }

  get openSockets(): number {
    return this.#all.reduce((sum, { openSockets }) => sum + openSockets, 0)
  }

  get #all(): StreamHandler[] {
    return [this.#current, ...this.#earlier]
  }

  /** Serves new connections by another handler. Open ones go on with theirs. */
  replace(handler: StreamHandler): void {
    this.#earlier.add(this.#current)
    this.#current = handler
    this.#disposing ??= setInterval(() => this.#disposeEarlier(), DISPOSE_MS).unref()
    this.#disposeEarlier()
  }

  #disposeEarlier(): void {
    for (const handler of this.#earlier) {
      if (handler.openSockets > 0) continue
      this.#earlier.delete(handler)
      handler.dispose()
    }
    if (this.#earlier.size > 0 || this.#disposing === null) return
    clearInterval(this.#disposing)
    this.#disposing = null
  }

  /** Stops accepting connections, because no generation wants the port. Open ones are closed after the drain time. */
  retire(): void {
    this.#server.close()
    for (const handler of this.#all) handler.end('gone')
    const until = performance.now() + DRAIN_MS
    const poll = setInterval(() => {
      for (const handler of this.#all) handler.closeIdle()
      if (this.openSockets > 0 && performance.now() < until) return
      clearInterval(poll)
      for (const handler of this.#all) {
        handler.destroyAll('reload')
        handler.dispose()
      }
    }, POLL_MS)
    poll.unref()
  }

  /** Stops accepting connections, because the process stops. */
  stop(): void {
    if (this.#server.listening) this.#server.close()
    for (const handler of this.#all) handler.end('stop')
  }

  closeIdle(): void {
    for (const handler of this.#all) handler.closeIdle()
  }

  destroyAll(): void {
    for (const handler of this.#all) handler.destroyAll('stop')
  }
}
