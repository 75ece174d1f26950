/** Routes of the OpenAPI document and of the page that renders it. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import { Pacer } from '../contract/budgets.ts'
import type { JsonObject } from '../contract/json.ts'
import { writeYaml } from '../contract/yaml-text.ts'
import type { YamlOptions } from '../contract/yaml-text.ts'
import { describe } from '../contract/plugin.ts'
import { PRODUCT_FOLDER } from '../product.ts'
import { openPrebuilt } from '../host/prebuilt.mjs'
import type { ControlDeps } from './deps.ts'
import { namesTag } from '../fields/etag.ts'
import { pageHeaders } from '../contract/html.ts'
import { cacheDocument } from './page-cache.ts'

const category = 'Docs'

/**
 * The page is at `/docs`, without a trailing slash. The relative links `docs/…` and `openapi.json` therefore work with any
 * path prefix that a gateway adds. Browsers run scripts only if they are the ones of this instance (Subresource Integrity).
 */
async function renderPage(): Promise<string> {
  const resource = async (name: string): Promise<string> => {
    const { integrity } = (await loadAsset(name))!
    return `="docs/${name}" integrity="${integrity}"`
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API reference</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href${await resource('swagger-ui.css')}>
<script defer src${await resource('swagger-ui-bundle.js')}></script>
<script defer src${await resource('docs.js')}></script>
</head>
<body>
<main id="docs"><noscript>This page needs JavaScript; <a href="openapi.json">openapi.json</a> is the document that it shows.</noscript></main>
</body>
</html>
`
}

/** Allows only files below `docs/`, and images as `data:` or `blob:` URLs. No inline scripts or styles, no other hosts. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

const require = createRequire(import.meta.url)
const ownFile = (name: string) => () => join(PRODUCT_FOLDER, 'core', 'control', 'assets', name)
const prebuilt = openPrebuilt(PRODUCT_FOLDER)
const packageFile = (name: string) => () =>
  prebuilt === null ? require.resolve(`swagger-ui-dist/${name}`) : join(prebuilt.folder, 'swagger-ui', name)

/** All files below `/docs/`, by name. */
const FILES: ReadonlyMap<string, { type: string; locate: () => string }> = new Map([
  ['docs.js', { type: 'text/javascript; charset=utf-8', locate: ownFile('docs.js') }],
  ['swagger-ui-bundle.js', { type: 'text/javascript; charset=utf-8', locate: packageFile('swagger-ui-bundle.js') }],
  ['swagger-ui.css', { type: 'text/css; charset=utf-8', locate: packageFile('swagger-ui.css') }],
  ['favicon-32x32.png', { type: 'image/png', locate: packageFile('favicon-32x32.png') }],
])

interface Asset {
  type: string
  bytes: Buffer
  /** Strong entity tag, with its quotes. */
  etag: string
  /** For the `integrity` of an element that loads it. */
  integrity: string
}
/** Cache of files, which do not change while the process runs. */
const assets = new Map<string, Promise<Asset>>()

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

/** Registers `/openapi.json`, `/openapi.yaml`, `/docs` and the page's files. */
export function registerDocs(app: FastifyInstance, { budgets, http, instance }: ControlDeps): void {
  for (const { path, mediaType, contentType, name, write, writeText } of DOCUMENT_FORMATS) {
    const documentFor = cacheDocument({
      async build(baseUrl) {
        const pacer = new Pacer(budgets.workMs)
        await pacer.pause()
        return write(instance.openapi(baseUrl) as unknown as JsonObject, pacer)
      },
      write: writeText,
    })
    app.get(
      path,
      describe({
        summary: `OpenAPI 3.1 document of all enabled endpoints, as ${mediaType}`,
        category,
        ownPage: true,
        responses: {
          200: {
            description: 'The document. `servers` contains the base URL of the request.',
            content: { [mediaType]: { type: 'object' } },
          },
        },
        examples: [{ name, path, expectStatus: 200 }],
      }),
      async (request, reply) => {
        const document = await documentFor(http.baseUrl(request))
        return reply.headers({ 'content-type': contentType, 'cache-control': 'no-cache' }).send(document)
      },
    )
  }

  app.get(
    '/docs',
    describe({
      summary: 'Interactive API reference',
      category,
      ownPage: true,
      responses: { 200: { description: 'The page.', content: { 'text/html': { type: 'string' } } } },
      examples: [{ name: 'API reference', path: '/docs', expectStatus: 200 }],
    }),
    async (_request, reply) => reply.headers(pageHeaders(CONTENT_SECURITY_POLICY)).send(await renderPage()),
  )

  app.get(
    '/docs/',
    describe({
      summary: 'Redirects to the API reference',
      category,
      ownPage: true,
      responses: { 307: { description: 'To `/docs`.' } },
      examples: [{ name: 'With a slash', path: '/docs/', expectStatus: 307 }],
    }),
    (request, reply) => reply.code(307).header('location', http.path(request, '/docs')).send(),
  )

  app.get<{ Params: { file: string } }>(
    '/docs/:file',
    describe({
      summary: 'Scripts, styles and icons of the API reference',
      category,
      ownPage: true,
      parameters: [{ name: 'file', in: 'path', schema: { type: 'string', enum: [...FILES.keys()] } }],
      responses: {
        200: { description: 'The file.' },
        304: { description: 'The file has not changed.' },
        404: { description: 'No such file.' },
      },
      examples: [{ name: 'Style sheet', path: '/docs/swagger-ui.css', expectStatus: 200 }],
    }),
    async (request, reply) => {
      const asset = await loadAsset(request.params.file)
      return asset ? sendAsset(request, reply, asset) : http.notFound(request, reply)
    },
  )
}

function loadAsset(name: string): Promise<Asset> | undefined {
  const file = FILES.get(name)
  if (!file) return undefined
  let asset = assets.get(name)
  if (!asset) {
    asset = readFile(file.locate()).then(bytes => {
      const hash = createHash('sha256').update(bytes).digest()
      return {
        type: file.type,
        bytes,
        etag: `"${hash.toString('base64url').slice(0, 22)}"`,
        integrity: `sha256-${hash.toString('base64')}`,
      }
    })
    assets.set(name, asset)
    asset.catch(() => assets.delete(name))
  }
  return asset
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, { type, bytes, etag }: Asset): FastifyReply {
  reply.headers({ etag, 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
  if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', type).send(bytes)
}
