/** What a mode is: it answers a connection, or a datagram. */
import type { ConnectionTls, PeerAddress, ProxyHeader } from 'svc/plugin'
import type { ListenerOptions } from '../options.ts'

/** What a mode knows of a connection, or of the peer of a datagram. */
export interface ModeFacts {
  listener: { name: string; port: number }
  clientIp: string
  peer: PeerAddress
  local: PeerAddress
  proxy: ProxyHeader | null
  tls: ConnectionTls | null
}

/** What modes know of the instance. */
export interface Instance {
  hostname: string
  /** Addresses of the machine. */
  addresses(): string[]
  version: string
  deployment(): { namespace: string; ingress: string; service: string; pod: string }
  /** Open port of a listener of this plugin by name; null if it is not open. */
  portOf(listener: string): number | null
  /** Name of the TLS listener whose `tls_port_of` is this listener; null if none is. */
  securedOf(listener: string): string | null
}

export interface ModeContext {
  options: ListenerOptions
  facts: ModeFacts
  instance: Instance
}

/** What a mode does with a connection. */
export interface Answers {
  send(bytes: Buffer | string): void
  /** FIN after what is pending. */
  end(): void
}

/** The state of a mode for one connection. */
export interface Mode {
  /** At accept, after a banner. */
  open?(answers: Answers): void
  data(bytes: Buffer, answers: Answers): void
  /** After the client's FIN. Default: FIN. */
  end?(answers: Answers): void
}

export interface ModeDefinition {
  /** Text of `banner: true`. */
  banner?: string
  /** Bytes that are one read. Default: as they come. */
  readBytes?: number
  connection(context: ModeContext): Mode
  /** The answer to a datagram; null: none. */
  datagram(data: Buffer, context: ModeContext): Buffer | null
}
