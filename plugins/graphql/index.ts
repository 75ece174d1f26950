/** The door of the plugin `graphql`: queries, mutations and subscriptions over the demo data. */
import { definePlugin } from 'svc/plugin'
import type {} from '../demo-data/types.ts'
import { createDemoGraph } from './demo-graph.ts'
import { Documents } from './documents.ts'
import { createEngine } from './engine.ts'
import { onFirstUse } from './first-use.ts'
import { createRootValue } from './root-value.ts'
import { registerHttp } from './routes/http.ts'
import { registerSchema } from './routes/schema.ts'
import { registerWebSocket } from './routes/websocket.ts'
import { createSchema } from './schema.ts'

export default definePlugin({
  title: 'GraphQL',
  description: 'Queries, mutations and subscriptions over demo data, with limits, persisted queries and GraphiQL.',
  paths: ['/graphql'],
  buildsOn: ['demo-data'],
  area: 'graphql',
  categories: [{ name: 'GraphQL', rank: 160 }],
  register(app, svc) {
    const records = svc.use('demo-data.records')!
    const checked = svc.shared('schema', () => onFirstUse(() => {
      const schema = createSchema()
      return { schema, documents: new Documents(schema) }
    }))
    const engine = createEngine(checked, createRootValue(createDemoGraph(records)))
    registerHttp(app, svc, engine)
    registerSchema(app, () => checked().schema)
    registerWebSocket(app, svc, engine)
  },
})
