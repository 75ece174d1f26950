/** Removes secrets, and in public mode paths, from plugin records and load errors. */
import { basename } from 'node:path'
import type { LoadError, PluginRecord } from '../contract/plugin.ts'

/** Names of options whose values are masked. */
const SECRET_NAME = /key|token|secret|password|credential/i
const MASK = '***'
const TEXT_LIMIT = 200
/** Maximum depth of options that are shown; bounds the recursion. */
const DEPTH_LIMIT = 32

/** The record of a plugin for `GET /_svc/plugins`. */
export function viewRecord(record: PluginRecord, publicMode: boolean): PluginRecord {
  return { ...record, path: publicMode ? null : record.path, options: maskOptions(record.options) }
}

/** Load errors for responses. In public mode they contain only the base name of the file. */
export function viewLoadErrors(errors: LoadError[], publicMode: boolean): LoadError[] {
  return publicMode ? errors.map(error => ({ ...error, file: error.file && basename(error.file) })) : errors
}

/** Masks the values of keys that sound like secrets, except numbers and booleans, and truncates long text. */
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
