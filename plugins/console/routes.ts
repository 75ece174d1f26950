/** Owns the routes below `/ui`: the page and the files it names. There is no fallback page; the client routes by fragment. */
import { describe, type FastifyInstance, type Svc } from 'svc/plugin'
import { makeAsset, sendAsset } from './asset.ts'
import type { Client } from './build.ts'
import type { Variables } from './variables.ts'
import { CALLBACK_HEADERS, PAGE_HEADERS, renderCallback, renderPage } from './page.ts'

const category = 'Docs'
const ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' }
const NOT_MODIFIED = { description: 'The client has it already.' }

export function registerRoutes(
  app: FastifyInstance,
  svc: Svc<Record<string, unknown>, Variables>,
  client: Client,
): void {
  const page = makeAsset('text/html; charset=utf-8', Buffer.from(renderPage(svc, client)))

  app.get(
    '/ui',
    describe({
      summary: 'Leads to the console',
      category,
      responses: { 307: { description: 'To `/ui/`, by a relative location.' } },
      examples: [{ name: 'Without a slash', path: '/ui', expectStatus: 307 }],
    }),
    (_request, reply) => reply.code(307).header('location', 'ui/').send(),
  )

  for (const path of ['/ui/', '/ui/index.html']) {
    app.get(
      path,
      describe({
        summary: 'The web console',
        description: 'A page for browsers: live traffic, every endpoint to try, plugins as switches.',
        category,
        responses: {
          200: { description: 'The page.', content: { 'text/html': { type: 'string' } } },
          304: NOT_MODIFIED,
        },
        examples: [{ name: 'Console', path, expectStatus: 200 }],
      }),
      (request, reply) => sendAsset(request, reply, page, PAGE_HEADERS),
    )
  }

  const callback = makeAsset('text/html; charset=utf-8', Buffer.from(renderCallback(client)))
  app.get(
    '/ui/callback',
    describe({
      summary: "Where the console's own sign-ins lead back to",
      description: 'The redirect URI of the token lab: hands `code` and `state` to the console that opened it.',
      category,
      parameters: ['code', 'state', 'error'].map(name => ({ name, in: 'query' as const, schema: { type: 'string' } })),
      responses: { 200: { description: 'The page.', content: { 'text/html': { type: 'string' } } }, 304: NOT_MODIFIED },
      examples: [{ name: 'Refused', path: '/ui/callback?error=access_denied&state=s', expectStatus: 200 }],
    }),
    (request, reply) => sendAsset(request, reply, callback, CALLBACK_HEADERS),
  )

  app.get<{ Params: { name: string } }>(
    '/ui/assets/:name',
    describe({
      summary: 'Scripts, style sheet and icon of the console',
      category,
      parameters: [
        { name: 'name', in: 'path', description: 'Name with a hash of the content.', schema: { type: 'string' } },
      ],
      responses: { 200: { description: 'The file.' }, 304: NOT_MODIFIED, 404: { description: 'No such file.' } },
      examples: [{ name: 'Style sheet', path: `/ui/assets/${client.style}`, expectStatus: 200 }],
    }),
    (request, reply) => {
      const asset = client.assets.get(request.params.name)
      return asset ? sendAsset(request, reply, asset, ASSET_HEADERS) : svc.http.notFound(request, reply)
    },
  )
}
