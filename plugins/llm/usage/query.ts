/** The parameters of `/ai/usage` and `/ai/usage/calls`: filters and groups. */
import { HttpError, readQuery, type FastifyRequest } from 'svc/plugin'
import { nearest } from 'svc/toolkit'
import { matchesName } from './prices.ts'

const GROUPS = ['provider', 'model', 'key', 'session', 'op', 'status', 'minute', 'hour', 'day'] as const
export type Group = (typeof GROUPS)[number]

export const FILTERS = ['provider', 'model', 'key', 'session', 'op', 'since', 'until', 'limit']

/** What filters compare. */
interface Filtered {
  provider: string
  model: string | null
  key_id: string
  session: string
  op: string
}

export interface UsageQuery {
  /** Milliseconds since 1970; null: without a bound. */
  since: number | null
  until: number | null
  limit: number
  matches(item: Filtered): boolean
}

/** 400 for a parameter that can't be read. */
export function invalidFilter(parameter: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_filter', parameter: parameter.slice(0, 200), details })
}

/** Reads the filters; unknown parameters are errors, since they would select everything. */
export function readUsageQuery(
  request: FastifyRequest,
  { known, limit, now }: { known: readonly string[]; limit: { default: number; max: number }; now: number },
): UsageQuery {
  const query = readQuery(request)
  for (const name of query.keys()) {
    if (known.includes(name)) continue
    const meant = nearest(name, known)
    throw invalidFilter(name, meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`)
  }
  const wanted = ['provider', 'session', 'op'] as const
  const equal = wanted.map(name => [name, query.get(name)] as const).filter(([, value]) => value !== null)
  const model = query.get('model')
  const key = query.get('key')
  return {
    since: readTime(query, 'since', now),
    until: readTime(query, 'until', now),
    limit: readLimit(query, limit),
    matches: item =>
      equal.every(([name, value]) => item[name] === value) &&
      (key === null || item.key_id === key) &&
      (model === null || (item.model !== null && matchesName(model, item.model))),
  }
}

/** The groups of `?group=`; none gives one row. */
export function readGroups(request: FastifyRequest): Group[] {
  const text = readQuery(request).get('group') ?? 'provider,model'
  if (text === 'none') return []
  const names = text.split(',', GROUPS.length + 1).map(name => name.trim())
  const groups = names.map(name => {
    const group = GROUPS.find(known => known === name)
    if (group === undefined) throw invalidFilter('group', `expected none, or a list of ${GROUPS.join(', ')}`)
    return group
  })
  if (new Set(groups).size < groups.length) throw invalidFilter('group', 'a group is named twice')
  if (groups.filter(isTime).length > 1) throw invalidFilter('group', 'expected at most one of minute, hour, day')
  return groups
}

export function isTime(group: Group): group is 'minute' | 'hour' | 'day' {
  return group === 'minute' || group === 'hour' || group === 'day'
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A time (RFC 3339), or how long ago: `15m`, `2h`. */
function readTime(query: URLSearchParams, name: string, now: number): number | null {
  const text = query.get(name)
  if (text === null) return null
  const ago = /^(\d{1,6})([smhd])$/.exec(text)
  if (ago !== null) return now - Number(ago[1]) * UNITS[ago[2]!]!
  const time = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text.toUpperCase())
    : NaN
  if (Number.isNaN(time)) throw invalidFilter(name, 'expected a time (RFC 3339), or how long ago, such as 15m or 2h')
  return time
}

function readLimit(query: URLSearchParams, { default: fallback, max }: { default: number; max: number }): number {
  const text = query.get('limit')
  if (text === null) return fallback
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > max) throw invalidFilter('limit', `expected a whole number from 1 to ${max}`)
  return limit
}
