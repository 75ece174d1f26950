/** The extension point `core.tls`: connections of the HTTPS listener that a plugin secures itself. */
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

/** A connection whose client has sent the beginning of a handshake, and got no answer yet. */
export interface TlsConnection {
  /** Nothing of what the client sent was consumed. */
  socket: Socket
  /** Lower case, as sent: it can have any characters. Empty if the client sent none, which only `port` passes. */
  serverName: string
  /** What the HTTPS listener offers in ALPN, preferred first. */
  alpnProtocols: readonly string[]
  /**
   * Serves HTTP on a secured connection, as the HTTPS listener does: HTTP/2 if `h2` was negotiated, otherwise HTTP/1.1. A connection with a client certificate is closed
   * unless `authorized` is true, so set it. The secured connection can be over another stream that uses `socket`.
   */
  serve(secured: TLSSocket): void
}

/** Handles a connection. It must end the socket, or pass it to `serve` in a `TLSSocket`. */
export type TlsAccept = (connection: TlsConnection) => void

export interface SvcTls {
  /**
   * Passes connections of the HTTPS listener to `accept` if `match` returns true for the server name (SNI) that the client
   * sent. A name that the certificate of the listener covers is never passed. The core still counts and closes the
   * connections. `new TLSSocket(socket, { isServer: true, … })` makes the handshake.
   */
  names(match: (serverName: string) => boolean, accept: TlsAccept): void
  /**
   * Opens a port on the address of the other listeners, and passes its connections to `accept` when the client has sent its
   * ClientHello. 0 is a free port. The port stays open over reloads, as long as the plugin asks for the same number. Throws
   * if the number is invalid or another plugin has it. If the port cannot be opened, a warning is logged.
   *
   * Returns a function that returns the open port; null until it is open.
   */
  port(number: number, accept: TlsAccept): () => number | null
}
