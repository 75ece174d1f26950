/** Accepts the connections of the endpoints. */
import { constants, X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, createServer, TLSSocket } from 'node:tls'
import type { SecureContext, Server } from 'node:tls'
import type { Svc, TlsConnection } from 'svc/plugin'
import type { FindAuthority } from './authorities.ts'
import type { Chain, FindChain } from './certificates.ts'
import { kindOf, KINDS } from './kinds.ts'
import type { Kind } from './kinds.ts'
import type { TlsOptions } from './options.ts'
import type { Revocation } from './revocation.ts'

/** Alerts (RFC 8446, 6). */
const INTERNAL_ERROR = 80
const UNRECOGNIZED_NAME = 112
const HANDSHAKE_MS = 20_000

/** What endpoints need. */
export interface EndpointParts {
  svc: Svc<TlsOptions>
  chainOf: FindChain
  findAuthority: FindAuthority
  revocation: Revocation
  slowMs: number
  /** What is made of a chain once. */
  securities: WeakMap<Chain, Security>
  /** Connections in the handshake, and of `stall`. */
  open: { handshakes: number; stalled: number }
}

/** Accepts a connection: makes the handshake of its kind, or what the kind does instead. */
export function acceptConnection({ socket, serverName, serve }: TlsConnection, parts: EndpointParts): void {
  const { svc, open, slowMs } = parts
  const { publicMode } = svc.config
  const name = kindOf(serverName)
  if (name === null) return sendAlert(socket, UNRECOGNIZED_NAME)
  const kind = KINDS[name]!
  if (kind.behavior === 'stall') return stall(socket, open, publicMode ? [20, 10_000] : [100, 30_000])
  if (open.handshakes >= (publicMode ? 100 : 500)) return void socket.destroy()
  switch (kind.behavior) {
    case 'reset':
      return void socket.resetAndDestroy()
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
  const delay = kind.behavior === 'slow-handshake' ? slowMs : 0
  const timer = setTimeout(() => socket.destroy(), HANDSHAKE_MS + delay)
  socket.once('close', () => clearTimeout(timer))
  const begin = async (): Promise<void> => {
    const ca =
      kind.clientCertificate === 'wrong-ca' ? (await parts.findAuthority('foreign')).certificate : svc.pki.caCertificate
    const chain = await parts.chainOf(name, serverName)
    if (socket.destroyed) return
    let security = parts.securities.get(chain)
    if (security === undefined) parts.securities.set(chain, (security = securityOf(name, chain, ca)))
    const secured = secure(socket, kind, security)
    secured.on('error', () => secured.destroy())
    secured.on('secure', () => {
      clearTimeout(timer)
      count()
      secured.authorized = isAuthorized(secured, ca)
      if (isCertificateRequired(kind) && !secured.authorized) secured.destroy()
      else if (kind.behavior === 'reset-late') secured.once('data', () => socket.resetAndDestroy())
      else if (kind.behavior === 'close-late') secured.once('data', () => socket.destroySoon())
      else serve(secured)
    })
  }
  setTimeout(() => {
    begin().catch((error: unknown) => {
      svc.log.error('a TLS endpoint failed', { error, kind: name })
      socket.destroy()
    })
  }, delay)
}

/** id-kp-clientAuth (RFC 5280, 4.2.1.12). */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

/**
 * Whether the client presented a certificate that the CA has issued for clients. OpenSSL itself refuses only a missing
 * one.
 */
function isAuthorized(secured: TLSSocket, ca: string): boolean {
  const presented = secured.getPeerX509Certificate()
  if (presented === undefined) return false
  const issuer = new X509Certificate(ca)
  const now = Date.now()
  // Node calls the extended key usages `keyUsage`; undefined if the certificate has none.
  const usages: string[] | undefined = presented.keyUsage
  return (
    presented.checkIssued(issuer) &&
    presented.verify(issuer.publicKey) &&
    Date.parse(presented.validFrom) <= now &&
    now <= Date.parse(presented.validTo) &&
    (usages === undefined || usages.includes(CLIENT_AUTH))
  )
}

function isCertificateRequired({ clientCertificate }: Kind): boolean {
  return clientCertificate === 'required' || clientCertificate === 'wrong-ca'
}

/** What the connections of an endpoint share, so that sessions can be resumed. */
export interface Security {
  context: SecureContext
  /** Node asks this server for the response to staple. It never listens. */
  stapler: Server | null
}

function secure(socket: Socket, kind: Kind, { context, stapler }: Security): TLSSocket {
  const { alpn = ['http/1.1'] } = kind
  return new TLSSocket(socket, {
    isServer: true,
    secureContext: context,
    requestCert: true,
    rejectUnauthorized: isCertificateRequired(kind),
    ...(stapler !== null && { server: stapler }),
    ...(alpn.length > 0 && { ALPNProtocols: [...alpn] }),
  })
}

function securityOf(name: string, chain: Chain, ca: string): Security {
  return {
    context: contextOf(name, chain, ca),
    stapler: chain.staple === undefined ? null : staplerOf(chain.staple),
  }
}

function staplerOf(staple: () => Promise<Uint8Array>): Server {
  return createServer().on('OCSPRequest', (_certificate, _issuer, respond) => {
    staple().then(
      response => respond(null, Buffer.from(response)),
      (error: Error) => respond(error, null!),
    )
  })
}

/** The secure context of a kind. Throws if the OpenSSL of Node does not support it. */
export function contextOf(name: string, chain: Chain, ca: string): SecureContext {
  const kind = KINDS[name]!
  return createSecureContext({
    cert: chain.certificates,
    key: chain.key,
    ca,
    minVersion: kind.version ?? 'TLSv1.2',
    maxVersion: kind.version ?? 'TLSv1.3',
    // OpenSSL resumes sessions with client certificates only within such a context.
    sessionIdContext: `svc-${name}`,
    ...(kind.ciphers !== undefined && { ciphers: kind.ciphers }),
    ...(kind.hasNoTickets === true && { secureOptions: constants.SSL_OP_NO_TICKET }),
  })
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
