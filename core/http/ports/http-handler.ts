/** Serves HTTP on a port that a plugin opened, through a listener that does not listen itself. */
import type { Socket } from 'node:net'
import type { Listener } from '../listener/listeners.ts'
import type { ListenerTls } from '../sockets/listener-tls.ts'
import { admit } from './front.ts'
import type { StreamHandler } from './stream-handler.ts'

/** Connections that are not let in yet. */
const MAX_ARRIVING = 10_000

export class HttpHandler implements StreamHandler {
  readonly #listener: Listener
  readonly #tls: ListenerTls | null
  /** Connections that are not let in yet. */
  readonly #arriving = new Set<Socket>()

  constructor(listener: Listener, tls: ListenerTls | null) {
    this.#listener = listener
    this.#tls = tls
  }

  get openSockets(): number {
    return this.#listener.openSockets + this.#arriving.size
  }

  accept(socket: Socket): void {
    if (this.#listener.isFull || this.#arriving.size >= MAX_ARRIVING) return void socket.destroy()
    const leave = (): boolean => this.#arriving.delete(socket)
    this.#arriving.add(socket)
    socket.once('close', leave)
    admit(
      socket,
      { tls: this.#tls, observes: false },
      {
        onFailed() {},
        onAdmitted: admitted => {
          leave()
          this.#listener.take(admitted.socket)
        },
      },
    )
  }

  end(): void {
    this.#listener.stopAccepting()
  }

  closeIdle(): void {
    this.#listener.closeIdle()
  }

  dispose(): void {
    this.#listener.dispose()
  }

  destroyAll(): void {
    for (const socket of this.#arriving) socket.destroy()
    this.#listener.destroyAll()
  }
}
