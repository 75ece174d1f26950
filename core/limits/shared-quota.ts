/**
 * Counts requests for all replicas in the state store: one script for the plan and the key of a request. What a request gives
 * back is reported without waiting. While the store is unavailable this replica counts on its own, and reports it later.
 */
import { StateUnavailable } from '../contract/state.ts'
import type { SharedState } from '../state/shared/shared-state.ts'
import { ADMIT, CHANGE, READ } from '../state/shared/quota-scripts.ts'
import type { QuotaChange, QuotaClaim, QuotaSubject } from '../state/shared/quota-scripts.ts'
import type { Dimension } from './plan-limiter.ts'

/** Id of the counters of the instance. */
const INSTANCE_ID = 'i'
const LABEL = '_core/quota'
const RETRY_MS = 1_000
/** Sets of counters in one script. */
const BATCH = 200

/** What is used, of all replicas together. */
export interface QuotaState {
  /** Start of the period, in milliseconds. */
  start: number
  requests: number
  egress: number
  /** Whole tokens. */
  tokens: number
  /** Requests in flight and open streams: of the other replicas, or of all when they are read. */
  flights: number
  streams: number
}

export interface QuotaReading extends QuotaState {
  rejectedByRate: number
  rejectedByQuota: number
  /** Milliseconds since 1970. */
  lastSeen: number | null
}

export type QuotaOutcome =
  | { isAdmitted: true; states: QuotaState[] }
  | { isAdmitted: false; failed: number; dimension: Dimension; states: QuotaState[] }

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
  readonly #shared: SharedState
  readonly #key: string
  readonly #pending = new Map<string, Pending>()
  /** Accounts with slots that the store knows. */
  readonly #holders = new Map<string, QuotaAccount>()
  #isScheduled = false
  /** The store has refused a change, and knows too little until it accepts one. */
  #isFull = false
  #sending: Promise<void> = Promise.resolve()

  constructor(shared: SharedState) {
    this.#shared = shared
    this.#key = `${shared.coreKey('quota')}:u`
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
    const reply = await this.#run('admit', ADMIT, { claims })
    if (reply === null) {
      this.#isFull = this.isUp
      return null
    }
    const [failed, dimension, states] = reply as [number, Dimension, RawState[]]
    const parsed = states.map(stateOf)
    return failed === 0
      ? { isAdmitted: true, states: parsed }
      : { isAdmitted: false, failed: failed - 1, dimension, states: parsed }
  }

  /** Null if the store is unavailable. Other replicas are asked to report first. */
  async read(subjects: readonly QuotaSubject[]): Promise<QuotaReading[] | null> {
    if (!this.isUp) return null
    await this.#shared.flushAll()
    const readings: QuotaReading[] = []
    for (let at = 0; at < subjects.length; at += BATCH) {
      const reply = await this.#run('read', READ, { subjects: subjects.slice(at, at + BATCH) })
      if (reply === null) return null
      for (const [state, byRate, byQuota, seen] of reply as [RawState, string, string, string][])
        readings.push({
          ...stateOf(state),
          rejectedByRate: Number(byRate),
          rejectedByQuota: Number(byQuota),
          lastSeen: seen === '' ? null : Number(seen),
        })
    }
    return readings
  }

  /** The ids of a group; none while the store is unavailable. */
  async ids(group: string): Promise<string[]> {
    const key = `${this.#shared.coreKey('quota')}:${group}`
    const ids = await this.#shared.connection.send(key, 'ZRANGE', key, '0', '-1').catch(unlessUnavailable)
    return (ids as string[] | null) ?? []
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
      const sent = this.#run('change', CHANGE, { changes }).then(reply => {
        this.#isFull = reply === null && this.isUp
        if (reply !== null) this.#forgetIdle(batch)
        // Only a full store is known to have changed nothing.
        else if (this.#isFull) this.#restore(batch)
      })
      this.#sending = Promise.all([this.#sending, sent]).then(() => {})
    }
  }

  /** Counters of sessions expire; those of the instance may be used forever. */
  #forgetReplica(replica: string): void {
    const { connection, replicas } = this.#shared
    const key = `${this.#shared.coreKey('quota')}:${INSTANCE_ID}`
    if (replicas.isLeader()) connection.send(key, 'HDEL', key, `f:${replica}`, `s:${replica}`).catch(() => {})
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

  /** Null if the store is unavailable or full. */
  async #run(operation: string, script: typeof ADMIT, input: object): Promise<unknown> {
    const { connection, replicas } = this.#shared
    const living = replicas.list().map(({ replica }) => replica)
    const text = JSON.stringify({ replica: replicas.self, living, ...input })
    return connection.run(LABEL, operation, script, this.#key, [text]).catch(unlessUnavailable)
  }
}

function unlessUnavailable(error: unknown): null {
  if (error instanceof StateUnavailable) return null
  throw error
}

type RawState = [string, string, string, number, number, number]

function stateOf([start, requests, egress, tokens, flights, streams]: RawState): QuotaState {
  return { start: Number(start), requests: Number(requests), egress: Number(egress), tokens, flights, streams }
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
