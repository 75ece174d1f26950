/**
 * Owns the list of everything that streams (event streams, streamed bodies, WebSockets) and the one timer behind their
 * heartbeats and lifetimes.
 *
 * One timer aimed at the earliest deadline, rather than two or three for each stream: ten thousand idle streams cost a
 * place in a heap each, and a stream that sends all the time never touches it.
 */
import { AsyncResource } from 'node:async_hooks'
import type { StreamEnd } from '../../contract/plugin.ts'
import { DeadlineQueue, type Deadline } from '../../collections/deadline-queue.ts'

/** What ends a stream from outside. */
export type ForcedEnd = Exclude<StreamEnd, 'done' | 'client'>

/** Something that streams. It leaves the registry when its connection has let go of it. */
export interface OpenStream extends Deadline {
  readonly kind: 'sse' | 'body' | 'websocket'
  /** Number of the generation that serves it. */
  readonly generation: number
  /** Whether it has no end of its own. */
  readonly isEndless: boolean
  /** Ends it the way its protocol does; without effect when it is ending already. */
  forceEnd(reason: ForcedEnd): void
  /** Its deadline has come. It schedules the next one itself. */
  onDue(now: number): void
}

/** Which streams are meant; what is absent does not matter. */
export interface StreamFilter {
  generation?: number
  kind?: OpenStream['kind']
  endless?: boolean
}

/** Where time comes from. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number
  /** Calls back once after so many milliseconds; answers how to prevent that. */
  after(ms: number, callback: () => void): () => void
}

export interface StreamRegistryOptions {
  clock?: Clock
  /** Hears what a farewell or another callback of a stream throws. */
  onError?: (error: unknown) => void
}

const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** Deadlines closer together than this share one wake-up. */
const SHORTEST_WAIT_MS = 2
/** The longest that a Node timer can wait; beyond, it would fire at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

export class StreamRegistry {
  readonly #streams = new Set<OpenStream>()
  readonly #deadlines = new DeadlineQueue<OpenStream>()
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  /** The timer belongs to the process: started from within a plugin's call it would otherwise carry that plugin's name. */
  readonly #ownScope = new AsyncResource('StreamRegistry')
  #wakesAt = Infinity
  #cancelWake = (): void => {}
  #isStopping = false

  constructor(options: StreamRegistryOptions = {}) {
    this.#clock = options.clock ?? systemClock
    this.#onError = options.onError ?? (() => {})
  }

  /** Milliseconds on the registry's clock, for `dueAt`. */
  now(): number {
    return this.#clock.now()
  }

  /** Takes a stream in. An endless one that opens while the process stops is ended once its opener has returned. */
  add(stream: OpenStream): void {
    this.#streams.add(stream)
    if (this.#isStopping && stream.isEndless) process.nextTick(() => stream.forceEnd('stop'))
  }

  /** Strikes a stream off, its deadline included. */
  remove(stream: OpenStream): void {
    this.#streams.delete(stream)
    this.#deadlines.remove(stream)
  }

  /** Sets when `onDue` of a stream is to be called; `Infinity`: never. */
  schedule(stream: OpenStream, dueAt: number): void {
    if (stream.place < 0) {
      stream.dueAt = dueAt
      if (dueAt !== Infinity) this.#deadlines.add(stream)
    } else if (dueAt === Infinity) {
      this.#deadlines.remove(stream)
    } else {
      stream.dueAt = dueAt
      this.#deadlines.moved(stream)
    }
    this.#wake()
  }

  /**
   * Ends what the filter meets: at shutdown the endless ones at once (`endless: true`) and all at the deadline, on
   * reload all those of a generation that has to go.
   */
  endAll(filter: StreamFilter & { reason: ForcedEnd }): void {
    if (filter.reason === 'stop') this.#isStopping = true
    for (const stream of this.#meeting(filter)) stream.forceEnd(filter.reason)
  }

  /** How many are open, those included that have ended and whose last bytes the client has yet to take. */
  count(filter: StreamFilter = {}): number {
    return this.#meeting(filter).length
  }

  /** Hands an error of somebody's callback on. */
  report(error: unknown): void {
    this.#onError(error)
  }

  #meeting({ generation, kind, endless }: StreamFilter): OpenStream[] {
    return [...this.#streams].filter(
      stream =>
        (generation === undefined || stream.generation === generation) &&
        (kind === undefined || stream.kind === kind) &&
        (endless === undefined || stream.isEndless === endless),
    )
  }

  #wake(): void {
    const dueAt = this.#deadlines.first?.dueAt ?? Infinity
    // A timer that rings too early costs less than moving it each time its stream ends.
    if (dueAt >= this.#wakesAt) return
    this.#cancelWake()
    this.#wakesAt = dueAt
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, Math.ceil(dueAt - this.now())))
    this.#cancelWake = this.#ownScope.runInAsyncScope(() => this.#clock.after(waitMs, () => this.#ring()))
  }

  #ring(): void {
    this.#wakesAt = Infinity
    const now = this.now()
    for (
      let stream = this.#deadlines.first;
      stream !== undefined && stream.dueAt <= now;
      stream = this.#deadlines.first
    ) {
      this.#deadlines.remove(stream)
      stream.onDue(now)
    }
    this.#wake()
  }
}
