/** Processes that run test files. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { bundleCacheArgument } from '../support/bundle-cache-argument.ts'
import { cacheOf } from './bundle.ts'
import { processorSeconds } from './processor-time.ts'
import { ResultCounter, type FileResult } from './results.ts'

/** Where the processes keep bundles of the product. */
const BUNDLES = join(cacheOf(''), 'product')
/** How long a process may take to exit after its last file. */
const EXIT_TIMEOUT_MS = 30_000

/** Runs a file unbundled in its own process, with tap's root test. */
export function runThroughLoader(
  file: string,
  path: string,
  timeoutMs: number,
  env: Record<string, string>,
): Promise<FileResult> {
  const startedAt = performance.now()
  const counter = new ResultCounter()
  const child = start(process.execPath, ['--import', 'tsx', path], {
    TAP_TIMEOUT: String((timeoutMs * 0.8) / 1000),
    ...env,
  })
  child.stdin.end()
  let output = ''
  let hasTimedOut = false
  const timer = setTimeout(() => {
    hasTimedOut = true
    child.kill('SIGKILL')
  }, timeoutMs)
  child.stdout.on('data', chunk => {
    output += chunk
    counter.add(String(chunk))
  })
  child.stderr.on('data', chunk => {
    output += chunk
  })
  return new Promise(resolve =>
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const problem = hasTimedOut ? `it ran for more than ${timeoutMs / 1000} s` : problemOf(code, signal)
      resolve(counter.end(file, { output, seconds: secondsSince(startedAt), problem }))
    }),
  )
}

interface Running {
  counter: ResultCounter
  output: string
  hasStarted: boolean
  finish(problem?: string): void
  /** The process ended before it started this file. */
  giveBack(): void
}

/** A process that runs files one after the other. */
export class Worker {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #closed: Promise<string | undefined>
  #running: Running | undefined
  #rest = ''
  /** Output between files, for example of a test that continues after its end. */
  #loose = ''
  #isAlive = true
  /** Number of files that it has run. */
  files = 0

  /** `node` is the path of the Node binary. */
  constructor(node: string, script: string, env: Record<string, string> = {}) {
    this.#child = start(node, [script], { TAP_TIMEOUT: '0', ...env })
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk))
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => this.#note(chunk))
    // If the process has exited, its `exit` event reports the problem.
    this.#child.stdin.on('error', () => {})
    this.#closed = new Promise(resolve =>
      this.#child.on('close', (code, signal) => {
        this.#isAlive = false
        const running = this.#running
        if (running?.hasStarted || this.files === 1)
          running?.finish(problemOf(code, signal) ?? 'its process exited before it had ended')
        else running?.giveBack()
        resolve(problemOf(code, signal))
      }),
    )
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** Resolves with null if an earlier file ended the process before it started this one. */
  run(file: string, script: string, timeoutMs: number): Promise<FileResult | null> {
    const startedAt = performance.now()
    const cpuBefore = this.files === 0 ? 0 : (processorSeconds(this.#child.pid!) ?? 0)
    this.files++
    return new Promise(resolve => {
      const counter = new ResultCounter()
      const timer = setTimeout(() => {
        running.finish(`it ran for more than ${timeoutMs / 1000} s`)
        this.#isAlive = false
        this.#child.kill('SIGKILL')
      }, timeoutMs)
      const running: Running = {
        counter,
        output: '',
        hasStarted: false,
        finish: problem => {
          clearTimeout(timer)
          this.#running = undefined
          const cpuSeconds = (processorSeconds(this.#child.pid!) ?? cpuBefore) - cpuBefore
          const seconds = secondsSince(startedAt)
          resolve(counter.end(file, { output: running.output, seconds, cpuSeconds, problem }))
        },
        giveBack: () => {
          clearTimeout(timer)
          this.#loose += running.output
          this.#running = undefined
          resolve(null)
        },
      }
      this.#running = running
      this.#child.stdin.write(`${script} ${file}\n`)
    })
  }

  /**
   * Ends the process. `hasFailed` says that one of its files has failed, which explains a non-zero exit code. Resolves with a
   * description of any other problem: an error outside of the files, or something that keeps the process from exiting.
   */
  async close(hasFailed: boolean): Promise<string | undefined> {
    this.#child.stdin.end()
    let isHanging = false
    const timer = setTimeout(() => {
      isHanging = true
      this.#child.kill('SIGKILL')
    }, EXIT_TIMEOUT_MS)
    const problem = await this.#closed
    clearTimeout(timer)
    if (isHanging)
      return `${this.#loose}a process did not exit within ${EXIT_TIMEOUT_MS / 1000} s of its last file: something is still open`
    return problem === undefined || hasFailed ? undefined : `${this.#loose}a process that ran several files: ${problem}`
  }

  #note(text: string): void {
    if (this.#running === undefined) this.#loose += text
    else this.#running.output += text
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) this.#readLine(line)
  }

  /** Each file is a subtest: its lines are indented, and the result line of the subtest ends it. */
  #readLine(line: string): void {
    const running = this.#running
    this.#note(`${line}\n`)
    if (running === undefined) return
    running.hasStarted ||= line.startsWith('# Subtest: ')
    const end = /^(not )?ok \d+ - /.exec(line)
    if (end === null) running.counter.add(`${line.replace(/^ {4}/, '')}\n`)
    else running.finish(end[1] === undefined || running.counter.hasFailures ? undefined : line)
  }
}

/** npm puts `node_modules/.bin` first, which contains Node 22. Programs started by a test have to use the test's own Node. */
function start(
  node: string,
  args: string[],
  env: Record<string, string>,
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(node, [bundleCacheArgument(BUNDLES), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      TAP: '1',
      FORCE_COLOR: '0',
      ...env,
    },
  })
}

function problemOf(code: number | null, signal: string | null): string | undefined {
  if (signal !== null) return `its process was ended by ${signal}`
  return code === 0 ? undefined : `its process exited with code ${code}`
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}
