/** Passes the connections of a TCP port to a plugin, counts them, and records them. */
import type { Socket } from 'node:net'
import type { ConnectionEntry } from '../../contract/connections.ts'
import type { ConnectionTls, TcpConnection } from '../../contract/listeners.ts'
import type { ProxyHeader } from '../../contract/proxy-header.ts'
import type { ConnectionLog, TrackedConnection } from '../../inspector/connection-log.ts'
import type { Log } from '../../log/log.ts'
import { admit, type AdmittedConnection, localOf, peerOf } from './front.ts'
import type { StreamHandler } from './stream-handler.ts'
import type { ListenerTls } from '../sockets/listener-tls.ts'
import type { PortUse } from './wanted.ts'

/** Connections of one listener, and of one client of it. */
export interface ConnectionBounds {
  perListener: number
  perClient: number
}

/** Admits a connection to the plan; null if it may not be served. The function gives the slot back. */
export type AdmitConnection = (clientIp: string) => (() => void) | null

export interface TcpHandlerParts {
  log: Log
  connections: ConnectionLog
  bounds: ConnectionBounds
  admitToPlan: AdmitConnection
  listener: { name: string; port: number }
  tls: ListenerTls | null
}

type TcpUse = Extract<PortUse, { kind: 'tcp' }>

interface Open {
  transport: Socket
  /** Null until it is let in. */
  served: { socket: Socket; record: TrackedConnection; abort: AbortController } | null
}

export class TcpHandler implements StreamHandler {
  readonly #parts: TcpHandlerParts
  /** Of the newest generation with these settings. */
  use: TcpUse
  readonly #open = new Map<Socket, Open>()
  readonly #perClient = new Map<string, number>()

  constructor(use: TcpUse, parts: TcpHandlerParts) {
    this.use = use
    this.#parts = parts
  }

  get openSockets(): number {
    return this.#open.size
  }

  accept(socket: Socket): void {
    const peer = peerOf(socket)
    const local = localOf(socket)
    const { tls, bounds } = this.#parts
    const begin = (facts: Partial<ConnectionEntry> & { tls?: ConnectionTls | null; proxy?: ProxyHeader | null }) =>
      this.#parts.connections.begin({
        kind: tls === null ? 'tcp' : 'tls',
        listener: this.#parts.listener.name,
        mode: this.use.settings.mode ?? null,
        clientIp: facts.client_ip ?? peer.address,
        peer,
        local,
        proxy: facts.proxy ?? null,
        tls: facts.tls ?? null,
      })
    const refuse = (): void => {
      begin({}).close('limit')
      socket.destroy()
    }
    if (this.#open.size >= bounds.perListener) return refuse()
    const ofClient = this.#perClient.get(peer.address) ?? 0
    if (ofClient >= bounds.perClient) return refuse()
    this.#perClient.set(peer.address, ofClient + 1)
    const open: Open = { transport: socket, served: null }
    this.#open.set(socket, open)
    socket.once('close', () => {
      this.#open.delete(socket)
      const left = this.#perClient.get(peer.address)! - 1
      if (left === 0) this.#perClient.delete(peer.address)
      else this.#perClient.set(peer.address, left)
    })
    admit(
      socket,
      { tls, observes: true },
      {
        onFailed: (end, error, proxy) => begin({ proxy }).close(end, error),
        onAdmitted: admitted => {
          const clientIp = peer.address
          const leave = this.#parts.admitToPlan(clientIp)
          const record = begin({ client_ip: clientIp, proxy: admitted.proxy, tls: admitted.tls })
          if (leave === null) {
            record.close('limit')
            socket.destroy()
            return
          }
          socket.once('close', leave)
          this.#serve(open, admitted, { clientIp, peer, local, record })
        },
      },
    )
  }

  #serve(
    open: Open,
    { socket, transport, proxy, tls }: AdmittedConnection,
    {
      clientIp,
      peer,
      local,
      record,
    }: Pick<TcpConnection, 'clientIp' | 'peer' | 'local'> & { record: TrackedConnection },
  ): void {
    const abort = new AbortController()
    open.served = { socket, record, abort }
    followEnd(socket, record)
    try {
      this.use.accept({
        socket,
        transport,
        listener: { ...this.#parts.listener },
        peer,
        local,
        clientIp,
        proxy,
        tls,
        signal: abort.signal,
        record,
      })
    } catch (error) {
      this.#parts.log.error('a listener failed to accept a connection', { error, listener: this.#parts.listener.name })
      socket.destroy()
    }
  }

  end(why: 'stop' | 'gone'): void {
    if (why === 'gone') return
    for (const { transport, served } of this.#open.values()) {
      if (served === null) {
        transport.destroy()
        continue
      }
      served.record.ends('stop')
      served.abort.abort('stop')
      served.socket.end()
    }
  }

  closeIdle(): void {}

  dispose(): void {}

  destroyAll(why: 'stop' | 'reload'): void {
    for (const { transport, served } of this.#open.values()) {
      served?.record.ends(why)
      served?.abort.abort(why)
      transport.destroy()
    }
  }
}

/** Finds out which side has ended a connection. */
function followEnd(socket: Socket, record: TrackedConnection): void {
  let end: 'client_fin' | 'server_fin' | null = null
  let isReset = false
  socket.on('end', () => {
    end ??= socket.writableEnded ? 'server_fin' : 'client_fin'
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    isReset ||= error.code === 'ECONNRESET' || error.code === 'EPIPE'
  })
  socket.on('close', () => record.close(isReset ? 'client_reset' : (end ?? 'server_fin')))
}
