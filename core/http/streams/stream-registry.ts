/**
 * The registry of everything that streams (event streams, streamed bodies, WebSockets), and the one timer for their
 * heartbeats and lifetimes.
 *
 * One timer is set to the earliest deadline, instead of two or three timers per stream: ten thousand idle streams each
 * cost a heap slot, and a stream that sends all the time never touches the timer.
 */
import { AsyncResource } from 'node:async_hooks'
import type { StreamEnd } from '../../contract/plugin.ts'
import { DeadlineQueue, type Deadline } from '../../collections/deadline-queue.ts'
import { systemClock, type Clock } from '../../limits/clock.ts'

/** Reasons to end a stream from outside. */
export type ForcedEnd = Exclude<StreamEnd, 'done' | 'client'>

/** An open stream. It leaves the registry when its connection releases it. */
export interface OpenStream extends Deadline {
  readonly kind: 'sse' | 'body' | 'websocket'
  /** Number of the generation that serves it. */
  readonly generation: number
  /** Whether it has no natural end. */
  readonly isEndless: boolean
  /** Ends it as its protocol requires; no effect if it is already ending. */
  forceEnd(reason: ForcedEnd): void
  /** Called at its deadline. It schedules the next one itself. */
  onDue(now: number): void
}

/** Selects streams; absent fields match everything. */
export interface StreamFilter {
  generation?: number
  kind?: OpenStream['kind']
  endless?: boolean
}

export interface StreamRegistryOptions {
  clock?: Clock
  /** Receives exceptions of stream callbacks. */
  onError?: (error: unknown) => void
}

/** Deadlines closer together than this share one wake-up. */
const SHORTEST_WAIT_MS = 2
/** The longest delay of a Node timer; a longer one would fire at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

export class StreamRegistry {
  readonly #streams = new Set<OpenStream>()
  readonly #deadlines = new DeadlineQueue<OpenStream>()
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  /**
   * The timer belongs to the process: started within a call of a plugin it would otherwise carry the name of that
   * plugin.
   */
  readonly #ownScope = new AsyncResource('StreamRegistry')
  #wakesAt = Infinity
  #cancelWake = (): void => {}
  #isStopping = false

  constructor(options: StreamRegistryOptions = {}) {
    this.#clock = options.clock ?? systemClock
    this.#onError = options.onError ?? (() => {})
  }

  /** Milliseconds on the clock of the registry, for `dueAt`. */
  now(): number {
    return this.#clock.now()
  }

  /** Adds a stream. An endless one that opens during shutdown is ended after its opener has returned. */
  add(stream: OpenStream): void {
    this.#streams.add(stream)
    if (this.#isStopping && stream.isEndless) process.nextTick(() => stream.forceEnd('stop'))
  }

  /** Removes a stream and its deadline. */
  remove(stream: OpenStream): void {
    this.#streams.delete(stream)
    this.#deadlines.remove(stream)
  }

  /** Sets when `onDue` of a stream is called; `Infinity` means never. */
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
   * Ends matching streams: at shutdown the endless ones at once (`endless: true`) and all at the deadline; on reload
   * all streams of a generation that has to end.
   */
  endAll(filter: StreamFilter & { reason: ForcedEnd }): void {
    if (filter.reason === 'stop') this.#isStopping = true
    for (const stream of this.#meeting(filter)) stream.forceEnd(filter.reason)
  }

  /** Number of open streams, including ended ones with unread bytes. */
  count(filter: StreamFilter = {}): number {
    return this.#meeting(filter).length
  }

  /** Reports an error of a callback. */
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
    // A timer that fires too early costs less than rescheduling it whenever its stream ends.
    if (dueAt >= this.#wakesAt) return
    this.#cancelWake()
    this.#wakesAt = dueAt
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, Math.ceil(dueAt - this.now())))
    this.#cancelWake = this.#ownScope.runInAsyncScope(() => this.#clock.after(waitMs, () => this.#onTimer()))
  }

  #onTimer(): void {
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
