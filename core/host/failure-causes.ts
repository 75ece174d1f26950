/** Finds where in its files a plugin failed, from esbuild's errors or the stack of an error. */
import type { BuildFailure } from 'esbuild'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reasonOf } from './discovery.ts'

/** A cause of a failure. `file` is an absolute path; `line` and `column` count from 1. */
export interface FailureCause {
  message: string
  file: string
  line: number
  column: number
}

/** More would not help before these are fixed. */
const MAX_CAUSES = 10
/** Number of stack frames to search. */
const MAX_FRAMES = 50

/** Returns all errors of esbuild, otherwise the place in the plugin's files where the error was thrown, if any. */
export function failureCauses(
  error: unknown,
  { entry, folder }: { entry: string | null; folder: string },
): FailureCause[] {
  if (!(error instanceof Error)) return []
  const { errors } = (error.cause ?? error) as Partial<BuildFailure>
  if (Array.isArray(errors) && entry !== null) {
    return errors.slice(0, MAX_CAUSES).flatMap(({ text, location }) =>
      location === null
        ? []
        : [
            {
              message: text,
              file: resolve(dirname(entry), location.file),
              line: location.line,
              column: location.column + 1,
            },
          ],
    )
  }
  const place = placeInStack(error, folder)
  return place === null ? [] : [{ message: reasonOf(error), ...place }]
}

function placeInStack({ stack = '' }: Error, folder: string): Omit<FailureCause, 'message'> | null {
  for (const line of stack
    .split('\n')
    .filter(frame => /^ {4}at /.test(frame))
    .slice(0, MAX_FRAMES)) {
    const match = /(?:^ {4}at |\()(?:async )?([^()]*):(\d{1,7}):(\d{1,7})\)?$/.exec(line.slice(0, 4_096))
    if (match === null) continue
    const file = match[1]!.startsWith('file:') ? fileURLToPath(match[1]!) : match[1]!
    if (file.startsWith(folder + sep) && !file.includes(`${sep}node_modules${sep}`))
      return { file, line: Number(match[2]), column: Number(match[3]) }
  }
  return null
}
