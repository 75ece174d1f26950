/** `GET /_svc/telemetry/reconcile`. */
import { describe, readQuery, type FastifyInstance, type Svc } from 'svc/plugin'
import type { Providers } from '../../llm/types.ts'
import type { Reports } from '../records/reports.ts'
import { invalidFilter, readSession, readSince, rejectUnknown, SESSION } from '../view/filters.ts'
import { RECONCILE_REPLY } from '../view/replies.ts'
import { readWhole, sendRedacted } from '../view/routes.ts'
import { reconcile } from './reconcile.ts'

const DEFAULT_WINDOW_S = 60
const MAX_WINDOW_S = 86_400
const DEFAULT_LIMIT = 200
const MAX_LIMIT = 2000
const PARAMETERS = ['session', 'since', 'window_s', 'limit']

export function registerReconcile(
  app: FastifyInstance,
  svc: Svc<unknown>,
  reports: Reports,
  llm: Providers | undefined,
): void {
  app.get(
    '/_svc/telemetry/reconcile',
    describe({
      reply: RECONCILE_REPLY,
      summary: 'Compare what gateways reported with what arrived',
      description:
        'Reports and requests are joined by request id, otherwise by trace. `differ` lists the fields that are not equal.',
      category: 'Control Plane',
      parameters: [
        { ...SESSION, description: 'Only requests of this session. Required in public mode.' },
        {
          name: 'since',
          in: 'query',
          description: 'A time (RFC 3339): only requests after it. Default: `window_s` ago.',
          schema: { type: 'string' },
        },
        {
          name: 'window_s',
          in: 'query',
          description: 'How many seconds back, without `since`.',
          schema: { type: 'integer', minimum: 1, maximum: MAX_WINDOW_S, default: DEFAULT_WINDOW_S },
        },
        {
          name: 'limit',
          in: 'query',
          description: 'Maximum number of requests in each list; `summary` counts all.',
          schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
        },
      ],
      responses: {
        200: { description: '`requests`, `only_reported`, `only_arrived`, newest first, and `summary`' },
        400: { description: 'A parameter is invalid, or `session` is missing in public mode' },
      },
      examples: [{ name: 'The last minute', path: '/_svc/telemetry/reconcile?session=demo', expectStatus: 200 }],
    }),
    async (request, reply) => {
      const query = readQuery(request)
      rejectUnknown(query, PARAMETERS)
      const session = readSession(request, svc)
      const windowS = readWhole(query, 'window_s', 1, MAX_WINDOW_S) ?? DEFAULT_WINDOW_S
      const limit = readWhole(query, 'limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT
      const given = query.get('since')
      const since = given === null ? Date.now() - windowS * 1000 : readSince(given)
      if (typeof since === 'string') throw invalidFilter('since', 'expected a time such as 2026-03-14T12:00:00Z')
      return sendRedacted(request, reply, svc, await reconcile(svc, reports, llm, { session, since, limit }))
    },
  )
}
