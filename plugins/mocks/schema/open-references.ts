/** The references on the current branch of a value, to detect recursion. */

export interface OpenReference {
  ref: string
  parent: OpenReference | null
}

/** Adds references to the branch. */
export function enter(open: OpenReference | null, refs: readonly string[]): OpenReference | null {
  let result = open
  for (const ref of refs) result = { ref, parent: result }
  return result
}

/** How often the branch has passed a reference. */
export function timesOpen(open: OpenReference | null, ref: string): number {
  let times = 0
  for (let entry = open; entry; entry = entry.parent) if (entry.ref === ref) times++
  return times
}
