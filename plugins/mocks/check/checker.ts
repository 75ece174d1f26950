/** Runs checks: small documents at once, large ones in a thread of their own, each within its time. */
import { Worker } from 'node:worker_threads'
import { join } from 'node:path'
import { boundsFor } from '../bounds.ts'
import { issue } from './issue.ts'
import { checkDefinition, type CheckInput, type CheckOutput } from './check.ts'
import { OfficialSchema } from './official-schema.ts'
import type { Report } from './report.ts'
import { LOADED } from './thread-messages.ts'

/** Documents above this many characters would hold up other requests. */
const INLINE_LIMIT = 256 << 10
/** Threads at a time; further checks wait. */
const MAX_THREADS = 2
/** Megabytes a thread may hold: enough for documents of the permitted size, and the end of those that unfold. */
const THREAD_HEAP_MB = 1024
/** Milliseconds for a thread to load its code: a busy machine is no reason to refuse a document. */
const START_MS = 120_000

export class Checker {
  readonly #official = new OfficialSchema()
  readonly #workerFile: string
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** `folder` is the plugin's own. */
  constructor(folder: string) {
    this.#workerFile = join(folder, 'check', 'thread.mjs')
  }

  /** The report on a definition, and its document as JSON. Takes at most the time that the bounds give. */
  async check(input: CheckInput): Promise<CheckOutput> {
    if (input.text.length + (input.against?.text.length ?? 0) <= INLINE_LIMIT)
      return checkDefinition(input, this.#official)
    while (this.#running >= MAX_THREADS) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#running++
    try {
      return await this.#inThread(input)
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  #inThread(input: CheckInput): Promise<CheckOutput> {
    const started = performance.now()
    const limitMs = boundsFor(input.publicMode).checkMs
    const refused = (message: string): CheckOutput => ({
      report: refusal(message, performance.now() - started),
      json: null,
      format: 'json',
    })
    return new Promise(resolve => {
      const worker = new Worker(this.#workerFile, {
        workerData: input,
        resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
      })
      const finish = (output: CheckOutput): void => {
        clearTimeout(timer)
        resolve(output)
        void worker.terminate()
      }
      let timer = setTimeout(() => finish(refused('the check could not be started')), START_MS)
      worker.on('message', (output: CheckOutput | typeof LOADED) => {
        if (output !== LOADED) return finish(output)
        clearTimeout(timer)
        timer = setTimeout(() => finish(refused(`the check took longer than ${limitMs / 1000} s`)), limitMs)
      })
      worker.once('error', error =>
        finish(
          refused(
            (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
              ? 'the check needed too much memory'
              : `the check failed: ${error.message}`,
          ),
        ),
      )
    })
  }
}

function refusal(message: string, tookMs: number): Report {
  return {
    deployable: false,
    against: null,
    errors: [issue('too_large', null, message)],
    warnings: [],
    summary: null,
    changes: null,
    took_ms: Math.round(tookMs),
  }
}
