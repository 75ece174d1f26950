/** Connections of TCP and UDP listeners: the newest ones of this process. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { ConnectionEnd, ConnectionEntry, ConnectionRecord } from '../contract/connections.ts'
import type { ConnectionMetrics } from '../metrics/connection-metrics.ts'
import type { MemoryUse } from '../collections/memory-use.ts'
import type { ConnectionTls, PeerAddress } from '../contract/listeners.ts'
import type { ProxyHeader } from '../contract/proxy-header.ts'

/** Bytes received that are kept of each connection. */
const MAX_DATA = 16 * 1024
const MAX_TOTAL_DATA = 16 * 1024 * 1024
const MAX_DIRECTIVES = 20
/** Memory of a connection without its data. */
const ENTRY_BYTES = 1500

const EMPTY = Buffer.alloc(0)

/** What is known when a connection begins. */
export interface ConnectionFacts {
  kind: ConnectionEntry['kind']
  listener: string
  mode: string | null
  clientIp: string
  peer: PeerAddress
  local: PeerAddress
  proxy: ProxyHeader | null
  tls: ConnectionTls | null
}

/** A connection that is open, or ended a while ago. */
export class TrackedConnection implements ConnectionRecord {
  readonly id = randomUUID()
  readonly facts: ConnectionFacts
  readonly #log: ConnectionLog
  readonly #startedAt = Date.now()
  readonly #started = performance.now()
  #durationMs: number | null = null
  #end: ConnectionEnd = 'open'
  #reason: { end: ConnectionEnd; error: string | null } | null = null
  #error: string | null = null
  #receivedBytes = 0
  #datagrams = 0
  #sentBytes = 0
  /** The first bytes received; its length is what it may hold. */
  #data: Buffer = EMPTY
  #kept = 0
  #mode: string | null
  #session: string | null = null
  #directives: string[] = []
  #fault: string | null = null

  constructor(facts: ConnectionFacts, log: ConnectionLog) {
    this.facts = facts
    this.#mode = facts.mode
    this.#log = log
  }

  get sessionName(): string | null {
    return this.#session
  }

  get isOpen(): boolean {
    return this.#end === 'open'
  }

  /** Bytes of memory that the received data takes. */
  get keptBytes(): number {
    return this.#data.length
  }

  /** When it began, in milliseconds since 1970. */
  get startedAt(): number {
    return this.#startedAt
  }

  received(data: Buffer): void {
    this.#receivedBytes += data.length
    this.#datagrams++
    const added = data.subarray(0, MAX_DATA - this.#kept)
    if (added.length === 0 || !this.#log.isKept(this)) return
    const needed = this.#kept + added.length
    if (needed > this.#data.length) this.#grow(needed)
    added.copy(this.#data, this.#kept)
    this.#kept = needed
  }

  /** Doubles, so that many small pieces cost little. */
  #grow(needed: number): void {
    const grown = Buffer.alloc(Math.min(MAX_DATA, Math.max(needed, 2 * this.#data.length, 64)))
    this.#data.copy(grown, 0, 0, this.#kept)
    const more = grown.length - this.#data.length
    this.#data = grown
    this.#log.grew(more)
  }

  sent(bytes: number): void {
    this.#sentBytes += bytes
  }

  mode(mode: string): void {
    this.#mode = mode
  }

  session(name: string): void {
    this.#session = name
  }

  directive(text: string): void {
    if (this.#directives.length < MAX_DIRECTIVES) this.#directives.push(text)
  }

  fault(word: string): void {
    this.#fault ??= word
  }

  ends(end: Exclude<ConnectionEnd, 'open'>, error?: string): void {
    this.#reason ??= { end, error: error ?? null }
  }

  /** Call it once when the connection is closed. `end` counts unless `ends` was called. */
  close(end: ConnectionEnd, error: string | null = null): void {
    if (!this.isOpen) return
    const reason = this.#reason ?? { end, error }
    this.#end = reason.end
    this.#error = reason.error
    this.#durationMs = Math.round((performance.now() - this.#started) * 100) / 100
    this.#log.ended(this, this.#end)
  }

  /** As the inspector shows it. `redact` hides credentials. */
  entry(redact: (text: string) => string): ConnectionEntry {
    const data = this.#data.subarray(0, this.#kept)
    const isTruncated = this.#receivedBytes > data.length
    const text = textOf(data, isTruncated)
    const { kind, listener, clientIp, peer, local, proxy, tls } = this.facts
    return {
      id: this.id,
      kind,
      listener,
      mode: this.#mode,
      started_at: new Date(this.#startedAt).toISOString(),
      ended_at: this.#durationMs === null ? null : new Date(this.#startedAt + this.#durationMs).toISOString(),
      duration_ms: this.#durationMs,
      client_ip: clientIp,
      peer,
      local,
      session: this.#session,
      proxy_protocol: proxy,
      tls,
      received: {
        bytes: this.#receivedBytes,
        datagrams: kind === 'udp' ? this.#datagrams : null,
        data: text === null ? null : redact(text),
        data_base64: text === null ? data.toString('base64') : null,
        truncated: isTruncated,
      },
      sent: { bytes: this.#sentBytes },
      directives: [...this.#directives],
      fault: this.#fault,
      end: this.#end,
      error: this.#error,
    }
  }
}

export interface ConnectionLogOptions {
  /** Connections that are kept; 0: none. */
  capacity: number
  metrics: Pick<ConnectionMetrics, 'opened' | 'ended'>
}

export class ConnectionLog {
  readonly capacity: number
  readonly #metrics: ConnectionLogOptions['metrics']
  /** Oldest first. */
  readonly #kept = new Set<TrackedConnection>()
  readonly #listeners = new Set<(connection: TrackedConnection) => void>()
  #bytes = 0

  constructor({ capacity, metrics }: ConnectionLogOptions) {
    this.capacity = capacity
    this.#metrics = metrics
  }

  /** Adds a connection that has just begun. */
  begin(facts: ConnectionFacts): TrackedConnection {
    const connection = new TrackedConnection(facts, this)
    this.#metrics.opened(facts.kind)
    if (this.capacity === 0) return connection
    this.#kept.add(connection)
    if (this.#kept.size > this.capacity) this.#dropOldest()
    this.#notify(connection)
    return connection
  }

  isKept(connection: TrackedConnection): boolean {
    return this.#kept.has(connection)
  }

  /** A connection that is kept has received more. */
  grew(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > MAX_TOTAL_DATA && this.#kept.size > 1) this.#dropOldest()
  }

  ended(connection: TrackedConnection, end: ConnectionEnd): void {
    this.#metrics.ended(connection.facts.kind, connection.facts.listener, end)
    if (this.isKept(connection)) this.#notify(connection)
  }

  /** Newest first. */
  newest(): TrackedConnection[] {
    return [...this.#kept].reverse()
  }

  /** Calls `listener` when a connection begins, and when it ends. Returns a function that stops. */
  onChange(listener: (connection: TrackedConnection) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Removes matching connections, which stay open, and returns their number. */
  clear(matches: (connection: TrackedConnection) => boolean): number {
    let removed = 0
    for (const connection of this.#kept) {
      if (!matches(connection)) continue
      this.#drop(connection)
      removed++
    }
    return removed
  }

  memoryUse(): MemoryUse {
    return { entries: this.#kept.size, bytes: this.#bytes + this.#kept.size * ENTRY_BYTES }
  }

  #notify(connection: TrackedConnection): void {
    for (const listener of this.#listeners) listener(connection)
  }

  #dropOldest(): void {
    const [oldest] = this.#kept
    if (oldest !== undefined) this.#drop(oldest)
  }

  #drop(connection: TrackedConnection): void {
    this.#kept.delete(connection)
    this.#bytes -= connection.keptBytes
  }
}

/** The text of the data; null if it is no UTF-8. The end of a part may be within a character. */
function textOf(data: Buffer, isTruncated: boolean): string | null {
  for (let cut = 0; cut <= (isTruncated ? 3 : 0) && cut <= data.length; cut++) {
    const part = data.subarray(0, data.length - cut)
    if (isUtf8(part)) return part.toString()
  }
  return null
}
