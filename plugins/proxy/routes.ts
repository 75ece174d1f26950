/** `/proxy/{name}/…` and its control plane, `/_svc/proxy`. */
import {
  describe,
  readJsonObject,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { MODES, type UpstreamOptions } from './config/options.ts'
import { invalidMode, proxyDisabled } from './errors.ts'
import type { Proxy } from './proxy.ts'
import { belowUpstream } from './target-path.ts'

const category = 'Recording proxy'
const name: RouteParameter = {
  name: 'name',
  in: 'path',
  description: 'Name of the upstream',
  schema: { type: 'string' },
}
const forwarded: Pick<RouteDescription, 'description' | 'category' | 'responses' | 'streamsBody'> = {
  category,
  streamsBody: true,
  description:
    'Forwards the request to the upstream, or replays a recorded response. `X-Svc-Proxy` is `record`, `replay`, `passthrough` or `miss`.',
  responses: {
    default: { description: 'The response of the upstream' },
    404: { description: 'No recording matches, or the upstream is unknown' },
    502: { description: 'The upstream is unreachable' },
    504: { description: 'The upstream sent no response head in time' },
    508: { description: 'The request has already passed through this instance' },
  },
}

export function registerRoutes(app: FastifyInstance, svc: Svc<UpstreamOptions[]>, proxy: Proxy): void {
  const [first = ''] = proxy.names
  const root: RouteDescription = {
    ...forwarded,
    summary: 'Call the root path of an upstream',
    parameters: [name],
    examples: [{ name: 'Root path', path: `/proxy/${first}`, expectStatus: null }],
  }
  const below: RouteDescription = {
    ...forwarded,
    path: '/proxy/{name}/{*path}',
    summary: 'Call an upstream',
    parameters: [name, { name: 'path', in: 'path', description: 'Path below the target', schema: { type: 'string' } }],
    examples: [{ name: 'Any path', path: `/proxy/${first}/status`, expectStatus: null }],
  }
  const serve = (request: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply): Promise<FastifyReply> =>
    proxy.serve(request, reply, request.params.name, {
      target: belowUpstream(request.raw.url ?? '/'),
      mount: `/proxy/${request.params.name}`,
    })
  app.all<{ Params: { name: string } }>('/proxy/:name', describe(root), (request, reply) => serve(request, reply))
  app.all<{ Params: { name: string } }>('/proxy/:name/*', describe(below), (request, reply) => serve(request, reply))

  app.get(
    '/_svc/proxy',
    describe({
      category,
      summary: 'List the upstreams of the recording proxy',
      responses: { 200: { description: '`upstreams` with mode, target, counts and recordings' } },
      examples: [{ name: 'List', path: '/_svc/proxy', expectStatus: 200 }],
    }),
    async () => {
      if (svc.config.publicMode) throw proxyDisabled()
      const upstreams = await Promise.all(proxy.names.map(upstream => proxy.show(upstream)))
      return { count: upstreams.length, upstreams }
    },
  )

  app.put<{ Params: { name: string } }>(
    '/_svc/proxy/:name/mode',
    describe({
      category,
      summary: 'Switch the mode of an upstream until the next reload',
      parameters: [name],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            type: 'object',
            required: ['mode'],
            additionalProperties: false,
            properties: { mode: { enum: [...MODES] } },
          },
        },
      },
      responses: {
        200: { description: 'The upstream' },
        400: { description: 'The mode is invalid' },
        404: { description: 'The upstream is unknown' },
      },
      examples: [
        {
          name: 'Replay',
          method: 'PUT',
          path: `/_svc/proxy/${first}/mode`,
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"mode":"replay"}',
          bodyType: 'json',
          expectStatus: 200,
        },
      ],
    }),
    async request => {
      if (svc.config.publicMode) throw proxyDisabled()
      svc.http.guardAdmin(request)
      const input = readJsonObject(svc.http.body(request))
      const mode = MODES.find(known => known === input?.mode)
      if (mode === undefined || Object.keys(input ?? {}).length !== 1) throw invalidMode(MODES)
      await proxy.setMode(request.params.name, mode)
      return proxy.show(request.params.name)
    },
  )
}
