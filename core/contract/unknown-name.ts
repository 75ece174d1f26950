/** What is said about a name that nobody knows: a key, a plugin, a command. */
import { nearest } from './nearest.ts'

/** Names listed in a remedy; more would bury it. */
const MAX_LISTED = 20

/** `unknown key "tols" (did you mean "tools"?)`, and what to write instead. `listsNames`: the known names, besides the nearest one. */
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
