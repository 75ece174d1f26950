/** `GET /graphql/subgraphs`, and the 404 of other names. */
import { describe, type FastifyInstance, type Svc } from 'svc/plugin'
import { INTEGER, jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'
import { CATEGORY, pathOf, SUBGRAPHS_PATH } from './paths.ts'
import { SET_NAMES, type Subgraph } from './subgraph.ts'
import { subgraphsOf } from './supergraph/selection.ts'

const SUBGRAPH = object({
  name: TEXT,
  sets: list(TEXT),
  federation: TEXT,
  url: TEXT,
  ws_url: TEXT,
  schema_url: TEXT,
})

export function registerList(app: FastifyInstance, svc: Svc, subgraphs: readonly Subgraph[]): void {
  const sets = Object.fromEntries(
    SET_NAMES.map(set => [set, subgraphsOf(set, subgraphs).map(({ name }) => name)] as const),
  )
  app.get(
    SUBGRAPHS_PATH,
    describe({
      summary: 'The subgraphs, with their addresses',
      category: CATEGORY,
      reply: jsonReply(object({ count: INTEGER, sets: RECORD, subgraphs: list(SUBGRAPH) })),
      responses: { 200: { description: 'Subgraphs, and the sets for supergraphs' } },
      examples: [{ name: 'Subgraphs', path: SUBGRAPHS_PATH, expectStatus: 200 }],
    }),
    request => ({
      count: subgraphs.length,
      sets,
      subgraphs: subgraphs.map(subgraph => {
        const url = svc.http.url(request, pathOf(subgraph.name))
        const { name, sets: own, federation } = subgraph
        return { name, sets: own, federation, url, ws_url: `ws${url.slice(4)}/ws`, schema_url: `${url}/schema` }
      }),
    }),
  )
}
