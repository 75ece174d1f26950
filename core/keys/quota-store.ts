/**
 * Counts requests per key and day in a Redis-compatible server shared by several instances. INCR is atomic, so all of
 * them together admit exactly the quota. A store that fails or is slow is disconnected at once: requests are then
 * counted on this instance only, and reported to the store after the reconnect.
 */
import type { Period } from '../limits/period.ts'
import type { KeyCounts } from './key-usage.ts'

const COMMAND_MS = 250
const CONNECT_MS = 1_000
/** No request waits for these commands, and treating a late success as a failure would count twice. */
const REPORT_MS = 1_000
const FIRST_RETRY_MS = 100
const LONGEST_RETRY_MS = 5_000
/** How long a counter is kept after its day, in seconds. */
const GRACE_SECS = 3_600
/** Attempts to restore a lost counter while other instances do the same. */
const RESTORE_ATTEMPTS = 5

/** The parts of a Redis client that are used. Replies may be late or never arrive. */
export interface RedisClient {
  connect(): Promise<unknown>
  destroy(): void
  /** `MULTI`, `INCRBY` (`INCR` by 1), `EXPIREAT`, `EXEC`; returns the new count. */
  add(key: string, by: number, expireAtSecs: number): Promise<number>
  decrement(key: string): Promise<number>
  read(keys: string[]): Promise<(string | null)[]>
  /** Called when the connection is lost. */
  onLoss(callback: () => void): void
}

export interface QuotaStoreOptions {
  createClient(): RedisClient
  /** The day and its counts, to be reported to the store after a reconnect. */
  counts(): { day: Period; list: KeyCounts[] }
  onChange(isUp: boolean): void
}

export class QuotaStore {
  isUp = false
  readonly #options: QuotaStoreOptions
  #client: RedisClient | null = null
  #retry: NodeJS.Timeout | null = null
  #retryMs = FIRST_RETRY_MS
  #isClosed = false

  constructor(options: QuotaStoreOptions) {
    this.#options = options
  }

  /** Connects; resolves when the attempt succeeded or failed. Retries continue in the background. */
  async open(): Promise<void> {
    const client = this.#options.createClient()
    this.#client = client
    client.onLoss(() => this.#fail(client))
    try {
      await within(client.connect(), CONNECT_MS + COMMAND_MS)
      await this.#reportPending(client)
      if (this.#client !== client || this.#isClosed) return
      this.isUp = true
      this.#retryMs = FIRST_RETRY_MS
      this.#options.onChange(true)
    } catch {
      this.#fail(client)
    }
  }

  close(): void {
    this.#isClosed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#client?.destroy()
    this.#client = null
    this.isUp = false
  }

  /** Counts one request; returns the total of all instances, or null if the store is unreachable. */
  increment(id: string, day: Period): Promise<number | null> {
    return this.#run(client => client.add(keyOf(id, day), 1, expiryOf(day)))
  }

  /** Undoes one count; returns the total of all instances, or null if the store is unreachable. */
  decrement(id: string, day: Period): Promise<number | null> {
    return this.#run(client => client.decrement(keyOf(id, day)))
  }

  /** The totals of all instances; null if the store is unreachable. */
  async read(ids: string[], day: Period): Promise<number[] | null> {
    if (ids.length === 0) return []
    const values = await this.#run(client => client.read(ids.map(id => keyOf(id, day))))
    return values === null ? null : values.map(Number)
  }

  async #run<T>(command: (client: RedisClient) => Promise<T>): Promise<T | null> {
    const client = this.#client
    if (!this.isUp || client === null) return null
    try {
      return await within(command(client), COMMAND_MS)
    } catch {
      this.#fail(client)
      return null
    }
  }

  #fail(client: RedisClient): void {
    if (this.#client !== client || this.#isClosed) return
    this.#client = null
    client.destroy()
    const wasUp = this.isUp
    this.isUp = false
    if (wasUp || this.#retryMs === FIRST_RETRY_MS) this.#options.onChange(false)
    this.#retry = setTimeout(() => void this.open(), this.#retryMs)
    this.#retry.unref()
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
  }

  /**
   * Adds the requests counted while the store was unreachable. Requests that arrive during the run are counted here
   * too, so it repeats until none are pending.
   */
  async #reportPending(client: RedisClient): Promise<void> {
    const { list } = this.#options.counts()
    for (const counts of list) await this.#restore(client, counts)
    for (;;) {
      const { day, list: current } = this.#options.counts()
      const owed = current.filter(({ pending }) => pending !== 0)
      if (owed.length === 0) return
      for (const counts of owed) {
        const reported = counts.pending
        const total = await within(client.add(keyOf(counts.id, day), reported, expiryOf(day)), REPORT_MS)
        counts.pending -= reported
        counts.total = total + counts.pending
      }
    }
  }

  /**
   * A server that lost its data in a restart would grant a fresh quota to everybody, so the part missing from the last
   * known count is added back. If several instances do so at once, only the first finds the expected sum; the others
   * undo their addition and check again.
   */
  async #restore(client: RedisClient, counts: KeyCounts): Promise<void> {
    for (let attempt = 0; attempt < RESTORE_ATTEMPTS; attempt++) {
      const { day } = this.#options.counts()
      const key = keyOf(counts.id, day)
      const [held] = await within(client.read([key]), REPORT_MS)
      const missing = counts.total - counts.pending - Number(held)
      if (missing <= 0) return
      const total = await within(client.add(key, missing, expiryOf(day)), REPORT_MS)
      if (total === Number(held) + missing) return
      await within(client.add(key, -missing, expiryOf(day)), REPORT_MS)
    }
  }
}

/** `svc:quota:<YYYYMMDD>:<id>` */
function keyOf(id: string, { start }: Period): string {
  return `svc:quota:${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}:${id}`
}

function expiryOf({ end }: Period): number {
  return end / 1000 + GRACE_SECS
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
