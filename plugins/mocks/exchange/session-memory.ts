/** What a session has done with a mock: its state values, and how often it called each operation. */
import type { SessionKey, Store, StoreBounds } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'

export interface SessionMemory {
  state: Record<string, string>
  counts: Record<string, number>
}

/** The key of a request's session; an address never reads like a value of `X-Svc-Session`. */
export function keyOfSession(session: SessionKey): string {
  return session.header === null ? `address ${session.label}` : keyOfNamed(session.header)
}

/** The key of the session that `X-Svc-Session: <name>` stands for. */
export function keyOfNamed(name: string): string {
  return `named ${name}`
}

/** The bounds of the store that holds the memories of all mocks, grouped by mock. */
export function memoryBounds(bounds: Bounds): StoreBounds<SessionMemory> {
  return {
    maxCount: bounds.mocks * bounds.sessions,
    maxPerGroup: bounds.sessions,
    ttlMs: bounds.sessionIdleMs,
    ttlFrom: 'use',
    evict: 'idle',
  }
}

/** Operations counted for one session. */
const MAX_COUNTED = 2000

export class SessionMemories {
  readonly #store: Store<SessionMemory>
  readonly #maxKeys: number

  constructor(store: Store<SessionMemory>, bounds: Bounds) {
    this.#store = store
    this.#maxKeys = bounds.stateKeys
  }

  /** Counts a call and answers what the session now remembers. */
  async count(mock: string, session: string, operation: string): Promise<SessionMemory> {
    const memory = await this.#store.update(
      keyOf(mock, session),
      current => {
        const memory = current ?? empty()
        if (memory.counts[operation] !== undefined || Object.keys(memory.counts).length < MAX_COUNTED)
          memory.counts[operation] = (memory.counts[operation] ?? 0) + 1
        return memory
      },
      { group: mock },
    )
    return memory ?? empty()
  }

  async get(mock: string, session: string): Promise<SessionMemory> {
    return (await this.#store.peek(keyOf(mock, session))) ?? empty()
  }

  /** Sets and removes (null) values; keys beyond the permitted number are not added. */
  async set(mock: string, session: string, values: Record<string, string | null>): Promise<SessionMemory> {
    const memory = await this.#store.update(
      keyOf(mock, session),
      current => {
        const memory = current ?? empty()
        for (const [name, value] of Object.entries(values)) {
          if (value === null) delete memory.state[name]
          else if (Object.hasOwn(memory.state, name) || Object.keys(memory.state).length < this.#maxKeys)
            memory.state[name] = value
        }
        return memory
      },
      { group: mock },
    )
    return memory ?? empty()
  }

  /** Forgets one session of a mock, or all of them. */
  async clear(mock: string, session: string | null): Promise<void> {
    if (session !== null) await this.#store.delete(keyOf(mock, session))
    else {
      const prefix = keyOf(mock, '')
      await this.#store.clear((_, key) => key.startsWith(prefix))
    }
  }
}

/** Names of mocks hold no blank, so no two pairs read alike. */
function keyOf(mock: string, session: string): string {
  return `${mock} ${session}`
}

/** Without a prototype: names come from input. */
function empty(): SessionMemory {
  return { state: Object.create(null) as Record<string, string>, counts: Object.create(null) as Record<string, number> }
}
