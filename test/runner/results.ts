/** Counts the assertions in a test file's TAP output. */
import { Parser } from 'tap-parser'

export interface FileResult {
  file: string
  passed: number
  failed: number
  /** Reasons of skipped tests, each with its count. */
  skipped: Map<string, number>
  /** Standard output and standard error. */
  output: string
  seconds: number
}

export class ResultCounter {
  readonly #parser = new Parser()
  readonly #skipped = new Map<string, number>()
  #passed = 0
  #failed = 0

  constructor() {
    this.#watch(this.#parser)
  }

  /** A line of TAP with its line break. */
  add(text: string): void {
    this.#parser.write(text)
  }

  /** Call this after the last line: a failure may still wait for its details. */
  get hasFailures(): boolean {
    this.#parser.end()
    return this.#failed > 0
  }

  /** `problem` is a reason why the file failed, whatever it printed. */
  end(file: string, { output, seconds, problem }: { output: string; seconds: number; problem?: string }): FileResult {
    this.#parser.end()
    const hasAsserted = this.#passed + this.#failed + this.#skipped.size > 0
    const reason = problem ?? (hasAsserted ? undefined : 'it asserted nothing')
    if (reason !== undefined && this.#failed === 0) this.#failed = 1
    return {
      file,
      passed: this.#passed,
      failed: this.#failed,
      skipped: this.#skipped,
      output: reason === undefined ? output : `${output}${file}: ${reason}\n`,
      seconds,
    }
  }

  /** Counts only leaves, since the result line of a subtest repeats them. */
  #watch(level: Parser): void {
    let isNested = false
    level.on('child', child => {
      isNested = true
      this.#watch(child)
    })
    level.on('assert', ({ ok, skip, name }) => {
      if (isNested) isNested = false
      else if (!ok) this.#failed++
      else if (skip === false) this.#passed++
      else {
        const reason = typeof skip === 'string' ? skip : name
        this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1)
      }
    })
  }
}
