/**
 * Detects retries among captured requests: a gateway that retries sends the same method and target with the same request
 * ID or in the same trace.
 */
import type { Entry } from '../protocol/http.ts'

export interface Attempt {
  /** From 1. */
  number: number
  count: number
  /** Milliseconds since the previous attempt; null: first attempt. */
  afterMs: number | null
}

/** Requests further apart are not attempts at the same request. */
const MAX_PAUSE_MS = 120_000

/** Attempts by entry ID, without entries that have only one attempt. */
export function attemptsOf(entries: readonly Entry[]): ReadonlyMap<string, Attempt> {
  const inOrder = entries.map(entry => ({ entry, at: Date.parse(entry.timestamp) })).sort((a, b) => a.at - b.at)
  /** The latest group of each key. */
  const groups = new Map<string, typeof inOrder>()
  const all: (typeof inOrder)[] = []
  for (const timed of inOrder) {
    const keys = keysOf(timed.entry)
    const known = keys
      .map(key => groups.get(key))
      .find(group => group !== undefined && timed.at - group.at(-1)!.at <= MAX_PAUSE_MS)
    const group = known ?? []
    if (known === undefined) all.push(group)
    group.push(timed)
    for (const key of keys) groups.set(key, group)
  }
  const attempts = new Map<string, Attempt>()
  for (const group of all) {
    if (group.length > 1)
      group.forEach(({ entry, at }, index) =>
        attempts.set(entry.id, {
          number: index + 1,
          count: group.length,
          afterMs: index === 0 ? null : at - group[index - 1]!.at,
        }),
      )
  }
  return attempts
}

function keysOf({ method, uri, request_id: id, trace }: Entry): string[] {
  const target = `${method} ${uri}`
  return [`id ${id} ${target}`, ...(trace === null ? [] : [`trace ${trace.trace_id} ${target}`])]
}

/** `attempt 2 of 3, +1 ms` */
export function attemptText(attempt: Attempt): string {
  return `${attemptNumber(attempt)}${attempt.afterMs === null ? '' : `, +${attempt.afterMs} ms`}`
}

/** `attempt 2 of 3` */
export function attemptNumber({ number, count }: Attempt): string {
  return `attempt ${number} of ${count}`
}
