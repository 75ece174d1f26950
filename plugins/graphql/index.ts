/** The plugin `graphql`: queries, mutations and subscriptions over the demo data. */
import { definePlugin } from 'svc/plugin'
import type {} from '../demo-data/types.ts'
import { createDemoGraph } from './demo-graph.ts'
import { createEngine } from './engine.ts'
import { lazy } from './lazy.ts'
import { graphqlProtocol } from './match.ts'
import { createRootValue } from './root-value.ts'
import { registerHttp } from './routes/http.ts'
import { registerSchema } from './routes/schema.ts'
import { createSockets, registerWebSocket } from './routes/websocket.ts'
import { createSchema } from './schema.ts'
import { persistedQueryBounds } from './yoga/persisted-queries.ts'
import { createYogaServer } from './yoga/server.ts'

export default definePlugin({
  title: 'GraphQL',
  description: 'Queries, mutations and subscriptions over demo data, with limits, persisted queries and GraphiQL.',
  paths: ['/graphql'],
  buildsOn: ['demo-data'],
  area: 'graphql',
  categories: [{ name: 'GraphQL', rank: 160 }],
  register(app, svc) {
    const rootValue = createRootValue(createDemoGraph(svc.use('demo-data.records')!))
    const persistedQueries = svc.state('persisted-queries', persistedQueryBounds)
    const schema = svc.shared('schema', () => lazy(createSchema))
    const yoga = lazy(() => createYogaServer({ schema: schema(), rootValue, persistedQueries, log: svc.log }))
    const sockets = createSockets(
      svc,
      lazy(async () => createEngine(await yoga())),
    )
    svc.use('testing.protocols').register(graphqlProtocol)
    registerHttp(app, svc, yoga, sockets)
    registerSchema(app, schema)
    registerWebSocket(app, sockets)
  },
})
