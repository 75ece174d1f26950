/** Owns how plugin records and load errors look on the wire: without secrets, and without paths in public mode. */
import { basename } from 'node:path'
import type { LoadError, PluginRecord } from '../contract/plugin.ts'

/** Parts of an option's name that say its value is none of the reader's business. */
const SECRET_NAME = /key|token|secret|password|credential/i
const MASK = '***'
const TEXT_LIMIT = 200
/** Levels of options that are shown; a file nested deeper is a joke, and recursion must end. */
const DEPTH_LIMIT = 32

/** A record as `GET /_svc/plugins` shows it. */
export function viewRecord(record: PluginRecord, publicMode: boolean): PluginRecord {
  return { ...record, path: publicMode ? null : record.path, options: maskOptions(record.options) }
}

/** Load errors as replies show them: in public mode with the file's base name only. */
export function viewLoadErrors(errors: LoadError[], publicMode: boolean): LoadError[] {
  return publicMode ? errors.map(error => ({ ...error, file: error.file && basename(error.file) })) : errors
}

/** Options with the values of secret-sounding keys masked (numbers and booleans aside) and long texts cut. */
export function maskOptions(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT_LIMIT)
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEPTH_LIMIT) return MASK
  if (Array.isArray(value)) return value.map(item => maskOptions(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      SECRET_NAME.test(key) ? maskValue(item) : maskOptions(item, depth + 1),
    ]),
  )
}

function maskValue(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? value : MASK
}
