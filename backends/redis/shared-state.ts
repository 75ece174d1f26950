/** State in a Redis or Valkey server that all replicas of a deployment share. */
import { randomBytes } from 'node:crypto'
import type {
  Channel,
  ChannelHandler,
  EventLog,
  EventLogBounds,
  Replicated,
  ReplicatedOptions,
  Store,
  StoreBounds,
} from '../../core/contract/plugin.ts'
import { foreignOwner } from '../../core/state/memory-state.ts'
import { Channels } from '../../core/state/replicas.ts'
import type { BackendOptions, QuotaCounters, ReplicaFacts, SharedBackend } from '../../core/state/shared-backend.ts'
import type { Opened, Place } from '../../core/state/state-backend.ts'
import * as logScripts from './log-scripts.ts'
import { Membership } from './membership.ts'
import * as membershipScripts from './membership-scripts.ts'
import * as quotaScripts from './quota-scripts.ts'
import { ReplicaMessages } from './replica-messages.ts'
import type { Script } from './script.ts'
import { SharedEventLog } from './shared-event-log.ts'
import { SharedQuotaCounters } from './shared-quota-counters.ts'
import { SharedRegister } from './shared-register.ts'
import { SharedStore } from './shared-store.ts'
import { StoreConnection } from './store-connection.ts'
import type { StoreLink } from './store-link.ts'
import * as storeScripts from './store-scripts.ts'
import { ValueCodec, encryptionKey } from './value-codec.ts'

/** Owner of the messages and values that replicas exchange for the core. */
const OWNER = '_core'
/** Time that a read of a batched log waits for the entries of other replicas. */
const FLUSH_MS = 250
/** Time that a change of a register waits for other replicas. */
const ANNOUNCE_MS = 2_000
/** Time that a replica waits at its start until the others know it. */
const JOIN_MS = 1_000
const SWEEP_MS = 1_000
/** Only subscribers need to know soon what has expired; of other stores nobody sees it. */
const SWEEPS_OF_OTHERS = 10
const RENEW_MS = 3_600_000

export interface SharedStateOptions extends Omit<BackendOptions, 'address'> {
  createLink(): StoreLink
}

const SCRIPTS = [storeScripts, logScripts, membershipScripts, quotaScripts].flatMap(module =>
  Object.values(module).filter((exported): exported is Script => typeof exported === 'object'),
)

export class SharedState implements SharedBackend {
  readonly isShared = true
  readonly replicas: Membership
  readonly connection: StoreConnection
  readonly quota: QuotaCounters
  readonly #options: SharedStateOptions
  readonly #channels: Channels
  readonly #messages: ReplicaMessages
  readonly #stores = new Map<object, { store: SharedStore<unknown>; hasTtl: boolean }>()
  readonly #logs = new Set<SharedEventLog<unknown>>()
  readonly #registers = new Map<string, SharedRegister<unknown>>()
  readonly #secrets = new Map<string, SharedRegister<string>>()
  readonly #flushers = new Set<() => void>()
  readonly #returns = new Set<() => void>()
  readonly #flushing: Channel<null, null>
  readonly #announcing: Channel<{ name: string; version: string }, null>
  readonly #joining: Channel<null, null>
  readonly #removing: Channel<{ store: string; entry: string | null }, null>
  readonly #sweeper: NodeJS.Timeout
  readonly #renewer: NodeJS.Timeout
  #facts: (() => ReplicaFacts) | null = null
  #sweeps = 0
  #flush: Promise<void> | null = null

  constructor(options: SharedStateOptions) {
    this.#options = options
    const onError = (error: unknown): void =>
      options.onError(error, { plugin: OWNER, name: 'replicas', during: 'message' })
    this.connection = new StoreConnection({
      createLink: options.createLink,
      timeoutMs: options.timeoutMs,
      scripts: SCRIPTS,
      ...(options.observers && { observer: options.observers.store }),
      onConnect: () => this.#join(),
      onAway: reason => options.onAway?.(reason),
      onUp: (facts, awayMs) => {
        options.onUp?.(facts, awayMs)
        for (const report of this.#returns) report()
      },
    })
    this.replicas = new Membership({
      connection: this.connection,
      key: this.#deploymentKey,
      instanceId: options.instanceId,
      facts: () => this.#facts?.() ?? null,
      onBeat: versions => this.#followRegisters(versions),
      onJoined: replica => options.onJoined?.(replica),
      onGone: replica => options.onGone?.(replica),
      onError,
    })
    this.quota = new SharedQuotaCounters(this.connection, this.replicas, `${options.prefix}:{quota}`)
    const { self } = this.replicas
    this.#messages = new ReplicaMessages({
      connection: this.connection,
      prefix: options.prefix,
      self,
      handle: (plugin, channel, message, from) => this.#channels.receive(plugin, channel, message, from),
      isGone: replica => this.replicas.isGone(replica),
      ...(options.observers && { observer: options.observers.messages }),
      onError: (error, channel) => options.onError(error, { ...channel, during: 'message' }),
    })
    this.#channels = new Channels(self, {
      isStrict: true,
      onError: (error, channel) => options.onError(error, { ...channel, during: 'message' }),
      remote: {
        others: () =>
          this.replicas
            .list()
            .map(({ replica }) => replica)
            .filter(replica => replica !== self),
        ask: (to, request) => this.#messages.ask(to, request),
        send: (to, plugin, channel, message) => this.#messages.send(to, plugin, channel, message),
      },
    })
    this.#flushing = this.#openOwn('flush', async () => {
      await this.#flushHere()
      return null
    })
    this.#announcing = this.#openOwn('registers', async ({ name, version }) => {
      await this.#registers.get(name)?.follow(version)
      return null
    })
    this.#removing = this.#openOwn('removed', async ({ store: key, entry }) => {
      for (const { store } of this.#stores.values()) if (store.key === key) store.forget(entry)
      return null
    })
    this.#joining = this.#openOwn('joined', async () => {
      await this.replicas.beat()
      return null
    })
    this.#sweeper = setInterval(() => this.#sweepAll(), SWEEP_MS).unref()
    this.#renewer = setInterval(() => this.#renewAll(), RENEW_MS).unref()
  }

  /** Connects. Resolves when the attempt succeeded or failed. */
  open(): Promise<void> {
    return this.connection.open()
  }

  /** What the heartbeat reports about this replica. */
  setFacts(facts: () => ReplicaFacts): void {
    this.#facts = facts
  }

  /** `flush` passes on what this process has collected, before batched logs are read. */
  onFlush(flush: () => void): void {
    this.#flushers.add(flush)
  }

  /** `report` is called after each connection to the store. */
  onConnection(report: () => void): void {
    this.#returns.add(report)
  }

  /** All replicas pass on what they have collected. */
  flushAll(): Promise<void> {
    return this.#flushAll()
  }

  /** Opens a channel of the core. */
  openOwn<M, R>(name: string, on: (message: M, from: string) => R | Promise<R>): Channel<M, R> {
    return this.#openOwn(name, on)
  }

  openStore<T>(place: Place, bounds: StoreBounds<T>): Opened<Store<T>, StoreBounds<T>> {
    const store = new SharedStore<T>(bounds, {
      connection: this.connection,
      key: this.#keyOf(place, bounds.schema),
      label: labelOf(place),
      codec: this.#codecOf(place, `state "${place.name}" of plugin ${place.plugin}`, bounds.secret === true),
      timeoutMs: this.#options.timeoutMs,
      announceRemoval: async entry => {
        await this.#removing.tell({ store: store.key, entry }, { waitMs: ANNOUNCE_MS })
      },
      onError: this.#errorsOf(place),
    })
    const opened = { store: store as unknown as SharedStore<unknown>, hasTtl: bounds.ttlMs !== undefined }
    this.#stores.set(store, opened)
    void store.renew().catch(() => {})
    return {
      value: store,
      ready: store.ready,
      setBounds(newer) {
        opened.hasTtl = newer.ttlMs !== undefined
        store.setBounds(newer)
      },
      memoryUse: () => store.memoryUse(),
      close: () => {
        this.#stores.delete(store)
        store.close()
      },
    }
  }

  openLog<T>(place: Place, bounds: EventLogBounds<T>): Opened<EventLog<T>, EventLogBounds<T>> {
    const owner = bounds.of && this.#stores.get(bounds.of)?.store
    if (bounds.of !== undefined && owner === undefined) throw foreignOwner(place)
    const schema = bounds.schema ?? 1
    const name = schema === 1 ? place.name : `${place.name}.${schema}`
    owner?.attachLog(name)
    const label = labelOf(place)
    const log = new SharedEventLog<T>(bounds, {
      connection: this.connection,
      // With the hash tag of the store, so that a script of the store can end a stream.
      key:
        owner === undefined ? this.#keyOf({ ...place, name: `log:${place.name}` }, schema) : `${owner.key}:l:${name}`,
      label,
      codec: this.#codecOf(place, `event log "${place.name}" of plugin ${place.plugin}`, owner?.isSecret === true),
      owner,
      ...(this.#options.observers && { observer: this.#options.observers.batch(label) }),
      flushAll: () => this.#flushAll(),
      onError: this.#errorsOf(place),
    })
    const known = log as unknown as SharedEventLog<unknown>
    this.#logs.add(known)
    owner?.attachWriter(log, (stream, values) => [name, ...known.argumentsOf(stream, values)])
    return {
      value: log,
      setBounds: newer => log.setBounds(newer),
      memoryUse: () => log.memoryUse(),
      close: async () => {
        this.#logs.delete(known)
        await log.close()
      },
    }
  }

  openRegister<T>(
    place: Place,
    options: ReplicatedOptions<T>,
  ): { value: Replicated<T>; ready: Promise<void>; close(): void } {
    const value = this.#register(place, options)
    const name = this.#registerName(place, options.schema)
    return { value, ready: value.ready, close: () => void this.#registers.delete(name) }
  }

  openChannel<M, R>(
    plugin: string,
    name: string,
    handler: ChannelHandler<M, R>,
  ): { channel: Channel<M, R>; close(): void } {
    return this.#channels.open(plugin, name, handler)
  }

  async secret(plugin: string, name: string): Promise<Buffer> {
    const key = JSON.stringify([plugin, name])
    let register = this.#secrets.get(key)
    if (register === undefined) {
      const place = { plugin, version: '', name: `secret:${name}` }
      register = this.#register(place, { initial: () => randomBytes(32).toString('base64'), secret: true })
      this.#secrets.set(key, register)
    }
    await register.ready
    return Buffer.from(register.current, 'base64')
  }

  /** The leader sweeps; the store of each replica answers for expired entries itself. */
  sweep(): void {}

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    clearInterval(this.#renewer)
    await Promise.all([...this.#logs].map(log => log.close()))
    if (this.connection.isUp) await this.replicas.leave()
    this.replicas.close()
    this.#messages.close()
    this.connection.close()
  }

  get #deploymentKey(): string {
    return `${this.#options.prefix}:{deployment}`
  }

  #register<T>(place: Place, options: ReplicatedOptions<T>): SharedRegister<T> {
    const name = this.#registerName(place, options.schema)
    const what = `register "${place.name}" of plugin ${place.plugin}`
    const register = new SharedRegister(options, {
      connection: this.connection,
      key: this.#deploymentKey,
      name,
      what,
      codec: this.#codecOf(place, what, options.secret === true),
      announce: async (changed, version) => {
        await this.#announcing.tell({ name: changed, version }, { waitMs: ANNOUNCE_MS })
      },
      onError: this.#errorsOf(place),
    })
    this.#registers.set(name, register as unknown as SharedRegister<unknown>)
    return register
  }

  /** Resolves when the others know this replica, so that it misses none of their announcements. */
  async #join(): Promise<void> {
    this.replicas.expectReturn()
    await this.replicas.beat()
    await this.#joining.tell(null, { waitMs: JOIN_MS })
  }

  async #followRegisters(versions: ReadonlyMap<string, string>): Promise<void> {
    await Promise.all([...this.#registers].map(([name, register]) => register.follow(versions.get(name))))
  }

  #registerName({ plugin, name }: Place, schema = 1): string {
    return `${plugin}/${name}.${schema}`
  }

  #keyOf({ plugin, name }: Place, schema = 1): string {
    return `${this.#options.prefix}:{${plugin}/${name}.${schema}}`
  }

  #codecOf({ plugin, name }: Place, what: string, isSecret: boolean): ValueCodec {
    const { secret, prefix } = this.#options
    return new ValueCodec({
      what,
      key: isSecret && secret !== null ? encryptionKey(secret, prefix, `${plugin}/${name}`) : null,
    })
  }

  #errorsOf({ plugin, name }: Place): (error: unknown) => void {
    return error => this.#options.onError(error, { plugin, name, during: 'subscriber' })
  }

  #openOwn<M, R>(name: string, on: (message: M, from: string) => R | Promise<R>): Channel<M, R> {
    return this.#channels.open<M, R>(OWNER, name, { on }).channel
  }

  async #flushHere(): Promise<void> {
    for (const flush of this.#flushers) flush()
    await Promise.all([...this.#logs].map(log => log.flush()))
  }

  /** Reads at the same time share one round. */
  #flushAll(): Promise<void> {
    this.#flush ??= (async () => {
      await new Promise(resolve => setImmediate(resolve))
      this.#flush = null
      await this.#flushing.tell(null, { waitMs: FLUSH_MS })
    })()
    return this.#flush
  }

  #sweepAll(): void {
    if (!this.connection.isUp || !this.replicas.isLeader()) return
    this.#sweeps += 1
    const isFull = this.#sweeps % SWEEPS_OF_OTHERS === 0
    for (const { store, hasTtl } of this.#stores.values())
      if ((hasTtl && store.isWatched) || isFull) store.sweep().catch(() => {})
  }

  #renewAll(): void {
    if (!this.connection.isUp) return
    for (const { store } of this.#stores.values()) store.renew().catch(() => {})
    for (const log of this.#logs) log.renew().catch(() => {})
  }
}

function labelOf({ plugin, name }: Place): string {
  return `${plugin}/${name}`
}
