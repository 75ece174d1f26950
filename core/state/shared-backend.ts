/**
 * State that replicas share, as the core uses it. What implements it is outside the core, behind one import, and is loaded
 * when it is configured.
 */
import type { Channel, Replica, SvcReplicas } from '../contract/plugin.ts'
import type { Period } from '../limits/period.ts'
import type { QuotaChange, QuotaClaim, QuotaOutcome, QuotaReading, QuotaSubject } from '../limits/quota-claims.ts'
import type { ReportFailure, StateBackend } from './state-backend.ts'

/** Loads the backend. Rejects if a package is missing that it needs. */
export function loadBackend(): Promise<BackendModule> {
  return import('../../backends/redis/index.ts')
}

export interface BackendModule {
  createBackend(options: BackendOptions): SharedBackend
  /** Connects for this time at most. Rejects with the reason if the store can't be used. */
  readFacts(address: StoreAddress, timeoutMs: number): Promise<StoreFacts>
  createDailyCounts(options: DailyCountsOptions): DailyCounts
}

/** Where the store is. */
export interface StoreAddress {
  url: string
  /** Instead of the one in the URL. */
  password: string | null
  /** CA certificates in PEM format. */
  ca: string | null
  isCluster: boolean
}

/** What a store says about itself. */
export interface StoreFacts {
  version: string
  /** What the server does when it is full; null if that can't be read. */
  policy: string | null
  /** How far the clock of this process is ahead of the store's, in milliseconds; null if that can't be read. */
  clockOffsetMs: number | null
}

export interface BackendOptions {
  address: StoreAddress
  prefix: string
  instanceId: string
  /** Time limit of an operation in milliseconds. */
  timeoutMs: number
  /** Encrypts secret values; null stores them as plain text. */
  secret: string | null
  onError: ReportFailure
  observers?: BackendObservers
  onAway?(reason: string): void
  onUp?(facts: StoreFacts, awayMs: number): void
  onJoined?(replica: ReplicaRecord): void
  onGone?(replica: ReplicaRecord): void
}

export type StoreErrorReason = 'timeout' | 'away' | 'full' | 'contended' | 'refused'

/** What happens in a backend, for metrics. */
export interface BackendObservers {
  store: StoreObserver
  messages: MessageObserver
  /** `label` is `<plugin>/<log>`. */
  batch(label: string): LogBatchObserver
}

export interface StoreObserver {
  /** `name` is `<plugin>/<store>`. */
  operation(name: string, operation: string, seconds: number): void
  error(name: string, operation: string, reason: StoreErrorReason): void
  retry(): void
}

export interface MessageObserver {
  sent(plugin: string): void
  received(plugin: string): void
}

export interface LogBatchObserver {
  waiting(count: number): void
  dropped(count: number): void
}

/** What a replica reports about itself with its heartbeat. */
export interface ReplicaFacts {
  hostname: string
  version: string
  gitSha: string | null
  healthy: boolean
  generation: number
  streamsOpen: number
  requestsTotal: number
  ports: { http: number | null; https: number | null; grpc: number | null }
}

/** A replica as the others see it. */
export interface ReplicaRecord extends Replica, Partial<ReplicaFacts> {
  /** Start time by the clock of the store, in milliseconds. */
  startedMs: number
  /** Difference between the clock of the replica and that of the store, in milliseconds. */
  clockOffsetMs: number
  /** Time since its last heartbeat, in milliseconds. */
  seenMsAgo: number
}

export interface SharedBackend extends StateBackend {
  readonly replicas: SharedReplicas
  readonly connection: StoreStatus
  readonly quota: QuotaCounters
  /** Connects. Resolves when the attempt succeeded or failed. */
  open(): Promise<void>
  /** What the heartbeat reports about this replica. */
  setFacts(facts: () => ReplicaFacts): void
  /** `flush` passes on what this process has collected, before batched logs are read. */
  onFlush(flush: () => void): void
  /** `report` is called after each connection to the store. */
  onConnection(report: () => void): void
  /** All replicas pass on what they have collected. */
  flushAll(): Promise<void>
  /** Opens a channel of the core. */
  openOwn<M, R>(name: string, on: (message: M, from: string) => R | Promise<R>): Channel<M, R>
}

export interface SharedReplicas extends SvcReplicas {
  /** Difference between the clock of this replica and that of the store, in milliseconds. */
  readonly clockOffsetMs: number
  /** The living replicas, oldest first; this one alone while the store is unavailable. */
  records(): ReplicaRecord[]
}

export interface StoreStatus {
  readonly isUp: boolean
  /** Commands that were sent and are not answered. */
  readonly pending: number
  /** Duration of the last probe in milliseconds. */
  readonly latencyMs: number | null
  /** When the store came up or went away. */
  readonly since: Date
  readonly facts: StoreFacts | null
  /** Resolves when the store can be used, or ten seconds after the start of the process, and says whether it can. */
  whenStarted(): Promise<boolean>
}

/** Counters that all replicas share. Each method is one atomic step, in the order of the calls. */
export interface QuotaCounters {
  /** Nothing is taken unless all claims pass. Null if the store is unavailable or full. */
  admit(claims: readonly QuotaClaim[]): Promise<QuotaOutcome | null>
  /** False if the store is unavailable or full. */
  change(changes: readonly QuotaChange[]): Promise<boolean>
  /** Null if the store is unavailable. */
  read(subjects: readonly QuotaSubject[]): Promise<QuotaReading[] | null>
  /** The ids of a group; none while the store is unavailable. */
  ids(group: string): Promise<string[]>
  /** Removes what a replica held. */
  forgetReplica(id: string, replica: string): void
}

/** Counts per id and day in a server that only needs to support counters, for instances that share nothing else. */
export interface DailyCounts {
  readonly isUp: boolean
  /** Connects; resolves when the attempt succeeded or failed. Retries continue in the background. */
  open(): Promise<void>
  close(): void
  /** Counts one request; returns the total of all instances, or null if the store is unreachable. */
  increment(id: string, day: Period): Promise<number | null>
  /** Undoes one count; returns the total of all instances, or null if the store is unreachable. */
  decrement(id: string, day: Period): Promise<number | null>
  /** The totals of all instances; null if the store is unreachable. */
  read(ids: readonly string[], day: Period): Promise<number[] | null>
}

export interface DailyCountsOptions {
  url: string
  /** The day and its counts, to be reported to the store after a reconnect. */
  counts(): { day: Period; list: PendingCount[] }
  onChange(isUp: boolean): void
}

/** A count of this instance. */
export interface PendingCount {
  readonly id: string
  /** Of all instances, as far as this one knows. */
  total: number
  /** The part of it that the store does not know. */
  pending: number
}
