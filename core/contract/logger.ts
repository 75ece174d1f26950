/** The logger of a plugin: `svc.log`, which is also `app.log`. `request.log` is a child logger with the request id. */
import type { FastifyBaseLogger } from 'fastify'

/**
 * `log.info('saved', { id })`, or in the style of pino: `log.info({ id }, 'saved')`, `log.info('saved %s', id)`,
 * `log.info(error)`. Each call writes one line.
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
  /** Logs at level `error`. */
  fatal: LogMethod
  /** Logs nothing. */
  silent: LogMethod
  /** Creates a logger that adds these fields to every line. */
  child(fields: Record<string, unknown>, options?: LoggerOptions): Logger
  /** Whether lines of this level are logged. */
  isLevelEnabled(level: string): boolean
}

export interface LoggerOptions {
  /** Lowest level to log: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. */
  level?: string
  /** Functions that convert the values of fields, by field name. */
  serializers?: Record<string, (value: never) => unknown>
}
