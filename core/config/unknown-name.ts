/** What is said about a name that nobody knows: a key, a plugin, a command. */
import { nearest } from '../contract/nearest.ts'

/** Names listed in a remedy; more would bury it. */
const MAX_LISTED = 20

/** `unknown key "tols" (did you mean "tools"?)`, and what to write instead. */
export function unknownName(kind: string, name: string, known: readonly string[]): { message: string; remedy: string } {
  const guess = nearest(name, known)
  const message = `unknown ${kind} ${JSON.stringify(name.slice(0, 200))}`
  if (guess !== undefined)
    return { message: `${message} (did you mean "${guess}"?)`, remedy: `write ${guess}, or remove it` }
  if (known.length === 0) return { message, remedy: 'remove it' }
  const more = known.length > MAX_LISTED ? ', ...' : ''
  return { message, remedy: `remove it, or write one of ${known.slice(0, MAX_LISTED).join(', ')}${more}` }
}
