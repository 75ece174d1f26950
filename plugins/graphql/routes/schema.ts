/** `/schema` of a graph: the schema as text. */
import { printSchema } from 'graphql'
import { describe, HttpError, type FastifyInstance } from 'svc/plugin'
import { queryRecord, rawQuery, textReply } from 'svc/toolkit'
import { SDL_KINDS } from '../faults/plan.ts'
import { brokenSdl } from '../federation/broken-sdl.ts'
import type { GraphServer } from '../graph-server.ts'
import { lazy } from '../lazy.ts'

export function registerSchema(app: FastifyInstance, { path, graph, schema }: GraphServer): void {
  const isSubgraph = graph.federation !== undefined
  const text = lazy(() => graph.sdl ?? `${printSchema(schema())}\n`)
  const description = describe({
    summary: `${graph.title}: get the schema (SDL)`,
    category: graph.category,
    ...(isSubgraph
      ? {
          parameters: [
            {
              name: 'sdl',
              in: 'query',
              description: 'A mistake, for gateways that start or reload: the schema does not compose',
              schema: { type: 'string', enum: [...SDL_KINDS] },
            },
          ],
        }
      : {}),
    reply: textReply('text/plain'),
    responses: {
      200: { description: isSubgraph ? 'The schema, as in `_service`' : 'The schema; the same as in introspection' },
      ...(isSubgraph ? { 400: { description: 'Unknown kind of mistake' } } : {}),
    },
    examples: [{ name: 'Schema', path: `${path}/schema`, expectStatus: 200 }],
  })
  app.get(`${path}/schema`, description, (request, reply) => {
    const sdl = isSubgraph ? queryRecord(rawQuery(request)).sdl : undefined
    const kind = SDL_KINDS.find(known => known === sdl)
    if (sdl !== undefined && kind === undefined) throw new HttpError(400, { error: 'unknown_sdl', kinds: SDL_KINDS })
    return reply.type('text/plain; charset=utf-8').send(kind === undefined ? text() : (brokenSdl(text(), kind) ?? ''))
  })
}
