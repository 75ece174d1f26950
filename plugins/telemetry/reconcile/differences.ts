/** Where what a gateway said differs from what arrived. */
import type { Arrival } from 'svc/plugin'
import type { HttpFacts } from '../records/record.ts'
import { pathOf, type Group } from './groups.ts'
import type { Said } from './said.ts'

export interface Difference {
  field: string
  reported: string | number
  arrived: string | number
}

/** What the mock LLM counted. */
export interface CountedCall {
  request_id: string
  model: string | null
  prompt_tokens: number
  completion_tokens: number
  /** Null without a price. */
  cost: number | null
}

/** Flags that say that the request was refused before an upstream: rate limit, authorization, no route. */
const REFUSED = ['RL', 'UAEX', 'NR']
/** What the service decided that such a flag is about. */
const FLAGS_OF: Readonly<Record<string, { flag: string; decisions: readonly string[] }>> = {
  authz: { flag: 'UAEX', decisions: ['deny', 'error'] },
  ratelimit: { flag: 'RL', decisions: ['over'] },
}
const COST_TOLERANCE = 1e-6

/** Whether a report says that the request never went to an upstream. */
export function isRefused({ role, facts }: Said): boolean {
  if (role !== 'access') return false
  if (flagsOf(facts).some(flag => REFUSED.includes(flag))) return true
  const { status, upstream_status: upstreamStatus, attempts, upstream } = facts
  const wentToUpstream = upstreamStatus !== null || (attempts ?? 0) > 0 || upstream !== null
  return status !== null && status >= 400 && status < 500 && !wentToUpstream
}

/** Of a request with reports and arrivals. */
export function differencesOf(group: Group, counted: readonly CountedCall[]): Difference[] {
  const differences: Difference[] = []
  const compare = <T extends string | number>(
    field: string,
    reported: T | null,
    arrived: T | null,
    differ?: boolean,
  ) => {
    if (reported === null || arrived === null || !(differ ?? reported !== arrived)) return
    if (!differences.some(one => one.field === field)) differences.push({ field, reported, arrived })
  }
  const { arrivals, said } = group
  const first = arrivals[0]!
  const last = arrivals.at(-1)!
  const accesses = said.filter(({ role }) => role === 'access')
  const attempts = said.filter(({ role }) => role === 'attempt')
  for (const { facts } of accesses) {
    const { status, upstream_status: upstreamStatus } = facts
    compare('status', status, last.status, upstreamStatus === null && attempts.length === 0 && status !== last.status)
    compare('upstream_status', upstreamStatus, last.status)
    compare('attempts', facts.attempts, arrivals.length)
    compare('method', facts.method, first.method)
    compare('path', facts.path, pathOf(first))
    compare('bytes_sent', facts.bytes_sent, last.ended === 'complete' ? last.bytesSent : null)
    const took = Math.floor(Math.max(...arrivals.map(({ latencyMs }) => latencyMs)))
    compare('duration_ms', facts.duration_ms, took, facts.duration_ms !== null && facts.duration_ms < took)
  }
  compareAttempts(attempts, arrivals, compare)
  compareReporters(accesses, compare)
  compareDecisions(accesses, arrivals, compare)
  compareUsage(said, counted, compare)
  return differences
}

type Compare = <T extends string | number>(
  field: string,
  reported: T | null,
  arrived: T | null,
  differ?: boolean,
) => void

/** Spans of requests to upstreams: one for each arrival, with its status. */
function compareAttempts(attempts: readonly Said[], arrivals: readonly Arrival[], compare: Compare): void {
  if (attempts.length === 0) return
  compare('attempts', new Set(attempts.map(({ spanId }) => spanId)).size, arrivals.length)
  for (const { spanId, facts } of attempts) {
    const own = arrivals.find(({ trace }) => trace !== null && trace.parentSpanId === spanId)
    if (own !== undefined) compare('upstream_status', facts.status, own.status)
  }
  // Of a gateway whose spans the requests do not name, the last one has the last response.
  if (!attempts.some(({ spanId }) => arrivals.some(({ trace }) => trace?.parentSpanId === spanId)))
    compare('upstream_status', attempts.at(-1)!.facts.status, arrivals.at(-1)!.status)
}

/** One gateway reports a request once. */
function compareReporters(accesses: readonly Said[], compare: Compare): void {
  const counts = new Map<string, number>()
  for (const { reporter } of accesses) counts.set(reporter, (counts.get(reporter) ?? 0) + 1)
  compare(
    'reports',
    Math.max(0, ...counts.values()),
    1,
    [...counts.values()].some(count => count > 1),
  )
}

/** What the services decided that the gateway asked, and what it made of that. */
function compareDecisions(accesses: readonly Said[], arrivals: readonly Arrival[], compare: Compare): void {
  const calls = arrivals.flatMap(({ services }) => services)
  for (const { name, decision } of calls) {
    const known = FLAGS_OF[name]
    if (known === undefined) continue
    const { flag, decisions } = known
    const isDenied = decisions.includes(decision)
    for (const { facts } of accesses) {
      const saysDenied = flagsOf(facts).includes(flag)
      compare('decision', saysDenied ? flag : 'forwarded', `${name} ${decision}`, isDenied || saysDenied)
    }
  }
  // The request went on although the gateway says that it was refused.
  for (const { facts } of accesses)
    for (const flag of flagsOf(facts)) if (REFUSED.includes(flag)) compare('decision', flag, 'arrived')
}

/** What the gateway counted for a model, and what the mock LLM counted. */
function compareUsage(said: readonly Said[], counted: readonly CountedCall[], compare: Compare): void {
  if (counted.length === 0) return
  // Several calls are attempts; the gateway reports the last one, or all together.
  const last = counted[0]!
  const sum = (of: (call: CountedCall) => number): number => counted.reduce((total, call) => total + of(call), 0)
  const differs = (reported: number | null, of: (call: CountedCall) => number): boolean =>
    reported !== of(last) && reported !== sum(of)
  for (const { model, inputTokens, outputTokens, cost } of said) {
    compare('model', model, last.model)
    compare(
      'input_tokens',
      inputTokens,
      last.prompt_tokens,
      differs(inputTokens, call => call.prompt_tokens),
    )
    compare(
      'output_tokens',
      outputTokens,
      last.completion_tokens,
      differs(outputTokens, call => call.completion_tokens),
    )
    const isOff = (of: number): boolean => cost !== null && Math.abs(cost - of) > COST_TOLERANCE
    compare('cost', cost, last.cost, isOff(last.cost ?? 0) && isOff(sum(call => call.cost ?? 0)))
  }
}

function flagsOf({ response_flags: flags }: HttpFacts): string[] {
  return (flags ?? '').split(',').map(flag => flag.trim())
}
