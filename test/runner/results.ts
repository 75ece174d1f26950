/** Counts the assertions in a test file's TAP output. */
import { Parser } from 'tap-parser'

/** Comments of `serve` in `test/support/server.ts`. */
const WITH_REPLICAS = '# with replicas'
const ONE_PROCESS = '# one process: '

export interface FileResult {
  file: string
  passed: number
  failed: number
  /** Reasons of skipped tests, each with its count. */
  skipped: Map<string, number>
  servers: ReplicaServers
  /** Standard output and standard error. */
  output: string
  seconds: number
  /** Processor time of its process, and of the processes it started that ended in time. */
  cpuSeconds?: number
}

/** The servers of a file that runs with replicas. */
export interface ReplicaServers {
  withReplicas: number
  /** Why servers of the file are one process. */
  oneProcess: Set<string>
}

export class ResultCounter {
  readonly #parser = new Parser()
  readonly #skipped = new Map<string, number>()
  readonly #servers: ReplicaServers = { withReplicas: 0, oneProcess: new Set() }
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
  end(
    file: string,
    {
      output,
      seconds,
      cpuSeconds,
      problem,
    }: Pick<FileResult, 'output' | 'seconds' | 'cpuSeconds'> & { problem?: string },
  ): FileResult {
    this.#parser.end()
    const hasAsserted = this.#passed + this.#failed + this.#skipped.size > 0
    const reason = problem ?? (hasAsserted ? undefined : 'it asserted nothing')
    if (reason !== undefined && this.#failed === 0) this.#failed = 1
    return {
      file,
      passed: this.#passed,
      failed: this.#failed,
      skipped: this.#skipped,
      servers: this.#servers,
      output: reason === undefined ? output : `${output}${file}: ${reason}\n`,
      seconds,
      cpuSeconds,
    }
  }

  /** Counts only leaves, since the result line of a subtest repeats them. */
  #watch(level: Parser): void {
    let isNested = false
    level.on('child', child => {
      isNested = true
      this.#watch(child)
    })
    level.on('comment', text => this.#readComment(text.trim()))
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

  #readComment(text: string): void {
    if (text.startsWith(WITH_REPLICAS)) this.#servers.withReplicas++
    else if (text.startsWith(ONE_PROCESS)) this.#servers.oneProcess.add(text.slice(ONE_PROCESS.length))
  }
}
