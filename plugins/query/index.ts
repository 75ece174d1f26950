/** The plugin `query`: a resource that takes the method QUERY (RFC 10008), over the demo data. */
import { definePlugin } from 'svc/plugin'
import type {} from '../demo-data/types.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  title: 'QUERY',
  description: 'A resource that takes the method QUERY, with results that can be cached, fetched and run again.',
  paths: ['/query'],
  buildsOn: ['demo-data'],
  exposes: ['Accept-Query', 'Content-Location', 'ETag'],
  register(app, svc) {
    registerRoutes(app, svc, svc.use('demo-data.records')!)
  },
})
