/** What gateways said next to what arrived. */
import { Pacer, type Arrival, type Svc } from 'svc/plugin'
import type { Providers } from '../../llm/types.ts'
import { ACCESS_LOGS } from '../als/entry.ts'
import { SIGNALS } from '../otlp/signals.ts'
import type { Reports } from '../records/reports.ts'
import { differencesOf, isRefused, type CountedCall, type Difference } from './differences.ts'
import { Groups, pathOf, type Group } from './groups.ts'
import { saidInLog, saidInSpan, type Said } from './said.ts'

export interface ReconcileQuery {
  session: string | null
  /** Milliseconds since 1970: requests that were reported or arrived after it. */
  since: number
  /** Requests of each list that are shown. */
  limit: number
}

export interface ReconciledRequest {
  trace_id: string | null
  request_id: string | null
  method: string | null
  path: string | null
  /** Ids of entries of `/_svc/requests`, and of records. */
  arrivals: string[]
  reports: string[]
  /** Of calls of models: in the newest report that has them, and as the mock LLM counted; null if it counted none. */
  tokens: { reported: number | null; counted: number } | null
  /** Routes of the gateway and of this instance. */
  routes: { reported: string | null; arrived: string | null }
  differ: Difference[]
}

export interface Reconciliation {
  requests: ReconciledRequest[]
  only_reported: ReconciledRequest[]
  only_arrived: ReconciledRequest[]
  summary: { matched: number; differ: number; only_reported: number; only_arrived: number }
}

/** Maximum number of arrivals, and of calls of models. */
const MAX_ARRIVALS = 2000
/** Reports and arrivals that are this much older may belong to a newer one, in milliseconds. */
const SLACK_MS = 60_000

export async function reconcile(
  svc: Svc<unknown>,
  reports: Reports,
  llm: Providers | undefined,
  { session, since, limit }: ReconcileQuery,
): Promise<Reconciliation> {
  const pacer = new Pacer(svc.budgets.workMs)
  const after = since - SLACK_MS
  const arrivals = (
    await svc.inspector.arrivals({ session: session ?? undefined, since: after, limit: MAX_ARRIVALS })
  ).filter(arrival => arrival.plugin !== svc.name && !isReport(arrival))
  const groups = new Groups()
  await groups.add(arrivals, await saidOf(reports, session, after, pacer), pacer)
  const counted = await countedCalls(llm, session, arrivals)
  const result: Reconciliation = {
    requests: [],
    only_reported: [],
    only_arrived: [],
    summary: { matched: 0, differ: 0, only_reported: 0, only_arrived: 0 },
  }
  // The newest first.
  for (const group of groups.all
    .filter(one => lastTimeOf(one) >= since)
    .sort((a, b) => lastTimeOf(b) - lastTimeOf(a))) {
    addTo(result, group, counted, limit)
    if (pacer.isDue) await pacer.pause()
  }
  return result
}

/** The paths of the sinks over gRPC. */
const SINK_PATHS = [ACCESS_LOGS, ...SIGNALS.map(({ service }) => service)].map(name => `/${name}/`)

/** A call with which a gateway reports: its route is one of the plugin `grpc`. */
function isReport({ url }: Pick<Arrival, 'url'>): boolean {
  return SINK_PATHS.some(path => url.startsWith(path))
}

function addTo(
  { summary, ...lists }: Reconciliation,
  group: Group,
  counted: ReadonlyMap<string, CountedCall[]>,
  limit: number,
): void {
  const { arrivals, said } = group
  const calls = [...new Set(arrivals.flatMap(({ requestId }) => counted.get(requestId) ?? []))]
  const push = (name: keyof typeof lists, differ: Difference[]): void => {
    if (lists[name].length < limit) lists[name].push(shownGroup(group, differ, calls))
  }
  if (said.length === 0) {
    summary.only_arrived++
    return push('only_arrived', [])
  }
  if (arrivals.length === 0 && !said.some(isRefused)) {
    summary.only_reported++
    return push('only_reported', [])
  }
  const differ = arrivals.length === 0 ? [] : differencesOf(group, calls)
  summary.matched++
  if (differ.length > 0) summary.differ++
  push('requests', differ)
}

async function saidOf(reports: Reports, session: string | null, since: number, pacer: Pacer): Promise<Said[]> {
  const said: Said[] = []
  const { count } = reports.bounds
  for (const { value } of await reports.newest('logs', session, count, () => true)) {
    const one = saidInLog(value)
    if (one !== null && one.at >= since) said.push(one)
    if (pacer.isDue) await pacer.pause()
  }
  for (const { value } of await reports.newest('spans', session, count, () => true)) {
    const one = saidInSpan(value)
    if (one !== null && one.at >= since) said.push(one)
    if (pacer.isDue) await pacer.pause()
  }
  // Those of the same time stay in the order in which they came.
  return said.reverse()
}

async function countedCalls(
  llm: Providers | undefined,
  session: string | null,
  arrivals: readonly Arrival[],
): Promise<ReadonlyMap<string, CountedCall[]>> {
  const byRequest = new Map<string, CountedCall[]>()
  if (llm === undefined || arrivals.length === 0) return byRequest
  const ids = new Set(arrivals.map(({ requestId }) => requestId))
  for (const call of await llm.calls(ids, session, MAX_ARRIVALS)) {
    const calls = byRequest.get(call.request_id)
    if (calls === undefined) byRequest.set(call.request_id, [call])
    else calls.push(call)
  }
  return byRequest
}

function lastTimeOf({ arrivals, said }: Group): number {
  return Math.max(arrivals.at(-1)?.arrivedAt ?? 0, said.at(-1)?.at ?? 0)
}

function shownGroup(
  { requestId, traceId, arrivals, said }: Group,
  differ: Difference[],
  calls: readonly CountedCall[],
): ReconciledRequest {
  const first = arrivals[0]
  const facts = said.find(({ role }) => role === 'access')?.facts ?? said[0]?.facts
  return {
    trace_id: traceId ?? said.find(one => one.traceId !== null)?.traceId ?? null,
    request_id: requestId ?? said.find(one => one.facts.request_id !== null)?.facts.request_id ?? null,
    method: first?.method ?? facts?.method ?? null,
    path: first === undefined ? (facts?.path ?? null) : pathOf(first),
    arrivals: arrivals.map(({ id }) => id),
    reports: said.map(({ id }) => id),
    tokens:
      calls.length === 0
        ? null
        : {
            reported: reportedTokens(said),
            counted: calls.reduce((sum, call) => sum + call.prompt_tokens + call.completion_tokens, 0),
          },
    routes: {
      reported: said.find(({ route }) => route !== null)?.route ?? null,
      arrived: arrivals.at(-1)?.route ?? null,
    },
    differ,
  }
}

function reportedTokens(said: readonly Said[]): number | null {
  const last = said.findLast(({ inputTokens, outputTokens }) => inputTokens !== null || outputTokens !== null)
  return last === undefined ? null : (last.inputTokens ?? 0) + (last.outputTokens ?? 0)
}
