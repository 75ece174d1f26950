/** Owns the link to a server in a child process, which speaks over its standard input and output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { CODES, RpcError } from '../errors.ts'
import type { JsonObject } from '../types.ts'
import { ErrorOutput } from './error-output.ts'
import { parseForeignJson } from './foreign-json.ts'
import { LineReader } from './line-reader.ts'
import { type Link, type LinkEnd, type LinkEvents, Unreachable } from './link.ts'
import type { Processes } from './processes.ts'

export interface ProcessCommand {
  command: string
  args: readonly string[]
  /** Absolute path. */
  cwd: string
  env: Readonly<Record<string, string>>
}

/** Gets what a process writes besides messages. */
export interface ProcessLog {
  /** A line of standard error. */
  errorLine(line: string, pid: number): void
  /** A line of standard output is not JSON-RPC. Called once for each process. */
  notJson(pid: number): void
}

const MAX_LINE_BYTES = 4 * 1024 * 1024
/** Messages that the process has not read. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

export class ProcessLink implements Link {
  readonly isInProcess = false
  readonly isStateless = false
  readonly #command: ProcessCommand
  readonly #processes: Processes
  readonly #log: ProcessLog
  #child: ChildProcess | null = null
  #hasWarned = false
  /** Why svc killed the process. */
  #killedBecause: string | null = null

  constructor(command: ProcessCommand, processes: Processes, log: ProcessLog) {
    this.#command = command
    this.#processes = processes
    this.#log = log
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  async open(events: LinkEvents): Promise<void> {
    const { command, args, cwd, env } = this.#command
    this.#processes.check()
    // Its own process group: what the process starts ends with it. Without a shell nothing of the arguments is evaluated.
    const child = spawn(command, args, { cwd, env: { ...env }, detached: true, stdio: 'pipe', windowsHide: true })
    try {
      await once(child, 'spawn')
    } catch (error) {
      throw new Unreachable(`can't run ${command}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
    }
    this.#child = child
    this.#processes.add(child)
    this.#read(child, events)
  }

  send(message: JsonObject): void {
    const input = this.#child?.stdin
    if (!input?.writable) return
    if (input.writableLength > MAX_UNREAD_BYTES)
      throw new RpcError(CODES.internal, 'the server does not read its input')
    input.write(`${JSON.stringify(message)}\n`)
  }

  follow(): void {}

  async close(): Promise<void> {
    if (this.#child) await this.#processes.stop(this.#child)
  }

  #read(child: ChildProcess, events: LinkEvents): void {
    const pid = child.pid ?? 0
    const output = new LineReader(
      MAX_LINE_BYTES,
      line => this.#line(line, events, pid),
      () => {
        this.#killedBecause = `the server wrote a line of more than ${MAX_LINE_BYTES} bytes`
        this.#processes.kill(child)
      },
    )
    const errors = new ErrorOutput(line => this.#log.errorLine(line, pid))
    child.stdout?.on('data', (chunk: Buffer) => output.write(chunk))
    child.stderr?.on('data', (chunk: Buffer) => errors.write(chunk))
    // The process may end while svc writes to it.
    child.stdin?.on('error', () => {})
    child.on('error', () => {})
    child.once('exit', (code, signal) => {
      errors.end()
      events.closed(this.#endOf(code, signal))
    })
  }

  #endOf(code: number | null, signal: string | null): LinkEnd {
    const how = code === null ? `by ${signal}` : `with exit code ${code}`
    return { reason: this.#killedBecause ?? `the process has ended ${how}`, code, signal }
  }

  #line(line: string, events: LinkEvents, pid: number): void {
    const message = readJson(line)
    if (message !== undefined) return events.received(message)
    if (!this.#hasWarned && line.trim() !== '') this.#log.notJson(pid)
    this.#hasWarned ||= line.trim() !== ''
  }
}

function readJson(line: string): unknown {
  try {
    return parseForeignJson(line)
  } catch {
    return undefined
  }
}
