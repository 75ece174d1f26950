/** Runs checks with a time limit: small documents inline, large ones in a worker thread. */
import { join } from 'node:path'
import { ThreadPool, type ThreadFailure } from 'svc/toolkit'
import { boundsFor } from '../bounds.ts'
import { issue, type Issue } from '../document/issue.ts'
import { checkDefinition, type CheckInput, type CheckOutput } from './check.ts'
import { compositionWarning } from './composition.ts'
import { OfficialSchema } from './official-schema.ts'
import type { Report } from './report.ts'
import type { ThreadInput } from './worker.ts'

/** Documents with more characters are checked in a thread, because they would block other requests. */
const INLINE_LIMIT = 32 << 10
/** Maximum number of concurrent threads; further checks wait. */
const MAX_THREADS = 2
/** Time limit of a composition in milliseconds. */
const COMPOSITION_MS = 5000
/** Heap limit of a thread in MiB: enough for documents within the limits, and it stops documents that expand. */
const THREAD_HEAP_MB = 1024

export class Checker {
  readonly #official = new OfficialSchema()
  readonly #workerFile: string
  readonly #threads = new ThreadPool({ threads: MAX_THREADS, heapMib: THREAD_HEAP_MB })

  /** `folder` is the folder of the plugin. */
  constructor(folder: string) {
    this.#workerFile = join(folder, 'check', 'thread.mjs')
  }

  /** Checks a definition within the time limit. */
  async check(input: CheckInput): Promise<CheckOutput> {
    if (input.text.length + (input.against?.text.length ?? 0) <= INLINE_LIMIT)
      return checkDefinition(input, this.#official, sdl => this.#compose(sdl))
    const started = performance.now()
    const limitMs = boundsFor(input.publicMode).checkMs
    const { output, failure } = await this.#threads.run<CheckOutput>(
      this.#workerFile,
      input satisfies ThreadInput,
      limitMs,
    )
    if (failure === null) return output
    const report = refusal(messageOf(failure, limitMs), performance.now() - started)
    return { report, kind: 'openapi', served: null, format: 'json' }
  }

  /** In a thread, because a small schema can take a composer long. */
  async #compose(sdl: string): Promise<Issue[]> {
    const input: ThreadInput = { composes: sdl }
    const { output, failure } = await this.#threads.run<Issue[]>(this.#workerFile, input, COMPOSITION_MS)
    return failure === null ? output : [compositionWarning(`the composition was given up: ${failure.message}`)]
  }
}

function messageOf({ reason, message }: ThreadFailure, limitMs: number): string {
  switch (reason) {
    case 'start':
      return 'the check could not be started'
    case 'time':
      return `the check took longer than ${limitMs / 1000} s`
    case 'memory':
      return 'the check exceeded its memory limit'
    case 'error':
      return `the check failed: ${message}`
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
