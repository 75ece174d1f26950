/**
 * Counts requests for all replicas in the state store: one script for the plan and the key of a request. What a request gives
 * back is reported without waiting. While the store is unavailable this replica counts on its own, and reports it later.
 */
import type { SharedBackend } from '../state/shared-backend.ts'
import type { QuotaChange, QuotaClaim, QuotaOutcome, QuotaReading, QuotaSubject } from './quota-claims.ts'

/** Id of the counters of the instance. */
const INSTANCE_ID = 'i'
const RETRY_MS = 1_000
/** Sets of counters in one script. */
const BATCH = 200

/** Something that was used or given back. */
export interface QuotaDelta {
  requests?: { start: number; by: number }
  egress?: number
  tokens?: number
  flights?: number
  streams?: number
}

/** A set of counters whose changes are reported. */
export interface QuotaAccount {
  subject(): QuotaSubject
  /** Requests in flight and open streams of this replica. */
  slots(): { flights: number; streams: number }
}

interface Pending {
  account: QuotaAccount
  requests: Map<number, number>
  egress: number
  tokens: number
  flights: number
  streams: number
}

export class SharedQuota {
  readonly instanceId = INSTANCE_ID
  readonly #shared: SharedBackend
  readonly #pending = new Map<string, Pending>()
  /** Accounts with slots that the store knows. */
  readonly #holders = new Map<string, QuotaAccount>()
  #isScheduled = false
  /** The store has refused a change, and knows too little until it accepts one. */
  #isFull = false
  #sending: Promise<void> = Promise.resolve()

  constructor(shared: SharedBackend) {
    this.#shared = shared
    shared.onConnection(() => this.#send(true))
    shared.onFlush(() => this.#send(false))
    shared.replicas.onGone(replica => this.#forgetReplica(replica))
  }

  get isUp(): boolean {
    return this.#shared.connection.isUp
  }

  /** Null if the store is unavailable or full: this replica then counts on its own. */
  async admit(claims: readonly QuotaClaim[]): Promise<QuotaOutcome | null> {
    if (!this.isUp || this.#isFull) return null
    // What another request has just given back comes first, on the same connection.
    if (this.#pending.size > 0) this.#send(false)
    const outcome = await this.#shared.quota.admit(claims)
    if (outcome === null) this.#isFull = this.isUp
    return outcome
  }

  /** Null if the store is unavailable. Other replicas are asked to report first. */
  async read(subjects: readonly QuotaSubject[]): Promise<QuotaReading[] | null> {
    if (!this.isUp) return null
    await this.#shared.flushAll()
    const readings: QuotaReading[] = []
    for (let at = 0; at < subjects.length; at += BATCH) {
      const some = await this.#shared.quota.read(subjects.slice(at, at + BATCH))
      if (some === null) return null
      readings.push(...some)
    }
    return readings
  }

  /** The ids of a group; none while the store is unavailable. */
  ids(group: string): Promise<string[]> {
    return this.#shared.quota.ids(group)
  }

  /** What the store does not know yet. */
  unreported(id: string): { requests: number; egress: number } {
    const pending = this.#pending.get(id)
    if (pending === undefined) return { requests: 0, egress: 0 }
    return { requests: [...pending.requests.values()].reduce((sum, by) => sum + by, 0), egress: pending.egress }
  }

  /** Reports a change soon, or when the store is back. */
  report(
    id: string,
    account: QuotaAccount,
    { requests, egress = 0, tokens = 0, flights = 0, streams = 0 }: QuotaDelta,
  ): void {
    let pending = this.#pending.get(id)
    if (pending === undefined) {
      pending = { account, requests: new Map(), egress: 0, tokens: 0, flights: 0, streams: 0 }
      this.#pending.set(id, pending)
    }
    if (requests !== undefined)
      pending.requests.set(requests.start, (pending.requests.get(requests.start) ?? 0) + requests.by)
    pending.egress += egress
    pending.tokens += tokens
    pending.flights += flights
    pending.streams += streams
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#send(false)
    })
  }

  /** The store knows slots of this account, which are set again after a reconnect. */
  holds(id: string, account: QuotaAccount): void {
    this.#holders.set(id, account)
  }

  /** Sends what is left. */
  async close(): Promise<void> {
    this.#send(false)
    await this.#sending
  }

  /** After a reconnect, the slots are those that this replica has now. */
  #send(isAbsolute: boolean): void {
    if (!this.isUp) return
    if (isAbsolute)
      for (const [id, account] of this.#holders)
        if (!this.#pending.has(id))
          this.#pending.set(id, { account, requests: new Map(), egress: 0, tokens: 0, flights: 0, streams: 0 })
    const entries = [...this.#pending]
    for (let at = 0; at < entries.length; at += BATCH) {
      const batch = entries.slice(at, at + BATCH)
      const changes = batch.map(([, pending]) => changeOf(pending, isAbsolute))
      for (const [id] of batch) this.#pending.delete(id)
      const sent = this.#shared.quota.change(changes).then(isChanged => {
        this.#isFull = !isChanged && this.isUp
        if (isChanged) this.#forgetIdle(batch)
        // Only a full store is known to have changed nothing.
        else if (this.#isFull) this.#restore(batch)
      })
      this.#sending = Promise.all([this.#sending, sent]).then(() => {})
    }
  }

  /** Counters of sessions expire; those of the instance may be used forever. */
  #forgetReplica(replica: string): void {
    const { quota, replicas } = this.#shared
    if (replicas.isLeader()) quota.forgetReplica(INSTANCE_ID, replica)
  }

  #forgetIdle(batch: readonly [string, Pending][]): void {
    for (const [id, { account }] of batch) {
      const { flights, streams } = account.slots()
      if (flights === 0 && streams === 0) this.#holders.delete(id)
    }
  }

  /** Changes that a full store has refused are sent with the next ones, or after a second. */
  #restore(batch: readonly [string, Pending][]): void {
    setTimeout(() => this.#send(false), RETRY_MS).unref()
    for (const [id, old] of batch) {
      const pending = this.#pending.get(id)
      if (pending === undefined) {
        this.#pending.set(id, old)
        continue
      }
      for (const [start, by] of old.requests) pending.requests.set(start, (pending.requests.get(start) ?? 0) + by)
      pending.egress += old.egress
      pending.tokens += old.tokens
      pending.flights += old.flights
      pending.streams += old.streams
    }
  }
}

function changeOf({ account, requests, egress, tokens, flights, streams }: Pending, isAbsolute: boolean): QuotaChange {
  return {
    ...account.subject(),
    requests: [...requests].map(([start, by]) => ({ start, by })),
    egress,
    tokens,
    ...(isAbsolute ? account.slots() : { flights, streams }),
    isAbsolute,
  }
}
