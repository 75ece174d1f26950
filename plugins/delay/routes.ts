/** `/delay/{duration}`, for every method. */
import {
  describe,
  isFlagSet,
  quoteInput,
  refusal,
  type FastifyInstance,
  type HttpError,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { sleep } from 'svc/toolkit'
import type {} from '../echo/types.ts'
import { jitter, parseDuration } from './duration.ts'
import { DELAY } from './replies.ts'

const delay: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Echo the request after a delay',
  reply: DELAY,
  description: 'Waits, then sends the echo record with the durations. At most 60 s (10 s on public instances).',
  negotiated: true,
  parameters: [
    {
      name: 'duration',
      in: 'path',
      required: true,
      description: '`250` or `250ms` for milliseconds, `1.5s` for seconds',
      schema: { type: 'string' },
    },
    {
      name: 'jitter',
      in: 'query',
      description: 'Vary the delay randomly by up to 20 percent',
      schema: { type: 'boolean' },
    },
  ],
  responses: {
    200: { description: 'The echo record with `delay_ms`, `requested_ms`, `max_delay_ms`' },
    400: { description: 'The duration is invalid or too long' },
  },
  examples: [
    { name: 'A quarter of a second', path: '/delay/250', expectStatus: 200 },
    { name: 'Varied', path: '/delay/0.1s?jitter=true', expectStatus: 200 },
  ],
}

export function registerRoutes(app: FastifyInstance, svc: Svc): void {
  const maxMs = svc.config.publicMode ? 10_000 : 60_000
  const record = svc.use('echo.record')!
  app.all<{ Params: { duration: string } }>('/delay/:duration', describe(delay), async (request, reply) => {
    const requestedMs = parseDuration(request.params.duration)
    if (requestedMs === null || requestedMs > maxMs) throw invalidDelay(request.params.duration, maxMs)
    const delayMs = isFlagSet(request, 'jitter') ? jitter(requestedMs, maxMs) : requestedMs
    if (!(await sleep(delayMs, { signal: svc.http.signal(request) }))) return reply.hijack()
    reply.header('Server-Timing', `delay;dur=${delayMs}`)
    return svc.http.negotiate(request, reply, {
      ...record(request),
      delay_ms: delayMs,
      requested_ms: requestedMs,
      max_delay_ms: maxMs,
    })
  })
}

function invalidDelay(text: string, maxMs: number): HttpError {
  return refusal(
    400,
    'invalid_delay',
    `invalid delay ${quoteInput(text)} (expected 250, 250ms or 1.5s, at most ${maxMs} ms)`,
  )
}
