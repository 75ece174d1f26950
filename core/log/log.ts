/** The log of the process: levels, fields of every line, and how lines get out. */
import { logLevels, type LogLevel } from '../config/log-level.ts'
import type { LogFormat } from '../config/config.ts'
import type { Logger } from '../contract/plugin.ts'
import { jsonForm, textForm, type EventLevel, type LineForm, type LogFields } from './line.ts'
import { openOutput, type LogOutput } from './output.ts'

/** The core's log. One event is one line; plugins get it as `Logger`. */
export interface Log extends Logger {
  /** A log that writes these fields on every line too. */
  child(fields: LogFields): Log
  /** Writes a line that is there at every level, as the addresses of the listeners. */
  line(message: string): void
  /** Ask it before fields are collected that are costly. */
  isEnabled(level: LogLevel): boolean
  /** Resolves when all lines have left the process, cannot any more, or their reader has stalled for 1 s. */
  flush(): Promise<void>
}

/** Where lines go. A terminal gets colours, unless it says that it has none. */
export interface LogStream {
  write(line: string): unknown
  isTTY?: boolean
  hasColors?(): boolean
}

export interface LogOptions {
  level: LogLevel
  format: LogFormat
  /** Default: standard output. */
  stream?: LogStream
}

/** Makes the log of a process. */
export function createLog({ level, format, stream }: LogOptions): Log {
  const isColoured = takesColors(stream ?? process.stdout)
  const output = stream === undefined
    ? openOutput(1, (lines) => log.warn('log lines dropped: the reader of standard output is too slow', { lines }))
    : { write: (line: string) => void stream.write(line), flush: async () => {} }
  const log = new LineLog({ output, threshold: logLevels.indexOf(level), form: format === 'json' ? jsonForm() : textForm(isColoured), clock: createClock() }, '')
  return log
}

/** Timestamps in RFC 3339; those of one millisecond are made once. */
function createClock(): () => string {
  let last = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== last) {
      last = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

interface Shared {
  output: LogOutput
  /** Index of the least level that is written. */
  threshold: number
  form: LineForm
  clock: () => string
}

const [TRACE, DEBUG, INFO, WARN, ERROR] = [0, 1, 2, 3, 4]

class LineLog implements Log {
  readonly #shared: Shared
  /** Printed fields of every line. */
  readonly #bound: string

  constructor(shared: Shared, bound: string) {
    this.#shared = shared
    this.#bound = bound
  }

  trace(message: string, fields?: LogFields): void {
    if (TRACE >= this.#shared.threshold) this.#write('trace', message, fields)
  }

  debug(message: string, fields?: LogFields): void {
    if (DEBUG >= this.#shared.threshold) this.#write('debug', message, fields)
  }

  info(message: string, fields?: LogFields): void {
    if (INFO >= this.#shared.threshold) this.#write('info', message, fields)
  }

  warn(message: string, fields?: LogFields): void {
    if (WARN >= this.#shared.threshold) this.#write('warn', message, fields)
  }

  error(message: string, fields?: LogFields): void {
    if (ERROR >= this.#shared.threshold) this.#write('error', message, fields)
  }

  line(message: string): void {
    this.#write('info', message)
  }

  child(fields: LogFields): Log {
    return new LineLog(this.#shared, this.#bound + this.#shared.form.bindFields(fields))
  }

  isEnabled(level: LogLevel): boolean {
    return level !== 'off' && logLevels.indexOf(level) >= this.#shared.threshold
  }

  flush(): Promise<void> {
    return this.#shared.output.flush()
  }

  #write(level: EventLevel, message: string, fields?: LogFields): void {
    const { output, form, clock } = this.#shared
    output.write(`${form.print(clock(), level, message, fields, this.#bound)}\n`)
  }
}

/** Whether an output takes colors: a terminal that has them, unless `NO_COLOR` is set (which `hasColors` minds). */
export function takesColors(output: { isTTY?: boolean; hasColors?(): boolean }): boolean {
  return output.isTTY === true && output.hasColors?.() !== false
}
