/** The plugin `graphql`: queries, mutations and subscriptions over the demo data, and the graphs of other plugins. */
import { definePlugin } from 'svc/plugin'
import type {} from '../demo-data/types.ts'
import { createDemoGraph } from './demo-graph.ts'
import { readDocumentFile } from './documents/document-file.ts'
import { PersistedDocuments } from './documents/persisted-documents.ts'
import { registerDocuments } from './documents/routes.ts'
import { createGraphs } from './graphs.ts'
import { lazy } from './lazy.ts'
import { graphqlProtocol } from './match.ts'
import { createRootValue } from './root-value.ts'
import { FAULT_KIND, maxPlaces } from './runs.ts'
import { OPTIONS, type GraphqlOptions } from './options.ts'
import { createSchema } from './schema.ts'
import { OperationStepFinders } from './socket-steps.ts'
import { graphqlStep } from './faults/step.ts'
import { Callbacks } from './wire/callback/callbacks.ts'
import { persistedQueryBounds } from './yoga/persisted-queries.ts'

const BATCH = { normal: 10, public: 5 }

export default definePlugin<GraphqlOptions>({
  title: 'GraphQL',
  description: 'Queries, mutations and subscriptions over demo data, with limits, persisted queries and GraphiQL.',
  paths: ['/graphql', '/_svc/graphql'],
  buildsOn: ['demo-data'],
  area: 'graphql',
  options: OPTIONS,
  faultKinds: [FAULT_KIND],
  categories: [{ name: 'GraphQL', rank: 160 }],
  register(app, svc) {
    const { batching, csrf, documents: given = {} } = svc.options
    const documents = new PersistedDocuments(svc, {
      mode: given.mode ?? 'allow',
      file: readDocumentFile(svc, given.file),
    })
    const persistedQueries = svc.state<string>('persisted-queries', persistedQueryBounds)
    const steps = new OperationStepFinders()
    const graphs = createGraphs(svc, { persistedQueries, documents, callbacks: new Callbacks(svc), steps, csrf })
    registerDocuments(app, svc, documents)
    svc.use('testing.protocols').register(graphqlProtocol(documents))
    svc.use('testing.steps').register(graphqlStep(maxPlaces(svc)))
    svc.offer('graphql.graphs', graphs)
    svc.offer('graphql.steps', steps)
    graphs.serve(app, '/graphql', {
      title: 'Demo graph',
      category: 'GraphQL',
      schema: svc.shared('schema', () => lazy(createSchema)),
      batching: batching ? BATCH[svc.config.publicMode ? 'public' : 'normal'] : 0,
      root: createRootValue(createDemoGraph(svc.use('demo-data.records')!)),
      example: '{ users(limit: 2) { id name orders { id total } } }',
      examples: [
        {
          name: 'Mutation with variables',
          query: 'mutation($input: CreateUserInput!) { createUser(input: $input) { id role } }',
          variables: { input: { name: 'Dana', email: 'dana@example.com' } },
        },
        {
          name: 'Subscription as an event stream',
          query: 'subscription { ticker(count: 3) { sequence timestamp } }',
          headers: [{ name: 'Accept', value: 'text/event-stream' }],
        },
        {
          name: 'A field that fails',
          query: '{ product(id: "p1") { name price } }',
          headers: [{ name: 'X-Svc-Graphql', value: 'error=/product/name@NAME_DOWN' }],
        },
      ],
    })
  },
})
