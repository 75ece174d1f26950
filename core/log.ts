/** The log of the process: levels, fields of every line, and how lines get out. */
import { pino } from 'pino'
import { logLevels, type LogLevel } from './config/log-level.ts'
import type { LogFormat } from './config/config.ts'
import type { Logger } from './host/plugin.ts'
import { jsonForm, textForm, type EventLevel, type LineForm, type LogFields } from './log-line.ts'

/** The core's log. One event is one line; plugins get it as `Logger`. */
export interface Log extends Logger {
  /** A log that writes these fields on every line too. */
  child(fields: LogFields): Log
  /** Writes a line that is there at every level, as the addresses of the listeners. */
  line(message: string): void
  /** Ask it before fields are collected that are costly. */
  isEnabled(level: LogLevel): boolean
  /** Resolves when all lines have left the process, or cannot any more. */
  flush(): Promise<void>
}

/** Where lines go. A terminal gets colours. */
export interface LogStream {
  write(line: string): unknown
  isTTY?: boolean
}

export interface LogOptions {
  level: LogLevel
  format: LogFormat
  /** Default: standard output. */
  stream?: LogStream
}

/** Bytes that wait for a slow reader of standard output; lines beyond are dropped rather than held for ever. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/** Makes the log of a process. */
export function createLog({ level, format, stream }: LogOptions): Log {
  const isTerminal = stream === undefined ? process.stdout.isTTY === true : stream.isTTY === true
  const sink = stream === undefined
    ? standardOutput((lines) => log.warn('log lines dropped: the reader of standard output is too slow', { lines }))
    : { write: (line: string) => void stream.write(line), flush: async () => {} }
  const log = new LineLog({ sink, threshold: logLevels.indexOf(level), form: format === 'json' ? jsonForm : textForm(isTerminal), clock: createClock() }, '')
  return log
}

interface Sink {
  write(line: string): void
  flush(): Promise<void>
}

/**
 * A write of its own for each line is too slow for one line per request. This destination writes the first line at
 * once and gathers what comes while a write is under way, so an idle process has nothing waiting; what is left when
 * the process exits is written synchronously.
 */
function standardOutput(onDropped: (lines: number) => void): Sink {
  let dropped = 0
  const destination = pino.destination({ fd: 1, sync: false, minLength: 0, maxLength: MAX_WAITING_BYTES })
  // A reader that went away (EPIPE), or a full disk, is no reason to stop serving.
  destination.on('error', () => {})
  destination.on('drop', () => void dropped++)
  destination.on('drain', () => {
    const lines = dropped
    dropped = 0
    if (lines > 0) onDropped(lines)
  })
  return {
    write: (line) => void destination.write(line),
    flush: () => new Promise((resolve) => destination.flush(() => resolve())),
  }
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
  sink: Sink
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
    return this.#shared.sink.flush()
  }

  #write(level: EventLevel, message: string, fields?: LogFields): void {
    const { sink, form, clock } = this.#shared
    sink.write(`${form.print(clock(), level, message, fields, this.#bound)}\n`)
  }
}
