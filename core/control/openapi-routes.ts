/** Routes of the OpenAPI document. */
import type { FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { BoundedMap } from '../collections/bounded-map.ts'
import { Pacer } from '../contract/budgets.ts'
import type { JsonObject } from '../contract/json.ts'
import {
  type CatalogSelection,
  describe,
  readCatalogSelection,
  readQuery,
  type RouteParameter,
} from '../contract/plugin.ts'
import { jsonReply, RECORD } from '../toolkit/reply-schemas.ts'
import { writeYaml, type YamlOptions } from '../toolkit/yaml-text.ts'
import type { ControlDeps } from './deps.ts'
import { SESSION_VARIABLE } from './openapi-control.ts'

const YAML: YamlOptions = { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }

/** Formats of the document, and of a text in it. YAML has no aliases and is compatible with YAML 1.1: `no` and dates are quoted. */
const DOCUMENT_FORMATS = [
  {
    path: '/openapi.json',
    mediaType: 'application/json',
    contentType: 'application/json; charset=utf-8',
    name: 'OpenAPI document',
    write: async (document: JsonObject) => JSON.stringify(document),
    writeText: (text: string) => JSON.stringify(text),
  },
  {
    path: '/openapi.yaml',
    mediaType: 'application/yaml',
    contentType: 'application/yaml',
    name: 'OpenAPI document as YAML',
    write: (document: JsonObject, pacer: Pacer) => writeYaml(document, pacer, YAML),
    writeText: (text: string) => stringify(text, YAML).trimEnd(),
  },
]

const SELECTION: RouteParameter[] = [
  {
    name: 'category',
    in: 'query',
    description: 'Only operations of this category; can be repeated.',
    schema: { type: 'array', items: { type: 'string' } },
  },
  {
    name: 'plugin',
    in: 'query',
    description: 'Only operations of this plugin; can be repeated.',
    schema: { type: 'array', items: { type: 'string' } },
  },
]

/** The document for a base URL. */
type DocumentOf = (baseUrl: string) => Promise<Buffer>

/** Registers `/openapi.json` and `/openapi.yaml`. */
export function registerOpenapi(app: FastifyInstance, { budgets, http, instance }: ControlDeps): void {
  for (const { path, mediaType, contentType, name, write, writeText } of DOCUMENT_FORMATS) {
    const cacheOf = (selection: CatalogSelection): DocumentOf =>
      cacheDocument({
        async build(baseUrl) {
          const pacer = new Pacer(budgets.workMs)
          await pacer.pause()
          return write(instance.openapi(baseUrl, selection) as unknown as JsonObject, pacer)
        },
        write: writeText,
      })
    const whole = cacheOf({ categories: [], plugins: [] })
    const parts = new BoundedMap<DocumentOf>(MAX_DOCUMENTS)
    const documentOf = (selection: CatalogSelection): DocumentOf => {
      if (selection.categories.length === 0 && selection.plugins.length === 0) return whole
      const key = JSON.stringify(selection)
      const found = parts.get(key) ?? cacheOf(selection)
      parts.set(key, found)
      return found
    }
    app.get(
      path,
      describe({
        summary: `OpenAPI 3.1 document of all enabled endpoints, as ${mediaType}`,
        category: 'Docs',
        ownPage: true,
        parameters: SELECTION,
        responses: {
          200: {
            description: 'The document. `servers` contains the base URL of the request.',
            content: { [mediaType]: { type: 'object' } },
          },
          400: { description: 'A category or plugin is unknown; the error lists the known ones.' },
        },
        examples: [
          { name, path, expectStatus: 200 },
          { name: `${name}, of a category`, path: `${path}?category=Docs`, expectStatus: 200 },
        ],
      }),
      async (request, reply) => {
        const selection = readCatalogSelection(readQuery(request), {
          categories: instance.catalog().categories,
          plugins: instance.plugins(),
        })
        const document = await documentOf(selection)(http.baseUrl(request))
        return reply.headers({ 'content-type': contentType, 'cache-control': 'no-cache' }).send(document)
      },
    )
  }
}

/** Registers `/_svc/openapi.json`. */
export function registerControlOpenapi(app: FastifyInstance, { budgets, http, instance }: ControlDeps): void {
  const documentOf = cacheDocument({
    async build(baseUrl) {
      await new Pacer(budgets.workMs).pause()
      return JSON.stringify(instance.controlOpenapi(baseUrl))
    },
    write: baseUrl => JSON.stringify(baseUrl + SESSION_VARIABLE),
  })
  app.get(
    '/_svc/openapi.json',
    describe({
      summary: 'OpenAPI 3.1 document of the control plane, to generate clients from',
      description:
        'The paths below `/_svc`, also those of enabled plugins. All bodies and responses have named schemas. The variable `session` of the server is empty, or the prefix of a session: `/s/<name>`.',
      category: 'Control Plane',
      reply: jsonReply(RECORD, 'OpenapiDocument'),
      examples: [{ name: 'OpenAPI document of the control plane', path: '/_svc/openapi.json', expectStatus: 200 }],
    }),
    async (request, reply) => {
      const document = await documentOf(http.baseUrl(request))
      return reply
        .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' })
        .send(document)
    },
  )
}

/** The base URL with which a document is built, and which is replaced for each request. */
const PLACEHOLDER = 'http://base-url.invalid'

interface BaseUrlDocument {
  /** Builds the text; `baseUrl` occurs in it once, as `write` writes it. */
  build(baseUrl: string): Promise<string>
  /** The base URL as it occurs in the text. */
  write(baseUrl: string): string
}

/** Documents of about a megabyte that are kept for their base URLs: responses that nobody reads share one. */
const MAX_DOCUMENTS = 4

/** Returns a function that builds a document once, and puts the base URL of each request into it. */
function cacheDocument({ build, write }: BaseUrlDocument): DocumentOf {
  let parts: Promise<[Buffer, Buffer]> | null = null
  const documents = new BoundedMap<Buffer>(MAX_DOCUMENTS)
  return async baseUrl => {
    parts ??= buildParts()
    const [before, after] = await parts
    let document = documents.get(baseUrl)
    if (document === undefined) {
      document = Buffer.concat([before, Buffer.from(write(baseUrl)), after])
      documents.set(baseUrl, document)
    }
    return document
  }

  async function buildParts(): Promise<[Buffer, Buffer]> {
    try {
      const text = await build(PLACEHOLDER)
      const place = write(PLACEHOLDER)
      const at = text.indexOf(place)
      return [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at + place.length))]
    } catch (error) {
      parts = null
      throw error
    }
  }
}
