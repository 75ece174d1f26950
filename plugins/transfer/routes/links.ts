/** `/links/{n}` and `/links/{n}/{offset}`: pages that link to one another, for crawlers. */
import { describe, type FastifyInstance, type RouteDescription, type RouteParameter, type Svc } from 'svc/plugin'
import { capCount, escapeHtml } from 'svc/toolkit'
import { readCount } from '../count.ts'

const MAX_LINKS = 200

const count: RouteParameter = {
  name: 'n',
  in: 'path',
  required: true,
  description: 'Number of links; at most 200',
  schema: { type: 'integer', minimum: 0 },
}
const first: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Redirect to the first page of links',
  parameters: [count],
  responses: { 302: { description: 'To `/links/{n}/0`' }, 400: { description: 'The number is invalid' } },
  examples: [{ name: 'Ten', path: '/links/10', expectStatus: 302 }],
}
const page: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Get a page of links',
  parameters: [
    count,
    {
      name: 'offset',
      in: 'path',
      required: true,
      description: 'Number of this page, which is not linked',
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  responses: {
    200: { description: 'The page', content: { 'text/html': { type: 'string' } } },
    400: { description: 'The number is invalid' },
  },
  examples: [{ name: 'The third of ten', path: '/links/10/2', expectStatus: 200 }],
}

export function registerLinks(app: FastifyInstance, svc: Svc): void {
  app.get<{ Params: { n: string } }>('/links/:n', describe(first), (request, reply) => {
    const links = capCount(reply, readCount(request.params.n, 'links'), MAX_LINKS)
    return reply
      .code(302)
      .header('Location', svc.http.path(request, `/links/${links}/0`))
      .send()
  })

  app.get<{ Params: { n: string; offset: string } }>('/links/:n/:offset', describe(page), (request, reply) => {
    const requested = readCount(request.params.n, 'links')
    const offset = readCount(request.params.offset, 'links')
    return reply
      .type('text/html; charset=utf-8')
      .send(linkPage(svc.http.path(request, '/links'), capCount(reply, requested, MAX_LINKS), offset))
  })
}

function linkPage(path: string, links: number, current: number): string {
  let items = ''
  for (let index = 0; index < links; index++)
    items += index === current ? `${index} ` : `<a href='${escapeHtml(path)}/${links}/${index}'>${index}</a> `
  return `<html><head><title>Links</title></head><body>${items}</body></html>`
}
