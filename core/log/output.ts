/**
 * How log lines leave the process: gathered for some milliseconds, then written at once. A write costs as much as
 * serving a small request, and one line is logged per request.
 *
 * By hand, because the usual library retries every failed write while the process exits: `svc | head -1` would never
 * end. A thread of the pool cannot be used either, since exit waits for a write that a stalled reader blocks.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A place for lines, each with its line end. */
export interface LogOutput {
  write(line: string): void
  /** Resolves when what was written has left the process, cannot any more, or its reader has stalled for 1 s. */
  flush(): Promise<void>
}

/** Characters that wait for a slow reader; lines beyond are dropped rather than held for ever. */
const MAX_WAITING = 8 * 1024 * 1024
/** Milliseconds that lines are gathered. */
const GATHER_MS = 10
/** Milliseconds until a full pipe is tried again. */
const RETRY_MS = 5
/** Milliseconds that stopping waits for a reader that takes nothing, and for one that takes little at a time. */
const PATIENCE_MS = 1_000
const LONGEST_PATIENCE_MS = 10_000

/** Output to a file descriptor. `onDropped` is told the number of lines that a slow reader cost, when it reads again. */
export function openOutput(fd: number, onDropped: (lines: number) => void): LogOutput {
  const output = new DescriptorOutput(withoutBlocking(fd), onDropped)
  process.once('exit', () => output.finish())
  return output
}

/** A pipe is opened a second time so that a stalled reader cannot stop the server; everything else stays as it is. */
function withoutBlocking(fd: number): number {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // Not Linux, or not ours to open: writes may block, as those to a terminal do.
  }
  return fd
}

class DescriptorOutput implements LogOutput {
  readonly #fd: number
  readonly #onDropped: (lines: number) => void
  #waiting = ''
  /** What a write left over. */
  #rest: Buffer = Buffer.alloc(0)
  #isScheduled = false
  #isBroken = false
  #dropped = 0

  constructor(fd: number, onDropped: (lines: number) => void) {
    this.#fd = fd
    this.#onDropped = onDropped
  }

  write(line: string): void {
    if (this.#isBroken) return
    if (this.#waiting.length + line.length > MAX_WAITING) {
      this.#dropped++
      return
    }
    this.#waiting += line
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(() => this.#turn(), GATHER_MS)
  }

  async flush(): Promise<void> {
    const patience = this.#patience()
    while (!this.#send() && patience()) await sleep(RETRY_MS)
  }

  /** Writes what is left while the process exits. */
  finish(): void {
    this.#drain()
    this.#reportDropped()
    this.#drain()
  }

  #drain(): void {
    const patience = this.#patience()
    const nap = new Int32Array(new SharedArrayBuffer(4))
    while (!this.#send() && patience()) Atomics.wait(nap, 0, 0, RETRY_MS)
  }

  /** Answers a function that tells whether to go on waiting for the reader. */
  #patience(): () => boolean {
    const end = performance.now() + LONGEST_PATIENCE_MS
    let stalled = performance.now() + PATIENCE_MS
    let left = Infinity
    return () => {
      const now = performance.now()
      const waiting = this.#waiting.length + this.#rest.length
      if (waiting < left) stalled = now + PATIENCE_MS
      left = waiting
      return now < stalled && now < end
    }
  }

  #turn(): void {
    if (!this.#send()) {
      setTimeout(() => this.#turn(), RETRY_MS).unref()
      return
    }
    this.#isScheduled = false
    this.#reportDropped()
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return
    const lines = this.#dropped
    this.#dropped = 0
    this.#onDropped(lines)
  }

  /** Writes as much as goes; false when more has to wait for the reader. */
  #send(): boolean {
    try {
      while (this.#rest.length > 0 || this.#waiting !== '') {
        if (this.#rest.length === 0) {
          this.#rest = Buffer.from(this.#waiting)
          this.#waiting = ''
        }
        this.#rest = this.#rest.subarray(writeSync(this.#fd, this.#rest))
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN' || code === 'EINTR') return false
      // The reader went away (EPIPE), or the disk is full: no reason to stop serving.
      this.#isBroken = true
      this.#waiting = ''
      this.#rest = Buffer.alloc(0)
    }
    return true
  }
}
