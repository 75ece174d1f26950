/** `/cache/{ttl}`: a cacheable response that stays the same for the life of the process. */
import { createHash } from 'node:crypto'
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { isNotModified, parseInteger } from 'svc/toolkit'
import { invalidTtl } from '../errors.ts'

const MAX_TTL = 4_294_967_295

const cache: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Get a cacheable response',
  description:
    'Sends `Cache-Control: public, max-age=<ttl>` with a strong `ETag` and `Last-Modified`; a conditional request that matches gets 304.',
  negotiated: true,
  parameters: [
    {
      name: 'ttl',
      in: 'path',
      required: true,
      description: 'Seconds',
      schema: { type: 'integer', minimum: 0, maximum: MAX_TTL },
    },
  ],
  responses: {
    200: { description: 'The response; the same every time' },
    304: { description: 'Not modified' },
    400: { description: 'The ttl is not a number of seconds' },
  },
  examples: [
    { name: 'For a minute', path: '/cache/60', expectStatus: 200 },
    { name: 'Revalidation', path: '/cache/60', headers: [{ name: 'If-None-Match', value: '*' }], expectStatus: 304 },
  ],
}

export function registerCache(app: FastifyInstance, svc: Svc): void {
  // The start of the process, not of a generation: a reload must not change the response.
  const startedAt = new Date(performance.timeOrigin)
  const generatedAt = startedAt.toISOString()
  const lastModified = Math.floor(startedAt.getTime() / 1000)
  const lastModifiedText = startedAt.toUTCString()

  app.get<{ Params: { ttl: string } }>('/cache/:ttl', describe(cache), (request, reply) => {
    const ttl = parseInteger(request.params.ttl)
    if (ttl === null || ttl > MAX_TTL) throw invalidTtl(request.params.ttl, MAX_TTL)
    const tag = opaqueTag(svc.http.negotiatedType(request), ttl, generatedAt)
    const etag = `"${tag}"`
    reply.headers({ 'Cache-Control': `public, max-age=${ttl}`, ETag: etag, 'Last-Modified': lastModifiedText })
    const { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince } = request.headers
    if (isNotModified({ ifNoneMatch, ifModifiedSince }, { etag, lastModified }))
      return reply.code(304).header('Vary', 'Accept').send()
    return svc.http.negotiate(request, reply, { cached: true, ttl, generated_at: generatedAt, etag: tag })
  })
}

/** A strong tag identifies one representation (RFC 9110, 8.8.1), so JSON and XML have different tags. */
function opaqueTag(type: string, ttl: number, generatedAt: string): string {
  return createHash('sha256').update(`${type} ${ttl} ${generatedAt}`).digest('hex').slice(0, 32)
}
