/** Owns all sessions of a process: made, found, ended, and bounded in number and idle time. */
import { randomBytes } from 'node:crypto'
import type { ReplayStore } from './replay.ts'
import { type SessionParameters, Session, type SessionMemory } from './session.ts'

export interface SessionBounds {
  maxCount: number
  /** Memory of all sessions, with the requests that they work on. */
  maxBytes: number
  idleMs: number
  questionMs: number
}

export class SessionStore implements SessionMemory {
  readonly #bounds: SessionBounds
  readonly #replay: ReplayStore
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** In order of use, the least recent first. */
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

  /** Memory that sessions hold, about. */
  get bytes(): number {
    return this.#bytes
  }

  [Symbol.iterator](): IterableIterator<Session> {
    return this.#sessions.values()
  }

  /** A new session with an id of 32 hex digits; in a full store the least recently used one ends. */
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

  /** Sessions without an open stream or a running request end for it, the least recently used first. */
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

  /** The session of that id, which is thereby used; undefined when there is none, or it was idle for too long. */
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

  /** Ends what was idle for too long. */
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

  /** Open streams count as use: a session with one goes only when all have one. */
  #endLeastRecent(): void {
    let first: Session | undefined
    for (const session of this.#sessions.values()) {
      first ??= session
      if (!session.isBusy) return this.end(session)
    }
    if (first) this.end(first)
  }
}
