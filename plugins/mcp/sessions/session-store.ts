/** Owns all sessions of a process: made, found, ended, and bounded in number and idle time. */
import { randomBytes } from 'node:crypto'
import type { ReplayStore } from './replay.ts'
import { type Agreement, Session } from './session.ts'

export interface SessionBounds {
  maxCount: number
  idleMs: number
  questionMs: number
}

export class SessionStore {
  readonly #bounds: SessionBounds
  readonly #replay: ReplayStore
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** In order of use, the least recent first. */
  readonly #sessions = new Map<string, Session>()

  constructor(bounds: SessionBounds, replay: ReplayStore, now: () => number) {
    this.#bounds = bounds
    this.#replay = replay
    this.now = now
  }

  get size(): number {
    return this.#sessions.size
  }

  [Symbol.iterator](): IterableIterator<Session> {
    return this.#sessions.values()
  }

  /** A new session with an id of 32 hex digits; in a full store the least recently used one ends. */
  create(agreement: Agreement): Session {
    this.sweep()
    if (this.#sessions.size >= this.#bounds.maxCount) this.#endLeastRecent()
    const session = new Session(randomBytes(16).toString('hex'), agreement, this.#replay.open(), this.#bounds.questionMs, this.now())
    this.#sessions.set(session.id, session)
    return session
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
    this.#sessions.delete(session.id)
    session.end()
  }

  endWhere(matches: (session: Session) => boolean): void {
    for (const session of this.#sessions.values()) if (matches(session)) this.end(session)
  }

  /** Ends what was idle for too long. */
  sweep(): void {
    this.endWhere((session) => this.#isExpired(session))
  }

  #isExpired(session: Session): boolean {
    return !session.isBusy && this.now() - session.lastUsedAt > this.#bounds.idleMs
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
