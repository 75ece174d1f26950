/** Passes the datagrams of a UDP port to a plugin. The datagrams of a peer are a flow, until it is silent. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { PeerAddress, ProxyProtocolMode } from '../../contract/listeners.ts'
import type { ProxyHeader } from '../../contract/proxy-header.ts'
import type { ConnectionLog, TrackedConnection } from '../../inspector/connection-log.ts'
import type { Log } from '../../log/log.ts'
import { findProxyHeader, sourceOf } from '../sockets/proxy-protocol/header.ts'
import type { ProxyPolicy } from '../sockets/proxy-protocol/policy.ts'
import { plainAddress } from './front.ts'
import type { PortUse, WantedPort } from './wanted.ts'

const SILENCE_MS = 30_000
const SWEEP_MS = 1_000
const WINDOW_MS = 1_000

export interface UdpBounds {
  flows: number
  /** Datagrams of all peers in a second. */
  perSecond: number
  /** Datagrams of one client in a second. */
  perClient: number
  /** Whether the replies to a datagram are cut: together they are no longer than it. */
  cutsReplies: boolean
}

export interface UdpPortParts {
  log: Log
  connections: ConnectionLog
  bounds: UdpBounds
  countDatagram(direction: 'received' | 'sent'): void
  proxy(mode: ProxyProtocolMode): ProxyPolicy
}

type UdpUse = Extract<PortUse, { kind: 'udp' }>

interface Flow {
  record: TrackedConnection
  lastAt: number
}

export class UdpPort {
  readonly #parts: UdpPortParts
  readonly #socket: Socket
  #policy: ProxyPolicy
  #wanted: WantedPort
  #use: UdpUse
  /** By peer, the one that is silent for longest first. */
  readonly #flows = new Map<string, Flow>()
  #sweeps: NodeJS.Timeout | null = null
  #window = { startedAt: 0, count: 0, byClient: new Map<string, number>() }
  #isClosed = false

  constructor(wanted: WantedPort, use: UdpUse, parts: UdpPortParts) {
    this.#wanted = wanted
    this.#use = use
    this.#parts = parts
    this.#policy = parts.proxy(wanted.proxyProtocol)
    this.#socket = createSocket({ type: isIPv6(wanted.host) ? 'udp6' : 'udp4' })
    this.#socket.on('message', (data, peer) => this.#receive(data, peer))
  }

  listen(): Promise<number> {
    const { host, number } = this.#wanted
    return new Promise((resolve, reject) => {
      this.#socket.once('error', reject)
      this.#socket.bind({ address: host, port: number }, () => {
        this.#socket.off('error', reject).on('error', () => {})
        resolve(this.#socket.address().port)
      })
    })
  }

  get address(): PeerAddress {
    const { address, port } = this.#socket.address()
    return { address, port }
  }

  get openSockets(): number {
    return this.#flows.size
  }

  /** Takes the settings of a new generation. */
  replace(wanted: WantedPort, use: UdpUse): void {
    this.#wanted = wanted
    this.#use = use
    this.#policy = this.#parts.proxy(wanted.proxyProtocol)
  }

  close(why: 'stop' | 'reload'): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close()
    if (this.#sweeps !== null) clearInterval(this.#sweeps)
    for (const { record } of this.#flows.values()) record.close(why)
    this.#flows.clear()
  }

  #receive(received: Buffer, { address, port }: RemoteInfo): void {
    const peer = { address: plainAddress(address), port }
    if (!this.#isWithinRate(peer.address)) return
    this.#parts.countDatagram('received')
    const read = this.#readProxy(received, peer.address)
    if (read === null) return
    const { header: proxy, data } = read
    const clientIp = sourceOf(proxy) ?? peer.address
    const { cutsReplies } = this.#parts.bounds
    const local = this.address
    const { record } = this.#flowOf(peer, local, { clientIp, proxy })
    const use = this.#use
    let left = cutsReplies ? data.length : Infinity
    try {
      use.receive({
        data,
        listener: { name: this.#wanted.name, port: local.port },
        peer,
        local,
        clientIp,
        proxy,
        record,
        reply: answer => {
          if (this.#isClosed) return
          const sent = answer.subarray(0, left)
          left -= sent.length
          if (sent.length === 0 && answer.length > 0) return
          record.sent(sent.length)
          this.#parts.countDatagram('sent')
          this.#socket.send(sent, port, address, () => {})
        },
      })
    } catch (error) {
      this.#parts.log.error('a listener failed to take a datagram', { error, listener: this.#wanted.name })
    }
  }

  #isWithinRate(client: string): boolean {
    const now = performance.now()
    if (now - this.#window.startedAt >= WINDOW_MS) this.#window = { startedAt: now, count: 0, byClient: new Map() }
    const ofClient = this.#window.byClient.get(client) ?? 0
    const { perSecond, perClient } = this.#parts.bounds
    if (this.#window.count >= perSecond || ofClient >= perClient) return false
    this.#window.count++
    this.#window.byClient.set(client, ofClient + 1)
    return true
  }

  /** Separates the header from the data; null if the datagram is dropped. Each datagram has its header. */
  #readProxy(received: Buffer, address: string): { header: ProxyHeader | null; data: Buffer } | null {
    const policy = this.#policy
    if (policy.mode === 'off') return { header: null, data: received }
    const isTrusted = policy.isTrusted(address)
    const found = findProxyHeader(received)
    if (found.state === 'found' && (isTrusted || policy.mode === 'optional')) {
      policy.count(!isTrusted ? 'untrusted' : found.header.version === 1 ? 'v1' : 'v2')
      return { header: { ...found.header, trusted: isTrusted }, data: received.subarray(found.length) }
    }
    // The beginning of a header that does not go on may as well be data.
    const isNone = found.state === 'none' || found.state === 'more'
    policy.count(isNone ? 'none' : found.state === 'found' ? 'untrusted' : 'invalid')
    return isNone && policy.mode === 'optional' ? { header: null, data: received } : null
  }

  #flowOf(
    peer: PeerAddress,
    local: PeerAddress,
    { clientIp, proxy }: { clientIp: string; proxy: ProxyHeader | null },
  ): Flow {
    const key = `${peer.address} ${peer.port}`
    let flow = this.#flows.get(key)
    if (flow === undefined) {
      const record = this.#parts.connections.begin({
        kind: 'udp',
        listener: this.#wanted.name,
        mode: this.#use.settings.mode ?? null,
        clientIp,
        peer,
        local,
        proxy,
        tls: null,
      })
      flow = { record, lastAt: 0 }
      if (this.#flows.size >= this.#parts.bounds.flows) this.#end(this.#flows.keys().next().value!, 'limit')
    }
    flow.lastAt = performance.now()
    this.#flows.delete(key)
    this.#flows.set(key, flow)
    this.#sweeps ??= setInterval(() => this.#sweep(), SWEEP_MS).unref()
    return flow
  }

  #sweep(): void {
    const before = performance.now() - SILENCE_MS
    for (const [key, { lastAt }] of this.#flows) {
      if (lastAt > before) break
      this.#end(key, 'idle')
    }
    if (this.#flows.size > 0 || this.#sweeps === null) return
    clearInterval(this.#sweeps)
    this.#sweeps = null
  }

  #end(key: string, end: 'idle' | 'limit'): void {
    this.#flows.get(key)!.record.close(end)
    this.#flows.delete(key)
  }
}
