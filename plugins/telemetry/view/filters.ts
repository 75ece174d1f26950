/** Reads the query parameters that select records. */
import { HttpError, readQuery, type FastifyRequest, type Json, type RouteParameter, type Svc } from 'svc/plugin'
import { isSessionName, nearest, own } from 'svc/toolkit'
import type { Kind, TelemetryRecord } from '../records/record.ts'
import { idsOf } from '../records/sessions.ts'

export interface RecordFilter {
  /** Null: of all sessions. */
  session: string | null
  /** Id of a record, or milliseconds since 1970: only what came after it. */
  since: string | number | null
  where(record: TelemetryRecord): boolean
}

const text = (name: string, description: string): RouteParameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
})

export const SESSION: RouteParameter = {
  name: 'session',
  in: 'query',
  description: 'Only records of this session. Required in public mode.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
}

export const FILTERS: readonly RouteParameter[] = [
  SESSION,
  text('trace_id', 'The id of the trace, in hexadecimal.'),
  text('request_id', 'The id of the request that the record is about.'),
  text('name', 'The name of the span or the metric.'),
  text('service', 'The service that reports.'),
  text('source', 'The format, such as `otlp`.'),
  text('status', 'Of spans `unset`, `ok` or `error`; of logs a status such as `503`, or a class such as `5xx`.'),
  text('attr.<name>', 'Value of an attribute, compared as text.'),
  text('since', 'Id of a record, or a time (RFC 3339): only what came after.'),
]

const NAMES = FILTERS.map(({ name }) => name)
const ATTRIBUTE = 'attr.'
const MAX_CONDITIONS = 50
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** 400 for a wrong parameter. */
export function invalidFilter(parameter: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_filter', parameter: parameter.slice(0, 200), details })
}

/** Reads all filters; `others` are the other parameters of the route. Throws 400. */
export function readFilter(
  request: FastifyRequest,
  svc: Svc<unknown>,
  kind: Kind,
  others: readonly string[],
): RecordFilter {
  const query = readQuery(request)
  rejectUnknown(query, [...NAMES, ...others])
  const session = readSession(request, svc)
  const given: Record<string, string> = {}
  for (const [name, value] of query) if (!others.includes(name) && name !== 'session') given[name] = value
  return { session, ...readConditions(kind, given) }
}

/** The same from texts by name, without the session. Throws 400. */
export function readConditions(
  kind: Kind,
  given: Readonly<Record<string, string>>,
): Pick<RecordFilter, 'since' | 'where'> {
  const conditions: ((record: TelemetryRecord) => boolean)[] = []
  let since: RecordFilter['since'] = null
  for (const [name, value] of Object.entries(given)) {
    if (name === 'since') since = readSince(value)
    else conditions.push(conditionOf(kind, name, value))
  }
  if (conditions.length > MAX_CONDITIONS) throw invalidFilter('attr', `expected at most ${MAX_CONDITIONS} conditions`)
  return { since, where: record => conditions.every(holds => holds(record)) }
}

/** Rejects parameters that would otherwise be ignored, and those that are set twice. */
export function rejectUnknown(query: URLSearchParams, known: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of query.keys()) {
    if (seen.has(name)) throw invalidFilter(name, 'the parameter is set more than once')
    seen.add(name)
    if (known.includes(name) || (known.includes('attr.<name>') && isAttribute(name))) continue
    const meant = nearest(name, known)
    throw invalidFilter(name, `unknown parameter${meant === undefined ? '' : ` (did you mean "${meant}"?)`}`)
  }
}

/** `?session=`, otherwise the session of the path; null for all, which a public instance refuses. */
export function readSession(request: FastifyRequest, svc: Svc<unknown>): string | null {
  const given = readQuery(request).get('session')
  if (given !== null && !isSessionName(given)) throw new HttpError(400, { error: 'invalid_session' })
  const { header, from } = svc.http.session(request)
  const session = given ?? (from === 'path' ? header : null)
  if (session === null && svc.config.publicMode)
    throw new HttpError(400, {
      error: 'session_required',
      details: 'in public mode you can only see one session: add ?session= with the name of yours',
    })
  return session
}

/** Milliseconds of a time, or the id of a record. Throws 400. */
export function readSince(value: string): string | number {
  if (ID.test(value)) return value
  const time = TIME.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time))
    throw invalidFilter('since', 'expected the id of a record, or a time such as 2026-03-14T12:00:00Z')
  return time
}

function isAttribute(name: string): boolean {
  return name.startsWith(ATTRIBUTE) && name.length > ATTRIBUTE.length
}

function conditionOf(kind: Kind, name: string, value: string): (record: TelemetryRecord) => boolean {
  if (isAttribute(name)) {
    const key = name.slice(ATTRIBUTE.length)
    return ({ attributes }) => {
      const found = own(attributes, key)
      return found !== undefined && shownValue(found) === value
    }
  }
  switch (name) {
    case 'trace_id':
      return record => idsOf(record).traceId === value.toLowerCase()
    case 'request_id':
      return record => idsOf(record).requestId === value
    case 'name':
      return record => 'name' in record && record.name === value
    case 'service':
      return ({ service }) => service === value
    case 'source':
      return ({ source }) => source === value
    case 'status':
      return statusCondition(kind, value)
    default:
      throw invalidFilter(name, `unknown parameter (expected one of ${NAMES.slice(1).join(', ')})`)
  }
}

function statusCondition(kind: Kind, value: string): (record: TelemetryRecord) => boolean {
  if (kind === 'logs' && /^[1-9](?:\d\d|xx)$/.test(value)) {
    const isOf = (status: number): boolean =>
      value.endsWith('xx') ? Math.floor(status / 100) === Number(value[0]) : status === Number(value)
    return record => 'status' in record && typeof record.status === 'number' && isOf(record.status)
  }
  if (kind === 'spans' && ['unset', 'ok', 'error'].includes(value))
    return record => 'status' in record && record.status === value
  throw invalidFilter(
    'status',
    kind === 'logs'
      ? 'expected a status such as 503, or a class such as 5xx'
      : kind === 'spans'
        ? 'expected unset, ok or error'
        : 'metrics have no status',
  )
}

function shownValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
