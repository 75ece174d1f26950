/**
 * Writes log lines: they are buffered for some milliseconds and then written at once. A write costs as much as serving
 * a small request, and one line is logged per request.
 *
 * Written by hand, because the usual library retries every failed write during exit: `svc | head -1` would never end. A
 * pool thread is not an option either, because exit waits for a write that is blocked by a stalled reader.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** An output for lines, each with its line end. */
export interface LogOutput {
  write(line: string): void
  /** Resolves when everything is written, cannot be written any more, or the reader has stalled for 1 s. */
  flush(): Promise<void>
}

/** Maximum number of characters buffered for a slow reader; further lines are dropped. */
const MAX_WAITING = 8 * 1024 * 1024
/** How long lines are buffered, in milliseconds. */
const GATHER_MS = 10
/** Delay before retrying a full pipe, in milliseconds. */
const RETRY_MS = 5
/** How long a stop waits for a reader that reads nothing, and for one that reads slowly, in milliseconds. */
const PATIENCE_MS = 1_000
const LONGEST_PATIENCE_MS = 10_000

/**
 * Output to a file descriptor. `onDropped` gets the number of lines dropped because of a slow reader, once it reads
 * again.
 */
export function openOutput(fd: number, onDropped: (lines: number) => void): LogOutput {
  const output = new DescriptorOutput(withoutBlocking(fd), onDropped)
  process.once('exit', () => output.finish())
  return output
}

/**
 * A pipe is reopened in non-blocking mode, so that a stalled reader cannot block the server; other outputs are used as
 * they are.
 */
function withoutBlocking(fd: number): number {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // Not Linux, or no permission: writes may block, as they do on a terminal.
  }
  return fd
}

class DescriptorOutput implements LogOutput {
  readonly #fd: number
  readonly #onDropped: (lines: number) => void
  #waiting = ''
  /** The rest of a partial write. */
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
    const keepWaiting = this.#stallTimer()
    while (!this.#send() && keepWaiting()) await sleep(RETRY_MS)
  }

  /** Writes the rest during process exit. */
  finish(): void {
    this.#drain()
    this.#reportDropped()
    this.#drain()
  }

  #drain(): void {
    const keepWaiting = this.#stallTimer()
    const nap = new Int32Array(new SharedArrayBuffer(4))
    while (!this.#send() && keepWaiting()) Atomics.wait(nap, 0, 0, RETRY_MS)
  }

  /** Returns a function that says whether to keep waiting for the reader. */
  #stallTimer(): () => boolean {
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

  /** Writes as much as possible; returns false if the rest must wait for the reader. */
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
      // The reader disconnected (EPIPE) or the disk is full: keep serving.
      this.#isBroken = true
      this.#waiting = ''
      this.#rest = Buffer.alloc(0)
    }
    return true
  }
}
