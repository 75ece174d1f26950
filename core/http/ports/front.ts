/** What every connection of a port passes first: the PROXY protocol header, then the TLS handshake. */
import type { Socket } from 'node:net'
import type { ConnectionTls, PeerAddress } from '../../contract/listeners.ts'
import type { ProxyHeader } from '../../contract/proxy-header.ts'
import { ObservedSocket } from '../sockets/handshake-observer.ts'
import { describeTls, type ListenerTls } from '../sockets/listener-tls.ts'

/** A connection that was let in. */
export interface AdmittedConnection {
  /** For plain or decrypted bytes. */
  socket: Socket
  /** The TCP socket below. */
  transport: Socket
  proxy: ProxyHeader | null
  /** Null without TLS, and unless the front observes. */
  tls: ConnectionTls | null
}

export interface FrontOptions {
  tls: ListenerTls | null
  /** Whether `tls` of connections is told. */
  observes: boolean
}

export interface FrontResult {
  onAdmitted(connection: AdmittedConnection): void
  /** The connection is closed. */
  onFailed(end: 'proxy_invalid' | 'tls_failed', error: string, proxy: ProxyHeader | null): void
}

/** Lets a connection in, or closes it. */
export function admit(socket: Socket, { tls, observes }: FrontOptions, result: FrontResult): void {
  socket.on('error', () => {})
  const proxy: ProxyHeader | null = null
  if (tls === null) return result.onAdmitted({ socket, transport: socket, proxy, tls: null })
  const observed = observes ? new ObservedSocket(socket) : null
  tls.secure(socket, observed, {
    onSecured: secured =>
      result.onAdmitted({
        socket: secured,
        transport: socket,
        proxy,
        tls: observed === null ? null : describeTls(secured, observed),
      }),
    onFailed: error => result.onFailed('tls_failed', error, proxy),
  })
}

/** The peer of a connection. Call it while the connection is open. */
export function peerOf({ remoteAddress, remotePort }: Socket): PeerAddress {
  return { address: plainAddress(remoteAddress ?? ''), port: remotePort ?? 0 }
}

/** The address on which a connection was accepted. */
export function localOf({ localAddress, localPort }: Socket): PeerAddress {
  return { address: plainAddress(localAddress ?? ''), port: localPort ?? 0 }
}

/** An IPv4-mapped address as IPv4. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
