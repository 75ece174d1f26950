/** The route for scraping metrics. */
import type { FastifyInstance } from 'fastify'
import { describe } from '../contract/plugin.ts'
import type { ControlDeps } from './deps.ts'

/** Registers `/_svc/metrics`. */
export function registerMetrics(app: FastifyInstance, { metrics }: ControlDeps): void {
  app.get(
    '/_svc/metrics',
    describe({
      summary: 'Metrics in the Prometheus text format 0.0.4',
      category: 'Control Plane',
      responses: { 200: { description: 'All metrics.', content: { 'text/plain': {} } } },
      examples: [{ name: 'Metrics', path: '/_svc/metrics', expectStatus: 200 }],
    }),
    async (_request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .header('content-type', metrics.contentType)
        .send(await metrics.text()),
  )
}
