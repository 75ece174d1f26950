/** `/flaky/{fail_rate}`, `/flaky/pattern/{pattern}`, `/flaky/after/{n}`, `/flaky/recover/{n}`, for every method. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { failingAfter, failingAtRate, failingByPattern, recoveringAfter, type Behavior } from '../behavior.ts'
import type { Counters } from '../counters.ts'
import { FLAKY, FLAKY_AFTER, FLAKY_PATTERN, FLAKY_RECOVER } from '../replies.ts'

const shared = {
  category: 'Reliability Testing',
  negotiated: true,
  responses: {
    200: { description: 'The request succeeded' },
    400: { description: 'The path is invalid; the request is not counted' },
    503: { description: 'The request failed; has `Retry-After: 1`' },
  },
} satisfies Partial<RouteDescription>
const count: RouteParameter = {
  name: 'n',
  in: 'path',
  required: true,
  schema: { type: 'integer', minimum: 0, maximum: 1_000_000 },
}

const rate: RouteDescription = {
  ...shared,
  summary: 'Fail a percentage of requests',
  reply: FLAKY,
  description: 'Each request fails or succeeds independently.',
  parameters: [
    {
      name: 'fail_rate',
      in: 'path',
      required: true,
      description: 'Failure rate in percent',
      schema: { type: 'integer', minimum: 0, maximum: 100 },
    },
  ],
  examples: [
    { name: 'Never', path: '/flaky/0', expectStatus: 200 },
    { name: 'Always', method: 'POST', path: '/flaky/100', expectStatus: 503 },
    { name: 'About every third', path: '/flaky/30', expectStatus: null },
  ],
}
const pattern: RouteDescription = {
  ...shared,
  summary: 'Fail in a repeating pattern',
  reply: FLAKY_PATTERN,
  description: '`S` succeeds, `F` fails. Requests are counted per session.',
  parameters: [
    {
      name: 'pattern',
      in: 'path',
      required: true,
      description: 'Up to 64 letters, each S or F',
      schema: { type: 'string', pattern: '^[SFsf]{1,64}$' },
    },
  ],
  examples: [{ name: 'Every third fails', path: '/flaky/pattern/SSF', expectStatus: null }],
}
const after: RouteDescription = {
  ...shared,
  summary: 'Fail permanently after some successes',
  reply: FLAKY_AFTER,
  parameters: [count],
  examples: [{ name: 'After two', path: '/flaky/after/2', expectStatus: null }],
}
const recover: RouteDescription = {
  ...shared,
  summary: 'Recover after some failures',
  reply: FLAKY_RECOVER,
  parameters: [count],
  examples: [{ name: 'After one', path: '/flaky/recover/1', expectStatus: null }],
}

export function registerFlaky(app: FastifyInstance, svc: Svc, counters: Counters): void {
  async function act(
    request: FastifyRequest,
    reply: FastifyReply,
    { counter, judge }: Behavior,
  ): Promise<FastifyReply> {
    const number = await counters.next(svc.http.session(request).key, counter)
    const { fails, fields } = judge(number)
    reply.headers({ 'X-Svc-Flaky': 'true', 'X-Svc-Request-Number': String(number) })
    if (fails) reply.code(503).header('Retry-After', '1')
    return svc.http.negotiate(request, reply, {
      ...(fails ? { error: 'service_unavailable' } : { status: 'ok' }),
      ...fields,
      request_number: number,
    })
  }

  app.all<{ Params: { fail_rate: string } }>('/flaky/:fail_rate', describe(rate), (request, reply) => {
    const behavior = failingAtRate(request.params.fail_rate)
    return act(request, reply.header('X-Svc-Fail-Rate', String(behavior.rate)), behavior)
  })
  app.all<{ Params: { pattern: string } }>('/flaky/pattern/:pattern', describe(pattern), (request, reply) =>
    act(request, reply, failingByPattern(request.params.pattern)),
  )
  app.all<{ Params: { n: string } }>('/flaky/after/:n', describe(after), (request, reply) =>
    act(request, reply, failingAfter(request.params.n)),
  )
  app.all<{ Params: { n: string } }>('/flaky/recover/:n', describe(recover), (request, reply) =>
    act(request, reply, recoveringAfter(request.params.n)),
  )
}
