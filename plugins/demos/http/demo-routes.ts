/** Demos over HTTP: the list, one of them, and the configurations of its gateways. */
import {
  describe,
  HttpError,
  readQuery,
  type FastifyInstance,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { RECORD, textReply, unknownName } from 'svc/toolkit'
import type { DemoCatalog } from '../catalog/catalog.ts'
import { ConfigurationProblem, configurationOf } from '../catalog/configuration.ts'
import { MAX_FILE_BYTES } from '../file/bounds.ts'
import { AREAS } from '../file/demo.ts'
import { findDemo, readInline, readJson } from './run-request.ts'
import { DEMO_REPLY, DEMOS_REPLY, demoSummary, missing, VALID_REPLY, wholeDemo } from './shown.ts'

export const CATEGORY = 'Testing'
const UNKNOWN = { description: '`unknown_demo`, with the nearest name' }
const DEMO: RouteParameter = {
  name: 'demo',
  in: 'path',
  required: true,
  description: 'Name of the demo',
  schema: { type: 'string' },
}

const listDescription: RouteDescription = {
  summary: 'List guided demos',
  reply: DEMOS_REPLY,
  description:
    'What a gateway does, as data: traffic, what svc does meanwhile, what must be seen. A demo that needs a plugin that is off is listed with this reason.',
  category: CATEGORY,
  parameters: [{ name: 'area', in: 'query', schema: { enum: [...AREAS] }, description: 'Only demos of this area' }],
  responses: { 200: { description: 'The demos' }, 400: { description: '`invalid_parameter`: no such area' } },
  examples: [{ name: 'Demos about reliability', path: '/_svc/demos?area=reliability', expectStatus: 200 }],
}

const configurationDescription: RouteDescription = {
  summary: 'Get the configuration of a gateway for a demo',
  description:
    'The shortest complete file with which the gateway has the feature. Addresses are those of `through` and `upstream`; by default the gateway listens at port 8000, and svc is `svc:8080`.',
  category: CATEGORY,
  parameters: [
    DEMO,
    { name: 'gateway', in: 'path', required: true, description: 'Name of the gateway', schema: { type: 'string' } },
    {
      name: 'compose',
      in: 'query',
      schema: { type: 'boolean' },
      description: 'A Compose file with svc and the gateway, in one file',
    },
    { name: 'through', in: 'query', schema: { type: 'string' }, description: 'Origin of the gateway' },
    {
      name: 'upstream',
      in: 'query',
      schema: { type: 'string' },
      description: 'Origin of svc, as the gateway reaches it',
    },
  ],
  responses: {
    200: { description: 'The file', content: textReply('text/plain') },
    400: { description: '`invalid_parameter`: not an origin' },
    404: { description: '`unknown_demo`, or `unknown_gateway` with the nearest name' },
  },
  examples: [
    {
      name: 'Retries of Envoy',
      path: '/_svc/demos/retry/gateways/envoy?through=http://localhost:8000',
      expectStatus: 200,
    },
  ],
}

const checkDescription: RouteDescription = {
  summary: 'Check a demo',
  reply: VALID_REPLY,
  description: 'A demo as JSON, or as YAML with the type `application/yaml`. Nothing is stored.',
  category: CATEGORY,
  bodyLimit: 2 * MAX_FILE_BYTES,
  requestBody: { content: { 'application/json': RECORD, 'application/yaml': { type: 'string' } } },
  responses: {
    200: { description: 'The demo is valid; warnings name variables that no text uses' },
    400: { description: '`invalid_demo`: the first mistake, with `at`, `line` and remedy' },
  },
  examples: [
    {
      name: 'A mistake',
      method: 'POST',
      path: '/_svc/demos/check',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"demo":"mine","title":"Mine","area":"trafic"}',
      bodyType: 'json',
      expectStatus: 400,
    },
  ],
}

type Three = [string | null, string | null, string | null]

export function registerDemos(
  app: FastifyInstance,
  svc: Pick<Svc, 'http' | 'instance'>,
  catalog: () => Promise<DemoCatalog>,
): void {
  app.get('/_svc/demos', describe(listDescription), async request => {
    const area = readQuery(request).get('area') ?? undefined
    if (area !== undefined && !AREAS.some(one => one === area)) {
      const { message, remedy } = unknownName('area', area.slice(0, 100), AREAS)
      throw new HttpError(400, { error: 'invalid_parameter', parameter: 'area', details: message, remedy })
    }
    const demos = (await catalog()).demos.filter(({ demo }) => area === undefined || demo.area === area)
    return { demos: demos.map(one => demoSummary(one, missing(one.demo, svc))) }
  })

  app.get<{ Params: { demo: string } }>(
    '/_svc/demos/:demo',
    describe({
      summary: 'Get a demo',
      reply: DEMO_REPLY,
      category: CATEGORY,
      parameters: [DEMO],
      responses: { 200: { description: 'The whole file with defaults' }, 404: UNKNOWN },
      examples: [{ name: 'Retries', path: '/_svc/demos/retry', expectStatus: 200 }],
    }),
    async request => {
      const listed = findDemo(request.params.demo, (await catalog()).demos)
      return wholeDemo(listed, missing(listed.demo, svc))
    },
  )

  app.get<{ Params: { demo: string; gateway: string } }>(
    '/_svc/demos/:demo/gateways/:gateway',
    describe(configurationDescription),
    async (request, reply) => {
      const { demo, file } = findDemo(request.params.demo, (await catalog()).demos)
      const query = readQuery(request)
      const [compose, through, upstream] = ['compose', 'through', 'upstream'].map(name => query.get(name)) as Three
      if (compose !== null && compose !== 'true' && compose !== 'false')
        throw invalid('compose', 'expected true or false')
      try {
        const { gateway } = request.params
        const text = await configurationOf(demo, file, { gateway, isCompose: compose === 'true', through, upstream })
        return reply.type('text/plain; charset=utf-8').header('X-Content-Type-Options', 'nosniff').send(text)
      } catch (error) {
        if (!(error instanceof ConfigurationProblem)) throw error
        throw asHttpError(error)
      }
    },
  )

  app.post('/_svc/demos/check', describe(checkDescription), request => {
    svc.http.guardBrowser(request)
    const text = svc.http.body(request).toString()
    const isYaml = /^(?:application|text)\/(?:x-)?yaml\b/i.test(request.headers['content-type'] ?? '')
    const { warnings } = readInline(isYaml ? text : JSON.stringify(readJson(text, 'invalid_demo')))
    return { valid: true, warnings }
  })
}

function asHttpError({ part, message, remedy }: ConfigurationProblem): HttpError {
  const more = remedy === null ? {} : { remedy }
  return part === 'through' || part === 'upstream'
    ? invalid(part, message)
    : new HttpError(404, { error: 'unknown_gateway', details: message, ...more })
}

function invalid(parameter: string, details: string): HttpError {
  return new HttpError(400, { error: 'invalid_parameter', parameter, details })
}
