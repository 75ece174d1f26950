/**
 * Counts requests per key and day in any server with the commands of Redis for counters. INCR is atomic, so all of
 * them together admit exactly the quota. A store that fails or is slow is disconnected at once: requests are then
 * counted on this instance only, and reported to the store after the reconnect.
 */
import type { Period } from '../../core/limits/period.ts'
import type { DailyCounts, DailyCountsOptions, PendingCount } from '../../core/state/shared-backend.ts'
import { createRedisLink } from './redis-link.ts'
import type { StoreLink } from './store-link.ts'

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

export class RedisDailyCounts implements DailyCounts {
  isUp = false
  readonly #options: DailyCountsOptions
  #link: StoreLink | null = null
  #retry: NodeJS.Timeout | null = null
  #retryMs = FIRST_RETRY_MS
  #isClosed = false

  constructor(options: DailyCountsOptions) {
    this.#options = options
  }

  /** Connects; resolves when the attempt succeeded or failed. Retries continue in the background. */
  async open(): Promise<void> {
    const link = createRedisLink({ url: this.#options.url, password: null, ca: null, isCluster: false })
    this.#link = link
    link.onLoss(() => this.#fail(link))
    try {
      await within(link.connect(), CONNECT_MS + COMMAND_MS)
      await this.#reportPending(link)
      if (this.#link !== link || this.#isClosed) return
      this.isUp = true
      this.#retryMs = FIRST_RETRY_MS
      this.#options.onChange(true)
    } catch {
      this.#fail(link)
    }
  }

  close(): void {
    this.#isClosed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#link?.destroy()
    this.#link = null
    this.isUp = false
  }

  /** Counts one request; returns the total of all instances, or null if the store is unreachable. */
  increment(id: string, day: Period): Promise<number | null> {
    return this.#run(link => add(link, keyOf(id, day), 1, day))
  }

  /** Undoes one count; returns the total of all instances, or null if the store is unreachable. */
  decrement(id: string, day: Period): Promise<number | null> {
    return this.#run(async link => Number(await send(link, 'DECR', keyOf(id, day))))
  }

  /** The totals of all instances; null if the store is unreachable. */
  async read(ids: readonly string[], day: Period): Promise<number[] | null> {
    if (ids.length === 0) return []
    return this.#run(async link => {
      const values = await send(link, 'MGET', ...ids.map(id => keyOf(id, day)))
      return (values as (string | null)[]).map(Number)
    })
  }

  async #run<T>(command: (link: StoreLink) => Promise<T>): Promise<T | null> {
    const link = this.#link
    if (!this.isUp || link === null) return null
    try {
      return await within(command(link), COMMAND_MS)
    } catch {
      this.#fail(link)
      return null
    }
  }

  #fail(link: StoreLink): void {
    if (this.#link !== link || this.#isClosed) return
    this.#link = null
    link.destroy()
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
  async #reportPending(link: StoreLink): Promise<void> {
    const { list } = this.#options.counts()
    for (const counts of list) await this.#restore(link, counts)
    for (;;) {
      const { day, list: current } = this.#options.counts()
      const owed = current.filter(({ pending }) => pending !== 0)
      if (owed.length === 0) return
      for (const counts of owed) {
        const reported = counts.pending
        const total = await within(add(link, keyOf(counts.id, day), reported, day), REPORT_MS)
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
  async #restore(link: StoreLink, counts: PendingCount): Promise<void> {
    for (let attempt = 0; attempt < RESTORE_ATTEMPTS; attempt++) {
      const { day } = this.#options.counts()
      const key = keyOf(counts.id, day)
      const [held] = (await within(send(link, 'MGET', key), REPORT_MS)) as [string | null]
      const missing = counts.total - counts.pending - Number(held)
      if (missing <= 0) return
      const total = await within(add(link, key, missing, day), REPORT_MS)
      if (total === Number(held) + missing) return
      await within(add(link, key, -missing, day), REPORT_MS)
    }
  }
}

function send(link: StoreLink, ...command: string[]): Promise<unknown> {
  return link.send('', command)
}

/** Adds to a counter in one transaction; returns its new value. */
async function add(link: StoreLink, key: string, by: number, day: Period): Promise<number> {
  const change = by === 1 ? ['INCR', key] : ['INCRBY', key, String(by)]
  const commands = [['MULTI'], change, ['EXPIREAT', key, String(expiryOf(day))], ['EXEC']]
  const replies = await Promise.all(commands.map(command => send(link, ...command)))
  const [total] = replies.at(-1) as [number]
  return Number(total)
}

/** `svc:quota:<YYYYMMDD>:<id>` */
function keyOf(id: string, { start }: Period): string {
  return `svc:quota:${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}:${id}`
}

/** Seconds since 1970. */
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
