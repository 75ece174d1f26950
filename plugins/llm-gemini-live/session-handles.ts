/** Conversations that a client can resume on a new socket, by their handle. */
import type { Store, Svc } from 'svc/plugin'
import type { Engine, OwnedKeys, Owner } from '../llm/types.ts'
import type { Turn } from './history.ts'

interface Packed {
  provider: string
  session: string
  /** JSON of the turns: text, whose memory is known whatever it contains. */
  turns: string
}

const MIB = 1024 * 1024
const HOUR_MS = 3_600_000
const BOUNDS = {
  normal: { maxCount: 1000, maxPerGroup: 1000, maxBytes: 32 * MIB, ttlMs: 2 * HOUR_MS },
  public: { maxCount: 100, maxPerGroup: 10, maxBytes: 4 * MIB, ttlMs: HOUR_MS },
}

export class SessionHandles {
  readonly #store: Store<Packed>
  readonly #isPublic: boolean
  readonly #keyOf: OwnedKeys

  constructor(svc: Svc, engine: Engine) {
    this.#isPublic = svc.config.publicMode
    this.#keyOf = engine.ownedKeys(this.#isPublic)
    this.#store = svc.state<Packed>('live-sessions', {
      ...BOUNDS[this.#isPublic ? 'public' : 'normal'],
      ttlFrom: 'use',
    })
  }

  async put(handle: string, owner: Owner, turns: readonly Turn[]): Promise<void> {
    await this.#store.set(
      this.#keyOf(owner, handle),
      { ...owner, turns: JSON.stringify(turns) },
      { group: owner.session },
    )
  }

  /** In public mode, a handle exists only for the session that got it. */
  async get(handle: string, owner: Owner): Promise<Turn[] | null> {
    const found = await this.#store.get(this.#keyOf(owner, handle))
    if (found === undefined || found.provider !== owner.provider) return null
    if (this.#isPublic && found.session !== owner.session) return null
    return JSON.parse(found.turns) as Turn[]
  }

  async delete(handle: string, owner: Owner): Promise<void> {
    await this.#store.delete(this.#keyOf(owner, handle))
  }

  clear(session: string | null): Promise<number> {
    return this.#store.clear(found => session === null || found.session === session)
  }

  bytes(): Promise<number> {
    return this.#store.bytes()
  }
}
