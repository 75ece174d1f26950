/** Captured requests, newest first: bounded, updated a few times per second, and held back while paused. */
import { signal } from '@preact/signals'
import { announce } from '../shell/announce.ts'
import { LOOK_UP, CONSOLE_HEADER } from '../instance/gateway.ts'
import { headerOf, type Entry } from '../protocol/http.ts'

const MAX_ROWS = 1000
/** Minimum time between two updates: more often than people can read costs the page its responsiveness. */
const UPDATE_MS = 100
/** Minimum time between two announcements of new traffic. */
const ANNOUNCE_MS = 5000

export class LiveEntries {
  readonly entries = signal<readonly Entry[]>([])
  /** Whether new requests wait instead of moving the list. */
  readonly isPaused = signal(false)
  /** Number of waiting requests. */
  readonly held = signal(0)
  /** Called before each update; true keeps the list still, for example during a text selection. */
  isBusy: () => boolean = () => false

  #isAnnounced: boolean
  #waiting: Entry[] = []
  #isScheduled = false
  #updatedAt = -Infinity
  #toAnnounce = 0
  #announcedAt = 0
  #announcing: ReturnType<typeof setTimeout> | undefined

  /** `isAnnounced`: new entries are announced to screen readers. */
  constructor({ isAnnounced = true }: { isAnnounced?: boolean } = {}) {
    this.#isAnnounced = isAnnounced
  }

  /** Adds entries, oldest first. */
  push(entries: readonly Entry[]): void {
    // Requests that load data for the page are not shown.
    this.#waiting.push(...entries.filter(({ headers }) => headerOf(headers, CONSOLE_HEADER) !== LOOK_UP))
    if (this.#waiting.length > MAX_ROWS) this.#waiting = this.#waiting.slice(-MAX_ROWS)
    this.#schedule()
  }

  /** More is known of an entry; one that is not in the list is not added. */
  update(entry: Entry): void {
    const replace = (entries: readonly Entry[]): Entry[] =>
      entries.map(known => (known.id === entry.id ? entry : known))
    this.#waiting = replace(this.#waiting)
    this.entries.value = replace(this.entries.peek())
  }

  pause(isPaused: boolean): void {
    this.isPaused.value = isPaused
    this.#schedule()
  }

  clear(where: (entry: Entry) => boolean = () => true): void {
    this.#waiting = this.#waiting.filter(entry => !where(entry))
    this.entries.value = this.entries.peek().filter(entry => !where(entry))
    this.held.value = this.isPaused.peek() ? this.#waiting.length : 0
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const update = () =>
      requestAnimationFrame(() => {
        this.#isScheduled = false
        this.#updatedAt = performance.now()
        this.#flush()
      })
    const wait = this.#updatedAt + UPDATE_MS - performance.now()
    if (wait <= 0) update()
    else setTimeout(update, wait)
  }

  #flush(): void {
    if (this.isPaused.peek() || this.isBusy()) {
      this.held.value = this.#waiting.length
      if (!this.isPaused.peek()) this.#schedule()
      return
    }
    this.held.value = 0
    if (this.#waiting.length === 0) return
    const known = new Set(this.entries.peek().map(({ id }) => id))
    const fresh = this.#waiting.filter(({ id }) => !known.has(id)).reverse()
    this.#waiting = []
    this.entries.value = [...fresh, ...this.entries.peek()].slice(0, MAX_ROWS)
    if (this.#isAnnounced) this.#announce(fresh.length)
  }

  #announce(count: number): void {
    this.#toAnnounce += count
    if (this.#announcing !== undefined) return
    this.#announcing = setTimeout(
      () => {
        this.#announcing = undefined
        announce(`${this.#toAnnounce} new request${this.#toAnnounce === 1 ? '' : 's'}`)
        this.#toAnnounce = 0
        this.#announcedAt = Date.now()
      },
      Math.max(0, this.#announcedAt + ANNOUNCE_MS - Date.now()),
    )
  }
}
