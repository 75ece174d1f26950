/** The progress of one build: which plugin it waits for, how long it may wait, and whether a newer change replaces it. */
import type { Log } from '../log/log.ts'
import { MAX_RUN_MS, runLimited } from './time-limit.ts'

/** Time limits for registering a plugin, in milliseconds. */
export interface RegisterTimes {
  /** Log a warning and continue to wait. */
  warn: number
  /** Fail the plugin, because it blocks the others. Long enough for a busy machine. */
  timeout: number
  /** How long its code may run without a pause. Default: 10 s. */
  run?: number
}

/** What is shown of a build that waits for a plugin. */
export interface Building {
  since: Date
  plugin: string
}

/** A newer change replaced the build. */
export class BuildAbandoned extends Error {}

interface Step {
  plugin: string
  startedAt: number
  interrupt(error: Error): void
}

const REGISTER_TIMES: RegisterTimes = { warn: 10_000, timeout: 120_000 }
/** A plugin that takes longer than this, in milliseconds, keeps newer changes waiting. */
const PATIENCE_MS = 1_000

export class BuildProgress {
  readonly #since = new Date()
  readonly #times: RegisterTimes
  #step: Step | null = null
  #isSuperseded = false

  constructor(times: RegisterTimes = REGISTER_TIMES) {
    this.#times = times
  }

  /** Null unless a plugin takes longer than usual. */
  get waiting(): Building | null {
    const step = this.#step
    if (step === null || performance.now() - step.startedAt < PATIENCE_MS) return null
    return { since: this.#since, plugin: step.plugin }
  }

  /** Abandons the build as soon as a plugin has kept it waiting for a second. */
  supersede(): void {
    this.#isSuperseded = true
    if (this.#step !== null) this.#abandonLater(this.#step)
  }

  /** Runs a step of a plugin. Rejects if it takes too long, or with `BuildAbandoned`. */
  async run<T>(plugin: string, what: string, log: Log, work: () => T | Promise<T>): Promise<T> {
    const { warn, timeout, run = MAX_RUN_MS } = this.#times
    let interrupt!: (error: Error) => void
    const interrupted = new Promise<never>((_, reject) => {
      interrupt = reject
    })
    const step: Step = { plugin, startedAt: performance.now(), interrupt }
    interrupted.catch(() => {})
    this.#step = step
    const warning = setTimeout(() => log.warn('plugin is slow to start', { step: what, seconds: warn / 1000 }), warn)
    const end = setTimeout(() => interrupt(new Error(`${what} took longer than ${timeout / 1000} s`)), timeout)
    if (this.#isSuperseded) this.#abandonLater(step)
    try {
      return await Promise.race([runLimited(run, what, work), interrupted])
    } finally {
      this.#step = null
      clearTimeout(warning)
      clearTimeout(end)
    }
  }

  #abandonLater({ plugin, startedAt, interrupt }: Step): void {
    const remainingMs = startedAt + PATIENCE_MS - performance.now()
    setTimeout(
      () => interrupt(new BuildAbandoned(`a newer change replaced the build that waited for ${plugin}`)),
      Math.max(remainingMs, 0),
    ).unref()
  }
}
