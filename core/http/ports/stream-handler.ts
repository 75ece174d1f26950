/** What serves the connections of a TCP port, with the settings of one generation. */
import type { Socket } from 'node:net'

export interface StreamHandler {
  accept(socket: Socket): void
  /** Connections, also those in the handshake. */
  readonly openSockets: number
  /** Asks open connections to end: `stop` of the process, or a port that is `gone`. */
  end(why: 'stop' | 'gone'): void
  /** Closes connections that wait for a next request. */
  closeIdle(): void
  destroyAll(why: 'stop' | 'reload'): void
  /** Called once, when no connection is left and none will come. */
  dispose(): void
}
