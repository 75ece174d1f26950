/** `/drip`: response headers at once, then a slow body. */
import {
  decimalParameter,
  describe,
  integerParameter,
  readQuery,
  type BodyStream,
  type FastifyInstance,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { scheduleDrops, type Drop } from '../drip-schedule.ts'

const drip: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Get a slow body',
  description:
    'Sends the response headers with the full `Content-Length` after `delay` seconds, then asterisks spread over `duration` seconds.',
  parameters: [
    {
      name: 'numbytes',
      in: 'query',
      description: 'Number of asterisks; at most 10240 (1024 on public instances)',
      schema: { type: 'integer', minimum: 0, default: 10 },
    },
    {
      name: 'duration',
      in: 'query',
      description: 'Seconds from the first to the last asterisk; at most 30 (10 on public instances)',
      schema: { type: 'number', minimum: 0, default: 2 },
    },
    {
      name: 'delay',
      in: 'query',
      description: 'Seconds before the response headers; at most 30 (10 on public instances)',
      schema: { type: 'number', minimum: 0, default: 0 },
    },
    {
      name: 'code',
      in: 'query',
      description: 'Status code',
      schema: { type: 'integer', minimum: 200, maximum: 599, default: 200 },
    },
  ],
  responses: {
    200: { description: 'The asterisks', content: { 'application/octet-stream': { type: 'string' } } },
    400: { description: 'A parameter is invalid' },
  },
  examples: [{ name: 'Five bytes in half a second', path: '/drip?numbytes=5&duration=0.5', expectStatus: 200 }],
}

const BODILESS = new Set([204, 205, 304])

export function registerDrip(app: FastifyInstance, svc: Svc): void {
  const maxBytes = svc.config.publicMode ? 1024 : 10_240
  const maxSeconds = svc.config.maxDelayMs / 1000

  app.get('/drip', describe(drip), async (request, reply) => {
    const query = readQuery(request)
    const bytes = integerParameter(query, 'numbytes', { fallback: 10, max: maxBytes })
    const duration = decimalParameter(query, 'duration', { fallback: 2, max: maxSeconds })
    const delay = decimalParameter(query, 'delay', { fallback: 0, max: maxSeconds })
    reply.code(integerParameter(query, 'code', { fallback: 200, min: 200, max: 599 }))

    if (delay > 0 && !(await svc.http.delay(request, delay * 1000))) return reply.hijack()
    if (BODILESS.has(reply.statusCode)) return reply.send()
    reply.headers({
      'Content-Type': 'application/octet-stream',
      'Content-Length': bytes,
      'Server-Timing': `delay;dur=${delay * 1000}, drip;dur=${duration * 1000}`,
    })
    const stream = svc.streams.body(request, reply)
    if (stream === null) return reply
    if (bytes > 0) await writeDrops(stream, scheduleDrops(bytes, duration * 1000), ms => svc.http.delay(request, ms))
    stream.end()
    return reply
  })
}

/** Writes each drop when it is due, measured from the start, so that a late drop does not delay the next one. */
async function writeDrops(stream: BodyStream, drops: Drop[], wait: (ms: number) => Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  for (const { atMs, bytes } of drops) {
    const restMs = startedAt + atMs - performance.now()
    if (restMs > 0) await wait(restMs)
    if (stream.closed) return
    if (!stream.write('*'.repeat(bytes))) await stream.ready()
  }
}
