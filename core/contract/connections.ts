/** Connections of TCP and UDP listeners, as the inspector keeps them. */
import type { ConnectionTls, PeerAddress } from './listeners.ts'
import type { ProxyHeader } from './proxy-header.ts'

export type ConnectionEnd =
  | 'open'
  | 'client_fin'
  | 'server_fin'
  | 'client_reset'
  | 'server_reset'
  | 'max_bytes'
  | 'idle'
  | 'lifetime'
  | 'limit'
  | 'proxy_invalid'
  | 'tls_failed'
  | 'reload'
  | 'stop'

/** A connection of a TCP listener, or a flow of a UDP listener. */
export interface ConnectionEntry {
  id: string
  kind: 'tcp' | 'tls' | 'udp'
  /** Name of the listener. */
  listener: string
  mode: string | null
  /** RFC 3339. */
  started_at: string
  ended_at: string | null
  duration_ms: number | null
  client_ip: string
  peer: PeerAddress
  local: PeerAddress
  session: string | null
  proxy_protocol: ProxyHeader | null
  tls: ConnectionTls | null
  /** The first 16 KiB as text, or in base64 if they are none. `datagrams` is null unless `kind` is `udp`. */
  received: {
    bytes: number
    datagrams: number | null
    data: string | null
    data_base64: string | null
    truncated: boolean
  }
  sent: { bytes: number }
  /** First lines that steered the connection, by word. */
  directives: string[]
  /** The fault that acted, such as `reset`; null if none did. */
  fault: string | null
  end: ConnectionEnd
  error: string | null
  /** Instance id of the replica; absent if there is only one. */
  replica?: string
}

/** What a plugin says about a connection that it serves. */
export interface ConnectionRecord {
  readonly id: string
  /** Counts what the client sent, and keeps the beginning of it. */
  received(data: Buffer): void
  /** Counts what was sent to the client. */
  sent(bytes: number): void
  /** Replaces the mode of the listener. */
  mode(mode: string): void
  /** The session that the client named. */
  session(name: string): void
  directive(text: string): void
  /** The fault that acts; the first one counts. */
  fault(word: string): void
  /** Why the connection ends, if svc ends it; the first one counts. Without it, the end is what the sockets say. */
  ends(reason: Exclude<ConnectionEnd, 'open'>, error?: string): void
}
