/** `GET /ai/limits`: the live buckets, with what they have left. */
import { describe, HttpError, readQuery, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { CATEGORY } from '../contract/category.ts'
import { wholeRemaining } from './bucket.ts'
import { DIMENSIONS, type LimitState } from '../contract/limit-state.ts'
import type { Bucket, Limiter } from './limiter.ts'
import { AI_LIMITS } from '../replies.ts'

const description: RouteDescription = {
  summary: 'Mock LLM: what the rate limits have left',
  reply: AI_LIMITS,
  category: CATEGORY,
  parameters: [
    {
      name: 'session',
      in: 'query',
      description: 'Only buckets that requests of this session named by header',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: { description: 'The live buckets' },
    403: { description: '`not_public`: in public mode, other sessions are not shown' },
  },
  examples: [{ name: 'All', path: '/ai/limits', expectStatus: 200 }],
}

export function registerLimitRoutes(app: FastifyInstance, svc: Svc<unknown>, limiter: Limiter): void {
  app.get('/ai/limits', describe(description), async (request, reply) => {
    const wanted = readQuery(request).get('session')
    if (svc.config.publicMode && wanted !== null)
      throw new HttpError(403, { error: 'not_public', details: 'in public mode you can only see your own session' })
    const own = svc.http.session(request)
    const found = await limiter.list(bucket => {
      if (svc.config.publicMode) return bucket.session_key === own.key
      return wanted === null || bucket.session === wanted
    })
    return reply.send({ buckets: found.map(({ bucket, state }) => show(bucket, state)) })
  })
}

function show({ provider, model, key, key_id, session, from }: Bucket, state: LimitState): object {
  const dimensions = DIMENSIONS.flatMap(dimension => {
    const left = state[dimension]
    return left === undefined
      ? []
      : [
          [
            dimension,
            { limit: left.limit, remaining: wholeRemaining(left), full_at: new Date(left.fullAt).toISOString() },
          ] as const,
        ]
  })
  return { provider, model, key, key_id, session, from, ...Object.fromEntries(dimensions) }
}
