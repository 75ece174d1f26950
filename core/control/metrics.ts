/** The route for scraping metrics. */
import type { FastifyInstance } from 'fastify'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { describe } from '../contract/plugin.ts'
import { preferredCoding } from '../fields/accept-encoding.ts'
import type { ControlDeps } from './deps.ts'
import { SVC_METRICS } from './reply-schemas/instance.ts'

const compress = promisify(gzip)

/** Registers `/_svc/metrics`. */
export function registerMetrics(app: FastifyInstance, { metrics }: ControlDeps): void {
  app.get(
    '/_svc/metrics',
    describe({
      summary: 'Metrics in the Prometheus text format 0.0.4, as gzip for clients that accept it',
      reply: SVC_METRICS,
      category: 'Control Plane',
      responses: { 200: { description: 'All metrics.', content: { 'text/plain': {} } } },
      examples: [{ name: 'Metrics', path: '/_svc/metrics', expectStatus: 200 }],
    }),
    async (request, reply) => {
      reply.headers({
        'cache-control': 'no-store',
        'content-type': metrics.contentType,
        vary: 'Accept-Encoding',
      })
      const text = await metrics.text()
      if (preferredCoding(joined(request.headers['accept-encoding']), ['gzip']) === 'identity') return reply.send(text)
      return reply.header('content-encoding', 'gzip').send(await compress(text))
    },
  )
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
