/** `/_svc/orca`: the report, for the operator. */
import { describe, type FastifyInstance, readJsonObject } from 'svc/plugin'
import { jsonReply, object, RECORD, TEXT } from 'svc/toolkit'
import type { OrcaSvc } from './options.ts'
import { invalidOrca, readReport, reportSchema } from './report.ts'
import type { Reports } from './reports.ts'

const PATH = '/_svc/orca'
const CATEGORY = 'Control Plane'
const REPLY = jsonReply(object({ source: TEXT, report: RECORD }), 'OrcaReport')

export function registerRoutes(app: FastifyInstance, svc: OrcaSvc, reports: Reports): void {
  const shown = () => ({ source: reports.source, report: reports.current() })
  app.get(
    PATH,
    describe({
      summary: 'Get the load report of ORCA',
      category: CATEGORY,
      reply: REPLY,
      responses: { 200: { description: 'The report, and whether it is set, configured or measured' } },
      examples: [{ name: 'The load report', path: PATH, expectStatus: 200 }],
    }),
    shown,
  )
  app.put(
    PATH,
    describe({
      summary: 'Set the load report of ORCA',
      description: 'On all replicas, in place of what is configured or measured.',
      category: CATEGORY,
      requestBody: {
        description: 'The values',
        content: { 'application/json': reportSchema },
      },
      reply: REPLY,
      responses: { 200: { description: 'The report' }, 400: { description: '`invalid_orca`' } },
      examples: [
        {
          name: 'A busy processor',
          method: 'PUT',
          path: PATH,
          body: '{"cpu_utilization":0.9}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    async request => {
      svc.http.guardAdmin(request)
      const body = readJsonObject(svc.http.body(request))
      if (body === null) throw invalidOrca('expected a JSON object')
      await reports.set(readReport(body))
      return shown()
    },
  )
  app.delete(
    PATH,
    describe({
      summary: 'Remove the load report that was set',
      category: CATEGORY,
      responses: { 204: { description: 'The configured or measured report applies again' } },
      examples: [{ name: 'The measured report', method: 'DELETE', path: PATH, expectStatus: 204 }],
    }),
    async (request, reply) => {
      svc.http.guardAdmin(request)
      await reports.set(null)
      return reply.code(204).send()
    },
  )
}
