/** `/ai`: the index of providers, and the recorded requests. */
import {
  describe,
  HttpError,
  type FastifyInstance,
  type FastifyRequest,
  type InspectorEntry,
  type Json,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { Redactor } from 'svc/toolkit'
import type { ProviderRegistry } from './provider-registry.ts'
import { LISTED_HEADERS } from '../headers/request-headers.ts'
import type { FaultParser } from '../headers/faults.ts'
import type { LoggedCall } from '../usage/call.ts'
import type { Ledger } from '../usage/ledger.ts'
import { CATEGORY } from '../contract/category.ts'
import { modes } from '../contract/neutral.ts'
import { matches } from '../validation/level.ts'
import type { Validator } from '../validation/validator.ts'
import type { AiRecord, Records } from '../records/records.ts'
import { AI, AI_REQUEST, AI_REQUESTS } from '../replies.ts'

const redactor = new Redactor({ marker: '****' })

const index: RouteDescription = {
  summary: 'Mock LLM: list providers, models and routes',
  reply: AI,
  category: CATEGORY,
  examples: [{ name: 'Index', path: '/ai', expectStatus: 200 }],
}
const session = {
  name: 'session',
  in: 'query',
  description: 'Return only the records of this session',
  schema: { type: 'string' },
} as const
const list: RouteDescription = {
  summary: 'Mock LLM: list recorded requests, newest first',
  reply: AI_REQUESTS,
  category: CATEGORY,
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of records; default 50',
      schema: { type: 'integer', minimum: 1, maximum: 200 },
    },
    session,
    {
      name: 'violation',
      in: 'query',
      description: 'Return only requests that violate this rule of a vendor; the name may end in *',
      schema: { type: 'string', maxLength: 100 },
    },
  ],
  examples: [{ name: 'The last ten', path: '/ai/requests?limit=10', expectStatus: 200 }],
}
const one: RouteDescription = {
  summary: 'Mock LLM: get a recorded request',
  reply: AI_REQUEST,
  category: CATEGORY,
  path: '/ai/requests/{id}',
  description:
    'The prompt that the engine received, tokens, credential and fault of the request with this id (response header `X-Svc-Request-Id`).',
  parameters: [
    { name: 'id', in: 'path', required: true, description: 'A request id', schema: { type: 'string', maxLength: 200 } },
    session,
  ],
  responses: {
    200: { description: 'The record' },
    404: { description: 'The record does not exist, or belongs to another session' },
  },
  examples: [{ name: 'Unknown id', path: '/ai/requests/no-such-id', expectStatus: 404 }],
}

export function registerRoutes(
  app: FastifyInstance,
  svc: Svc<unknown>,
  parts: {
    providers: ProviderRegistry
    faults: FaultParser
    records: Records
    ledger: Ledger
    validator: Validator
  },
): void {
  const { providers, faults, records, ledger } = parts
  app.get('/ai', describe(index), (request, reply) =>
    reply.send({
      validation: parts.validator.strictness.level,
      providers: providers.index(request),
      modes,
      fail_kinds: faults.names(),
      headers: LISTED_HEADERS,
    }),
  )

  app.get<{ Querystring: Query }>('/ai/requests', describe(list), async (request, reply) => {
    const isVisible = visibility(svc, request)
    const rule = first(request.query.violation)
    const violates = ({ violations = [] }: AiRecord): boolean =>
      rule === undefined || violations.some(violation => matches(rule, violation.rule))
    const found = await records.newest(readLimit(request.query.limit), record => isVisible(record) && violates(record))
    return reply.send({ count: found.length, requests: found.map(showShort) })
  })

  app.get<{ Querystring: Query; Params: { id: string } }>('/ai/requests/:id', describe(one), async (request, reply) => {
    const { id } = request.params
    const isVisible = visibility(svc, request)
    // A retry may reuse its request id; the newest record is returned.
    const record =
      id.length <= maxIdCharacters
        ? await records.find(candidate => candidate.request_id === id && isVisible(candidate))
        : undefined
    if (record === undefined)
      throw new HttpError(404, {
        error: 'no such AI request',
        request_id: id,
        hint: 'records are kept for one hour; GET /ai/requests lists them',
      })
    const [ended] = await ledger.calls(
      svc.http.session(request),
      1,
      call => call.request_id === id && call.provider === record.provider,
      null,
    )
    return reply.send(showWhole(record, await svc.inspector.entry(id, record.session_header), ended?.value))
  })
}

interface Query {
  limit?: string | string[]
  session?: string | string[]
  violation?: string | string[]
}

const maxIdCharacters = 200
const defaultLimit = 50
const maxLimit = 200

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function readLimit(value: string | string[] | undefined): number {
  const limit = Number(first(value) ?? defaultLimit)
  return Number.isFinite(limit) ? Math.min(Math.max(1, Math.trunc(limit)), maxLimit) : defaultLimit
}

/** In public mode, clients can see their own session, or a session by its name, but not by its address. */
function visibility(svc: Svc<unknown>, request: FastifyRequest<{ Querystring: Query }>): (record: AiRecord) => boolean {
  const requested = first(request.query.session)
  if (!svc.config.publicMode) return requested === undefined ? () => true : record => record.session === requested
  if (requested !== undefined && !requested.startsWith('ip:')) return record => record.session_header === requested
  const own = svc.http.session(request)
  return record => record.session === own.label && record.session_header === own.header
}

function showShort(record: AiRecord): object {
  const {
    request_id,
    at,
    provider,
    endpoint,
    model,
    mode,
    stream,
    status,
    prompt_tokens,
    completion_tokens,
    finish_reason,
    fault,
    rule,
    violations = [],
  } = record
  return {
    request_id,
    timestamp: new Date(at).toISOString(),
    provider,
    endpoint,
    model,
    mode,
    stream,
    status,
    prompt_tokens,
    completion_tokens,
    finish_reason,
    fault,
    rule,
    violations: [...new Set(violations.map(violation => violation.rule))],
  }
}

function showWhole(
  { request_id, at, json, session: _session, session_header: _header, ...record }: AiRecord,
  entry: InspectorEntry | undefined,
  ended: LoggedCall | undefined,
): object {
  const { prompt_tokens, cached_tokens, completion_tokens } = record
  return {
    request_id,
    timestamp: new Date(at).toISOString(),
    ...record,
    headers: readHeaders(record.headers),
    body: json ? readBody(record.body) : redactor.text(record.body),
    usage: { prompt_tokens, cached_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    attempt: ended?.attempt ?? null,
    cut: ended?.cut ?? null,
    captured:
      entry === undefined
        ? null
        : { inspector_id: entry.id, status: entry.status, latency_ms: entry.latency_ms, client_ip: entry.client_ip },
  }
}

function readHeaders(list: readonly string[]): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>
  for (let at = 0; at + 1 < list.length; at += 2) headers[list[at] ?? ''] = list[at + 1] ?? ''
  return headers
}

/**
 * Parses JSON; invalid JSON is returned as text. Without secrets, such as those of servers that a request names; deeper JSON
 * than can be sent is replaced.
 */
function readBody(text: string): unknown {
  if (text === '') return null
  try {
    return redactor.json(JSON.parse(text) as Json)
  } catch {
    return redactor.text(text)
  }
}
