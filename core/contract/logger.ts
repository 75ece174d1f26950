/** The logger that plugins get: `svc.log`, which is also `app.log`; `request.log` is a child of it with the request id. */
import type { FastifyBaseLogger } from 'fastify'

/**
 * `log.info('saved', { id })`, or as with pino: `log.info({ id }, 'saved')`, `log.info('saved %s', id)`, `log.info(error)`.
 * One call is one line.
 */
export interface LogMethod {
  (message: string, fields?: Record<string, unknown>): void
  (fields: unknown, message?: string, ...values: unknown[]): void
  (message: string, ...values: unknown[]): void
}

export interface Logger extends FastifyBaseLogger {
  trace: LogMethod
  debug: LogMethod
  info: LogMethod
  warn: LogMethod
  error: LogMethod
  /** Written as `error`. */
  fatal: LogMethod
  /** Writes nothing. */
  silent: LogMethod
  /** A logger that writes these fields on every line too. */
  child(fields: Record<string, unknown>, options?: LoggerOptions): Logger
  /** Whether a line of this level would be written. */
  isLevelEnabled(level: string): boolean
}

export interface LoggerOptions {
  /** The least level that is written: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. */
  level?: string
  /** What a field of this name is written as. */
  serializers?: Record<string, (value: never) => unknown>
}
