/** What a TLS connection has negotiated, for routes that show it. */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

export interface ConnectionTls {
  /** As OpenSSL names it, such as `TLSv1.3`. */
  version: string
  /** The name that the client sent (SNI); empty if it sent none. */
  serverName: string
  /** The protocol chosen by ALPN; empty if there was none. */
  protocol: string
  /** By its IANA name. */
  cipherSuite: string
  /** The certificate that the client presented, as PEM; empty if it presented none. */
  certificates: string[]
}

/** Null for a connection without TLS. */
export function connectionTls(connection: Socket): ConnectionTls | null {
  const socket = connection as TLSSocket & { servername?: string | false }
  if (socket.encrypted !== true) return null
  const { raw } = socket.getPeerCertificate()
  return {
    version: socket.getProtocol() ?? '',
    serverName: socket.servername || '',
    protocol: socket.alpnProtocol || '',
    cipherSuite: socket.getCipher()?.standardName ?? '',
    certificates: raw === undefined ? [] : [new X509Certificate(raw).toString()],
  }
}
