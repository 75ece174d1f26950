/** Records that a provider keeps for its clients, in a store of the plugin. */
import type { Store } from 'svc/plugin'
import { ownedKeys, type Owner } from './owner.ts'

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

export function createOwnedRecords<T>(store: Store<StoredRecord<T>>, isPublic: boolean): OwnedRecords<T> {
  const keyOf = ownedKeys(isPublic)
  const isOf = (owner: Owner, record: Owner): boolean =>
    record.provider === owner.provider && (!isPublic || record.session === owner.session)
  return {
    async put({ provider, session }, id, value) {
      await store.set(keyOf({ provider, session }, id), { provider, session, value }, { group: session })
    },
    async get(owner, id) {
      const found = await store.get(keyOf(owner, id))
      return found !== undefined && isOf(owner, found) ? found.value : undefined
    },
    async change(owner, id, change) {
      const changed = await store.update(keyOf(owner, id), found =>
        found !== undefined && isOf(owner, found) ? { ...found, value: change(found.value) } : found,
      )
      return changed !== undefined && isOf(owner, changed) ? changed.value : undefined
    },
    async delete(owner, id) {
      const key = keyOf(owner, id)
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
      const before = keyOf(owner, '').length
      return found.map(({ key, value }) => ({ id: key.slice(before), value: value.value }))
    },
  }
}
