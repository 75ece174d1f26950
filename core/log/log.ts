/** The log of the process: levels, bound fields, and output. */
import { format } from 'node:util'
import { logLevels, type LogLevel } from '../config/log-level.ts'
import type { LogFormat } from '../config/config.ts'
import type { Logger, LoggerOptions } from '../contract/logger.ts'
import { jsonForm, textForm, type EventLevel, type LineForm, type LogFields } from './line.ts'
import { openOutput, type LogOutput } from './output.ts'

/** The log of the core. One event is one line; plugins get it as `Logger`. */
export interface Log extends Logger {
  child(fields: LogFields, options?: LoggerOptions): Log
  /** The log of a request. */
  forRequest(request: LoggedRequest): Log
  /** Writes a line at every log level, such as the addresses of the listeners. */
  line(message: string): void
  /** Lines in JSON form have the name of the replica from now on. */
  setReplica(name: string): void
  /** Check this before collecting expensive fields. */
  isEnabled(level: LogLevel): boolean
  /** Resolves when all lines are written, cannot be written any more, or the reader has stalled for 1 s. */
  flush(): Promise<void>
}

/** The parts of a request that its log reads. */
export interface LoggedRequest {
  readonly requestId: string
  /** The core has sent the response instead of the route. */
  readonly response: { readonly isDetached?: boolean }
}

/** The destination of the lines. A terminal gets colors if it supports them. */
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

/** Creates the log of a process. */
export function createLog({ level, format: lineFormat, stream }: LogOptions): Log {
  const isColored = takesColors(stream ?? process.stdout)
  const output =
    stream === undefined
      ? openOutput(1, lines => log.warn('log lines dropped: standard output is not being read fast enough', { lines }))
      : { write: (line: string) => void stream.write(line), flush: async () => {} }
  const log: Log = new LineLog(
    { output, form: lineFormat === 'json' ? jsonForm() : textForm(isColored), clock: createClock() },
    null,
    undefined,
    logLevels.indexOf(level),
    null,
  )
  return log
}

/** RFC 3339 timestamps; one is formatted per millisecond. */
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

/** The fields of Fastify objects that pino would log; the whole objects would fill pages. */
export const REQUEST_SERIALIZERS: Serializers = {
  req: ({ method, url }: { method?: string; url?: string }) => ({ method, url }),
  res: ({ statusCode }: { statusCode?: number }) => ({ statusCode }),
}

interface Shared {
  output: LogOutput
  form: LineForm
  clock: () => string
}

const [TRACE, DEBUG, INFO, WARN, ERROR, OFF] = [0, 1, 2, 3, 4, 5]

/** Functions that transform a field before it is written. */
type Serializers = Record<string, (value: never) => unknown>

class LineLog implements Log {
  readonly #shared: Shared
  readonly #parent: LineLog | null
  readonly #fields: LogFields | undefined
  /** The bound fields in printed form; created with the first line, because most requests log nothing. */
  #bound: string | null = null
  readonly #serializers: Serializers | null
  #threshold: number

  constructor(
    shared: Shared,
    parent: LineLog | null,
    fields: LogFields | undefined,
    threshold: number,
    serializers: Serializers | null,
  ) {
    this.#shared = shared
    this.#parent = parent
    this.#fields = fields
    this.#threshold = threshold
    this.#serializers = serializers
  }

  trace(first: unknown, second?: unknown, ...values: unknown[]): void {
    if (TRACE >= this.#threshold) this.#write('trace', first, second, values)
  }

  debug(first: unknown, second?: unknown, ...values: unknown[]): void {
    if (DEBUG >= this.#threshold) this.#write('debug', first, second, values)
  }

  info(first: unknown, second?: unknown, ...values: unknown[]): void {
    if (INFO >= this.#threshold) this.#write('info', first, second, values)
  }

  warn(first: unknown, second?: unknown, ...values: unknown[]): void {
    if (WARN >= this.#threshold) this.#write('warn', first, second, values)
  }

  error(first: unknown, second?: unknown, ...values: unknown[]): void {
    if (ERROR >= this.#threshold) this.#write('error', first, second, values)
  }

  fatal(first: unknown, second?: unknown, ...values: unknown[]): void {
    if (ERROR >= this.#threshold) this.#write('error', first, second, values)
  }

  silent(): void {}

  line(message: string): void {
    this.#print('info', message, undefined)
  }

  setReplica(name: string): void {
    this.#shared.form.setReplica(name)
  }

  child(fields: LogFields, options?: LoggerOptions): Log {
    const threshold = options?.level === undefined ? this.#threshold : thresholdOf(options.level)
    const serializers =
      options?.serializers === undefined ? this.#serializers : { ...this.#serializers, ...options.serializers }
    return new LineLog(this.#shared, this, fields, threshold, serializers)
  }

  forRequest(request: LoggedRequest): Log {
    return new RequestLog(this.#shared, this, request, this.#threshold, this.#serializers)
  }

  get level(): string {
    return this.#threshold === OFF ? 'silent' : logLevels[this.#threshold]!
  }

  set level(level: string) {
    this.#threshold = thresholdOf(level)
  }

  isEnabled(level: LogLevel): boolean {
    return level !== 'off' && logLevels.indexOf(level) >= this.#threshold
  }

  isLevelEnabled(level: string): boolean {
    const index = thresholdOf(level)
    return index !== OFF && index >= this.#threshold
  }

  flush(): Promise<void> {
    return this.#shared.output.flush()
  }

  #write(level: EventLevel, first: unknown, second: unknown, values: unknown[]): void {
    if (typeof first === 'string' && second === undefined && values.length === 0)
      return this.#print(level, first, undefined)
    const { message, fields } = readCall(first, second, values)
    this.#print(
      level,
      message,
      this.#serializers === null || fields === undefined ? fields : serialize(fields, this.#serializers),
    )
  }

  /** The fields added to those of the parent. */
  protected ownFields(): LogFields | undefined {
    return this.#fields
  }

  #print(level: EventLevel, message: string, fields: LogFields | undefined): void {
    const { output, form, clock } = this.#shared
    output.write(`${form.print(clock(), level, message, fields, this.#boundFields())}\n`)
  }

  #boundFields(): string {
    if (this.#bound === null) {
      const fields = this.ownFields()
      const own = fields === undefined || this.#serializers === null ? fields : serialize(fields, this.#serializers)
      this.#bound =
        (this.#parent === null ? '' : this.#parent.#boundFields()) +
        (own === undefined ? '' : this.#shared.form.bindFields(own))
    }
    return this.#bound
  }
}

/** One is created for every request, and most never write a line. */
class RequestLog extends LineLog {
  readonly #request: LoggedRequest

  constructor(
    shared: Shared,
    parent: LineLog,
    request: LoggedRequest,
    threshold: number,
    serializers: Serializers | null,
  ) {
    super(shared, parent, undefined, threshold, serializers)
    this.#request = request
  }

  override warn(first: unknown, second?: unknown, ...values: unknown[]): void {
    // Fastify's warning about a second response is useless for a route that the core has replaced.
    if (this.#request.response.isDetached === true && isAnsweredTwice(first)) return
    super.warn(first, second, ...values)
  }

  protected override ownFields(): LogFields {
    return { request_id: this.#request.requestId }
  }
}

function isAnsweredTwice(first: unknown): boolean {
  return (first as { err?: { code?: unknown } } | null | undefined)?.err?.code === 'FST_ERR_REP_ALREADY_SENT'
}

/** Index of a pino level name: `fatal` counts as `error`, and `silent` is `off`. Throws on unknown names. */
function thresholdOf(level: string): number {
  if (level === 'silent') return OFF
  const index = logLevels.indexOf((level === 'fatal' ? 'error' : level) as LogLevel)
  if (index === -1)
    throw new Error(`unknown log level "${level}"; expected one of trace, debug, info, warn, error, fatal, silent`)
  return index
}

/**
 * Accepts `(message, fields)` and the pino signatures `(fields, message, ...values)`, `(message, ...values)` and
 * `(error)`.
 */
function readCall(
  first: unknown,
  second: unknown,
  values: unknown[],
): { message: string; fields: LogFields | undefined } {
  if (typeof first === 'string') {
    // A message may contain a percent-encoded path, so a single object is interpolated only by object placeholders.
    if (values.length > 0 || !isFields(second) || (first.includes('%') && /%[joO]/.test(first)))
      return { message: interpolate(first, [second, ...values]), fields: undefined }
    return { message: first, fields: second instanceof Error ? { error: second } : second }
  }
  const message = second === undefined ? null : interpolate(String(second), values)
  if (first instanceof Error) return { message: message ?? first.message, fields: { error: first } }
  if (!isFields(first)) return { message: message ?? String(first), fields: undefined }
  // Without a message the line has the message of the error, as in pino.
  return { message: message ?? (first.err instanceof Error ? first.err.message : ''), fields: first }
}

/** True for class instances and errors; false for arrays. */
function isFields(value: unknown): value is LogFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Replaces `%s`, `%d`, `%j` and the like; surplus values are dropped. */
function interpolate(message: string, values: unknown[]): string {
  if (values.length === 0) return message
  const places = message.match(/%[sdifjoO]/g)?.length ?? 0
  return format(message, ...values.slice(0, places))
}

/** Applies the serializers to the fields. Errors have the same form in all lines. */
function serialize(fields: LogFields, serializers: Serializers): LogFields {
  const result: LogFields = {}
  for (const [name, value] of Object.entries(fields)) {
    const serializer = Object.hasOwn(serializers, name) ? serializers[name] : undefined
    result[name] = serializer === undefined || value instanceof Error ? value : serializer(value as never)
  }
  return result
}

/** Whether an output supports colors: a terminal with colors, unless `NO_COLOR` is set (`hasColors` checks it). */
export function takesColors(output: { isTTY?: boolean; hasColors?(): boolean }): boolean {
  return output.isTTY === true && output.hasColors?.() !== false
}
