/** The routes: the list of formats, and a file per format. */
import { describe, Pacer, type FastifyInstance, type FastifyRequest, type RouteParameter, type Svc } from 'svc/plugin'
import type { Format } from './format.ts'
import { bruno } from './formats/bruno.ts'
import { curl } from './formats/curl.ts'
import { gatewayApi } from './formats/gateway-api.ts'
import { har } from './formats/har.ts'
import { httpFile } from './formats/http-file.ts'
import { hurl } from './formats/hurl.ts'
import { insomnia } from './formats/insomnia.ts'
import { k6 } from './formats/k6.ts'
import { kong } from './formats/kong.ts'
import { litellm } from './formats/litellm.ts'
import { mcp } from './formats/mcp.ts'
import { openCollection } from './formats/opencollection.ts'
import { postman } from './formats/postman.ts'
import { prometheus } from './formats/prometheus.ts'
import { CONTROL, readSelection } from './query.ts'

const category = 'Docs'
const parameters: RouteParameter[] = [
  {
    name: 'base_url',
    in: 'query',
    description: 'Target of the exported requests, such as a gateway. Default: the base URL of this request',
    schema: { type: 'string', format: 'uri', maxLength: 2048 },
  },
  {
    name: 'category',
    in: 'query',
    description: 'Export only this category; can be repeated',
    schema: { type: 'array', items: { type: 'string' } },
  },
  {
    name: 'plugin',
    in: 'query',
    description: 'Export only the endpoints of this plugin; can be repeated',
    schema: { type: 'array', items: { type: 'string' } },
  },
  {
    name: 'include',
    in: 'query',
    description:
      '`control`: also the requests that change the instance, such as those that store rules or reload plugins',
    schema: { type: 'string', enum: [CONTROL] },
  },
]
const refused = { description: 'A parameter is invalid; the error names it.' }

/** Registers `/export` and a route per format. The endpoints are known only after all plugins have registered. */
export function registerExports(app: FastifyInstance, svc: Svc): void {
  svc.whenRegistered(() => {
    const formats = listFormats(svc)
    registerIndex(app, svc, formats)
    for (const format of formats) registerFormat(app, svc, format)
  })
}

/** The formats with content, in display order. */
function listFormats(svc: Svc): Format[] {
  const plugins = () => svc.instance.plugins()
  const llm = svc.use('llm.providers')
  const providers = llm?.list() ?? []
  return [
    postman,
    insomnia,
    bruno,
    openCollection,
    curl,
    httpFile,
    hurl,
    k6,
    har,
    kong(plugins),
    gatewayApi(plugins),
    ...(llm !== undefined && providers.length > 0 ? [litellm(providers, { needsKey: llm.hasCommonKey })] : []),
    ...(svc.use('mcp.servers') === undefined ? [] : [mcp]),
    prometheus({ needsToken: svc.config.controlAuth !== 'open' }),
  ]
}

function registerIndex(app: FastifyInstance, svc: Svc, formats: Format[]): void {
  const list = formats.map(({ id, title, description, file, mediaType, filename }) => ({
    id,
    title,
    description,
    path: pathOf(file),
    media_type: mediaType,
    filename,
  }))
  app.get(
    '/export',
    describe({
      summary: 'List the export formats',
      category,
      parameters,
      responses: {
        200: { description: 'The formats and their paths.', content: { 'application/json': { type: 'object' } } },
        400: refused,
      },
      examples: [{ name: 'Formats', path: '/export', expectStatus: 200 }],
    }),
    (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .send({ base_url: readSelection(request, svc).baseUrl, count: list.length, formats: list }),
  )
}

function registerFormat(
  app: FastifyInstance,
  svc: Svc,
  { title, description, file, mediaType, filename, write }: Format,
): void {
  const headers = {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${filename}"`,
    'cache-control': 'no-store',
  }
  const [bareType = mediaType] = mediaType.split(';')
  app.get(
    pathOf(file),
    describe({
      summary: `Export: ${title}`,
      description,
      category,
      parameters,
      responses: {
        200: {
          description: 'The file.',
          content: { [bareType]: { type: bareType === 'application/json' ? 'object' : 'string' } },
        },
        400: refused,
      },
      examples: [{ name: title, path: pathOf(file), expectStatus: 200 }],
    }),
    async (request: FastifyRequest, reply) => {
      // Writing takes up to 100 ms.
      await new Pacer().pause()
      // Sent as bytes, because Fastify would add a charset to the type of a string, which some types do not define.
      const bytes = Buffer.from(write(readSelection(request, svc)))
      return reply.headers(headers).send(bytes)
    },
  )
}

function pathOf(file: string): string {
  return `/export/${file}`
}
