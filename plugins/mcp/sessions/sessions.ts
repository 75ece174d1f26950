/** Owns the sessions: their data in the shared store, and what they have in this process. */
import { randomBytes } from 'node:crypto'
import type { EventLog, Store, StoreChange, SvcReplicas } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'
import type { KeptMessage } from './kept-messages.ts'
import { newRecord, type SessionParameters, type SessionRecord } from './session-record.ts'
import { Session, type SessionHost } from './session.ts'

export interface SessionsOptions {
  store: Store<SessionRecord>
  messages: EventLog<KeptMessage>
  replicas: Pick<SvcReplicas, 'self' | 'list'>
  bounds: Pick<Bounds, 'sessions' | 'sessionIdleMs' | 'inFlightBytes' | 'questionMs' | 'replayMessages'>
  /** See `SessionHost.forward`. */
  forward: SessionHost['forward']
}

const SWEEP_MS = 60_000

export class Sessions implements SessionHost {
  readonly replica: string
  readonly questionMs: number
  readonly forward: SessionHost['forward']
  readonly #options: SessionsOptions
  /** Sessions that this replica has used lately, or whose streams and requests it has. */
  readonly #local = new Map<string, Session>()
  readonly #sweeper: NodeJS.Timeout
  readonly #unsubscribe: () => void
  #inFlightBytes = 0
  /** Sessions created since busy ones were last marked as used. */
  #createdSince = 0

  constructor(options: SessionsOptions) {
    const { store, bounds, replicas } = options
    this.#options = options
    this.replica = replicas.self
    this.questionMs = bounds.questionMs
    this.forward = options.forward
    this.#unsubscribe = store.subscribe(change => this.#follow(change))
    this.#sweeper = setInterval(() => this.sweep(), Math.min(SWEEP_MS, bounds.sessionIdleMs / 3)).unref()
  }

  /** The sessions of this process. */
  [Symbol.iterator](): IterableIterator<Session> {
    return this.#local.values()
  }

  /** The session with this id, if this process has anything of it. */
  local(id: string): Session | undefined {
    return this.#local.get(id)
  }

  /**
   * Creates a session with an id of 32 hex digits. If the store is full, the least recently used session ends. If the server
   * has `maxOfServer` sessions, the oldest of them ends.
   */
  async create(parameters: SessionParameters, maxOfServer?: number): Promise<Session> {
    if (maxOfServer !== undefined) await this.#keepWithin(parameters.server, maxOfServer - 1)
    const id = randomBytes(16).toString('hex')
    const record = newRecord(parameters, this.replica)
    this.#protectBusy()
    await this.#options.store.add(id, record, maxOfServer === undefined ? {} : { group: record.server })
    return this.#localOf(id, record)
  }

  /** Finds a session and marks it as used; undefined if it does not exist or was idle for too long. */
  async use(id: string): Promise<Session | undefined> {
    const record = await this.#options.store.get(id)
    return record && this.#localOf(id, record)
  }

  /** Changes the data of a session with a pure function. Returns the new data; undefined if the session has ended. */
  async change(
    session: Session,
    change: (record: SessionRecord) => Partial<SessionRecord>,
  ): Promise<SessionRecord | undefined> {
    const record = await this.#change(session.id, change)
    if (record) session.record = record
    return record
  }

  /** The store notifies all replicas, which end what they have of the session. */
  async end(session: Session): Promise<void> {
    await this.#options.store.delete(session.id)
    // In case it was created again here after it had ended.
    this.#drop(session)
  }

  /** Returns the number of ended sessions. */
  endWhere(matches: (record: SessionRecord) => boolean): Promise<number> {
    return this.#options.store.clear(matches)
  }

  /** The kept messages of a stream. */
  async kept(id: string, stream: number): Promise<KeptMessage[]> {
    const all = await this.#options.messages.after(id, 0, this.#options.bounds.replayMessages)
    return all.map(({ value }) => value).filter(message => message.stream === stream)
  }

  /** Marks busy sessions as used, and forgets what was not used lately. Called by a timer. */
  sweep(): void {
    for (const session of this.#local.values()) {
      if (session.isBusy) this.touch(session)
      else if (session.isLocal) void this.#verify(session)
      else if (!session.isRecent) this.#local.delete(session.id)
      session.isRecent = false
    }
  }

  /** Ends what the sessions have in this process. */
  close(): void {
    clearInterval(this.#sweeper)
    this.#unsubscribe()
    for (const session of this.#local.values()) this.#drop(session)
  }

  // ------------------------------------------------------------------------------------------- services of sessions

  reserve(bytes: number): boolean {
    if (this.#inFlightBytes + bytes > this.#options.bounds.inFlightBytes) return false
    this.#inFlightBytes += bytes
    return true
  }

  release(bytes: number): void {
    this.#inFlightBytes -= bytes
  }

  /** Only unique among several replicas if it contains the name of the replica. */
  questionId(count: number): string {
    return this.#options.replicas.list().length > 1 ? `svc-${this.replica}-${count}` : `svc-${count}`
  }

  touch(session: Session): void {
    this.#endIfGone(session, this.#options.store.get(session.id))
  }

  async numberStream(id: string): Promise<number | undefined> {
    const record = await this.#change(id, ({ streamCount }) => ({ streamCount: streamCount + 1 }))
    return record?.streamCount
  }

  keep(id: string, message: KeptMessage): void {
    // Without the store the call goes on, but its stream cannot be resumed.
    this.#options.messages.append(id, message).catch(() => {})
  }

  follow(id: string, on: (message: KeptMessage) => void, ended: () => void): () => void {
    return this.#options.messages.follow(id, 0, (_, message) => on(message), ended)
  }

  // ------------------------------------------------------------------------------------------------------- private

  #change(id: string, change: (record: SessionRecord) => Partial<SessionRecord>): Promise<SessionRecord | undefined> {
    return this.#options.store.update(id, record => record && { ...record, ...change(record) })
  }

  #localOf(id: string, record: SessionRecord): Session {
    const known = this.#local.get(id)
    if (known) {
      known.record = record
      known.isRecent = true
      return known
    }
    const session = new Session(id, record, this)
    this.#local.set(id, session)
    return session
  }

  #follow(change: StoreChange<SessionRecord>): void {
    if (change.kind === 'reset') {
      for (const session of this.#local.values()) void this.#verify(session)
      return
    }
    const session = this.#local.get(change.key)
    if (!session) return
    if (change.kind === 'set') session.record = change.value
    else this.#drop(session)
  }

  /** Like `touch`, but does not count as use. */
  #verify(session: Session): void {
    this.#endIfGone(session, this.#options.store.peek(session.id))
  }

  #endIfGone(session: Session, record: Promise<SessionRecord | undefined>): void {
    record.then(
      found => {
        if (found === undefined) this.#drop(session)
      },
      // While the store is unavailable, nobody knows.
      () => {},
    )
  }

  async #keepWithin(server: string, count: number): Promise<void> {
    const own = await this.#options.store.list({ group: server })
    for (const { key } of own.slice(0, Math.max(0, own.length - count))) {
      await this.#options.store.delete(key)
      const session = this.#local.get(key)
      if (session) this.#drop(session)
    }
  }

  #drop(session: Session): void {
    if (this.#local.get(session.id) === session) this.#local.delete(session.id)
    session.end()
  }

  /** A full store evicts what was not used for longest. Those with streams or requests should not be among these. */
  #protectBusy(): void {
    if (++this.#createdSince < this.#options.bounds.sessions / 20) return
    this.#createdSince = 0
    for (const session of this.#local.values()) if (session.isBusy) this.touch(session)
  }
}
