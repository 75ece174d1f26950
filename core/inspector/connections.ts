/** Connections of TCP and UDP listeners, as the control plane reads them: of this process, or of all replicas. */
import type { ConnectionEntry } from '../contract/connections.ts'
import type { EventLog, EventLogBounds } from '../contract/plugin.ts'
import type { ConnectionLog, TrackedConnection } from './connection-log.ts'

const STREAM = 'connections'
const MAX_BYTES = 16 * 1024 * 1024

/** A connection is in the log of all replicas twice: as it began, and as it ended. */
export function connectionBounds(capacity: number): EventLogBounds<ConnectionEntry> {
  const maxCount = 2 * capacity
  return { maxPerStream: maxCount, maxCount, maxBytes: MAX_BYTES, batched: true }
}

export interface ConnectionsOptions {
  local: ConnectionLog
  /** The log of all replicas; null if this process is the only one. */
  log: EventLog<ConnectionEntry> | null
  instanceId: string
  /** Hides credentials. */
  redact(text: string): string
  /** Whether the log can't be read now. */
  isPartial(): boolean
}

export class Connections {
  readonly capacity: number
  readonly #options: ConnectionsOptions
  /** Ids of entries on their way to the log, or that could not be sent, with how often. */
  readonly #unsent = new Map<string, number>()

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.capacity = options.local.capacity
    const { log, local } = options
    if (log !== null) local.onChange(connection => void this.#append(log, this.#entryOf(connection)))
  }

  /** Newest first, by when they began. */
  async list(): Promise<ConnectionEntry[]> {
    const { local, log, isPartial } = this.#options
    const own = local.newest().map(connection => this.#entryOf(connection))
    if (log === null || isPartial()) return own
    const ownById = new Map(own.map(entry => [entry.id, entry]))
    const shown = new Map<string, ConnectionEntry>()
    for (const [id, entry] of ownById) if (this.#unsent.has(id)) shown.set(id, entry)
    // Another replica may have removed one of this replica, which the log then lacks. What this one has of the others is newer.
    for (const { value } of await log.newest(STREAM, 2 * this.capacity))
      if (!shown.has(value.id)) shown.set(value.id, ownById.get(value.id) ?? value)
    return [...shown.values()].toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1)).slice(0, this.capacity)
  }

  /** Calls `listener` when a connection begins, and when it ends. Returns a function that stops. */
  onChange(listener: (entry: ConnectionEntry) => void): () => void {
    const { local, log, isPartial } = this.#options
    if (log === null || isPartial()) return local.onChange(connection => listener(this.#entryOf(connection)))
    return log.follow(
      STREAM,
      null,
      (_seq, entry) => listener(entry),
      () => {},
    )
  }

  /** Removes the connections of a session, or all, and returns their number. Open ones stay open. */
  async clear(session: string | null): Promise<number> {
    const { local, log, isPartial } = this.#options
    const removed = local.clear(({ sessionName }) => session === null || sessionName === session)
    if (log === null || isPartial()) return removed
    // The session is known when a connection ends.
    const logged = await log.newest(STREAM, 2 * this.capacity)
    const matching = new Set(
      logged.filter(({ value }) => session === null || value.session === session).map(({ value }) => value.id),
    )
    await log.clear(STREAM, entry => matching.has(entry.id))
    return Math.max(removed, matching.size)
  }

  /** An entry that could not be sent is shown by this replica alone, while it keeps it. */
  async #append(log: EventLog<ConnectionEntry>, entry: ConnectionEntry): Promise<void> {
    const { id } = entry
    this.#unsent.set(id, (this.#unsent.get(id) ?? 0) + 1)
    if (this.#unsent.size > 2 * this.capacity) this.#forgetGone()
    try {
      await log.append(STREAM, entry)
      const left = (this.#unsent.get(id) ?? 1) - 1
      if (left > 0) this.#unsent.set(id, left)
      else this.#unsent.delete(id)
    } catch {
      // It stays among the unsent ones.
    }
  }

  /** Forgets those that this replica no longer keeps, which are most of this number. */
  #forgetGone(): void {
    const kept = new Set<string>(this.#options.local.newest().map(connection => connection.id))
    for (const id of this.#unsent.keys()) if (!kept.has(id)) this.#unsent.delete(id)
  }

  #entryOf(connection: TrackedConnection): ConnectionEntry {
    const { log, instanceId, redact } = this.#options
    return { ...connection.entry(redact), ...(log !== null && { replica: instanceId }) }
  }
}
