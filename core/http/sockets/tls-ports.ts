/** Ports of plugins for TLS connections. They stay open while each new generation wants them. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { TlsAccept } from '../../contract/tls.ts'
import type { Log } from '../../log/log.ts'

/** A port that a plugin of a generation wants. */
export interface TlsPort {
  plugin: string
  /** 0: a free port. */
  number: number
  accept: TlsAccept
  /** The port that is open; null if none is. */
  open: number | null
}

/** Adds a port to those of a generation. Throws if the number is invalid or taken. */
export function addTlsPort(ports: TlsPort[], plugin: string, number: number, accept: TlsAccept): TlsPort {
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new Error(`${number} is not a port number (expected 0 to 65535)`)
  const taken = number === 0 ? undefined : ports.find(port => port.number === number)
  if (taken !== undefined) throw new Error(`port ${number} is already used by the plugin ${taken.plugin}`)
  const port: TlsPort = { plugin, number, accept, open: null }
  ports.push(port)
  return port
}

interface OpenPort {
  server: Server
  /** Of the current generation. */
  wanted: TlsPort
}

export interface TlsPortsOptions {
  host: string
  log: Log
  /** Hands a connection to the HTTPS listener, which counts and closes it; null if this listener did not start. */
  adopt: ((socket: Socket, accept: TlsAccept) => void) | null
}

export class TlsPorts {
  readonly #options: TlsPortsOptions
  readonly #open = new Map<string, OpenPort>()
  #last: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: TlsPortsOptions) {
    this.#options = options
  }

  /** Opens and closes ports until those are open that a generation wants. One run at a time. */
  apply(wanted: readonly TlsPort[]): Promise<void> {
    this.#last = this.#last.then(() => this.#apply(wanted))
    return this.#last
  }

  /** Stops accepting connections. Open ones belong to the HTTPS listener. */
  close(): void {
    this.#isClosed = true
    for (const { server } of this.#open.values()) server.close()
    this.#open.clear()
  }

  async #apply(wanted: readonly TlsPort[]): Promise<void> {
    const byKey = new Map(
      wanted.map((port, index) => {
        const { plugin, number } = port
        // Free ports differ by their order.
        const same = wanted.slice(0, index).filter(other => other.plugin === plugin && other.number === number)
        return [`${plugin} ${number} ${same.length}`, port]
      }),
    )
    for (const [key, { server }] of this.#open)
      if (!byKey.has(key)) {
        this.#open.delete(key)
        server.close()
      }
    // A closed port is free in the next turn of the event loop.
    await setImmediate()
    for (const [key, port] of byKey) {
      const known = this.#open.get(key)
      if (known === undefined) await this.#listen(key, port)
      else {
        known.wanted = port
        port.open = (known.server.address() as AddressInfo).port
      }
    }
  }

  async #listen(key: string, port: TlsPort): Promise<void> {
    const { host, log, adopt } = this.#options
    if (this.#isClosed) return
    if (adopt === null)
      return void log.warn(`the TLS port ${port.number} needs the HTTPS listener`, { plugin: port.plugin })
    const open: OpenPort = { server: createServer(socket => adopt(socket, open.wanted.accept)), wanted: port }
    try {
      port.open = await listen(open.server, host, port.number)
      this.#open.set(key, open)
      if (this.#isClosed) open.server.close()
    } catch (error) {
      log.warn(`the TLS port ${port.number} did not open: ${(error as Error).message}`, { plugin: port.plugin })
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject).on('error', () => {})
      resolve((server.address() as AddressInfo).port)
    })
  })
}
