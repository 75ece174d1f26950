/** Records that a provider keeps for its clients, in a store of the plugin. */
import type { Store } from 'svc/plugin'
import type { Owner } from './documents.ts'

/** A record in a store. Plain data. */
export interface StoredRecord<T> extends Owner {
  value: T
}

/** Records of providers, each with its owner. In public mode, a record exists only for the session that made it. */
export interface OwnedRecords<T> {
  /** Stores a record, or replaces the record with this id. */
  put(owner: Owner, id: string, value: T): Promise<void>
  get(owner: Owner, id: string): Promise<T | undefined>
  /** Replaces the value with the result of `change`, which must be pure; undefined: there is no such record. */
  change(owner: Owner, id: string, change: (value: T) => T): Promise<T | undefined>
  /** Returns whether there was such a record. */
  delete(owner: Owner, id: string): Promise<boolean>
  /** The newest first. */
  list(owner: Owner, limit: number): Promise<{ id: string; value: T }[]>
}

const MAX_ID = 200

export function createOwnedRecords<T>(store: Store<StoredRecord<T>>, isPublic: boolean): OwnedRecords<T> {
  const isOf = (owner: Owner, record: Owner): boolean =>
    record.provider === owner.provider && (!isPublic || record.session === owner.session)
  return {
    async put({ provider, session }, id, value) {
      await store.set(keyOf(provider, id), { provider, session, value }, { group: session })
    },
    async get(owner, id) {
      const found = await store.get(keyOf(owner.provider, id))
      return found !== undefined && isOf(owner, found) ? found.value : undefined
    },
    async change(owner, id, change) {
      const changed = await store.update(keyOf(owner.provider, id), found =>
        found !== undefined && isOf(owner, found) ? { ...found, value: change(found.value) } : found,
      )
      return changed !== undefined && isOf(owner, changed) ? changed.value : undefined
    },
    async delete(owner, id) {
      const key = keyOf(owner.provider, id)
      const found = await store.peek(key)
      return found !== undefined && isOf(owner, found) && store.delete(key)
    },
    async list(owner, limit) {
      const found = await store.list({
        ...(isPublic ? { group: owner.session } : {}),
        limit,
        newestFirst: true,
        where: record => isOf(owner, record),
      })
      return found.map(({ key, value }) => ({ id: key.slice(owner.provider.length + 1), value: value.value }))
    },
  }
}

function keyOf(provider: string, id: string): string {
  return `${provider} ${id.slice(0, MAX_ID)}`
}
