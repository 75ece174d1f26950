/** Routes below `/ui`: the page and its assets. There is no fallback page, since the client routes by fragment. */
import { describe, type FastifyInstance, type Svc } from 'svc/plugin'
import { makeAsset, sendAsset } from './asset.ts'
import type { Client } from './build.ts'
import type { Variables } from './variables.ts'
import { CALLBACK_HEADERS, PAGE_HEADERS, renderCallback, renderPage } from './page.ts'

const category = 'Docs'
const ASSET_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' }
const NOT_MODIFIED = { description: 'The client has the current version.' }

export function registerRoutes(
  app: FastifyInstance,
  svc: Svc<Record<string, unknown>, Variables>,
  client: Client,
): void {
  const page = makeAsset('text/html; charset=utf-8', Buffer.from(renderPage(svc, client)))

  app.get(
    '/ui',
    describe({
      summary: 'Redirect to the console',
      category,
      responses: { 307: { description: 'Redirect to `/ui/` with a relative `Location`.' } },
      examples: [{ name: 'Without a slash', path: '/ui', expectStatus: 307 }],
    }),
    (_request, reply) => reply.code(307).header('location', 'ui/').send(),
  )

  for (const path of ['/ui/', '/ui/index.html']) {
    app.get(
      path,
      describe({
        summary: 'The web console',
        description: 'A browser page with live traffic, an API explorer and plugin switches.',
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
      summary: 'Redirect URI for sign-ins from the console',
      description: 'Passes `code` and `state` to the console page that opened the sign-in window.',
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
        { name: 'name', in: 'path', description: 'File name with a content hash.', schema: { type: 'string' } },
      ],
      responses: {
        200: { description: 'The file.' },
        304: NOT_MODIFIED,
        404: { description: 'There is no such file.' },
      },
      examples: [{ name: 'Style sheet', path: `/ui/assets/${client.style}`, expectStatus: 200 }],
    }),
    (request, reply) => {
      const asset = client.assets.get(request.params.name)
      return asset ? sendAsset(request, reply, asset, ASSET_HEADERS) : svc.http.notFound(request, reply)
    },
  )
}
