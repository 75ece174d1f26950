/** Reads the query parameters that select captured requests. */
import type { FastifyRequest } from 'fastify'
import { HttpError, readQuery, type RouteParameter, type SvcHttp } from '../contract/plugin.ts'
import { nearest } from '../toolkit/nearest.ts'
import { pointerTokens, valueAt } from '../toolkit/json-pointer.ts'
import { takeSize, type Json, type JsonObject } from '../contract/json.ts'
import type { CaptureQuery, Inspector } from '../inspector/inspector.ts'
import { hasTag } from '../inspector/tags.ts'
import { isMark, type CaptureSubject } from '../inspector/subjects.ts'
import { readMatch } from '../match/match.ts'
import { readOrProblem } from '../toolkit/input-problem.ts'
import { isSessionName } from '../fields/session-prefix.ts'
import type { ControlDeps } from './deps.ts'
import { sessionRequired } from './request-scope.ts'

type Condition = (subject: CaptureSubject) => boolean

export const SESSION: RouteParameter = {
  name: 'session',
  in: 'query',
  description: 'Only requests with this value of `X-Svc-Session`. Required in public mode.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
}
export const PATH_PREFIX: RouteParameter = {
  name: 'path_prefix',
  in: 'query',
  description: 'Only requests whose path starts with this text.',
  schema: { type: 'string' },
}

const text = (name: string, description: string): RouteParameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
})

/** The parameters of `readQueryFilter`, for descriptions of routes. */
export const FILTERS: RouteParameter[] = [
  SESSION,
  PATH_PREFIX,
  text('method', 'The method, in any case.'),
  text('path', 'Template of the path: `{name}` and `*` are one segment, `**` at the end is the rest.'),
  text('host', 'The host, without port, in any case.'),
  text('status', 'A status such as `503`, or a class such as `5xx`.'),
  text('header.<name>', 'Value of a header.'),
  text('query.<name>', 'Value of a query parameter.'),
  text('json.<pointer>', 'Value at a JSON pointer of the body, compared as text.'),
  text('body_contains', 'A text in the body.'),
  text('rule', 'Name of the rule that acted on the request.'),
  text('tag', 'What a plugin noticed about the request, such as `violation:openai.tool-orphan`; may end in `*`.'),
  text(
    'service',
    'Name of the service that the request called: the other filters look at the request that it was about.',
  ),
  text('decision', 'The decision of that service, such as `deny`.'),
  text('replica', 'Instance id of the replica that received the request.'),
  text('since', 'Id of an entry, or a time (RFC 3339): only what came after.'),
]

export type Order = 'newest' | 'oldest'

/** The parameter of `readLimit`, for descriptions of routes. */
export function limitParameter(fallback: number | null): RouteParameter {
  return {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of entries. Values outside 1 to the capacity are clamped.',
    schema: { type: 'integer', ...(fallback === null ? {} : { default: fallback }) },
  }
}

/** The parameter of `readOrder`. */
export function orderParameter(fallback: Order): RouteParameter {
  return {
    name: 'order',
    in: 'query',
    description: 'Which entries come first.',
    schema: { enum: ['newest', 'oldest'], default: fallback },
  }
}

/** From 1 to the capacity; `fallback` without the parameter. Throws 400. */
export function readLimit(
  request: FastifyRequest,
  { capacity }: Pick<Inspector, 'capacity'>,
  fallback: number,
): number {
  const given = readQuery(request).get('limit')
  if (given === null) return Math.min(fallback, capacity)
  if (!/^[+-]?\d+$/.test(given))
    throw new HttpError(400, { error: 'invalid_limit', details: 'expected a whole number such as 100' })
  return Math.min(Math.max(Number(given), 1), capacity)
}

/** Throws 400. */
export function readOrder(request: FastifyRequest, fallback: Order): Order {
  const order = readQuery(request).get('order') ?? fallback
  if (order !== 'newest' && order !== 'oldest') throw invalidFilter('order', 'expected newest or oldest')
  return order
}

const NAMES = FILTERS.map(({ name }) => name)
const PREFIXES = ['header.', 'query.', 'json.']
/** Conditions of one request. */
const MAX_CONDITIONS = 50

/** 400 for a wrong parameter. */
export function invalidFilter(parameter: string, details?: string): HttpError {
  return new HttpError(400, {
    error: 'invalid_filter',
    parameter: parameter.slice(0, 200),
    ...(details === undefined ? {} : { details }),
  })
}

/** Rejects unknown parameters, which would otherwise be ignored and select everything. */
export function rejectUnknownFilters(request: FastifyRequest, known: readonly string[]): void {
  for (const name of readQuery(request).keys()) {
    if (known.includes(name) || known.some(one => PREFIXES.some(prefix => isNamed(one, name, prefix)))) continue
    const meant = nearest(name, known)
    throw new HttpError(400, {
      error: 'invalid_filter',
      parameter: name.slice(0, 200),
      ...(meant === undefined ? {} : { did_you_mean: meant }),
    })
  }
}

/** Whether `name` is `header.x-a` where `header.<name>` is known. */
function isNamed(known: string, name: string, prefix: string): boolean {
  return known.startsWith(`${prefix}<`) && name.startsWith(prefix) && name.length > prefix.length
}

/** The value of `?session=`, otherwise the session of the path prefix. */
export function readSession(request: FastifyRequest, http: SvcHttp): string | undefined {
  const session = readQuery(request).get('session')
  if (session === null) {
    const { header, from } = http.session(request)
    return from === 'path' ? (header ?? undefined) : undefined
  }
  if (!isSessionName(session)) throw new HttpError(400, { error: 'invalid_session' })
  return session
}

/** 400 in public mode without a session. */
export function publicSessionRequired(): HttpError {
  return sessionRequired(
    'in public mode you can only see one session: add ?session= with the value of your X-Svc-Session header',
  )
}

/** Reads all filters. Throws 400 for wrong or unknown parameters. `others` are the other parameters of the route. */
export function readQueryFilter(
  request: FastifyRequest,
  { config, http, inspector, protocols }: Pick<ControlDeps, 'config' | 'http' | 'inspector' | 'protocols'>,
  others: readonly string[],
): CaptureQuery {
  rejectUnknownFilters(request, [...NAMES, ...others])
  const session = readSession(request, http)
  if (config.publicMode && session === undefined) throw publicSessionRequired()
  const query = readQuery(request)
  const conditions: Condition[] = []
  const pathPrefix = query.get('path_prefix') ?? undefined
  const isOfService = query.has('service')
  if (isOfService && pathPrefix !== undefined)
    conditions.push(({ request: outer }) => outer.within('service')?.url.startsWith(pathPrefix) === true)
  const match: JsonObject = {}
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name)
    const [value] = values as [string]
    if (others.includes(name) || name === 'session' || name === 'path_prefix') continue
    if (values.length > 1) throw invalidFilter(name, 'the parameter is set more than once')
    const own = conditionOf(name, value, isOfService)
    if (own !== null) conditions.push(own)
    else addToMatch(match, name, value)
  }
  const read = readOrProblem(() =>
    readMatch(match, '', {
      protocols: protocols(request),
      maxTests: MAX_CONDITIONS,
      isFilter: true,
      checks: inspector.evaluations.budget(),
    }),
  )
  if ('problem' in read) throw invalidFilter(parameterOf(read.problem.at, query), read.problem.details)
  if (read.value.count > 0) conditions.unshift(({ request: subject }) => read.value.holds(subject))
  if (conditions.length > MAX_CONDITIONS) throw invalidFilter('json', `expected at most ${MAX_CONDITIONS} conditions`)
  return { session, pathPrefix: isOfService ? undefined : pathPrefix, conditions }
}

/** Conditions that the match language does not have in this form; null for others. */
function conditionOf(name: string, value: string, isOfService: boolean): Condition | null {
  if (name === 'status') {
    if (!/^[1-5](?:\d\d|xx)$/.test(value))
      throw invalidFilter(name, 'expected a status such as 503, or a class such as 5xx')
    const isOf = value.endsWith('xx')
      ? (status: number) => Math.floor(status / 100) === Number(value[0])
      : (status: number) => status === Number(value)
    return ({ captured }) => isOf(captured.status)
  }
  if (name === 'decision') return ({ captured }) => captured.service?.decision === value
  if (name === 'tag') return ({ captured }) => hasTag(captured.tags ?? [], value)
  if (name === 'replica') return ({ captured }) => captured.replica === value
  if (name === 'since') {
    if (!isMark(value)) throw invalidFilter(name, 'expected the id of an entry, or a time such as 2026-03-14T12:00:00Z')
    return ({ request }) => request.facts.isSince!(value)
  }
  return name.startsWith('json.') ? jsonCondition(name, value, isOfService) : null
}

function jsonCondition(name: string, wanted: string, isOfService: boolean): Condition {
  const tokens = pointerTokens(name.slice('json.'.length))
  if (tokens === undefined) throw invalidFilter(name, 'expected a JSON pointer such as json./messages/0/role')
  return ({ request: outer }) => {
    const request = isOfService ? outer.within('service') : outer
    const body = request?.json()
    const found = body === undefined ? undefined : valueAt(body, tokens)
    if (found === undefined) return false
    takeSize(found, outer.steps)
    return textOf(found) === wanted
  }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function addToMatch(match: JsonObject, name: string, value: string): void {
  const named = ['header', 'query'].find(kind => name.startsWith(`${kind}.`))
  if (named !== undefined) {
    const tests = (match[named] ??= {}) as JsonObject
    // Other keys cannot be set by `=`.
    Object.defineProperty(tests, name.slice(named.length + 1), {
      value: { equals: value },
      enumerable: true,
      configurable: true,
    })
  } else if (name === 'body_contains') match.body = { contains: value }
  else if (name === 'rule') match.rule = { equals: value }
  else if (name === 'service') match.service = { name: { equals: value } }
  else match[name] = value
}

/** The parameter whose value has a problem at this place of the match. */
function parameterOf(at: string, query: URLSearchParams): string {
  if (at.startsWith('body')) return 'body_contains'
  return [...query.keys()].find(name => at === name || at.startsWith(`${name}.`)) ?? at
}
