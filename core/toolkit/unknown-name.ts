/** Error messages for unknown names, with suggestions. */
import { nearest } from './nearest.ts'

/** Maximum number of names listed in a remedy. */
const MAX_LISTED = 20

/**
 * Returns a message such as `unknown key "tols" (did you mean "tools"?)` and a remedy. With `listsNames`, the remedy lists
 * all known names even if there is a suggestion.
 */
export function unknownName(
  kind: string,
  name: string,
  known: readonly string[],
  { listsNames = false } = {},
): { message: string; remedy: string } {
  const guess = nearest(name, known)
  const message = `unknown ${kind} ${JSON.stringify(name.slice(0, 200))}`
  const names = `${known.slice(0, MAX_LISTED).join(', ')}${known.length > MAX_LISTED ? ', ...' : ''}`
  if (guess !== undefined)
    return {
      message: `${message} (did you mean "${guess}"?)`,
      remedy: listsNames ? `write ${guess}, or one of ${names}` : `write ${guess}, or remove it`,
    }
  return { message, remedy: known.length === 0 ? 'remove it' : `remove it, or write one of ${names}` }
}
