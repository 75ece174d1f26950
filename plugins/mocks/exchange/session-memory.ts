/** The state of a session in a mock: state values, and the number of calls per operation. */
import { copyText, heldBytes, heldValueBytes } from 'svc/toolkit'
import type { Json, SessionKey, Store, StoreBounds } from 'svc/plugin'
import type { Bounds } from '../bounds.ts'

export interface SessionMemory {
  state: Record<string, string>
  counts: Record<string, number>
  /** Objects of a GraphQL mock that mutations have written, by type and identity, in the order of their first write. */
  objects?: Record<string, StoredObject>
  /** Number of `counts` and memory in bytes, maintained incrementally, because there can be thousands of counts. */
  operations: number
  bytes: number
}

/** Null: deleted. */
export type StoredObject = { isNew: boolean; fields: Record<string, Json> } | null

/** The session of a request that does not read it. */
export const NO_MEMORY: SessionMemory = { state: {}, counts: {}, operations: 0, bytes: 0 }

/** Memory of an empty session in bytes. */
const EMPTY_BYTES = 512
/** Memory of a state value or count in bytes, without its name and text. */
const PROPERTY_BYTES = 80

/** The key of a request's session. Keys of client addresses differ from keys of named sessions. */
export function keyOfSession(session: SessionKey): string {
  return session.header === null ? `address ${session.label}` : keyOfNamed(session.header)
}

/** The key of the session `X-Svc-Session: <name>`. */
export function keyOfNamed(name: string): string {
  return `named ${name}`
}

/** The limits of the store with the sessions of all mocks, grouped by mock. */
export function memoryBounds(bounds: Bounds): StoreBounds<SessionMemory> {
  return {
    maxCount: bounds.mocks * bounds.sessions,
    maxBytes: bounds.sessionBytes,
    sizeOf: ({ bytes }) => bytes,
    maxPerGroup: bounds.sessions,
    ttlMs: bounds.sessionIdleMs,
    ttlFrom: 'use',
    evict: 'idle',
  }
}

/** Maximum number of operations counted per session. */
const MAX_COUNTED = 2000

export class SessionMemories {
  readonly #store: Store<SessionMemory>
  readonly #maxKeys: number

  constructor(store: Store<SessionMemory>, bounds: Bounds) {
    this.#store = store
    this.#maxKeys = bounds.stateKeys
  }

  /** Counts a call and returns the session. */
  async count(mock: string, session: string, operation: string): Promise<SessionMemory> {
    const memory = await this.#store.within(mock).update(session, current => {
      const memory = current ?? empty()
      const count = memory.counts[operation]
      if (count === undefined) {
        if (memory.operations >= MAX_COUNTED) return memory
        memory.operations++
        memory.bytes += PROPERTY_BYTES + heldBytes(operation)
      }
      memory.counts[operation] = (count ?? 0) + 1
      return memory
    })
    return memory ?? empty()
  }

  async get(mock: string, session: string): Promise<SessionMemory> {
    return (await this.#store.within(mock).peek(session)) ?? empty()
  }

  /** Sets values and removes those that are null. Keys above the limit are not added. */
  async set(mock: string, session: string, values: Record<string, string | null>): Promise<SessionMemory> {
    const memory = await this.#store.within(mock).update(session, current => {
      const memory = current ?? empty()
      for (const [name, value] of Object.entries(values)) {
        const present = memory.state[name]
        if (present === undefined && (value === null || Object.keys(memory.state).length >= this.#maxKeys)) continue
        memory.bytes += bytesOf(name, value) - bytesOf(name, present)
        if (value === null) delete memory.state[name]
        // Copied, because the value can be a substring of a large request.
        else memory.state[name] = copyText(value)
      }
      return memory
    })
    return memory ?? empty()
  }

  /**
   * Writes an object. Returns the session, or null if it has `maxObjects` others already; an object with more than `maxBytes` of
   * memory is not written either.
   */
  async putObject(
    mock: string,
    session: string,
    { key, object }: { key: string; object: StoredObject },
    { maxObjects, maxBytes }: { maxObjects: number; maxBytes: number },
  ): Promise<SessionMemory | null> {
    const bytes = PROPERTY_BYTES + heldBytes(key) + heldValueBytes(object)
    if (bytes > maxBytes) return null
    let isWritten = true
    const memory = await this.#store.within(mock).update(session, current => {
      const memory = current ?? empty()
      const objects = (memory.objects ??= Object.create(null) as Record<string, StoredObject>)
      const present = objects[key]
      isWritten = present !== undefined || Object.keys(objects).length < maxObjects
      if (!isWritten) return memory
      memory.bytes += bytes - (present === undefined ? 0 : PROPERTY_BYTES + heldBytes(key) + heldValueBytes(present))
      objects[key] = object
      return memory
    })
    return isWritten ? (memory ?? empty()) : null
  }

  /** Deletes a session of all mocks, or everything (null). Returns the number of deleted sessions of mocks. */
  reset(session: string | null): Promise<number> {
    return this.#store.clear((_, key) => session === null || key.slice(key.indexOf('\n') + 1) === session)
  }

  /** Deletes a session of a mock, or all of its sessions. */
  async clear(mock: string, session: string | null): Promise<void> {
    const sessions = this.#store.within(mock)
    if (session !== null) await sessions.delete(session)
    else await sessions.clear()
  }
}

/** Memory of a state value in bytes; 0 if absent. */
function bytesOf(name: string, value: string | null | undefined): number {
  return value === null || value === undefined ? 0 : PROPERTY_BYTES + heldBytes(name) + heldBytes(value)
}

/** Without a prototype, because keys are untrusted. */
function empty(): SessionMemory {
  return {
    state: Object.create(null) as Record<string, string>,
    counts: Object.create(null) as Record<string, number>,
    operations: 0,
    bytes: EMPTY_BYTES,
  }
}
