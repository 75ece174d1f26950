/** Owns all sessions and limits their number, memory and idle time. */
import { randomBytes } from 'node:crypto'
import type { ReplayStore } from './replay.ts'
import { type SessionParameters, Session, type SessionMemory } from './session.ts'

export interface SessionBounds {
  maxCount: number
  /** Memory of all sessions, including requests in flight. */
  maxBytes: number
  idleMs: number
  questionMs: number
}

export class SessionStore implements SessionMemory {
  readonly #bounds: SessionBounds
  readonly #replay: ReplayStore
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>()
  #bytes = 0

  constructor(bounds: SessionBounds, replay: ReplayStore, now: () => number) {
    this.#bounds = bounds
    this.#replay = replay
    this.now = now
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Approximate memory of all sessions. */
  get bytes(): number {
    return this.#bytes
  }

  [Symbol.iterator](): IterableIterator<Session> {
    return this.#sessions.values()
  }

  /** Creates a session with an id of 32 hex digits. If the store is full, the least recently used session ends. */
  create(parameters: SessionParameters): Session {
    this.sweep()
    if (this.#sessions.size >= this.#bounds.maxCount) this.#endLeastRecent()
    const session = new Session(
      randomBytes(16).toString('hex'),
      parameters,
      this.#replay.open(),
      this,
      this.#bounds.questionMs,
      this.now(),
    )
    this.#bytes += session.bytes
    this.#sessions.set(session.id, session)
    this.#makeRoom(session)
    return session
  }

  /** Ends sessions without open streams or requests in flight if memory is needed, least recently used first. */
  reserve(session: Session, bytes: number): boolean {
    this.#bytes += bytes
    this.#makeRoom(session)
    if (this.#bytes <= this.#bounds.maxBytes) return true
    this.#bytes -= bytes
    return false
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }

  /** Finds a session and marks it as used; undefined if it does not exist or was idle for too long. */
  use(id: string): Session | undefined {
    const session = this.#sessions.get(id)
    if (!session) return undefined
    if (this.#isExpired(session)) {
      this.end(session)
      return undefined
    }
    session.lastUsedAt = this.now()
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    return session
  }

  end(session: Session): void {
    if (this.#sessions.delete(session.id)) this.#bytes -= session.idleBytes
    session.end()
  }

  endWhere(matches: (session: Session) => boolean): void {
    for (const session of this.#sessions.values()) if (matches(session)) this.end(session)
  }

  /** Ends sessions that were idle for too long. */
  sweep(): void {
    this.endWhere(session => this.#isExpired(session))
  }

  #isExpired(session: Session): boolean {
    return !session.isBusy && this.now() - session.lastUsedAt > this.#bounds.idleMs
  }

  #makeRoom(except: Session): void {
    if (this.#bytes <= this.#bounds.maxBytes) return
    for (const session of this.#sessions.values()) {
      if (session === except || session.isBusy) continue
      this.end(session)
      if (this.#bytes <= this.#bounds.maxBytes) return
    }
  }

  /** Prefers sessions that are not busy. */
  #endLeastRecent(): void {
    let first: Session | undefined
    for (const session of this.#sessions.values()) {
      first ??= session
      if (!session.isBusy) return this.end(session)
    }
    if (first) this.end(first)
  }
}
