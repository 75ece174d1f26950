/** The replicas of a deployment: the heartbeat of this one, and the records of all that are living. */
import { randomBytes } from 'node:crypto'
import type { Replica } from '../../core/contract/plugin.ts'
import type { ReplicaFacts, ReplicaRecord, SharedReplicas } from '../../core/state/shared-backend.ts'
import { BEAT, LEAVE, RECORD_MS } from './membership-scripts.ts'
import type { StoreConnection } from './store-connection.ts'

const BEAT_MS = 2_000
/** A replica that receives no messages is gone if its last heartbeat is older. */
const MISSED_MS = 5_000
const LABEL = '_core/replicas'

export interface MembershipOptions {
  connection: StoreConnection
  /** Beginning of the keys, such as `svc:{deployment}`. */
  key: string
  instanceId: string
  /** Current facts of this replica; null while it starts. */
  facts(): ReplicaFacts | null
  /** Called with the versions of all registers after each heartbeat, and whether the store has lost its data. */
  onBeat(versions: ReadonlyMap<string, string>, isNewEpoch: boolean): Promise<void>
  onJoined(replica: ReplicaRecord): void
  onGone(replica: ReplicaRecord): void
  onError(error: unknown): void
}

export class Membership implements SharedReplicas {
  readonly self = randomBytes(6).toString('hex')
  readonly #options: MembershipOptions
  readonly #startedAt = new Date()
  readonly #listeners = new Set<{ call: (replica: string) => void }>()
  #living = new Map<string, ReplicaRecord>()
  #startedMs: number | null = null
  #offsetMs = 0
  #epoch: string | null = null
  #sentRecord = ''
  #timer: NodeJS.Timeout | null = null
  /** Until then a replica without a record may not have had the time to write it again. */
  #patientUntil = 0
  #hasLeft = false

  constructor(options: MembershipOptions) {
    this.#options = options
  }

  get epoch(): string | null {
    return this.#epoch
  }

  /** Difference between its clock and that of the store, in milliseconds. */
  get clockOffsetMs(): number {
    return this.#offsetMs
  }

  list(): Replica[] {
    return this.records().map(({ replica, instanceId, startedAt }) => ({ replica, instanceId, startedAt }))
  }

  /** The living replicas, oldest first; this one alone while the store is unavailable. */
  records(): ReplicaRecord[] {
    const own = this.#ownRecord()
    if (!this.#options.connection.isUp) return [own]
    return [own, ...[...this.#living.values()].filter(({ replica }) => replica !== this.self)].sort(
      (left, right) => left.startedMs - right.startedMs || (left.replica < right.replica ? -1 : 1),
    )
  }

  isLiving(replica: string): boolean {
    return replica === this.self || this.#living.has(replica)
  }

  isLeader(): boolean {
    return this.records()[0]!.replica === this.self
  }

  onGone(listener: (replica: string) => void): () => void {
    const own = { call: listener }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Called with each connection. When the store is back, the records of replicas that live may have expired, or be lost. */
  expectReturn(): void {
    if (this.#epoch !== null) this.#patientUntil = performance.now() + RECORD_MS
  }

  /** Sends a heartbeat, and then one every two seconds. */
  async beat(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    try {
      if (!this.#hasLeft && this.#options.connection.isUp) await this.#beat()
    } finally {
      if (!this.#hasLeft) this.#timer = setTimeout(() => void this.beat().catch(this.#options.onError), BEAT_MS)
    }
  }

  /** Called when a replica receives no messages: whether it has missed a heartbeat, and is not just connecting again. */
  async isGone(replica: string): Promise<boolean> {
    const { connection, key } = this.#options
    const record = `${key}:r:${replica}`
    const remainingMs = Number(await connection.send(record, 'PTTL', record))
    return remainingMs < RECORD_MS - MISSED_MS && this.lose(replica)
  }

  /** Reports that a replica does not exist any more. Returns false if it may only be late after an outage of the store. */
  lose(replica: string): boolean {
    const record = this.#living.get(replica)
    if (record === undefined || replica === this.self) return true
    if (performance.now() < this.#patientUntil) return false
    this.#living.delete(replica)
    this.#options.onGone(record)
    for (const { call } of this.#listeners) {
      try {
        call(replica)
      } catch (error) {
        this.#options.onError(error)
      }
    }
    return true
  }

  /** Removes this replica, so that the others do not wait for it. */
  async leave(): Promise<void> {
    this.#hasLeft = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    const { connection, key } = this.#options
    await connection.run(LABEL, 'leave', LEAVE, `${key}:r`, [this.self]).catch(() => {})
  }

  async #beat(): Promise<void> {
    const { connection, key } = this.#options
    const record = JSON.stringify(this.#ownRecord())
    const sentAt = Date.now()
    const startedAt = performance.now()
    const reply = (await connection.run(LABEL, 'beat', BEAT, `${key}:r`, [
      this.self,
      record,
      randomBytes(8).toString('hex'),
      record === this.#sentRecord ? '0' : '1',
      String(RECORD_MS),
    ])) as [string, string, string[], (string | number)[], number]
    connection.latencyMs = Math.round((performance.now() - startedAt) * 10) / 10
    const [time, epoch, versions, replicas] = reply
    this.#sentRecord = record
    const storeMs = Number(time)
    this.#offsetMs = Math.round((sentAt + Date.now()) / 2 - storeMs)
    this.#startedMs ??= storeMs
    this.#update(replicas)
    const isNewEpoch = this.#epoch !== null && this.#epoch !== epoch
    this.#epoch = epoch
    await this.#options.onBeat(new Map(pairs(versions)), isNewEpoch)
  }

  #update(replicas: readonly (string | number)[]): void {
    const living = new Map<string, ReplicaRecord>()
    for (let at = 0; at < replicas.length; at += 3) {
      const record = {
        ...(JSON.parse(String(replicas[at + 1])) as ReplicaRecord),
        seenMsAgo: RECORD_MS - Number(replicas[at + 2]),
      }
      living.set(record.replica, record)
    }
    const before = this.#living
    for (const [name, record] of before) if (!living.has(name) && !this.lose(name)) living.set(name, record)
    this.#living = living
    for (const [name, record] of living) if (!before.has(name) && name !== this.self) this.#options.onJoined(record)
  }

  #ownRecord(): ReplicaRecord {
    const { instanceId, facts } = this.#options
    return {
      replica: this.self,
      instanceId,
      startedAt: this.#startedAt.toISOString(),
      startedMs: this.#startedMs ?? this.#startedAt.getTime(),
      clockOffsetMs: this.#offsetMs,
      seenMsAgo: 0,
      ...facts(),
    }
  }

  /** Stops the heartbeat without leaving. */
  close(): void {
    this.#hasLeft = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }
}

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let at = 0; at < flat.length; at += 2) yield [flat[at]!, flat[at + 1]!]
}
