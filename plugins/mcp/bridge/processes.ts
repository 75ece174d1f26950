/** Owns the child processes of all bridges: their number, and how they end. */
import type { ChildProcess } from 'node:child_process'
import { CODES, RpcError } from '../errors.ts'

/** Time after the end of standard input, and after SIGTERM, in milliseconds. */
export interface StopTimes {
  input: number
  terminate: number
}

const STOP_TIMES: StopTimes = { input: 2000, terminate: 2000 }
/** When svc itself ends, which leaves less time. */
const FAST_STOP_TIMES: StopTimes = { input: 500, terminate: 500 }

export class Processes {
  readonly #limit: number
  readonly #running = new Set<ChildProcess>()
  readonly #atExit = (): void => {
    for (const child of this.#running) this.kill(child)
  }
  #times = STOP_TIMES

  constructor(limit: number) {
    this.#limit = limit
    process.on('exit', this.#atExit)
  }

  /** Throws -32603 if no more processes may be started. */
  check(): void {
    if (this.#running.size >= this.#limit)
      throw new RpcError(CODES.internal, `too many processes (at most ${this.#limit})`)
  }

  add(child: ChildProcess): void {
    this.#running.add(child)
    child.once('exit', () => {
      this.#running.delete(child)
      // What it has started may still run.
      this.kill(child)
    })
  }

  /** From now on, processes get less time to end. */
  hurry(): void {
    this.#times = FAST_STOP_TIMES
  }

  /** Ends a process and what it has started: first its input, then SIGTERM, then SIGKILL. */
  async stop(child: ChildProcess): Promise<void> {
    if (!this.#running.has(child)) return
    const ended = new Promise<true>(resolve => child.once('exit', () => resolve(true)))
    child.stdin?.end()
    if (!(await within(ended, this.#times.input))) {
      signalGroup(child, 'SIGTERM')
      await within(ended, this.#times.terminate)
    }
    if (this.#running.has(child)) this.kill(child)
    await ended
  }

  kill(child: ChildProcess): void {
    signalGroup(child, 'SIGKILL')
  }

  close(): void {
    process.off('exit', this.#atExit)
    this.#atExit()
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    // A negative id is the group, which Windows does not have.
    if (process.platform === 'win32') child.kill(signal)
    else if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // It has ended.
  }
}

async function within(ended: Promise<true>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([ended, late])
  } finally {
    clearTimeout(timer)
  }
}
