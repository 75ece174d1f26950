/** `/trailers`: trailer fields (RFC 9110, 6.5). */
import { describe, readQuery, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { readTrailers } from '../trailer-fields.ts'
import { TRAILERS } from '../replies.ts'

const description: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Send trailer fields after the body',
  reply: TRAILERS,
  description: 'Sends every query parameter as a trailer field, at most 20, and announces them in `Trailer`.',
  parameters: [
    { name: 'X-Checksum', in: 'query', description: 'Any field name and its value', schema: { type: 'string' } },
  ],
  responses: {
    200: { description: 'The trailer fields, with names in lower case' },
    400: { description: 'A field is not allowed as a trailer' },
  },
  examples: [{ name: 'Checksum', path: '/trailers?X-Checksum=abc123', expectStatus: 200 }],
}

export function registerTrailers(app: FastifyInstance, svc: Svc): void {
  app.get('/trailers', describe(description), (request, reply) => {
    const fields = readTrailers(readQuery(request))
    // Trailers need chunked encoding or HTTP/2, and a body.
    const canFollow = request.method !== 'HEAD' && request.raw.httpVersion !== '1.0'
    if (canFollow && fields.size > 0) reply.header('Trailer', [...fields.keys()].join(', '))
    const stream = svc.streams.body(request, reply.type('application/json; charset=utf-8'))
    if (stream === null) return reply
    const trailers = Object.fromEntries(fields)
    stream.write(JSON.stringify({ trailers }))
    reply.raw.addTrailers(trailers)
    stream.end()
    return reply
  })
}
