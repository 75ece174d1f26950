/** Whose PROXY protocol header is believed. */
import ipaddr from 'ipaddr.js'
import { isIP } from 'node:net'
import type { ProxyProtocolMode } from '../../../contract/listeners.ts'

/** What became of a connection or a datagram, for the metric. */
export type ProxyResult = 'v1' | 'v2' | 'none' | 'invalid' | 'untrusted'

export interface ProxyPolicy {
  mode: ProxyProtocolMode
  /** Whether the header of a peer is believed. */
  isTrusted(peerAddress: string): boolean
  count(result: ProxyResult): void
}

/** `from`: addresses and CIDR blocks; null: everyone, in public mode no one. */
export function createTrust(from: readonly string[] | null, publicMode: boolean): (peerAddress: string) => boolean {
  if (from === null) return () => !publicMode
  const blocks = from.map(entry =>
    entry.includes('/') ? ipaddr.parseCIDR(entry) : ([ipaddr.parse(entry), isIP(entry) === 6 ? 128 : 32] as const),
  )
  return peerAddress => {
    if (isIP(peerAddress) === 0) return false
    const address = ipaddr.process(peerAddress)
    return blocks.some(([block, bits]) => block.kind() === address.kind() && address.match(block, bits))
  }
}
