/** A store that every request reads: each replica has its entries in memory, so that reads need no store. */
import type { Svc } from '../contract/plugin.ts'
import type { Channel, ChannelHandler } from '../contract/replication.ts'
import { StateUnavailable, type Store } from '../contract/state.ts'

/** The operations of a mirrored store. Another replica reads a change when its writer's promise has resolved. */
export type MirroredStore<T> = Pick<Store<T>, 'get' | 'peek' | 'set' | 'add' | 'update' | 'delete'>

type Changed = { key: string }

/** Mirrors a store with `watched: true`. `openChannel` opens a channel to the other replicas. */
export function mirrorStore<T>(
  svc: Pick<Svc, 'whenRegistered' | 'whenClosed'>,
  store: Store<T>,
  openChannel: (handler: ChannelHandler<Changed, null>) => Channel<Changed, null>,
): MirroredStore<T> {
  const entries = new Map<string, T>()
  let isLoaded = false
  /** Reads follow each other, so that an older value never replaces a newer one. */
  let reads: Promise<unknown> = Promise.resolve()
  const inTurn = (read: () => Promise<void>): Promise<void> => {
    const done = reads.then(read).catch((error: unknown) => {
      // The subscription is reset when the store is back.
      if (!(error instanceof StateUnavailable)) throw error
    })
    reads = done.catch(() => {})
    return done
  }
  const load = (): Promise<void> =>
    inTurn(async () => {
      const stored = await store.list()
      entries.clear()
      for (const { key, value } of stored) entries.set(key, value)
      isLoaded = true
    })
  const refresh = (key: string): Promise<void> =>
    inTurn(async () => {
      const value = await store.peek(key)
      if (value === undefined) entries.delete(key)
      else entries.set(key, value)
    })
  const channel = openChannel({
    on: async ({ key }) => {
      await refresh(key)
      return null
    },
  })
  const changed = async <R>(key: string, change: Promise<R>): Promise<R> => {
    const result = await change
    await channel.tell({ key })
    return result
  }
  svc.whenClosed(store.subscribe(change => void (change.kind === 'reset' ? load() : refresh(change.key))))
  svc.whenRegistered(load)
  const read = async (key: string): Promise<T | undefined> => {
    const kept = entries.get(key)
    if (isLoaded || kept !== undefined) return kept
    try {
      return await store.peek(key)
    } catch (error) {
      if (error instanceof StateUnavailable) return undefined
      throw error
    }
  }
  return {
    get: read,
    peek: read,
    set: (key, value, options) => changed(key, store.set(key, value, options)),
    add: (key, value, options) => changed(key, store.add(key, value, options)),
    update: (key, change, options) => changed(key, store.update(key, change, options)),
    delete: key => changed(key, store.delete(key)),
  }
}
