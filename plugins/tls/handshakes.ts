/** Makes the handshakes of the endpoints, with one TLS server for each chain; none of them listens. */
import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls'
import type { Chain } from './certificates.ts'
import type { Kind } from './kinds.ts'

const HANDSHAKE_MS = 20_000

/** What the handshake depends on, besides the kind. */
export interface HandshakeSettings {
  chain: Chain
  /** Issuer of client certificates, as PEM. */
  ca: string
  /** Offered unless the kind says otherwise. */
  alpnProtocols: readonly string[]
  /** Makes the OCSP response to staple for a certificate, given as PEM. */
  respondFor: (certificate: string) => Promise<Uint8Array>
}

/** Secures connections. */
export interface Handshakes {
  /**
   * Makes the handshake on `over`, by default the socket itself, and calls `onSecured` if it succeeds. Otherwise the socket
   * is closed.
   */
  secure(
    socket: Socket,
    kind: Kind,
    settings: HandshakeSettings,
    onSecured: (secured: TLSSocket) => void,
    over?: Duplex,
  ): void
}

/** Makes handshakes. Connections with the same chain share a server, so that sessions can be resumed. */
export function createHandshakes(): Handshakes {
  const servers = new WeakMap<Chain, Server>()
  const waiting = new Map<string, (secured: TLSSocket) => void>()

  function serverOf(kind: Kind, settings: HandshakeSettings): Server {
    let server = servers.get(settings.chain)
    if (server === undefined) {
      server = createEndpointServer(kind, settings)
      server.on('secureConnection', secured => waiting.get(connectionOf(secured))?.(secured))
      servers.set(settings.chain, server)
    }
    return server
  }

  return {
    secure(socket, kind, settings, onSecured, over) {
      if (over !== undefined) {
        // A TLS socket over another stream does not know its connection, so it has a server for itself.
        createEndpointServer(kind, settings).on('secureConnection', onSecured).emit('connection', over)
        return
      }
      const connection = connectionOf(socket)
      waiting.set(connection, onSecured)
      socket.once('close', () => waiting.delete(connection))
      serverOf(kind, settings).emit('connection', socket)
    },
  }
}

function connectionOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

function createEndpointServer(kind: Kind, { chain, ca, alpnProtocols, respondFor }: HandshakeSettings): Server {
  const { alpn = alpnProtocols } = kind
  const server = createServer({
    ...contextOptions(kind, chain),
    ca,
    requestCert: true,
    rejectUnauthorized: kind.clientCertificate === 'required' || kind.clientCertificate === 'wrong-ca',
    handshakeTimeout: HANDSHAKE_MS,
    ...(alpn.length > 0 && { ALPNProtocols: [...alpn] }),
  })
  server.on('tlsClientError', (_error, secured) => secured.destroy())
  const { stapled } = chain
  // Node asks for the OCSP response if the client does.
  if (stapled !== undefined)
    server.on('OCSPRequest', (_certificate, _issuer, respond) => {
      respondFor(stapled).then(
        response => respond(null, Buffer.from(response)),
        (error: Error) => respond(error, null!),
      )
    })
  return server
}

/** Certificate, versions and ciphers of a kind. The OpenSSL of Node may not support them. */
export function contextOptions(kind: Kind, chain: Chain): SecureContextOptions {
  return {
    cert: chain.certificates,
    key: chain.key,
    minVersion: kind.version ?? 'TLSv1.2',
    maxVersion: kind.version ?? 'TLSv1.3',
    ...(kind.ciphers !== undefined && { ciphers: kind.ciphers }),
    ...(kind.hasNoTickets === true && { secureOptions: constants.SSL_OP_NO_TICKET }),
  }
}
