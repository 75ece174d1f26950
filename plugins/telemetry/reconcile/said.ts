/** What a report says of a request, whatever its form. */
import type { Json, JsonObject } from 'svc/plugin'
import { takeSessionPrefix } from 'svc/toolkit'
import { memberOf } from '../records/http-facts.ts'
import type { HttpFacts, LogRecord, SpanRecord } from '../records/record.ts'
import { factsOf } from '../records/sessions.ts'

export interface Said {
  id: string
  /** `access`: of the request of the client; `attempt`: of one request to an upstream; `call`: of a model. */
  role: 'access' | 'attempt' | 'call'
  traceId: string | null
  spanId: string | null
  /** Milliseconds since 1970. */
  at: number
  session: string | null
  /** What reports, for reports that come twice. */
  reporter: string
  facts: HttpFacts
  model: string | null
  inputTokens: number | null
  outputTokens: number | null
  cost: number | null
  /** The route of the gateway. */
  route: string | null
}

/** Null for a log that is about no request. */
export function saidInLog(record: LogRecord): Said | null {
  const { id, trace_id: traceId, request_id: requestId, method, path, status, time, session } = record
  const { attributes, source, service } = record
  if (traceId === null && requestId === null) return null
  const model = modelFacts(attributes)
  const isAccess = method !== null || path !== null || status !== null || record.duration_ms !== null
  if (!isAccess && !model.isCall) return null
  return {
    id,
    role: isAccess ? 'access' : 'call',
    traceId,
    spanId: null,
    at: Date.parse(time),
    session,
    reporter: `${source} ${service ?? ''}`,
    facts: record,
    ...model,
    route: routeOf(attributes),
  }
}

/** Null for a span that is about no request. */
export function saidInSpan(record: SpanRecord): Said | null {
  const { id, trace_id: traceId, span_id: spanId, start, attributes, session, service, source } = record
  const facts = factsOf(record)!
  const isHttp = facts.method !== null || facts.status !== null || facts.path !== null
  const model = modelFacts(attributes)
  const role = isHttp ? roleOf(record, facts) : 'call'
  if (role === 'call' && !model.isCall) return null
  const taken = facts.path === null ? null : takeSessionPrefix(facts.path)
  return {
    id,
    role,
    traceId,
    spanId,
    at: Date.parse(start),
    session,
    reporter: `${source} ${service ?? ''} ${spanId}`,
    facts: {
      ...facts,
      path: taken?.target ?? facts.path,
      duration_ms: role === 'access' ? record.duration_ms : null,
      // Other spans end with the headers, or count the body only.
      bytes_sent: role === 'access' ? facts.bytes_sent : null,
    },
    ...model,
    route: routeOf(attributes),
  }
}

/** Tracers of Datadog may leave the kind out: then the span of the client has the request id, and those of attempts a parent. */
function roleOf(
  { kind, attributes, parent_span_id: parent }: SpanRecord,
  { request_id: requestId }: HttpFacts,
): Said['role'] {
  if (isRpc(attributes)) return 'call'
  if (kind === 'server' || (kind === null && requestId !== null)) return 'access'
  return kind === 'client' || (kind === null && parent !== null) ? 'attempt' : 'call'
}

/** A call of a service of the gateway, not of the upstream. */
function isRpc(attributes: JsonObject): boolean {
  return memberOf(attributes, 'rpc.system') !== undefined || memberOf(attributes, 'rpc.service') !== undefined
}

function routeOf(attributes: JsonObject): string | null {
  return textIn(attributes, ['route_name', 'route', 'http.route', 'route.name', 'route_id'])
}

interface ModelFacts {
  isCall: boolean
  model: string | null
  inputTokens: number | null
  outputTokens: number | null
  cost: number | null
}

/** The semantic conventions for generative AI, those before them, and names of gateways for them. */
function modelFacts(attributes: JsonObject): ModelFacts {
  const model = textIn(attributes, ['gen_ai.response.model', 'gen_ai.request.model', 'llm.response_model'])
  const inputTokens = countIn(attributes, ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'])
  const outputTokens = countIn(attributes, ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'])
  const cost = numberIn(attributes, ['gen_ai.usage.cost', 'gen_ai.cost.total_cost', 'gen_ai.usage.total_cost'])
  return {
    isCall: model !== null || inputTokens !== null || outputTokens !== null,
    model,
    inputTokens,
    outputTokens,
    cost,
  }
}

function firstIn<T>(attributes: JsonObject, names: readonly string[], use: (value: Json) => T | null): T | null {
  for (const name of names) {
    const value = memberOf(attributes, name)
    const used = value == null ? null : use(value)
    if (used !== null) return used
  }
  return null
}

function textIn(attributes: JsonObject, names: readonly string[]): string | null {
  return firstIn(attributes, names, value =>
    typeof value === 'string' && value !== '' && value !== '-' ? value : null,
  )
}

function numberIn(attributes: JsonObject, names: readonly string[]): number | null {
  return firstIn(attributes, names, value => {
    const number = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,12})?$/.test(value) ? Number(value) : value
    return typeof number === 'number' && number >= 0 ? number : null
  })
}

function countIn(attributes: JsonObject, names: readonly string[]): number | null {
  const number = numberIn(attributes, names)
  return number !== null && Number.isInteger(number) ? number : null
}
