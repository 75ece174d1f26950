/** A store for tests that enforces the rules of shared stores (`strictState`). */
import type { PutOptions, Store, StoreChange } from '../contract/plugin.ts'
import { copyJson } from './json-values.ts'
import { storeWithin } from './store-within.ts'

/** Checks and copies values when they are written and read, and runs `change` functions twice. */
export class StrictStore<T> implements Store<T> {
  readonly #store: Store<T>
  readonly #what: string

  /** `what` is the beginning of TypeError messages. */
  constructor(store: Store<T>, what: string) {
    this.#store = store
    this.#what = what
  }

  async get(key: string): Promise<T | undefined> {
    return this.#copy(await this.#store.get(key))
  }

  async peek(key: string): Promise<T | undefined> {
    return this.#copy(await this.#store.peek(key))
  }

  async set(key: string, value: T, options?: PutOptions): Promise<void> {
    return this.#store.set(key, this.#checked(value), options)
  }

  async add(key: string, value: T, options?: PutOptions): Promise<boolean> {
    return this.#store.add(key, this.#checked(value), options)
  }

  async take(key: string): Promise<T | undefined> {
    return this.#copy(await this.#store.take(key))
  }

  async update(
    key: string,
    change: (current: T | undefined) => T | undefined,
    options?: PutOptions,
  ): Promise<T | undefined> {
    const changed = await this.#store.update(
      key,
      current => {
        change(this.#copy(current))
        return this.#copy(change(this.#copy(current)))
      },
      options,
    )
    return this.#copy(changed)
  }

  increment(this: StrictStore<number>, key: string, by?: number, options?: PutOptions): Promise<number> {
    return this.#store.increment(key, by, options)
  }

  delete(key: string): Promise<boolean> {
    return this.#store.delete(key)
  }

  async list(options: Parameters<Store<T>['list']>[0] = {}): Promise<{ key: string; value: T }[]> {
    return (await this.#store.list(options)).map(({ key, value }) => ({ key, value: this.#checked(value) }))
  }

  clear(where?: (value: T, key: string) => boolean): Promise<number> {
    return this.#store.clear(where)
  }

  count(options?: { group?: string }): Promise<number> {
    return this.#store.count(options)
  }

  bytes(): Promise<number> {
    return this.#store.bytes()
  }

  subscribe(listener: (change: StoreChange<T>) => void): () => void {
    return this.#store.subscribe(change =>
      listener(change.kind === 'reset' ? change : { ...change, value: this.#checked(change.value) }),
    )
  }

  within(group: string): Store<T> {
    return storeWithin(this, group)
  }

  #copy(value: T | undefined): T | undefined {
    return value === undefined ? undefined : this.#checked(value)
  }

  #checked(value: T): T {
    return copyJson(value, this.#what)
  }
}
