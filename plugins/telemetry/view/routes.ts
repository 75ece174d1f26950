/** `GET` and `DELETE /_svc/telemetry/{spans,logs,metrics}`. */
import {
  describe,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { KINDS, type Kind } from '../records/record.ts'
import type { Reports } from '../records/reports.ts'
import { FILTERS, invalidFilter, readFilter, readSession, rejectUnknown, SESSION } from './filters.ts'
import { CLEAR_REPLY, listReply } from './replies.ts'
import { select, waitFor, type Wait } from './select.ts'

const DEFAULT_LIMIT = 50
const DEFAULT_WAIT_MS = 5000
const MAX_WAIT_MS = { normal: 30_000, public: 10_000 }

const LIST_PARAMETERS: readonly RouteParameter[] = [
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of records.',
    schema: { type: 'integer', minimum: 1, maximum: 2000, default: DEFAULT_LIMIT },
  },
  {
    name: 'order',
    in: 'query',
    description: 'Which records come first.',
    schema: { enum: ['newest', 'oldest'], default: 'newest' },
  },
  {
    name: 'wait_for',
    in: 'query',
    description:
      'Waits until this number of records match; stored ones count. `satisfied` of the response says whether they came.',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
  },
  {
    name: 'timeout_ms',
    in: 'query',
    description: 'How long `wait_for` waits. At most 10000 in public mode.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_MS.normal, default: DEFAULT_WAIT_MS },
  },
]
const LIST_NAMES = LIST_PARAMETERS.map(({ name }) => name)

const listDescription = (kind: Kind): RouteDescription => ({
  summary: `List the ${kind} that gateways reported`,
  reply: listReply(kind),
  category: 'Control Plane',
  parameters: [...FILTERS, ...LIST_PARAMETERS],
  responses: {
    200: { description: `\`count\`, and \`${kind}\`, newest first` },
    400: { description: 'A parameter is invalid, or `session` is missing in public mode' },
    503: { description: 'Too many waits are open' },
  },
  examples: [{ name: `The newest ${kind}`, path: `/_svc/telemetry/${kind}?limit=5&session=demo`, expectStatus: 200 }],
})

const clearDescription = (kind: Kind): RouteDescription => ({
  summary: `Delete the ${kind} that gateways reported`,
  reply: CLEAR_REPLY,
  credentials: ['none', 'bearer', 'adminToken'],
  description: 'Deleting those of all sessions requires the admin token if one is configured.',
  category: 'Control Plane',
  parameters: [{ ...SESSION, description: 'Delete only those of this session.' }],
  responses: {
    200: { description: '`cleared`: how many were deleted' },
    400: { description: 'The session is invalid, or missing in public mode' },
    401: { description: 'The admin token is missing or wrong' },
    403: { description: 'The admin token is required' },
  },
  examples: [
    {
      name: `Delete the ${kind} of one session`,
      method: 'DELETE',
      path: `/_svc/telemetry/${kind}?session=demo`,
      expectStatus: 200,
    },
  ],
})

export function registerViews(app: FastifyInstance, svc: Svc<unknown>, reports: Reports): void {
  for (const kind of KINDS) {
    const path = `/_svc/telemetry/${kind}`
    app.get(path, describe(listDescription(kind)), (request, reply) => list(kind, request, reply, svc, reports))
    app.delete(path, describe(clearDescription(kind)), async request => {
      rejectUnknown(readQuery(request), ['session'])
      const session = readSession(request, svc)
      if (session === null) svc.http.guardAdmin(request)
      return { cleared: await reports.clear(kind, session), ...(session === null ? {} : { session }) }
    })
  }
}

async function list(
  kind: Kind,
  request: FastifyRequest,
  reply: FastifyReply,
  svc: Svc<unknown>,
  reports: Reports,
): Promise<FastifyReply> {
  const filter = readFilter(request, svc, kind, LIST_NAMES)
  const query = readQuery(request)
  const limit = readWhole(query, 'limit', 1, 2000) ?? DEFAULT_LIMIT
  const isOldestFirst = readOrder(query) === 'oldest'
  const wait = readWait(query, MAX_WAIT_MS[svc.config.publicMode ? 'public' : 'normal'])
  const waited = wait === null ? {} : await waitFor(svc, reports, kind, filter, wait, svc.http.signal(request))
  const found = await select(reports, kind, filter)
  const records = isOldestFirst ? found.reverse().slice(0, limit) : found.slice(0, limit)
  return sendRedacted(request, reply, svc, { count: records.length, ...waited, [kind]: records })
}

/** Reports may contain credentials of the control plane, as captured requests do. */
export function sendRedacted(
  request: FastifyRequest,
  reply: FastifyReply,
  svc: Svc<unknown>,
  answer: object,
): FastifyReply {
  svc.budgets.output(request).takeJson(answer)
  return reply.type('application/json; charset=utf-8').send(svc.inspector.redactText(JSON.stringify(answer)))
}

function readOrder(query: URLSearchParams): 'newest' | 'oldest' {
  const order = query.get('order') ?? 'newest'
  if (order !== 'newest' && order !== 'oldest') throw invalidFilter('order', 'expected newest or oldest')
  return order
}

function readWait(query: URLSearchParams, maxMs: number): Wait | null {
  const count = readWhole(query, 'wait_for', 1, 1000)
  const timeoutMs = readWhole(query, 'timeout_ms', 0, maxMs) ?? DEFAULT_WAIT_MS
  return count === null ? null : { count, timeoutMs }
}

/** A whole number; null without the parameter. Throws 400. */
export function readWhole(query: URLSearchParams, name: string, min: number, max: number): number | null {
  const value = query.get(name)
  if (value === null) return null
  if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
    throw invalidFilter(name, `expected a whole number from ${min} to ${max}`)
  return Number(value)
}
