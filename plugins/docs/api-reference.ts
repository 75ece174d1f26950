/** The API reference: a page that shows the OpenAPI document with Swagger UI, and its files. */
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest, type Svc } from 'svc/plugin'
import { namesTag } from 'svc/toolkit'
import { createFiles, FILE_NAMES, type DocsFile } from './files.ts'
import { pageHeaders } from './page-headers.ts'

const category = 'Docs'

/**
 * The page is at `/docs`, without a trailing slash. The relative links `docs/…` and `openapi.json` therefore work with any
 * path prefix that a gateway adds. Browsers run scripts only if they are the ones of this instance (Subresource Integrity).
 */
async function renderPage(fileOf: ReturnType<typeof createFiles>): Promise<string> {
  const resource = async (name: string): Promise<string> => {
    const { integrity } = (await fileOf(name))!
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

/** Registers `/docs` and the files of the page. */
export function registerApiReference(app: FastifyInstance, { folder, http, shared }: Svc): void {
  const fileOf = shared('files', () => createFiles(folder))

  app.get(
    '/docs',
    describe({
      summary: 'Interactive API reference',
      category,
      ownPage: true,
      responses: { 200: { description: 'The page.', content: { 'text/html': { type: 'string' } } } },
      examples: [{ name: 'API reference', path: '/docs', expectStatus: 200 }],
    }),
    async (_request, reply) => reply.headers(pageHeaders(CONTENT_SECURITY_POLICY)).send(await renderPage(fileOf)),
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
      parameters: [{ name: 'file', in: 'path', schema: { type: 'string', enum: [...FILE_NAMES] } }],
      responses: {
        200: { description: 'The file.' },
        304: { description: 'The file has not changed.' },
        404: { description: 'No such file.' },
      },
      examples: [{ name: 'Style sheet', path: '/docs/swagger-ui.css', expectStatus: 200 }],
    }),
    async (request, reply) => {
      const file = await fileOf(request.params.file)
      return file ? sendFile(request, reply, file) : http.notFound(request, reply)
    },
  )
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { type, bytes, etag }: DocsFile): FastifyReply {
  reply.headers({ etag, 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
  if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', type).send(bytes)
}
