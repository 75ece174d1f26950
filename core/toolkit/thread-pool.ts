/** Work that would block other requests, in threads with limits of time and memory. */
import { Worker } from 'node:worker_threads'

/** The message that a thread sends when its code is loaded. Its time limit starts then. The next message is its result. */
export const THREAD_LOADED = 'loaded'

/** Time limit for loading the code of a thread, in milliseconds; generous, because the machine can be busy. */
const START_MS = 120_000

/** `start`: its code was not loaded in time. `error`: it threw `message`. */
export interface ThreadFailure {
  reason: 'start' | 'time' | 'memory' | 'error'
  message: string
}

export type ThreadResult<Output> = { output: Output; failure: null } | { output: null; failure: ThreadFailure }

/** Runs each task in a thread; tasks above the number of threads wait. */
export class ThreadPool {
  readonly #threads: number
  readonly #heapMib: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor({ threads, heapMib }: { threads: number; heapMib: number }) {
    this.#threads = threads
    this.#heapMib = heapMib
  }

  /**
   * Runs the module `file`, which reads `input` as `workerData`, and posts `THREAD_LOADED` and its result. `limitMs` is the time
   * for the result.
   */
  async run<Output>(file: string, input: unknown, limitMs: number): Promise<ThreadResult<Output>> {
    while (this.#running >= this.#threads) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#running++
    try {
      return await this.#inThread<Output>(file, input, limitMs)
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  #inThread<Output>(file: string, input: unknown, limitMs: number): Promise<ThreadResult<Output>> {
    return new Promise(resolve => {
      const worker = new Worker(file, {
        workerData: input,
        resourceLimits: { maxOldGenerationSizeMb: this.#heapMib },
      })
      const finish = (result: ThreadResult<Output>): void => {
        clearTimeout(timer)
        resolve(result)
        void worker.terminate()
      }
      const fail = (reason: ThreadFailure['reason'], message: string): void =>
        finish({ output: null, failure: { reason, message } })
      let timer = setTimeout(() => fail('start', 'its code could not be loaded in time'), START_MS)
      worker.on('message', (message: Output | typeof THREAD_LOADED) => {
        if (message !== THREAD_LOADED) return finish({ output: message as Output, failure: null })
        clearTimeout(timer)
        timer = setTimeout(() => fail('time', `it took longer than ${limitMs / 1000} s`), limitMs)
      })
      worker.once('error', error =>
        (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? fail('memory', 'it exceeded its memory limit')
          : fail('error', error.message),
      )
    })
  }
}
