/** The plugin `orca`: load reports (Open Request Cost Aggregation), in responses and out of band. */
import { definePlugin } from 'svc/plugin'
import type {} from '../grpc/types.ts'
import type {} from '../llm/types.ts'
import { toBinary } from './encode.ts'
import { reportInCalls, reportInResponses } from './in-band.ts'
import { type OrcaOptions, schema, type Variables, variables } from './options.ts'
import { readReport } from './report.ts'
import { Reports } from './reports.ts'
import { registerRoutes } from './routes.ts'
import { METHODS, SERVICE } from './service.ts'
import type {} from './types.ts'

export default definePlugin<OrcaOptions, Variables>({
  title: 'Load reports (ORCA)',
  description: 'Load reports for load balancers: in headers, trailers and gRPC metadata, and out of band.',
  paths: ['/_svc/orca'],
  uses: ['grpc', 'llm'],
  options: schema,
  variables,
  register(app, svc) {
    const reports = new Reports(svc)
    svc.offer('orca.reports', {
      check: readReport,
      trailer: report => ['endpoint-load-metrics-bin', toBinary(report)],
      setOutOfBand: (request, report) => reports.setForSession(svc.http.session(request).key, report),
    })
    reportInResponses(svc, reports)
    registerRoutes(app, svc, reports)
    const grpc = svc.use('grpc.services')
    if (grpc === undefined) return
    reportInCalls(svc, reports)
    grpc.service({
      name: SERVICE,
      methods: METHODS,
      exposes: ['endpoint-load-metrics-bin'],
      open: async () => (await import('./out-of-band.ts')).openService(svc, grpc, reports),
    })
  },
})
