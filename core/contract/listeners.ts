/** `svc.listeners`: ports that a plugin opens besides those of the process. */
import type { Socket } from 'node:net'
import type { ServedHostOptions } from './hosts.ts'
import type { ConnectionRecord } from './connections.ts'
import type { ProxyHeader } from './proxy-header.ts'

/** Whether a listener expects a PROXY protocol header in front of everything else. */
export type ProxyProtocolMode = 'off' | 'optional' | 'strict'

/** Keys of `tls` of an entry. Paths are relative to the folder of `svc.yaml`. */
export interface ListenerTlsOptions {
  /** Certificate chain and key as PEM. Default: a certificate of the demo CA for the name that the client sends. */
  cert?: string
  key?: string
  /** Issuers of client certificates as PEM. Default: the demo CA. */
  client_ca?: string
  /** Whether a client certificate is requested. Default: `request`. */
  client?: 'none' | 'request' | 'require'
  /** Protocols in ALPN, preferred first. Without any, ALPN is not answered; HTTP listeners offer theirs. */
  alpn?: string[]
  /** Default: `1.2`. */
  min_version?: '1.2' | '1.3'
  /** Groups of the key exchange by OpenSSL's names, preferred first. Default: those of Node. */
  curves?: string[]
}

/** An entry of a list of listeners in `svc.yaml`: its keys are `LISTENER_PROPERTIES` of `svc/toolkit`. */
export interface ListenerEntry {
  /** 0: a free port. */
  port: number
  /** Unique in the instance. Default: `<section>-<port>`. */
  name?: string
  /** The address to bind to. Default: that of `SVC_HOST`. */
  host?: string
  tls?: boolean | ListenerTlsOptions
  proxy_protocol?: ProxyProtocolMode
}

/** An entry of a list of HTTP listeners: its keys are `HTTP_LISTENER_PROPERTIES` of `svc/toolkit`. */
export interface HttpListenerEntry extends ListenerEntry {
  /** Whether HTTP/2 is served: with prior knowledge, with TLS by ALPN. Default: true. */
  http2?: boolean
}

export interface ListenerSettings extends ListenerEntry {
  /** The place of the entry in `svc.yaml`, such as `orders.listeners[0]`, for load errors. */
  at: string
  /** What the listener serves, in one word, for lists. */
  serves?: string | null
}

export interface HttpListenerSettings extends ListenerSettings, HttpListenerEntry {
  /** Whether the gRPC services are there too. Default: as `SVC_GRPC_ON_HTTP` says. */
  grpc?: boolean
  /**
   * Serves all requests from the routes below this path of the plugin, as `svc.serveHost` does for a host. Default: all routes.
   */
  mount?: string
  /** As those of `svc.serveHost`, for a listener with `mount`. */
  paths?: ServedHostOptions['paths']
}

export interface TcpListenerSettings extends ListenerSettings {
  /** Kept with each connection; see `ConnectionRecord`. */
  mode?: string
}

export type UdpListenerSettings = Omit<TcpListenerSettings, 'tls'>

/** An address with its port. IPv4-mapped addresses are shown as IPv4. */
export interface PeerAddress {
  address: string
  port: number
}

/** What was negotiated in the handshake of a connection. */
export interface ConnectionTls {
  /** `TLSv1.2` or `TLSv1.3`. */
  version: string
  /** The server name of the client; null if it sent none. */
  sni: string | null
  /** The protocol that was chosen by ALPN. */
  alpn: string | null
  /** The protocols that the client offered. */
  offered: string[]
  /** IANA's name of the cipher suite. */
  cipher: string
  /** The group of the key exchange by OpenSSL's name; null without one (RSA), or if it is unknown. */
  curve: string | null
  /** The client certificate; null if there is none. */
  certificate: ConnectionCertificate | null
  /** Whether the session was resumed. */
  resumed: boolean
}

export interface ConnectionCertificate {
  /** Distinguished names, with a comma between the parts. */
  subject: string
  issuer: string
  /** Hexadecimal. */
  serial: string
  /** RFC 3339. */
  not_after: string
  verified: boolean
  /** Why it is not verified; else null. */
  error: string | null
}

/** A listener, as a connection sees it. */
export interface ListenerInfo {
  name: string
  port: number
}

/** A connection of a TCP listener. */
export interface TcpConnection {
  /** After the PROXY protocol header and the TLS handshake. It can be half open: end it when the client ends its side. */
  socket: Socket
  /** The TCP socket below, which is the same without TLS. Only this one can be reset. */
  transport: Socket
  listener: ListenerInfo
  /** The peer of the TCP connection. */
  peer: PeerAddress
  /** The address that the connection was accepted on. */
  local: PeerAddress
  /** The address of the client: that of the PROXY protocol header, else of the peer. */
  clientIp: string
  /** The PROXY protocol header; null without one. */
  proxy: ProxyHeader | null
  tls: ConnectionTls | null
  /** Aborts when the connection should end: its reason is `stop` or `reload`. */
  signal: AbortSignal
  /** What is kept of the connection. */
  record: ConnectionRecord
}

/** A datagram of a UDP listener. */
export interface Datagram {
  data: Buffer
  listener: ListenerInfo
  peer: PeerAddress
  local: PeerAddress
  clientIp: string
  /** The PROXY protocol header in front of the data, which it is not part of; null without one. */
  proxy: ProxyHeader | null
  /** What is kept of the flow: all datagrams of a peer, until it is silent for 30 s. */
  record: ConnectionRecord
  /** Sends a datagram to the peer. */
  reply(data: Buffer): void
}

/** Returns the open port; null while the port is not open. */
export type OpenPort = () => number | null

/**
 * Opens ports. Call it in `register` or `whenRegistered`. A port stays open over reloads as long as a generation asks for the same
 * transport, host and port (port 0: the same name), and takes new connections with the settings of the newest generation. The
 * core counts, drains and closes the connections. What is wrong with the settings, and a port that can't be opened, is a load
 * error of the plugin.
 */
export interface SvcListeners {
  /** Passes each connection to `accept`. One that throws closes the connection. */
  tcp(settings: TcpListenerSettings, accept: (connection: TcpConnection) => void): OpenPort
  /** Passes each datagram to `receive`. */
  udp(settings: UdpListenerSettings, receive: (datagram: Datagram) => void): OpenPort
  /** Serves HTTP, through the pipeline like the HTTP listener of the process. */
  http(settings: HttpListenerSettings): OpenPort
}

/** A listener as `GET /_svc/status` shows it. */
export interface ListenerStatus {
  name: string
  kind: 'http' | 'https' | 'grpc' | 'tcp' | 'tls' | 'udp'
  /** The plugin that opened it; null for those of the process. */
  plugin: string | null
  address: string
  /** Null: it is not open. */
  port: number | null
  proxy_protocol: ProxyProtocolMode
  serves: string | null
  /** Open connections; for UDP, flows. */
  connections: number
}
