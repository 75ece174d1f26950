/** The plugin `graphql-subgraphs`: federation subgraphs over the demo data, and supergraphs of them. */
import { definePlugin, describe } from 'svc/plugin'
import type {} from '../demo-data/types.ts'
import type {} from '../graphql/types.ts'
import type {} from '../mocks/types.ts'
import { registerList } from './list.ts'
import { CATEGORY, pathOf } from './paths.ts'
import { createRows } from './rows.ts'
import type { SubgraphContext } from './seen.ts'
import type { Subgraph } from './subgraph.ts'
import { billingSubgraph } from './subgraphs/billing.ts'
import { cachingSubgraph } from './subgraphs/caching.ts'
import { inventorySubgraph } from './subgraphs/inventory.ts'
import { ordersSubgraph } from './subgraphs/orders.ts'
import { pricingSubgraph } from './subgraphs/pricing.ts'
import { productsSubgraph } from './subgraphs/products.ts'
import { reviewsSubgraph } from './subgraphs/reviews.ts'
import { usersSubgraph } from './subgraphs/users.ts'
import { registerSupergraph } from './supergraph/routes.ts'
import { Selection } from './supergraph/selection.ts'

/** Gateways join requests by alias, and send entities in large lists. */
const LIMITS = { depth: 20, complexity: 5000, aliases: 500 }
const ANSWER_FIELDS = { normal: 50_000, public: 10_000 }
const BATCH = { normal: 10, public: 5 }

export default definePlugin({
  title: 'GraphQL subgraphs',
  description: 'Eight federation subgraphs over the demo data, and the supergraphs with which gateways join them.',
  paths: ['/graphql/subgraphs', '/graphql/supergraph', '/graphql/supergraph.graphql'],
  buildsOn: ['graphql', 'demo-data'],
  uses: ['mocks'],
  area: 'graphql',
  register(app, svc) {
    const graphs = svc.use('graphql.graphs')!
    const rows = createRows(svc.use('demo-data.records')!)
    const size = svc.config.publicMode ? 'public' : 'normal'
    const subgraphs: Subgraph[] = [
      usersSubgraph(rows),
      productsSubgraph(rows),
      inventorySubgraph(rows),
      reviewsSubgraph(rows, graphs.pace),
      ordersSubgraph(rows, graphs.pace),
      pricingSubgraph(rows),
      billingSubgraph(rows),
      cachingSubgraph(rows),
    ]
    for (const { name, sdl, root, resolve, uploads = false, example } of subgraphs)
      graphs.serve(app, pathOf(name), {
        title: `Subgraph ${name}`,
        category: CATEGORY,
        sdl,
        root,
        context: ({ headers }): SubgraphContext => ({ headers }),
        federation: {
          resolve: (typename, representation, context) => resolve(typename, representation, context as SubgraphContext),
        },
        limits: { ...LIMITS, answerFields: ANSWER_FIELDS[size] },
        batching: BATCH[size],
        uploads,
        example,
      })
    registerList(app, svc, subgraphs)
    const selection = new Selection(subgraphs, () => svc.use('mocks.subgraphs'))
    registerSupergraph(app, svc, graphs, selection)
    app.all<{ Params: { name: string } }>(
      '/graphql/subgraphs/:name',
      describe({
        summary: 'Name the subgraphs in the 404 of an unknown one',
        category: CATEGORY,
        methods: ['POST'],
        parameters: [
          {
            name: 'name',
            in: 'path',
            required: true,
            description: 'A name of no subgraph.',
            schema: { type: 'string' },
          },
        ],
        responses: { 404: { description: '`unknown_subgraph`, with the names of all' } },
        examples: [{ name: 'Unknown subgraph', method: 'POST', path: '/graphql/subgraphs/unknown', expectStatus: 404 }],
      }),
      request => {
        throw selection.unknown(request.params.name)
      },
    )
  },
})
