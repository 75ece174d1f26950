/** Joins the calls of services with the requests that gateways then sent: asked, decided, arrived. */
import type { InspectorEntry } from '../contract/plugin.ts'
import { idOf, type CapturedRequest } from './captured-request.ts'

/** Without an id, a request belongs to a call at most this long before it, in milliseconds. */
const WITHIN_MS = 5000

interface Chains {
  /** Ids of arrivals by that of a call. */
  arrivals: ReadonlyMap<string, string>
  /** Calls by the id of an arrival, oldest first. */
  calls: ReadonlyMap<string, readonly CapturedRequest[]>
}

/** Adds to entries what they are joined with. `captured` are the requests that may be joined, oldest first. */
export function joinServices(entries: readonly InspectorEntry[], captured: readonly CapturedRequest[]): void {
  const { arrivals, calls } = chainsOf(captured)
  for (const entry of entries) {
    if (entry.service !== null) entry.service.arrival = arrivals.get(entry.id) ?? null
    entry.services = servicesOf(calls, entry.id)
  }
}

/** What `services` of an entry lists, by the id of the entry. `captured` are the requests that may be joined. */
export function servicesByArrival(captured: readonly CapturedRequest[]): (id: string) => InspectorEntry['services'] {
  const { calls } = chainsOf(captured)
  return id => servicesOf(calls, id)
}

function servicesOf(calls: Chains['calls'], id: string): InspectorEntry['services'] {
  return (calls.get(id) ?? []).map(call => ({
    name: call.service!.name,
    policy: call.service!.policy,
    decision: call.service!.decision,
    ms: call.latencyMs,
    id: idOf(call),
  }))
}

/** Each request belongs to the calls before it that are about the same one. */
function chainsOf(captured: readonly CapturedRequest[]): Chains {
  const open = new Map<string, CapturedRequest[]>()
  const arrivals = new Map<string, string>()
  const calls = new Map<string, CapturedRequest[]>()
  // Requests are captured when they are answered: a slow call may come after a request that it does not belong to.
  for (const one of captured.toSorted((a, b) => a.arrivedAt - b.arrivedAt)) {
    if (one.service !== undefined) {
      const { method, url, rawHeaders } = one.service.checked
      const key = keysOf(method, url, rawHeaders)[0]!
      open.set(key, [...(open.get(key) ?? []), one])
      continue
    }
    for (const key of keysOf(one.method, one.uri, one.rawHeaders)) {
      const isById = !key.startsWith(SAME)
      const found = (open.get(key) ?? []).filter(call => isById || one.arrivedAt - call.arrivedAt <= WITHIN_MS)
      if (found.length === 0) continue
      // Without an id, the newest call of each service is taken, once.
      const own = isById ? found : newestOfEach(found)
      if (!isById)
        open.set(
          key,
          found.filter(call => !own.includes(call)),
        )
      calls.set(idOf(one), own)
      for (const call of own) if (!arrivals.has(idOf(call))) arrivals.set(idOf(call), idOf(one))
      break
    }
  }
  return { arrivals, calls }
}

const SAME = 'same:'

/** By what a request is joined, the best first: its id, its trace, or what it asks for and with which credential. */
function keysOf(method: string, url: string, rawHeaders: readonly string[]): string[] {
  let requestId: string | undefined
  let trace: string | undefined
  let credential = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    const value = rawHeaders[index + 1]!
    if (name === 'x-request-id') requestId ??= value.trim()
    else if (name === 'traceparent') trace ??= value.split('-')[1]
    else if (name === 'authorization') credential = value
  }
  return [
    ...(requestId === undefined || requestId === '' ? [] : [`id:${requestId}`]),
    ...(trace === undefined ? [] : [`trace:${trace}`]),
    SAME + JSON.stringify([method, url, credential]),
  ]
}

function newestOfEach(calls: readonly CapturedRequest[]): CapturedRequest[] {
  const newest = new Map(calls.map(call => [call.service!.name, call]))
  return [...newest.values()]
}
