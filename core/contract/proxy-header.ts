/** The header of the PROXY protocol, with which a load balancer tells whom a connection is from. */

/** A value of a TLV: text if it is printable UTF-8, otherwise base64. */
export type ProxyTlv = { type: number; name: string | null } & ({ value: string | ProxySsl } | { value_base64: string })

/** The client's TLS connection to the load balancer (TLV 0x20). */
export interface ProxySsl {
  client: ('ssl' | 'cert_conn' | 'cert_sess')[]
  /** 0: the client certificate was verified. */
  verify: number
  version?: string
  cn?: string
  cipher?: string
  sig_alg?: string
  key_alg?: string
}

export interface ProxyEndpoint {
  /** An address; the path of a UNIX socket. */
  address: string
  /** Null for a UNIX socket. */
  port: number | null
}

export interface ProxyHeader {
  version: 1 | 2
  /** Null in version 1. */
  command: 'PROXY' | 'LOCAL' | null
  transport: 'TCP4' | 'TCP6' | 'UDP4' | 'UDP6' | 'UNIX' | 'UNIX_DGRAM' | 'UNKNOWN' | 'UNSPEC'
  /** Null if the header names no addresses. */
  source: ProxyEndpoint | null
  destination: ProxyEndpoint | null
  tlvs: ProxyTlv[]
  /** Whether the peer is one of `SVC_PROXY_PROTOCOL_FROM`. */
  trusted: boolean
}
