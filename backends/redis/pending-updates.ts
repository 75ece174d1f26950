/**
 * Optimistic updates of a shared store: read, change, and write if nobody else has written. Changes of one key that wait in
 * this process are applied in turn and written once, so writers of a busy key are as many as replicas, not requests.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AppendedEntry, PutOptions } from '../../core/contract/plugin.ts'
import { StateUnavailable } from '../../core/contract/state.ts'
import { BoundedMap } from '../../core/collections/bounded-map.ts'

/** Lost races before an update gives up. */
const MAX_LOSSES = 20
/** Longest pause of a writer after a write that won a race, in milliseconds. */
const PAUSE_MS = 4
/** Number of entries whose last written text is remembered, and the length of such a text. */
const MAX_REMEMBERED = 500
const MAX_REMEMBERED_LENGTH = 16_384

/** The text of a value in the store. Version 0 is an absent entry. */
export interface Versioned {
  text: string
  version: number
}

/** `current` is the value of the writer that was faster. `isContended`: another writer has lost a race to the version before. */
export type WriteOutcome = { written: Versioned | null; isContended: boolean } | { current: Versioned | null }

export interface PendingUpdatesOptions<T> {
  timeoutMs: number
  onRetry(): void
  entryOf(key: string): string
  read(entry: string): Promise<Versioned | null>
  /** Writes if the entry has the expected version; otherwise returns the current one. */
  write(
    key: string,
    value: T | undefined,
    expected: number,
    options: PutOptions,
    appended: readonly AppendedEntry[],
  ): Promise<WriteOutcome>
  decode(text: string, entry: string): T | undefined
  /** Copies a value. Throws a TypeError if it is not JSON. */
  copy(value: T): T
}

interface Job<T> {
  change(current: T | undefined): T | undefined
  options: PutOptions
  resolve(value: T | undefined): void
  reject(error: unknown): void
}

export class PendingUpdates<T> {
  readonly #options: PendingUpdatesOptions<T>
  readonly #waiting = new Map<string, Job<T>[]>()
  readonly #remembered = new BoundedMap<Versioned>(MAX_REMEMBERED)

  constructor(options: PendingUpdatesOptions<T>) {
    this.#options = options
  }

  add(key: string, change: Job<T>['change'], options: PutOptions): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const job = { change, options, resolve, reject }
      const waiting = this.#waiting.get(key)
      if (waiting !== undefined) return void waiting.push(job)
      this.#waiting.set(key, [job])
      void this.#work(key)
    })
  }

  async #work(key: string): Promise<void> {
    const waiting = this.#waiting.get(key)!
    while (waiting.length > 0) {
      const [first] = waiting
      const end = waiting.findIndex(({ options }) => !isSame(options, first!.options))
      const jobs = waiting.splice(0, end < 0 ? waiting.length : end)
      try {
        // A writer that always writes again at once would win each time.
        if (await this.#perform(key, jobs)) await pause(PAUSE_MS * Math.random())
      } catch (error) {
        for (const { reject } of jobs) reject(error)
      }
    }
    this.#waiting.delete(key)
  }

  /** Returns whether other writers have lost races meanwhile. */
  async #perform(key: string, jobs: readonly Job<T>[]): Promise<boolean> {
    const { read, write, entryOf, timeoutMs, onRetry } = this.#options
    const entry = entryOf(key)
    const endsAt = performance.now() + timeoutMs
    let base = this.#remembered.get(key) ?? null
    let isGuess = base !== null
    if (!isGuess) base = await read(entry)
    for (let losses = 0; losses < MAX_LOSSES; losses++) {
      if (losses > 0 && performance.now() > endsAt) break
      const applied = this.#apply(jobs, base, entry)
      // What is remembered may be out of date: only a written result proves that it was not.
      if (isGuess && applied.failed.length > 0) {
        base = await read(entry)
        isGuess = false
        continue
      }
      if (applied.done.length === 0 || (base === null && applied.value === undefined)) {
        reportAll(applied)
        return false
      }
      const outcome = await write(key, applied.value, base?.version ?? 0, jobs[0]!.options, applied.appended)
      if ('written' in outcome) {
        this.remember(key, outcome.written)
        reportAll(applied)
        return outcome.isContended
      }
      onRetry()
      base = outcome.current
      isGuess = false
    }
    this.#remembered.delete(key)
    throw new StateUnavailable('contended')
  }

  /** Applies the changes in turn. One that throws leaves the value as it is. */
  #apply(jobs: readonly Job<T>[], base: Versioned | null, entry: string) {
    const done: (() => void)[] = []
    const failed: (() => void)[] = []
    const appended: AppendedEntry[] = []
    let value = base === null ? undefined : this.#options.decode(base.text, entry)
    for (const { change, options, resolve, reject } of jobs) {
      try {
        const result = change(value)
        // Each caller owns what it gets.
        const own = result === undefined ? undefined : this.#options.copy(result)
        value = result
        if (result !== undefined && options.append !== undefined) appended.push(...[options.append].flat())
        done.push(() => resolve(own))
      } catch (error) {
        failed.push(() => reject(error))
      }
    }
    return { value, done, failed, appended }
  }

  /** The next update of the key tries with this value, without reading it. */
  remember(key: string, written: Versioned | null): void {
    if (written !== null && written.text.length <= MAX_REMEMBERED_LENGTH) this.#remembered.set(key, written)
    else this.#remembered.delete(key)
  }
}

function reportAll({ done, failed }: { done: (() => void)[]; failed: (() => void)[] }): void {
  for (const report of [...done, ...failed]) report()
}

function isSame(left: PutOptions, right: PutOptions): boolean {
  return left.group === right.group && left.ttlMs === right.ttlMs && left.spare === right.spare
}
