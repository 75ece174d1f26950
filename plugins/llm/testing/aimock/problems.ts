/** What a fixture has that rules cannot say. */
import type { Json } from 'svc/plugin'

/** Notes a member that is left out; `at` is its place in the fixture, such as `response.image`. */
export interface Note {
  (at: string, message: string): void
}

/** Notes the members that are not known. */
export function noteOthers(value: Readonly<Record<string, Json>>, known: ReadonlySet<string>, at: string, note: Note) {
  for (const key of Object.keys(value))
    if (!known.has(key)) note(`${at}${key.slice(0, 100)}`, 'this member has no counterpart and is left out')
}
