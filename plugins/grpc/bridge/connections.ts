/** Inner connections to the gRPC server of the generation: one per outer connection that carries calls. */
import { connect, type ClientHttp2Session } from 'node:http2'
import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { createDuplexPair } from './duplex-pair.ts'

/** The inner end of the bridge. */
export interface InnerServer {
  /** Serves the far end of an inner connection. */
  accept(connection: Duplex): void
  /** Ends all calls at once. */
  close(): void
}

/** Allows several messages of 4 MiB in transit; with Node's default of 10 MB per session, streams would be rejected. */
const SESSION_MEMORY_MB = 1024

export class BridgeConnections {
  readonly #createServer: () => Promise<InnerServer>
  readonly #connections = new Map<EventEmitter, { session: ClientHttp2Session; onClose: () => void }>()
  #server: Promise<InnerServer> | null = null

  /** `createServer` is called by `load` or for the first connection, which buffers data until the server is ready. */
  constructor(createServer: () => Promise<InnerServer>) {
    this.#createServer = createServer
  }

  /** The inner session of an outer connection ends with it. `outer` is the HTTP/2 session or the HTTP/1.1 socket. */
  sessionFor(outer: EventEmitter): ClientHttp2Session {
    const known = this.#connections.get(outer)
    if (known !== undefined && !known.session.closed && !known.session.destroyed) return known.session
    this.#drop(outer)
    const session = this.#connect()
    const onClose = (): void => this.#drop(outer)
    outer.once('close', onClose)
    this.#connections.set(outer, { session, onClose })
    return session
  }

  /** Creates the server if there is none yet. Rejects if that fails. */
  async load(): Promise<void> {
    await this.#open()
  }

  #open(): Promise<InnerServer> {
    return (this.#server ??= this.#createServer())
  }

  #connect(): ClientHttp2Session {
    const [near, far] = createDuplexPair()
    this.#open().then(
      server => server.accept(far),
      (error: Error) => far.destroy(error),
    )
    const session = connect('http://internal', { createConnection: () => near, maxSessionMemory: SESSION_MEMORY_MB })
    session.on('error', () => {})
    return session
  }

  /** A connection outlives generations, so each one must remove its listeners. */
  #drop(outer: EventEmitter): void {
    const connection = this.#connections.get(outer)
    if (connection === undefined) return
    this.#connections.delete(outer)
    outer.off('close', connection.onClose)
    connection.session.destroy()
  }

  /** Ends all calls at once. */
  close(): void {
    for (const outer of this.#connections.keys()) this.#drop(outer)
    this.#server?.then(
      server => server.close(),
      () => {},
    )
    this.#server = null
  }
}
