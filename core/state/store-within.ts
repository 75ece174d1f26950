/** A store within a store: the entries of one group, under keys of their own. */
import type { PutOptions, Store, StoreChange } from '../contract/state.ts'

/** Between the group and the key. */
const SEPARATOR = '\n'

/** What `Store.within` returns. Throws if the group contains a line feed, since its keys would not be unique. */
export function storeWithin<T>(store: Store<T>, group: string): Store<T> {
  if (group.includes(SEPARATOR)) throw new TypeError('a group of a store must not contain a line feed')
  return new StoreWithin(store, group)
}

class StoreWithin<T> implements Store<T> {
  readonly #store: Store<T>
  readonly #group: string
  readonly #prefix: string

  constructor(store: Store<T>, group: string) {
    this.#store = store
    this.#group = group
    this.#prefix = group + SEPARATOR
  }

  get(key: string): Promise<T | undefined> {
    return this.#store.get(this.#prefix + key)
  }

  peek(key: string): Promise<T | undefined> {
    return this.#store.peek(this.#prefix + key)
  }

  set(key: string, value: T, options?: PutOptions): Promise<void> {
    return this.#store.set(this.#prefix + key, value, this.#grouped(options))
  }

  add(key: string, value: T, options?: PutOptions): Promise<boolean> {
    return this.#store.add(this.#prefix + key, value, this.#grouped(options))
  }

  take(key: string): Promise<T | undefined> {
    return this.#store.take(this.#prefix + key)
  }

  update(key: string, change: (current: T | undefined) => T | undefined, options?: PutOptions): Promise<T | undefined> {
    return this.#store.update(this.#prefix + key, change, this.#grouped(options))
  }

  increment(this: StoreWithin<number>, key: string, by?: number, options?: PutOptions): Promise<number> {
    return this.#store.increment(this.#prefix + key, by, this.#grouped(options))
  }

  delete(key: string): Promise<boolean> {
    return this.#store.delete(this.#prefix + key)
  }

  async list({ where, ...options }: Parameters<Store<T>['list']>[0] = {}): Promise<{ key: string; value: T }[]> {
    const entries = await this.#store.list({
      ...options,
      group: this.#group,
      ...(where && { where: (value: T, key: string) => where(value, this.#keyIn(key)) }),
    })
    return entries.map(({ key, value }) => ({ key: this.#keyIn(key), value }))
  }

  clear(where: (value: T, key: string) => boolean = () => true): Promise<number> {
    return this.#store.clear((value, key) => key.startsWith(this.#prefix) && where(value, this.#keyIn(key)))
  }

  count(): Promise<number> {
    return this.#store.count({ group: this.#group })
  }

  bytes(): Promise<number> {
    return this.#store.bytes()
  }

  subscribe(listener: (change: StoreChange<T>) => void): () => void {
    return this.#store.subscribe(change => {
      if (change.kind === 'reset') listener(change)
      else if (change.key.startsWith(this.#prefix)) listener({ ...change, key: this.#keyIn(change.key) })
    })
  }

  within(): never {
    throw new TypeError('a group of a store has no groups')
  }

  #keyIn(key: string): string {
    return key.slice(this.#prefix.length)
  }

  #grouped(options: PutOptions | undefined): PutOptions {
    return { ...options, group: this.#group }
  }
}
