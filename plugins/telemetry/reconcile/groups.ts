/** Joins reports with the requests that arrived: by the id of the request, otherwise by the trace. */
import type { Arrival, Pacer } from 'svc/plugin'
import { takeSessionPrefix } from 'svc/toolkit'
import type { Said } from './said.ts'

/** One request of a client, as it was reported and as it arrived. */
export interface Group {
  requestId: string | null
  traceId: string | null
  /** In the order of their time. */
  arrivals: Arrival[]
  said: Said[]
}

/** The path of an arrival without the prefix of its session and the query. */
export function pathOf({ url }: Pick<Arrival, 'url'>): string {
  return (takeSessionPrefix(url)?.target ?? url).split('?', 1)[0]!
}

export class Groups {
  readonly all: Group[] = []
  readonly #byRequest = new Map<string, Group>()
  readonly #byTrace = new Map<string, Group[]>()
  /** By the span of the client that an arrival names. */
  readonly #byParent = new Map<string, Group>()
  readonly #ownSpans = new Set<string>()

  /** Both in any order. */
  async add(arrivals: readonly Arrival[], said: readonly Said[], pacer: Pacer): Promise<void> {
    for (const arrival of arrivals.toSorted((one, other) => one.arrivedAt - other.arrivedAt)) {
      this.#addArrival(arrival)
      if (pacer.isDue) await pacer.pause()
    }
    // Those with a request id first: the others of their trace, such as spans of attempts, follow them.
    const hasId = ({ facts }: Said): boolean => facts.request_id !== null
    const byTime = said.toSorted((first, second) => first.at - second.at)
    for (const one of [...byTime.filter(hasId), ...byTime.filter(other => !hasId(other))]) {
      this.#addSaid(one)
      if (pacer.isDue) await pacer.pause()
    }
    for (const { said: ofGroup } of this.all) ofGroup.sort((first, second) => first.at - second.at)
  }

  #addArrival(arrival: Arrival): void {
    const { requestId, isRequestIdGenerated, trace } = arrival
    const traceId = trace?.traceId ?? null
    // Without an id of their own, requests of one trace are attempts at the same thing.
    const found = isRequestIdGenerated
      ? this.#ofTrace(traceId).find(group => group.requestId === null)
      : this.#byRequest.get(requestId)
    const group = found ?? this.#create(isRequestIdGenerated ? null : requestId, traceId)
    group.arrivals.push(arrival)
    // A gateway may report the id that the response has.
    this.#byRequest.set(requestId, group)
    if (trace?.parentSpanId != null) this.#byParent.set(`${traceId} ${trace.parentSpanId}`, group)
    if (trace !== null) this.#ownSpans.add(`${traceId} ${trace.spanId}`)
  }

  #addSaid(said: Said): void {
    const { traceId, spanId, facts } = said
    // The span of this instance itself, which no gateway has reported.
    if (spanId !== null && this.#ownSpans.has(`${traceId} ${spanId}`)) return
    const requestId = facts.request_id
    const group =
      (requestId === null ? undefined : this.#byRequest.get(requestId)) ??
      this.#byParent.get(`${traceId} ${spanId}`) ??
      this.#likelyOf(said) ??
      this.#create(requestId, traceId)
    if (requestId !== null && !this.#byRequest.has(requestId)) this.#byRequest.set(requestId, group)
    // A trace that the request does not carry as W3C Trace Context, such as one of Zipkin.
    if (traceId !== null && group.traceId === null) this.#setTrace(group, traceId)
    group.said.push(said)
  }

  /** Of several requests of a trace, the one with the same path that has the fewest such reports. */
  #likelyOf({ traceId, role, facts }: Said): Group | undefined {
    const ofTrace = this.#ofTrace(traceId).filter(
      group => facts.request_id === null || group.requestId === null || group.requestId === facts.request_id,
    )
    if (ofTrace.length < 2) return ofTrace[0]
    const isAlike = ({ arrivals }: Group): boolean => arrivals.some(arrival => pathOf(arrival) === facts.path)
    const alike = ofTrace.filter(isAlike)
    const count = ({ said }: Group): number => said.filter(one => one.role === role).length
    return (alike.length > 0 ? alike : ofTrace).toSorted((one, other) => count(one) - count(other))[0]
  }

  #ofTrace(traceId: string | null): Group[] {
    return traceId === null ? [] : (this.#byTrace.get(traceId) ?? [])
  }

  #create(requestId: string | null, traceId: string | null): Group {
    const group: Group = { requestId, traceId, arrivals: [], said: [] }
    this.all.push(group)
    if (requestId !== null) this.#byRequest.set(requestId, group)
    if (traceId !== null) this.#setTrace(group, traceId)
    return group
  }

  #setTrace(group: Group, traceId: string): void {
    group.traceId = traceId
    const ofTrace = this.#byTrace.get(traceId)
    if (ofTrace === undefined) this.#byTrace.set(traceId, [group])
    else ofTrace.push(group)
  }
}
