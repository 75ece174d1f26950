/** `/encoding/utf8`: a page with text in many scripts. */
import { describe, type FastifyInstance, type RouteDescription } from 'svc/plugin'
import { UTF8_PAGE } from '../utf8-page.ts'

const utf8: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Get a UTF-8 page with text in many scripts',
  responses: { 200: { description: 'The page', content: { 'text/html': { type: 'string' } } } },
  examples: [{ name: 'Page', path: '/encoding/utf8', expectStatus: 200 }],
}

export function registerUtf8(app: FastifyInstance): void {
  const page = Buffer.from(UTF8_PAGE)
  app.get('/encoding/utf8', describe(utf8), (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
}
