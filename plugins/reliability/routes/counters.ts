/** `/flaky/status` and `/flaky/reset`. */
import {
  describe,
  invalidParameter,
  quoteInput,
  readQuery,
  type FastifyInstance,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import type { Counters } from '../counters.ts'
import { FLAKY_RESET_POST, FLAKY_STATUS } from '../replies.ts'

const shared = { category: 'Reliability Testing', negotiated: true } satisfies Partial<RouteDescription>
const status: RouteDescription = {
  ...shared,
  summary: 'Show the counters of the session',
  reply: FLAKY_STATUS,
  responses: { 200: { description: '`session`, and `counters` with the number of requests per name' } },
  examples: [{ name: 'Counters', path: '/flaky/status', expectStatus: 200 }],
}
const reset: RouteDescription = {
  ...shared,
  summary: 'Reset the counters of this session or of all sessions',
  reply: FLAKY_RESET_POST,
  parameters: [
    {
      name: 'scope',
      in: 'query',
      description: '`all` needs the admin token if one is configured',
      schema: { type: 'string', enum: ['session', 'all'], default: 'session' },
    },
  ],
  credentials: ['none', 'adminToken'],
  responses: {
    200: { description: 'The number of counters removed' },
    400: { description: 'The scope is unknown' },
    401: { description: 'Scope `all` was requested without the admin token' },
    403: { description: 'Scope `all` is disabled: the instance is public and has no admin token' },
  },
  examples: [{ name: 'Own counters', method: 'POST', path: '/flaky/reset', expectStatus: 200 }],
}

export function registerCounterRoutes(app: FastifyInstance, svc: Svc, counters: Counters): void {
  app.get('/flaky/status', describe(status), async (request, reply) => {
    const { key, label } = svc.http.session(request)
    return svc.http.negotiate(request, reply, { session: label, counters: await counters.of(key) })
  })

  app.post('/flaky/reset', describe(reset), async (request, reply) => {
    const scope = readQuery(request).get('scope') ?? 'session'
    if (scope === 'all') {
      svc.http.guardAdmin(request)
      return svc.http.negotiate(request, reply, { status: 'reset', scope, counters_removed: await counters.resetAll() })
    }
    if (scope !== 'session')
      throw invalidParameter('scope', `invalid scope ${quoteInput(scope)} (expected session or all)`)
    const { key, label } = svc.http.session(request)
    return svc.http.negotiate(request, reply, {
      status: 'reset',
      scope,
      session: label,
      counters_removed: await counters.reset(key),
    })
  })
}
