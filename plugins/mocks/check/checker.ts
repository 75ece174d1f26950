/** Runs checks with a time limit: small documents inline, large ones in a worker thread. */
import { Worker } from 'node:worker_threads'
import { join } from 'node:path'
import { boundsFor } from '../bounds.ts'
import { issue } from '../document/issue.ts'
import { checkDefinition, type CheckInput, type CheckOutput } from './check.ts'
import { OfficialSchema } from './official-schema.ts'
import type { Report } from './report.ts'
import { LOADED } from './thread-messages.ts'

/** Documents with more characters are checked in a thread, because they would block other requests. */
const INLINE_LIMIT = 32 << 10
/** Maximum number of concurrent threads; further checks wait. */
const MAX_THREADS = 2
/** Heap limit of a thread in MiB: enough for documents within the limits, and it stops documents that expand. */
const THREAD_HEAP_MB = 1024
/** Time limit for loading the thread's code in milliseconds; generous, because the machine can be busy. */
const START_MS = 120_000

export class Checker {
  readonly #official = new OfficialSchema()
  readonly #workerFile: string
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** `folder` is the folder of the plugin. */
  constructor(folder: string) {
    this.#workerFile = join(folder, 'check', 'thread.mjs')
  }

  /** Checks a definition within the time limit. */
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
      kind: 'openapi',
      served: null,
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
              ? 'the check exceeded its memory limit'
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
