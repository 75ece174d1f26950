/** `/ai/usage`: what the mock LLM counted, as JSON and CSV, and the calls behind it. */
import {
  describe,
  HttpError,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { preferredType } from 'svc/toolkit'
import { CATEGORY } from '../contract/category.ts'
import type { LoggedCall } from './call.ts'
import type { Ledger, LedgerRow } from './ledger.ts'
import { FILTERS, invalidFilter, readGroups, readUsageQuery, type Group } from './query.ts'
import { csvOf, figuresOf, report, roundCost, type Report } from './report.ts'
import { AI_USAGE, AI_USAGE_CALLS, AI_USAGE_CSV } from '../replies.ts'

const MINUTE_MS = 60_000
const ROWS = { default: 200, max: 1000 }
const CALLS = { default: 50, max: 500 }

const text = (name: string, description: string): RouteParameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
})
const filters = (limit: { max: number; default: number }): RouteParameter[] => [
  text('provider', 'Only this provider'),
  text('model', 'Only this model, or models with the prefix before a `*`'),
  text('key', 'Only the credential with this `key_id`'),
  text('session', 'Only this session'),
  text('op', 'Only this operation, such as `chat` or `embed`'),
  text('since', 'A time (RFC 3339), or how long ago: `15m`, `2h`'),
  text('until', 'A time (RFC 3339), or how long ago'),
  {
    name: 'limit',
    in: 'query',
    description: `Maximum number of items; default ${limit.default}`,
    schema: { type: 'integer', minimum: 1, maximum: limit.max },
  },
]
const group = text(
  'group',
  'List of `provider`, `model`, `key`, `session`, `op`, `status` and one of `minute`, `hour`, `day`; or `none`',
)
const responses = {
  200: { description: 'What was counted' },
  400: { description: '`invalid_filter`: a parameter is unknown or can’t be read' },
  403: { description: '`not_public`: in public mode, keys and other sessions are not shown' },
}
const usage: RouteDescription = {
  summary: 'Mock LLM: tokens and cost that the server counted',
  reply: AI_USAGE,
  category: CATEGORY,
  description:
    'What was really sent: a stream that was cut counts what was written. CSV with `Accept: text/csv` or as `/ai/usage.csv`.',
  parameters: [group, ...filters(ROWS)],
  responses,
  examples: [
    { name: 'By provider and model', path: '/ai/usage', expectStatus: 200 },
    { name: 'By session, of the last hour', path: '/ai/usage?group=session&since=1h', expectStatus: 200 },
  ],
}
const csv: RouteDescription = {
  ...usage,
  summary: 'Mock LLM: tokens and cost that the server counted, as CSV',
  reply: AI_USAGE_CSV,
  examples: [{ name: 'By provider and model', path: '/ai/usage.csv', expectStatus: 200 }],
}
const calls: RouteDescription = {
  summary: 'Mock LLM: the counted calls, newest first',
  reply: AI_USAGE_CALLS,
  category: CATEGORY,
  parameters: [
    ...filters(CALLS),
    text('request_id', 'Only calls with this request id'),
    text('after', 'Only calls older than the one with this `id`, for the next page'),
  ],
  responses,
  examples: [{ name: 'The last ten', path: '/ai/usage/calls?limit=10', expectStatus: 200 }],
}

export function registerUsageRoutes(
  app: FastifyInstance,
  svc: Svc<unknown>,
  { ledger, currency }: { ledger: Ledger; currency: string },
): void {
  const select = async (request: FastifyRequest) => {
    const groups = readGroups(request)
    const now = Date.now()
    const query = readUsageQuery(request, { known: [...FILTERS, 'group'], limit: ROWS, now })
    if (svc.config.publicMode && groups.includes('key')) throw notPublic('keys are not shown in public mode')
    const isVisible = visibility(svc, request)
    const { rows, openStreams, dropped } = await ledger.look(
      row =>
        isVisible(row) &&
        query.matches(row) &&
        (query.since === null || row.minute + MINUTE_MS > query.since) &&
        (query.until === null || row.minute < query.until),
    )
    const from = query.since ?? rows.reduce((oldest, { minute }) => Math.min(oldest, minute), now)
    return { groups, query, from, to: query.until ?? now, openStreams, dropped, report: report(rows, groups) }
  }

  app.get('/ai/usage', describe(usage), async (request, reply) => {
    const { groups, query, from, to, openStreams, dropped, report: result } = await select(request)
    void reply.header('Vary', 'Accept')
    if (preferredType(request.headers.accept ?? '', ['application/json', 'text/csv']) === 'text/csv')
      return sendCsv(reply, groups, result, query.limit)
    return reply.send({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      group: groups,
      currency,
      open_streams: openStreams,
      dropped,
      totals: figuresOf(result.totals),
      rows: result.rows.slice(0, query.limit).map(({ fields, sums }) => ({ ...fields, ...figuresOf(sums) })),
    })
  })

  app.get('/ai/usage.csv', describe(csv), async (request, reply) => {
    const { groups, query, report: result } = await select(request)
    return sendCsv(reply, groups, result, query.limit)
  })

  app.get('/ai/usage/calls', describe(calls), async (request, reply) => {
    const known = [...FILTERS, 'request_id', 'after']
    const query = readUsageQuery(request, { known, limit: CALLS, now: Date.now() })
    const isVisible = visibility(svc, request)
    const parameters = readQuery(request)
    const requestId = parameters.get('request_id')
    const after = parameters.get('after')
    if (after !== null && !/^\d{1,15}$/.test(after)) throw invalidFilter('after', 'expected the id of a call')
    const found = await ledger.calls(
      svc.http.session(request),
      query.limit,
      call =>
        isVisible(call) &&
        query.matches(call) &&
        (requestId === null || call.request_id === requestId) &&
        (query.since === null || call.at >= query.since) &&
        (query.until === null || call.at < query.until),
      after === null ? null : Number(after),
    )
    return reply.send({ count: found.length, calls: found.map(({ seq, value }) => showCall(seq, value)) })
  })
}

function sendCsv(reply: FastifyReply, groups: readonly Group[], { rows }: Report, limit: number): FastifyReply {
  return reply
    .header('Content-Type', 'text/csv; charset=utf-8')
    .header('Content-Disposition', 'attachment; filename="usage.csv"')
    .send(csvOf(groups, rows.slice(0, limit)))
}

/** In public mode, clients see only their own session. */
function visibility(svc: Svc<unknown>, request: FastifyRequest): (item: Pick<LedgerRow, 'session_key'>) => boolean {
  if (!svc.config.publicMode) return () => true
  if (readQuery(request).has('session')) throw notPublic('in public mode you can only see your own session')
  const { key } = svc.http.session(request)
  return item => item.session_key === key
}

function notPublic(details: string): HttpError {
  return new HttpError(403, { error: 'not_public', details })
}

function showCall(seq: number, { session_key: _key, at, ...call }: LoggedCall): object {
  return { id: String(seq), ...call, at: new Date(at).toISOString(), cost: roundCost(call.cost) }
}
