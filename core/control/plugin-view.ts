/** Removes secrets, and in public mode paths, from plugin records and load errors. */
import { shownFile } from '../config/effective.ts'
import { maskOptions, maskUrls } from '../config/shown-options.ts'
import type { LoadError, PluginRecord } from '../contract/plugin.ts'

export { maskOptions }

/** The record of a plugin for `GET /_svc/plugins`. In public mode, only the administrator sees options. */
export function viewRecord(record: PluginRecord, { publicMode, isAdmin }: Viewer): PluginRecord {
  return {
    ...record,
    path: publicMode ? null : record.path,
    options: publicMode && !isAdmin ? {} : maskOptions(record.options),
  }
}

export interface Viewer {
  publicMode: boolean
  isAdmin: boolean
}

/** Load errors for responses. In public mode they contain only the base name of the file. */
export function viewLoadErrors(errors: LoadError[], publicMode: boolean): LoadError[] {
  return errors.map(error => ({
    ...error,
    file: shownFile(error.file, { publicMode }),
    message: maskUrls(error.message),
  }))
}
