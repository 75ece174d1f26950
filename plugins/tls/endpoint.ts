/** Accepts the connections of the endpoints. */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Svc } from 'svc/plugin'
import { resetSocket, type TlsConnection } from 'svc/toolkit'
import type { FindAuthority } from './authorities.ts'
import type { Chain, FindChain } from './certificates.ts'
import { DrippingSocket } from './dripping-socket.ts'
import type { Handshakes } from './handshakes.ts'
import { kindOf, KINDS, nameOnPort } from './kinds.ts'
import type { TlsOptions } from './options.ts'
import type { Revocation } from './revocation.ts'

/** Alerts (RFC 8446, 6). */
const INTERNAL_ERROR = 80
const UNRECOGNIZED_NAME = 112

/** What endpoints need. */
export interface EndpointParts {
  svc: Svc<TlsOptions>
  chainOf: FindChain
  findAuthority: FindAuthority
  revocation: Revocation
  slowMs: number
  handshakes: Handshakes
  /** The open ports by kind. */
  ports: ReadonlyMap<string, () => number | null>
  /** Connections in the handshake, and of `stall`. */
  open: { handshakes: number; stalled: number }
}

/** The kind of a secured connection. It has the same name in each version of this plugin. */
export const KIND = Symbol.for('svc.tls.kind')

/** Accepts a connection of the HTTPS port by its server name. */
export function acceptByName(connection: TlsConnection, parts: EndpointParts): void {
  const kind = kindOf(connection.serverName)
  if (kind === null) sendAlert(connection.socket, UNRECOGNIZED_NAME)
  else accept(connection, kind, () => parts.chainOf(kind, connection.serverName), parts)
}

/** Accepts a connection of a port that is only for this kind. */
export function acceptOnPort(connection: TlsConnection, kind: string, parts: EndpointParts): void {
  accept(connection, kind, () => parts.chainOf(kind, nameOnPort(connection.serverName), true), parts)
}

/** Makes the handshake of a kind, or what the kind does instead. */
function accept(
  { socket, serve, alpnProtocols }: TlsConnection,
  name: string,
  findChain: () => Promise<Chain>,
  parts: EndpointParts,
): void {
  const { svc, open } = parts
  const { publicMode } = svc.config
  const kind = KINDS[name]!
  if (kind.behavior === 'stall') return stall(socket, open, publicMode ? [20, 10_000] : [100, 30_000])
  if (open.handshakes >= (publicMode ? 100 : 500)) return void socket.destroy()
  switch (kind.behavior) {
    case 'reset':
      return resetSocket(socket)
    case 'close':
      return finish(socket, '')
    case 'alert':
      return sendAlert(socket, INTERNAL_ERROR)
    case 'not-tls':
      return finish(socket, 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    case 'garbage':
      return finish(socket, Buffer.alloc(512, 'svc garbage '))
    default:
  }
  open.handshakes++
  let isCounted = true
  const count = (): void => {
    if (isCounted) open.handshakes--
    isCounted = false
  }
  socket.once('close', count)
  const begin = async (): Promise<void> => {
    const ca =
      kind.clientCertificate === 'wrong-ca' ? (await parts.findAuthority('foreign')).certificate : svc.pki.caCertificate
    const settings = {
      chain: await findChain(),
      ca,
      alpnProtocols,
      respondFor: (certificate: string) => parts.revocation.respond({ certificate }),
    }
    if (socket.destroyed) return
    const dripping = kind.behavior === 'drip-handshake' ? new DrippingSocket(socket) : undefined
    const onSecured = (secured: TLSSocket): void => {
      count()
      dripping?.release()
      Object.assign(secured, { [KIND]: name })
      secured.on('error', () => secured.destroy())
      if (kind.behavior === 'reset-late') secured.once('data', () => resetSocket(socket))
      else if (kind.behavior === 'close-late') secured.once('data', () => socket.destroySoon())
      else serve(secured)
    }
    parts.handshakes.secure(socket, kind, settings, onSecured, dripping)
  }
  const timer = setTimeout(
    () => {
      begin().catch((error: unknown) => {
        svc.log.error('a TLS endpoint failed', { error, kind: name })
        socket.destroy()
      })
    },
    kind.behavior === 'slow-handshake' ? parts.slowMs : 0,
  )
  socket.once('close', () => clearTimeout(timer))
}

function sendAlert(socket: Socket, description: number): void {
  finish(socket, Buffer.from([21, 3, 3, 0, 2, 2, description]))
}

/** Sends bytes and closes the connection, without a reset for what the client has sent. */
function finish(socket: Socket, bytes: Buffer | string): void {
  socket.on('data', () => {})
  socket.resume()
  socket.end(bytes)
  setTimeout(() => socket.destroy(), 1000).unref()
}

function stall(socket: Socket, open: EndpointParts['open'], [max, ms]: [number, number]): void {
  if (open.stalled >= max) return void socket.destroy()
  open.stalled++
  const timer = setTimeout(() => socket.destroy(), ms)
  socket.on('data', () => {})
  socket.once('close', () => {
    clearTimeout(timer)
    open.stalled--
  })
  socket.resume()
}
