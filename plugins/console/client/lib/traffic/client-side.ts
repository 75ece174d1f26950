/**
 * What a client sent, for requests that the console did not send: another captured request, or a pasted curl command.
 * Compared with the captured request, it shows what the gateway changed.
 */
import { signal } from '@preact/signals'
import { headerOf, type Entry } from '../protocol/http.ts'
import { ofEntry, type ComparedRequest } from './compare.ts'

export interface ClientSide {
  request: ComparedRequest
  /** Such as `a pasted curl command`. */
  source: string
}

const MAX_KEPT = 100
const chosen = signal<ReadonlyMap<string, ClientSide>>(new Map())

/** What was chosen for an entry; null: nothing. */
export function clientSideOf(id: string): ClientSide | null {
  return chosen.value.get(id) ?? null
}

/** Null: nothing is compared any more. */
export function chooseClientSide(id: string, side: ClientSide | null): void {
  const next = new Map(chosen.peek())
  next.delete(id)
  if (side !== null) next.set(id, side)
  while (next.size > MAX_KEPT) next.delete(next.keys().next().value!)
  chosen.value = next
}

export function sideOfEntry(entry: Entry): ClientSide {
  return { request: ofEntry(entry), source: `the request at ${new Date(entry.timestamp).toLocaleTimeString()}` }
}

/** Other entries of the same request: with its request ID, or in its trace. */
export function twinsOf(entry: Entry, entries: readonly Entry[]): { entry: Entry; sameness: string }[] {
  const trace = traceOf(entry)
  return entries.flatMap(other => {
    if (other.id === entry.id) return []
    if (other.request_id === entry.request_id) return [{ entry: other, sameness: 'same request ID' }]
    return trace !== null && traceOf(other) === trace ? [{ entry: other, sameness: 'same trace' }] : []
  })
}

function traceOf({ headers }: Entry): string | null {
  const value = headerOf(headers, 'traceparent')
  return value === null ? null : (/^[\da-f]{2}-([\da-f]{32})-/.exec(value)?.[1] ?? null)
}
