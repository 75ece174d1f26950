/** Counts the descriptors of a call against the limits of its domain. */
import type { JsonObject, Svc } from 'svc/plugin'
import { type HeaderLine, InputProblem } from 'svc/toolkit'
import { type Domain, findLimit, type FoundLimit } from './config/domain.ts'
import type { Domains } from './config/domains.ts'
import type { Counters } from './counters.ts'
import {
  type Code,
  type ConfiguredLimit,
  type Descriptor,
  entryText,
  type Limit,
  type LimitCall,
  limitText,
  MAX_UINT32,
  type Status,
  UNIT_SECS,
  type Unit,
} from './limit.ts'

/** What the service answers. */
export interface Answer {
  code: Code
  /** One for each descriptor, in their order. */
  statuses: readonly Status[]
  /** For the response to the client. */
  headers: readonly HeaderLine[]
  /** For the request that goes on. */
  requestHeaders: readonly HeaderLine[]
  reason: string
  metadata?: JsonObject
  /** The body of the response to the client. */
  rawBody?: string
}

/** The key of an entry that is its own limit, in domains without configuration. */
const OWN_LIMIT = 'svc_limit'
const MAX_OWN_REQUESTS = 1_000_000
const MAX_OWN_SECS = 86_400
/** A limit is near from this share of its requests on. */
const NEAR = 0.8
const MAX_SHOWN = 200

/** Who asks. */
export interface Caller {
  /** Whose counters; see `ownerOf`. */
  owner: string
  session: string | null
}

export class Limiter {
  readonly #svc: Pick<Svc<unknown>, 'budgets'>
  readonly #domains: Domains
  readonly #counters: Counters
  readonly #hasHeaders: boolean

  constructor(
    svc: Pick<Svc<unknown>, 'budgets'>,
    { domains, counters, hasHeaders }: { domains: Domains; counters: Counters; hasHeaders: boolean },
  ) {
    this.#svc = svc
    this.#domains = domains
    this.#counters = counters
    this.#hasHeaders = hasHeaders
  }

  /**
   * Counts the call, and answers. Throws an `InputProblem` for a `svc_limit` that can't be read, and `TooExpensive` for values that
   * take too long to compare.
   */
  async count(call: LimitCall, { owner, session }: Caller): Promise<Answer> {
    const domain = await this.#domains.find(call.domain, session)
    const steps = this.#svc.budgets.evaluation()
    const found = call.descriptors.map(descriptor =>
      domain === null ? ownLimit(descriptor) : limitOf(domain, descriptor, steps),
    )
    const replaced = new Set(found.flatMap(one => one?.limit.replaces ?? []))
    const now = Math.floor(Date.now() / 1000)
    const results = await Promise.all(
      call.descriptors.map(async (descriptor, index): Promise<Result> => {
        const one = found[index] ?? null
        const isReplaced = one !== null && !one.limit.isUnlimited && replaced.has(one.limit.name)
        if (one === null || isReplaced) return { status: unlimited(0), isQuota: false }
        if (one.limit.isUnlimited) return { status: unlimited(MAX_UINT32), isQuota: false }
        const { limit, counted } = one
        const endsAt = now - (now % limit.windowSecs) + limit.windowSecs
        const count = await this.#counters.add(
          { owner, domain: call.domain, entries: counted, windowSecs: limit.windowSecs, endsAt },
          descriptor.hits ?? call.hits,
        )
        return { status: statusOf(limit, count, endsAt - now), isQuota: limit.isQuota }
      }),
    )
    const statuses = results.map(({ status }) => status)
    const closest = closestOf(statuses)
    return {
      code: codeOf(results),
      statuses,
      headers: closest !== null && this.#hasHeaders ? headersOf(statuses[closest]!) : [],
      requestHeaders: [],
      reason: reasonOf(call, statuses, closest),
    }
  }
}

interface Result {
  status: Status
  isQuota: boolean
}

/** A domain must be configured for a descriptor to bring its limit along. */
function limitOf(domain: Domain, descriptor: Descriptor, steps: Parameters<typeof findLimit>[2]): FoundLimit | null {
  const { limit, entries } = descriptor
  return limit === null ? findLimit(domain, entries, steps) : { limit: plain(limit), counted: entries }
}

function ownLimit({ entries }: Descriptor): FoundLimit | null {
  const entry = entries.find(({ key }) => key === OWN_LIMIT)
  if (entry === undefined) return null
  const [, requests, secs] = /^(\d{1,7})\/(\d{1,5})s$/.exec(entry.value) ?? []
  const requestsPerUnit = Number(requests)
  const windowSecs = Number(secs)
  if (!(requestsPerUnit <= MAX_OWN_REQUESTS && windowSecs >= 1 && windowSecs <= MAX_OWN_SECS))
    throw new InputProblem(
      OWN_LIMIT,
      `${OWN_LIMIT}: ${JSON.stringify(entry.value.slice(0, 100))} is not <0-${MAX_OWN_REQUESTS}>/<1-${MAX_OWN_SECS}>s`,
    )
  const unit = (Object.keys(UNIT_SECS) as Unit[]).find(name => UNIT_SECS[name] === windowSecs) ?? null
  return { limit: plain({ requestsPerUnit, unit, windowSecs, name: '' }), counted: entries }
}

function plain(limit: Limit): ConfiguredLimit {
  return { ...limit, isUnlimited: false, replaces: [], isShadow: false, isQuota: false }
}

function unlimited(remaining: number): Status {
  return { code: 'OK', limit: null, remaining, resetSecs: null }
}

function statusOf(limit: ConfiguredLimit, count: number, resetSecs: number): Status {
  const isOver = count > limit.requestsPerUnit
  return {
    code: isOver && !limit.isShadow ? 'OVER_LIMIT' : 'OK',
    limit,
    remaining: Math.max(0, limit.requestsPerUnit - count),
    resetSecs,
  }
}

/** Quotas are over together only. */
function codeOf(results: readonly Result[]): Code {
  const isOver = ({ status }: Result): boolean => status.code === 'OVER_LIMIT'
  const quotas = results.filter(({ isQuota }) => isQuota)
  const isQuotaOver = quotas.length > 0 && quotas.every(isOver)
  return isQuotaOver || results.some(result => !result.isQuota && isOver(result)) ? 'OVER_LIMIT' : 'OK'
}

/** The descriptor with the fewest left; one that is over its limit wins. Null without a limit. */
function closestOf(statuses: readonly Status[]): number | null {
  let closest: number | null = null
  const rank = ({ code, remaining }: Status): number => (code === 'OVER_LIMIT' ? -1 : remaining)
  for (const [index, status] of statuses.entries())
    if (status.limit !== null && (closest === null || rank(status) < rank(statuses[closest]!))) closest = index
  return closest
}

function headersOf({ limit, remaining, resetSecs }: Status): HeaderLine[] {
  return [
    ['RateLimit-Limit', String(limit!.requestsPerUnit)],
    ['RateLimit-Remaining', String(remaining)],
    ['RateLimit-Reset', String(resetSecs)],
  ]
}

/** Such as `4 of 5/minute left`. The values of entries may be credentials, and are left to the record. */
function reasonOf({ descriptors }: LimitCall, statuses: readonly Status[], closest: number | null): string {
  if (closest === null) return 'no limit'
  const { code, limit, remaining } = statuses[closest]!
  const keys = descriptors[closest]!.entries.map(({ key }) => key).join(', ')
  const used = limit!.requestsPerUnit - remaining
  const state =
    code === 'OVER_LIMIT'
      ? `over ${limitText(limit!)}`
      : `${remaining} of ${limitText(limit!)} left${used >= limit!.requestsPerUnit * NEAR ? ' (near the limit)' : ''}`
  return `${state}: ${keys}`.slice(0, MAX_SHOWN)
}

/** The facts for conditions. */
export function descriptorTexts({ descriptors }: LimitCall): string[] {
  return descriptors.flatMap(({ entries }) => entries.map(entryText))
}
