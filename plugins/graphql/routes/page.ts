/** Sends the GraphiQL page, compressed if the client accepts gzip. */
import { namesTag, preferredCoding } from 'svc/toolkit'
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import { inflatePage, type GraphiqlPage } from '../graphiql.ts'

export function sendPage(request: FastifyRequest, reply: FastifyReply, page: GraphiqlPage): FastifyReply {
  reply
    .type('text/html; charset=utf-8')
    .headers({ 'Cache-Control': 'no-cache', ETag: page.etag, Vary: 'Accept, Accept-Encoding' })
  if (namesTag(request.headers['if-none-match'], page.etag)) return reply.code(304).send()
  if (preferredCoding(request.headers['accept-encoding']?.toString(), ['gzip']) === 'identity')
    return reply.send(inflatePage(page))
  return reply.header('Content-Encoding', 'gzip').send(page.gzipped)
}
