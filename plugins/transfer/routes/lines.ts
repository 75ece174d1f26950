/** `/stream/{n}`: JSON lines. */
import { describe, type FastifyInstance, type FastifyRequest, type RouteDescription, type Svc } from 'svc/plugin'
import { capCount, queryRecord, rawQuery } from 'svc/toolkit'
import { readCount } from '../count.ts'
import { joinHeaders } from '../joined-headers.ts'
import { STREAM } from '../replies.ts'

const lines: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Stream JSON lines',
  reply: STREAM,
  description:
    'Each line is an object with `url`, `args`, `headers`, `origin` and `id`, the number of the line from 0.',
  parameters: [
    {
      name: 'n',
      in: 'path',
      required: true,
      description: 'Number of lines; at most 100 (20 on public instances)',
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  responses: {
    200: { description: 'One JSON object per line', content: { 'application/json': {} } },
    400: { description: 'The number of lines is invalid' },
  },
  examples: [{ name: 'Three lines', path: '/stream/3?x=1', expectStatus: 200 }],
}

export function registerLines(app: FastifyInstance, svc: Svc): void {
  const maxLines = svc.config.publicMode ? 20 : 100

  app.get<{ Params: { n: string } }>('/stream/:n', describe(lines), async (request, reply) => {
    const count = capCount(reply, readCount(request.params.n, 'lines'), maxLines)
    const stream = svc.streams.body(request, reply.header('Content-Type', 'application/json'))
    if (stream === null) return reply
    const start = lineStart(request, svc)
    for (let id = 0; id < count && !stream.closed; id++) {
      if (!stream.write(`${start}${id}}\n`)) await stream.ready()
    }
    stream.end()
    return reply
  })
}

/** The start of every line: everything before the number. */
function lineStart(request: FastifyRequest, { http }: Svc): string {
  const target = request.raw.url ?? '/'
  const shared = JSON.stringify({
    url: target.startsWith('/') ? http.url(request, target) : target,
    args: queryRecord(rawQuery(request)),
    headers: joinHeaders(request.raw.rawHeaders),
    origin: http.clientIp(request),
  })
  return `${shared.slice(0, -1)},"id":`
}
