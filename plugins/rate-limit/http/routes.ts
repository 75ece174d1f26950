/** `/rate-limit`: the service over HTTP, in the form of the reference service. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  readJsonObject,
  refusal,
  type Svc,
} from 'svc/plugin'
import { jsonReply, list, object, RECORD, TEXT, textReply } from 'svc/toolkit'
import { problemOf } from '../check-call.ts'
import { clientError } from '../client-error.ts'
import type { LimitCall } from '../limit.ts'
import type { LimitResult, RateLimiter } from '../rate-limiter.ts'
import { readRequest, responseJson } from './json-form.ts'

export const RATE_LIMIT_CATEGORY = 'Rate-limit service'
const INVALID = 'invalid_rate_limit_request'
const EXAMPLE = JSON.stringify({
  domain: 'demo',
  descriptors: [
    {
      entries: [
        { key: 'client', value: 'ada' },
        { key: 'svc_limit', value: '5/60s' },
      ],
    },
  ],
})
/** Statuses by the code of the answer, as the reference service has them. */
const STATUSES = { OK: 200, OVER_LIMIT: 429, UNKNOWN: 500 }

export function registerRoutes(app: FastifyInstance, svc: Svc<unknown>, limiter: RateLimiter): void {
  app.post(
    '/rate-limit/json',
    describe({
      summary: 'Count a request, and decide whether it is over a limit',
      description: '`RateLimitRequest` and `RateLimitResponse` of `envoy.service.ratelimit.v3` in proto3 JSON.',
      category: RATE_LIMIT_CATEGORY,
      requestBody: { description: '`domain`, `descriptors`, `hitsAddend`', content: { 'application/json': {} } },
      reply: jsonReply(object({ overallCode: TEXT, statuses: list(RECORD) }), 'RateLimitAnswer'),
      responses: {
        200: { description: 'Within all limits' },
        400: { description: 'The call is invalid' },
        429: { description: 'Over a limit' },
        500: { description: 'A rule or the client asked for the code `UNKNOWN`' },
        503: { description: 'The service fails' },
      },
      examples: [
        {
          name: 'Five a minute',
          method: 'POST',
          path: '/rate-limit/json',
          body: EXAMPLE,
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    async (request, reply) => answer(request, reply, await limiterResult(request, svc, limiter), svc),
  )
  app.get(
    '/rate-limit/healthcheck',
    describe({
      summary: 'The health of the service',
      category: RATE_LIMIT_CATEGORY,
      reply: textReply('text/plain'),
      responses: { 200: { description: '`OK`' } },
      examples: [{ name: 'Health', path: '/rate-limit/healthcheck', expectStatus: 200 }],
    }),
    (_request, reply) => reply.type('text/plain; charset=utf-8').send('OK'),
  )
}

async function limiterResult(
  request: FastifyRequest,
  { http }: Pick<Svc, 'http'>,
  limiter: RateLimiter,
): Promise<LimitResult> {
  const body = readJsonObject(http.body(request))
  if (body === null) throw refusal(400, INVALID, 'expected a JSON object')
  try {
    const call: LimitCall = readRequest(body)
    const problem = problemOf(call)
    if (problem !== null) throw refusal(400, INVALID, problem.message)
    return await limiter.decide(request, call)
  } catch (error) {
    const { code, at } = error as { code?: string; at?: string }
    if (code === 'SVC_HTTP_ERROR') throw error
    const details = clientError(error)
    if (details === null) throw error
    throw refusal(400, INVALID, at === undefined || at === '' ? details : `${at}: ${details}`)
  }
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  result: LimitResult,
  { http }: Pick<Svc, 'http'>,
): FastifyReply {
  reply.header('Cache-Control', 'no-store')
  switch (result.kind) {
    case 'decided':
      return reply.code(STATUSES[result.decision.code]).send(responseJson(result.decision))
    case 'error':
      if (result.retryAfterSecs !== null) reply.header('Retry-After', String(result.retryAfterSecs))
      return reply.code(result.status).send({ error: 'service_failed', details: result.reason })
    case 'timeout':
      return reply.code(503).send({ error: 'service_failed', details: 'no answer in time' })
    case 'abort':
    case 'malformed':
      reply.hijack()
      http.breakConnection(request, result.kind === 'abort' ? result.abort : 'truncate')
      return reply
    case 'left':
      reply.hijack()
      return reply
  }
}
