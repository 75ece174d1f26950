/** `telemetry: {reconciled: …}` of `POST /_svc/verify`: counts requests by what the comparison says of them. */
import type { Svc } from 'svc/plugin'
import { InputProblem } from 'svc/toolkit'
import type { Providers } from '../../llm/types.ts'
import { KINDS } from '../records/record.ts'
import type { Reports } from '../records/reports.ts'
import { invalidFilter, readSince } from '../view/filters.ts'
import { enterWait } from '../view/select.ts'
import type { ReadRecords } from '../view/verification.ts'
import { reconcile, type Reconciliation, type ReconciledRequest } from './reconcile.ts'

const RESULTS = ['same', 'differ', 'only_reported', 'only_arrived'] as const
const TOKENS = ['same', 'differ', 'unreported'] as const
const TOKEN_FIELDS = ['input_tokens', 'output_tokens']
const MAX_REQUESTS = 2000

type Condition = (request: ReconciledRequest) => boolean

/** Filters and what they mean. `result` chooses the list, and is not a condition. */
const CONDITIONS: Readonly<Record<string, (value: string, at: string) => Condition>> = {
  method: value => request => request.method === value,
  path: value => request => request.path === value,
  field: value => request => request.differ.some(({ field }) => field === value),
  tokens: (value, at) => {
    const wanted = wordOf(value, TOKENS, at)
    return request => tokensOf(request) === wanted
  },
}

export function reconciledRecords(svc: Svc<unknown>, reports: Reports, llm: Providers | undefined): ReadRecords {
  return {
    name: 'reconciled',
    filters: ['result', ...Object.keys(CONDITIONS)],
    read(given, at) {
      const { result: named, ...others } = given
      const result = named === undefined ? null : wordOf(named, RESULTS, `${at}.result`)
      const conditions = Object.entries(others).map(([name, value]) => CONDITIONS[name]!(value, `${at}.${name}`))
      const words = Object.entries(given).map(([name, value]) => `${name} ${value}`)
      return {
        text: words.length === 0 ? 'requests' : `requests with ${words.join(' and ')}`,
        async find(session, since) {
          const query = {
            session: session ?? null,
            since: since === null ? 0 : timeOf(since),
            limit: MAX_REQUESTS,
          }
          const found = listed(await reconcile(svc, reports, llm, query), result)
          return found.filter(one => conditions.every(holds => holds(one))).map(idOf)
        },
        onRecord(session, listener) {
          const leave = enterWait(svc)
          const stops = KINDS.filter(kind => kind !== 'metrics').map(kind =>
            reports.follow(kind, session ?? null, listener),
          )
          return () => {
            leave()
            for (const stop of stops) stop()
          }
        },
      }
    },
  }
}

function listed(
  { requests, only_reported: reported, only_arrived: arrived }: Reconciliation,
  result: (typeof RESULTS)[number] | null,
): ReconciledRequest[] {
  switch (result) {
    case null:
      return [...requests, ...reported, ...arrived]
    case 'only_reported':
      return reported
    case 'only_arrived':
      return arrived
    default:
      return requests.filter(({ differ }) => (differ.length === 0) === (result === 'same'))
  }
}

/** Null: the mock LLM counted nothing. */
function tokensOf({ tokens, differ }: ReconciledRequest): (typeof TOKENS)[number] | null {
  if (tokens === null) return null
  if (tokens.reported === null) return 'unreported'
  return differ.some(({ field }) => TOKEN_FIELDS.includes(field)) ? 'differ' : 'same'
}

function idOf({ arrivals, reports }: ReconciledRequest): string {
  return (arrivals[0] ?? reports[0])!
}

function wordOf<T extends string>(value: string, words: readonly T[], at: string): T {
  const found = words.find(word => word === value)
  if (found === undefined) throw new InputProblem(at, `expected one of ${words.join(', ')}`)
  return found
}

/** The id of a record is one of reports, and says nothing about arrivals. */
function timeOf(since: string): number {
  const time = readSince(since)
  if (typeof time === 'string') throw invalidFilter('since', 'expected a time such as 2026-03-14T12:00:00Z')
  return time
}
