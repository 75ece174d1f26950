/**
 * Budgets: whatever a request makes the service produce or compute is paid from one, so that no request can stop or fill
 * the process, however its inputs multiply. `docs/hardening.md` has the table of budgets.
 */
import type { AnyRequest } from './http.ts'
import { jsonChunks } from './json-chunks.ts'
import { ownTurn } from './turns.ts'

/** The values of the `SVC_BUDGET_*` variables. */
export interface Budgets {
  /** Bytes of one generated answer, counted before it is rendered. */
  outputBytes: number
  /** Steps of one evaluation of conditions; 100 million are worth about a second of processor time. */
  steps: number
  /** Unsent bytes of one stream, above which its writer waits. */
  unsentStreamBytes: number
  /** Unsent bytes of one client, above which those of its streams end that are hardly read, the slowest first. */
  unsentClientBytes: number
  /** Unsent bytes of all streams; and the same again for large answers that are being made or sent. */
  unsentTotalBytes: number
  /** Streams that one HTTP/2 connection may have open. It is announced to clients, which then wait or open another connection. */
  http2Streams: number
  /** Milliseconds of work after which a loop yields to the event loop. */
  workMs: number
}

/** Thrown when a generated answer would exceed `Budgets.outputBytes`. It becomes a 400 in the format of the route. */
export class OutputTooLarge extends Error {
  readonly code = 'SVC_OUTPUT_TOO_LARGE'
  readonly statusCode = 400
  /** Bytes. */
  readonly limit: number
  constructor(limit: number) {
    super(`the answer would have more than ${limit} bytes (SVC_BUDGET_OUTPUT_BYTES)`)
    this.limit = limit
  }
}

/** Thrown when large answers of other requests hold the memory that this one needs. It becomes a 503. */
export class OutputUnavailable extends Error {
  readonly code = 'SVC_OUTPUT_UNAVAILABLE'
  readonly statusCode = 503
  readonly headers = { 'Retry-After': '1' }
  constructor() {
    super('large answers to other requests hold the memory for answers (SVC_BUDGET_MEMORY_BYTES)')
  }
}

/** Whether an error is one of the two above. It is recognized by its code: after a reload there can be two copies of a class. */
export function isOutputError(error: unknown): error is OutputTooLarge | OutputUnavailable {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'SVC_OUTPUT_TOO_LARGE' || code === 'SVC_OUTPUT_UNAVAILABLE'
}

/**
 * Thrown when an evaluation has used up its steps. The condition counts as not met; thrown in a route, it becomes a 400 in the
 * format of the route.
 */
export class TooExpensive extends Error {
  readonly code = 'SVC_TOO_EXPENSIVE'
  readonly statusCode = 400
  constructor() {
    super('the evaluation takes too many steps (SVC_BUDGET_STEPS)')
  }
}

/** Recognized by its code: after a reload there can be two copies of the class. */
export function isTooExpensive(error: unknown): error is TooExpensive {
  return (error as { code?: unknown } | null)?.code === 'SVC_TOO_EXPENSIVE'
}

/** Memory that several users share. */
export interface SharedMemory {
  /** Bytes in all. */
  readonly size: number
  /** Takes bytes; returns false, and takes none, if too few are left. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** Bytes of an answer that need no share of `Budgets.unsentTotalBytes`, because ordinary answers must never wait. */
const FREE_BYTES = 65_536

/**
 * Bytes that one answer may have. Everything that multiplies inputs takes what it will produce *before* it produces it. What
 * was taken is given back with `release`, when the answer is sent or dropped.
 */
export class OutputBudget {
  readonly limit: number
  readonly #memory: SharedMemory | null
  #used = 0
  #held = 0
  /** Memory besides the bytes of the answer. */
  #working = 0
  #isReleased = false

  /** `memory` is shared with the answers to other requests; null for answers that do not count there. */
  constructor(limit: number, memory: SharedMemory | null = null) {
    this.limit = limit
    this.#memory = memory
  }

  /** Bytes taken so far. */
  get used(): number {
    return this.#used
  }

  get left(): number {
    return this.limit - this.#used
  }

  /** More than an ordinary answer has: what renders it counts the bytes and lets other requests run. */
  get isLarge(): boolean {
    return this.#used > FREE_BYTES
  }

  /** Throws `OutputTooLarge` or `OutputUnavailable`; then nothing is taken. */
  take(bytes: number): void {
    const used = this.#used + bytes
    if (!(used <= this.limit)) throw new OutputTooLarge(this.limit)
    if (used > FREE_BYTES && this.#memory !== null && !this.#isReleased) {
      const missing = used - this.#held
      if (!this.#memory.take(missing)) throw new OutputUnavailable()
      this.#held = used
    }
    this.#used = used
  }

  /**
   * Takes memory that is needed to make the answer, besides its bytes: at most half of the memory for all answers. Throws
   * `OutputUnavailable`.
   */
  hold(bytes: number): void {
    if (this.#memory === null || this.#isReleased || bytes <= FREE_BYTES) return
    const held = Math.min(bytes, this.#memory.size / 2)
    if (!this.#memory.take(held)) throw new OutputUnavailable()
    this.#working += held
  }

  /** Throws `OutputTooLarge` if this number of further bytes does not fit. Nothing is taken. */
  require(bytes: number): void {
    if (!(this.#used + bytes <= this.limit)) throw new OutputTooLarge(this.limit)
  }

  /** Takes what is missing to a total. What is rendered from contents that were taken before counts once. */
  takeUpTo(total: number): void {
    if (!(total <= this.#used)) this.take(total - this.#used)
  }

  /** Takes the bytes of a text in a JSON document, without quotes: what is escaped counts as escaped. */
  takeText(text: string): void {
    this.takeJson(text)
  }

  /**
   * Takes the bytes of a value as JSON, without those of the quotes of a text, in place of what was taken `since` this
   * many bytes were used. Nothing is kept of the JSON.
   */
  takeJson(value: unknown, since = this.#used): void {
    let bytes = typeof value === 'string' ? -2 : 0
    for (const chunk of jsonChunks(value)) {
      bytes += Buffer.byteLength(chunk)
      this.takeUpTo(since + bytes)
    }
  }

  /** Throws `OutputTooLarge` if a value does not fit as JSON. Nothing is taken. */
  requireJson(value: unknown): void {
    let bytes = 0
    for (const chunk of jsonChunks(value)) {
      bytes += Buffer.byteLength(chunk)
      this.require(bytes)
    }
  }

  release(): void {
    this.#isReleased = true
    const held = this.#held + this.#working
    if (held > 0) this.#memory?.give(held)
    this.#held = 0
    this.#working = 0
  }
}

/** Memory of a fixed size that is shared. */
export class MemoryPool implements SharedMemory {
  readonly size: number
  #used = 0

  constructor(size: number) {
    this.size = size
  }

  get used(): number {
    return this.#used
  }

  take(bytes: number): boolean {
    if (this.#used + bytes > this.size) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }
}

/** Steps that one evaluation may take. A step is worth about 10 ns of processor time. */
export class StepBudget {
  readonly #meter: { steps: number } | null
  #left: number

  /** `meter` counts what this budget and others have taken. */
  constructor(steps: number, meter: { steps: number } | null = null) {
    this.#left = steps
    this.#meter = meter
  }

  /** For evaluations that no client can cause, such as reading `svc.yaml`. */
  static unlimited(): StepBudget {
    return new StepBudget(Infinity)
  }

  get isUsedUp(): boolean {
    return this.#left < 0
  }

  /** 0 once it is used up. */
  get left(): number {
    return Math.max(0, this.#left)
  }

  /** Call it before the work. Throws `TooExpensive` if too few steps are left; from then on, every call does. */
  take(steps: number): void {
    this.#left -= steps
    if (this.#meter !== null) this.#meter.steps += steps
    if (this.#left < 0) {
      this.#left = -1
      throw new TooExpensive()
    }
  }
}

/** Default of `Budgets.workMs`. */
export const WORK_MS = 20

/** Lets a long loop yield: `if (pacer.isDue) await pacer.pause()` after each item. */
export class Pacer {
  readonly #workMs: number
  #since = performance.now()
  #usedMs = 0

  constructor(workMs = WORK_MS) {
    this.#workMs = workMs
  }

  /** Whether the loop has worked for long enough without a pause. */
  get isDue(): boolean {
    return performance.now() - this.#since >= this.#workMs
  }

  /** Milliseconds of work before the last pause. */
  get usedMs(): number {
    return this.#usedMs
  }

  /** Lets other requests run. Resolves in a turn of the event loop in which no other loop goes on. */
  async pause(): Promise<void> {
    this.#usedMs += performance.now() - this.#since
    await ownTurn()
    this.#since = performance.now()
  }
}

/** `svc.budgets`: the values of the budgets, and the budgets themselves. */
export interface SvcBudgets extends Readonly<Budgets> {
  /** The budget of the answer to a request: the same at each call. It is released when the response has ended. */
  output(request: AnyRequest): OutputBudget
  /**
   * A budget for bytes that are not sent to a waiting client, such as those of an item of a batch or of a decoded body. The
   * caller releases it. `limit` in bytes, by default `outputBytes`.
   */
  detachedOutput(limit?: number): OutputBudget
  /** The budget of one evaluation of conditions. */
  evaluation(): StepBudget
  /**
   * Null if there is time for an evaluation now; otherwise wait for it: evaluations of other requests have used up what may
   * run without a pause.
   */
  turn(): Promise<void> | null
}
