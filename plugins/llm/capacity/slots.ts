/** The slots of a provider: generations that run at once, and the queue of those that wait. */

/** The load of a provider, as an inference engine reports it. */
export interface ProviderLoad {
  /** Generations. */
  running: number
  waiting: number
  /** Share of the KV cache that running generations use, or the stated one; 1 is all. */
  kvCacheUsage: number
}

export interface CapacitySettings {
  slots: number
  queue: number
  queueTimeoutMs: number
  /** Kind of the error when the queue is full. */
  full: 'overloaded' | 'unavailable' | 'rate_limit'
  /** How much slower a generation is when all slots are in use. */
  loadFactor: number
}

/** Without slots, all generations run at once. */
export const UNLIMITED: CapacitySettings = {
  slots: Infinity,
  queue: 0,
  queueTimeoutMs: 0,
  full: 'overloaded',
  loadFactor: 1,
}

/** Thrown if no slot becomes free. */
export class NoCapacity extends Error {
  readonly retryAfterSecs: number
  constructor(retryAfterSecs: number) {
    super('no capacity')
    this.retryAfterSecs = retryAfterSecs
  }
}

/** A running generation. */
export interface Slot {
  readonly model: string
  /** Generations that were running when it began, with itself. */
  readonly running: number
  /** How much slower it is because of them; at least 1. */
  readonly factor: number
  /** When it is planned to end, on the clock of `performance.now`. */
  plannedEndAt: number | null
  /** Tokens of its prompt and reply. */
  tokens: number
  /** Gives the slot to the next in the queue. Further calls do nothing. */
  release(): void
}

interface Waiting {
  readonly model: string
  start(slot: Slot): void
}

const MAX_RETRY_SECS = 60

export class Slots {
  readonly settings: CapacitySettings
  readonly kvTokens: number
  readonly #running = new Set<Slot>()
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()

  /** `kvTokens`: what the KV cache holds. */
  constructor(settings: CapacitySettings, kvTokens = Infinity) {
    this.settings = settings
    this.kvTokens = kvTokens
  }

  /** The load that generations really cause. */
  load(): ProviderLoad {
    return {
      running: this.#running.size,
      waiting: this.#waiting.size,
      kvCacheUsage: Math.min(1, this.tokens / this.kvTokens),
    }
  }

  get running(): number {
    return this.#running.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Tokens of all running generations. */
  get tokens(): number {
    let sum = 0
    for (const slot of this.#running) sum += slot.tokens
    return sum
  }

  /** The models of all generations that are running or waiting. */
  models(of: 'running' | 'waiting'): string[] {
    return [...(of === 'running' ? this.#running : this.#waiting)].map(({ model }) => model)
  }

  /** A slot, now or after waiting; null if the client leaves the queue. Throws `NoCapacity`, also later. */
  enter(model: string, signal: () => AbortSignal): Slot | Promise<Slot | null> {
    const { slots, queue } = this.settings
    if (this.#running.size < slots) return this.#start(model)
    if (this.#waiting.size >= queue) throw this.refusal()
    return this.#wait(model, signal())
  }

  /** How much slower a generation is if this number runs, with itself. */
  factorFor(running: number): number {
    const { slots, loadFactor } = this.settings
    if (slots === Infinity) return 1
    const share = (Math.min(running, slots) - 1) / Math.max(1, slots - 1)
    return Math.min(loadFactor, 1 + (loadFactor - 1) * share)
  }

  /** Names the time until the earliest slot is planned to be free. */
  refusal(): NoCapacity {
    const now = performance.now()
    let earliest = Infinity
    for (const { plannedEndAt } of this.#running) earliest = Math.min(earliest, plannedEndAt ?? now)
    const secs = earliest === Infinity ? 1 : Math.ceil((earliest - now) / 1000)
    return new NoCapacity(Math.min(MAX_RETRY_SECS, Math.max(1, secs)))
  }

  #start(model: string): Slot {
    const running = this.#running.size + 1
    const slot: Slot = {
      model,
      running,
      factor: this.factorFor(running),
      plannedEndAt: null,
      tokens: 0,
      release: () => {
        if (this.#running.delete(slot)) this.#startNext()
      },
    }
    this.#running.add(slot)
    return slot
  }

  #startNext(): void {
    const [next] = this.#waiting
    if (next === undefined || this.#running.size >= this.settings.slots) return
    this.#waiting.delete(next)
    next.start(this.#start(next.model))
  }

  #wait(model: string, signal: AbortSignal): Promise<Slot | null> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        stopWaiting()
        resolve(null)
      }
      const timer = setTimeout(() => {
        stopWaiting()
        reject(this.refusal())
      }, this.settings.queueTimeoutMs)
      const stopWaiting = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(waiting)
      }
      const waiting: Waiting = {
        model,
        start(slot) {
          stopWaiting()
          resolve(slot)
        },
      }
      if (signal.aborted) {
        clearTimeout(timer)
        return resolve(null)
      }
      this.#waiting.add(waiting)
      signal.addEventListener('abort', leave)
    })
  }
}

/** How a generation runs among others. */
export interface Load {
  /** Its slot; null if the load is simulated. */
  slot: Slot | null
  factor: number
  /** For `X-Svc-Timing`; null without a limit. */
  shown: { running: number; slots: number } | null
  /** Own lengths that it waits before it begins, as the simulated queue is that long. */
  waitsLengths: number
}
