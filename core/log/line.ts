/** Formats a log event as one JSON object or one readable line. Control characters are escaped in both. */
import { memoize } from '../collections/bounded-map.ts'
import type { LogLevel } from '../config/log-level.ts'

export type LogFields = Record<string, unknown>
/** Level of an event; startup lines are `info` at every log level. */
export type EventLevel = Exclude<LogLevel, 'off'>

/**
 * Prints an event without its line end. `bound` is the result of `bindFields` of the same form for the fields that
 * every line has.
 */
export interface LineForm {
  /** Name of the replica, in every line from now on; only JSON has it. */
  setReplica(name: string): void
  bindFields(fields: LogFields): string
  print(timestamp: string, level: EventLevel, message: string, fields: LogFields | undefined, bound: string): string
}

/** Characters that could move the cursor of a terminal or start a line: C0, DEL, C1, line and paragraph separators. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu

function escapeControls(text: string): string {
  return text.replace(CONTROL, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Printable ASCII that needs no escape in a JSON string. This is nearly everything, and one line is logged per request.
 */
const PLAIN = /^[ !#-[\]-~]*$/
/** The same without characters that would end a value in the text form. */
const WORD = /^[!#-<>-[\]-~]+$/

/** A JSON string. JSON.stringify escapes C0; the other control characters are escaped here, which is valid JSON too. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escapeControls(JSON.stringify(text))
}

/** Members of the event itself; a field with one of these names gets a trailing underscore. */
const OWN_NAMES: ReadonlySet<string> = new Set(['timestamp', 'level', 'message'])

/** Maximum number of names cached in printed form; a program has few. */
const MAX_NAMES = 1_000

function printFields(fields: LogFields, nameOf: (name: string) => string, valueOf: (value: unknown) => string): string {
  let text = ''
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) text += nameOf(name) + valueOf(value)
  }
  return text
}

/** `{"timestamp":...,"level":"info","message":"request",...}` */
export function jsonForm(): LineForm {
  const nameOf = memoize(MAX_NAMES, name => `,${quoted(OWN_NAMES.has(name) ? `${name}_` : name)}:`)
  let replica = ''
  return {
    setReplica(name) {
      replica = `,"replica":${quoted(name)}`
    },
    bindFields: fields => printFields(fields, nameOf, jsonOf),
    print(timestamp, level, message, fields, bound) {
      return `{"timestamp":"${timestamp}","level":"${level}","message":${quoted(message)}${replica}${bound}${fields === undefined ? '' : this.bindFields(fields)}}`
    },
  }
}

const COLORS: Record<EventLevel, string> = { trace: '90', debug: '36', info: '32', warn: '33', error: '31' }

/** `<timestamp> <LEVEL> <message> key=value ...`; the level in color on a terminal. */
export function textForm(isColored: boolean): LineForm {
  const nameOf = memoize(MAX_NAMES, name => ` ${WORD.test(name) ? name : quoted(name)}=`)
  const levelOf = memoize(MAX_NAMES, level => {
    const name = level.toUpperCase()
    return isColored ? `\u001b[${COLORS[level as EventLevel]}m${name}\u001b[0m` : name
  })
  return {
    setReplica() {},
    bindFields: fields => printFields(fields, nameOf, textOf),
    print(timestamp, level, message, fields, bound) {
      const line = `${PLAIN.test(message) ? message : escapeControls(message)}${bound}${fields === undefined ? '' : this.bindFields(fields)}`
      return `${timestamp} ${levelOf(level)} ${line}`
    },
  }
}

/** A word unquoted, everything else as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' && (WORD.test(value) || isForeignWord(value)) ? value : jsonOf(value)
}

/** A word with letters beyond ASCII. */
function isForeignWord(value: string): boolean {
  return /^[^\s"=\\\p{C}]+$/u.test(value)
}

function jsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value === 'boolean') return String(value)
  try {
    return escapeControls(JSON.stringify(value instanceof Error ? errorText(value) : value, nested) ?? 'null')
  } catch {
    // A circular value, or a getter that throws: an incomplete line is better than none.
    return JSON.stringify(Object.prototype.toString.call(value))
  }
}

/** Handles nested values that JSON cannot represent. */
function nested(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Error ? errorText(value) : value
}

function errorText(error: Error): string {
  return error.stack ?? `${error.name}: ${error.message}`
}
