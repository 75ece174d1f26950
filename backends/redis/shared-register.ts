/** `svc.replicated` with a shared store: each replica keeps the value, and the store decides which one counts. */
import type { Replicated, ReplicatedOptions } from '../../core/contract/plugin.ts'
import { StateUnavailable } from '../../core/contract/state.ts'
import { assertRegisterSize } from '../../core/state/register.ts'
import { READ_REGISTER, WRITE_REGISTER } from './membership-scripts.ts'
import type { StoreConnection } from './store-connection.ts'
import type { ValueCodec } from './value-codec.ts'

const MAX_LOSSES = 20

export interface SharedRegisterOptions {
  connection: StoreConnection
  /** Beginning of the keys of the deployment. */
  key: string
  /** Name in the deployment, such as `identity/signing-key.1`. */
  name: string
  /** Beginning of messages, such as `register "keys" of plugin tally`. */
  what: string
  codec: ValueCodec
  /** Announces a version to all replicas. Resolves when they have it, or are too slow. */
  announce(name: string, version: string): Promise<void>
  onError(error: unknown): void
}

export class SharedRegister<T> implements Replicated<T> {
  /** Resolves once the value is set; rejects with the error of `initial`. */
  readonly ready: Promise<void>
  readonly #initial: ReplicatedOptions<T>['initial']
  readonly #options: SharedRegisterOptions
  readonly #listeners = new Set<{ call: (value: T) => void }>()
  #held: { value: T; text: string; version: string } | null = null
  #loading: Promise<void> = Promise.resolve()
  #updates: Promise<unknown>

  constructor({ initial }: ReplicatedOptions<T>, options: SharedRegisterOptions) {
    this.#initial = initial
    this.#options = options
    this.ready = this.#start()
    this.#updates = this.ready.catch(() => {})
  }

  get current(): T {
    if (this.#held === null) throw new Error(`${this.#options.what} is read before svc.whenRegistered`)
    return this.#held.value
  }

  update(change: (value: T) => T): Promise<T> {
    const updated = this.#updates.then(() => this.#change(change))
    this.#updates = updated.catch(() => {})
    return updated
  }

  subscribe(listener: (value: T) => void): () => void {
    const own = { call: listener }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Reads the value if the store has another version than this one. */
  async follow(version: string | undefined): Promise<void> {
    if (this.#held === null || version === this.#held.version) return
    this.#loading = this.#loading.then(() => this.#load(version)).catch(error => this.#report(error))
    await this.#loading
  }

  /** Stores the value again if the store has none. */
  async restore(): Promise<void> {
    const held = this.#held
    if (held === null) return
    const version = held.version === '0' ? '1' : held.version
    await this.#write(held.text, '0', version)
  }

  async #start(): Promise<void> {
    const { connection } = this.#options
    const isUp = await connection.whenStarted()
    const stored = isUp ? await this.#read().catch(() => null) : null
    if (stored !== null) return this.#adopt(stored)
    const text = this.#encode(await this.#initial())
    try {
      await this.#write(text, '0', '1')
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error
      // The store gets it as soon as it is available, unless it has another one.
      this.#adopt([text, '0'])
    }
  }

  async #change(change: (value: T) => T): Promise<T> {
    for (let losses = 0; losses < MAX_LOSSES; losses++) {
      const { text: before, version } = this.#held!
      const text = this.#encode(change(this.#decode(before)))
      const next = String(Number(version) + 1)
      if (!(await this.#write(text, version, next))) continue
      await this.#options.announce(this.#options.name, next)
      return this.current
    }
    throw new StateUnavailable('contended')
  }

  async #load(version: string | undefined): Promise<void> {
    if (version !== undefined && version === this.#held?.version) return
    const stored = await this.#read()
    if (stored === null) await this.restore()
    else this.#adopt(stored)
  }

  #adopt([text, version]: [string, string]): void {
    const before = this.#held
    if (before !== null && before.version === version && before.text === text) return
    const value = this.#decode(text)
    this.#held = { value, text, version }
    if (before === null) return
    for (const { call } of this.#listeners) {
      try {
        call(value)
      } catch (error) {
        this.#options.onError(error)
      }
    }
  }

  async #read(): Promise<[string, string] | null> {
    const { connection, key, name } = this.#options
    return (await connection.run('_core/registers', 'get', READ_REGISTER, `${key}:g`, [name])) as
      | [string, string]
      | null
  }

  /** Writes and keeps the value if the store has the expected version; otherwise keeps what it has. */
  async #write(text: string, expected: string, version: string): Promise<boolean> {
    const { connection, key, name } = this.#options
    const [outcome, found, foundVersion] = (await connection.run('_core/registers', 'set', WRITE_REGISTER, `${key}:g`, [
      name,
      text,
      expected,
      version,
    ])) as [number, string, string]
    this.#adopt([found, foundVersion])
    return outcome === 1
  }

  #encode(value: T): string {
    const { codec, name, what } = this.#options
    assertRegisterSize(codec.copy(value), what)
    return codec.encode(value, name)
  }

  #decode(text: string): T {
    const { codec, name, what } = this.#options
    const value = codec.decode(text, name) as T | undefined
    if (value === undefined)
      throw new StateUnavailable('away', `${what} can't be decrypted: SVC_STATE_STORE_SECRET differs between replicas`)
    return freeze(value)
  }

  #report(error: unknown): void {
    if (!(error instanceof StateUnavailable)) this.#options.onError(error)
  }
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}
