/** The supergraph, and files with which gateways start. */
import { createHash } from 'node:crypto'
import { describe, HttpError, type FastifyInstance, type FastifyRequest, type Svc } from 'svc/plugin'
import { jsonReply, list, namesTag, object, queryRecord, rawQuery, TEXT, textReply } from 'svc/toolkit'
import type { Graphs } from '../../graphql/types.ts'
import { CATEGORY } from '../paths.ts'
import { SET_NAMES } from '../subgraph.ts'
import { withAddresses } from './compose.ts'
import { Composer } from './composer.ts'
import { GATEWAY_FILES } from './gateway-files.ts'
import { doesNotCompose, type SelectedSubgraph, type Selection } from './selection.ts'

/** The subgraph that `?sdl=` breaks. */
const BROKEN = 'products'

const SELECTION = [
  {
    name: 'set',
    in: 'query' as const,
    description:
      'core: without what needs a license in Apollo Router; full: with it; newest: refused by the composer so far',
    schema: { type: 'string', enum: [...SET_NAMES], default: 'core' },
  },
  {
    name: 'subgraphs',
    in: 'query' as const,
    description: 'Names, joined by commas; `mock:shop` is the federated mock `shop`',
    schema: { type: 'string' },
  },
]
const UNKNOWN = {
  400: { description: 'Unknown set, or unknown kind of mistake' },
  404: { description: 'Unknown subgraph or mock' },
  422: { description: 'The subgraphs do not compose, or a mock is not federated' },
}

export function registerSupergraph(app: FastifyInstance, svc: Svc, graphs: Graphs, selection: Selection): void {
  const composer = svc.shared('composer', () => new Composer(svc.folder))
  const { sdlKinds } = graphs

  app.get(
    '/graphql/supergraph.graphql',
    describe({
      summary: 'A supergraph of the subgraphs, for a gateway',
      description: 'Addresses are those of this request: below `/s/{session}`, gateways ask within the session.',
      category: CATEGORY,
      parameters: [
        ...SELECTION,
        {
          name: 'sdl',
          in: 'query',
          description: 'A mistake in one subgraph: it does not compose',
          schema: { type: 'string', enum: [...sdlKinds] },
        },
      ],
      reply: textReply('text/plain'),
      responses: {
        200: { description: 'The supergraph' },
        304: { description: 'It is still the one of If-None-Match' },
        ...UNKNOWN,
        422: {
          ...UNKNOWN[422],
          content: jsonReply(object({ error: TEXT, errors: list(object({ code: TEXT, message: TEXT })) })),
        },
      },
      examples: [
        { name: 'Supergraph', path: '/graphql/supergraph.graphql', expectStatus: 200 },
        { name: 'One that does not compose', path: '/graphql/supergraph.graphql?sdl=not-shareable', expectStatus: 422 },
      ],
    }),
    async (request, reply) => {
      const query = queryRecord(rawQuery(request))
      const selected = selection.of(query)
      const broken = selected.find(({ name }) => name === BROKEN) ?? selected[0]
      const parts = selected.map(subgraph => {
        const { name, sdl } = subgraph
        return { name, sdl: query.sdl === undefined || subgraph !== broken ? sdl : brokenSdl(sdl, query.sdl) }
      })
      await svc.budgets.turn()
      const isTrusted = selected.every(({ isBuiltIn }) => isBuiltIn)
      const { supergraph, errors } = await composer.compose(parts, isTrusted)
      if (supergraph === null) throw doesNotCompose(errors)
      const paths = new Map(selected.map(({ name, path }) => [name, path]))
      const text = withAddresses(supergraph, name => svc.http.url(request, paths.get(name) ?? ''))
      const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
      reply.header('ETag', etag).type('text/plain; charset=utf-8')
      return namesTag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(text)
    },
  )

  function brokenSdl(sdl: string, kind: string | string[]): string {
    const known = sdlKinds.find(one => one === kind)
    if (known === undefined) throw new HttpError(400, { error: 'unknown_sdl', kinds: sdlKinds })
    return graphs.brokenSdl(sdl, known)
  }

  app.get<{ Params: { gateway: string } }>(
    '/graphql/supergraph/config/:gateway',
    describe({
      summary: 'A file to start a gateway or composer over the subgraphs',
      category: CATEGORY,
      parameters: [
        {
          name: 'gateway',
          in: 'path',
          required: true,
          schema: { type: 'string', enum: Object.keys(GATEWAY_FILES) },
        },
        ...SELECTION,
      ],
      reply: textReply('application/yaml', 'text/javascript', 'application/toml'),
      responses: { 200: { description: 'The file' }, ...UNKNOWN, 404: { description: 'Unknown gateway or subgraph' } },
      examples: [{ name: 'Rover', path: '/graphql/supergraph/config/rover', expectStatus: 200 }],
    }),
    (request, reply) => {
      const { gateway } = request.params
      const file = Object.hasOwn(GATEWAY_FILES, gateway) ? GATEWAY_FILES[gateway] : undefined
      if (file === undefined)
        throw new HttpError(404, { error: 'unknown_gateway', gateways: Object.keys(GATEWAY_FILES) })
      const query = queryRecord(rawQuery(request))
      const selected = selection.of(query)
      const text = file.text({
        subgraphs: selected.map(subgraph => addressesOf(svc, request, subgraph)),
        supergraphUrl: svc.http.url(request, `/graphql/supergraph.graphql${selectionQuery(query)}`),
      })
      return reply
        .type(file.type)
        .header('Content-Disposition', `inline; filename="${file.filename}"`)
        .send(`${text}\n`)
    },
  )
}

function addressesOf(svc: Svc, request: FastifyRequest, { name, path, schemaPath }: SelectedSubgraph) {
  const url = svc.http.url(request, path)
  return { name, url, wsPath: `${new URL(url).pathname}/ws`, schemaUrl: svc.http.url(request, schemaPath) }
}

/** What of the query says which subgraphs are meant. */
function selectionQuery({ set, subgraphs }: Readonly<Record<string, string | string[] | undefined>>): string {
  const parameters = new URLSearchParams()
  if (subgraphs !== undefined) parameters.set('subgraphs', String(subgraphs))
  else if (set !== undefined) parameters.set('set', String(set))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
