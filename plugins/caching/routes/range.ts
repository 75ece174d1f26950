/** `/range/{n}`: letters that can be requested in ranges. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { isNotModified, isRangeCurrent, parseInteger, readRange } from 'svc/toolkit'
import { invalidCount } from '../errors.ts'

const range: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Get bytes, or a range of them',
  description:
    'Sends `n` bytes: the letters a to z, repeated. Serves a single range; ignores several ranges or an unknown unit and sends everything.',
  parameters: [
    {
      name: 'n',
      in: 'path',
      required: true,
      description: 'Bytes, 1 to 102400 (10240 on public instances)',
      schema: { type: 'integer', minimum: 1, maximum: 102_400 },
    },
    { name: 'Range', in: 'header', description: '`bytes=5-9`, `bytes=40-`, `bytes=-10`', schema: { type: 'string' } },
  ],
  responses: {
    200: { description: 'All bytes', content: { 'application/octet-stream': { type: 'string', format: 'binary' } } },
    206: {
      description: 'The requested range',
      content: { 'application/octet-stream': { type: 'string', format: 'binary' } },
    },
    304: { description: 'Not modified' },
    400: { description: 'The number of bytes is invalid' },
    416: { description: 'The range is not satisfiable' },
  },
  examples: [
    { name: 'Whole', path: '/range/50', expectStatus: 200 },
    { name: 'A part', path: '/range/50', headers: [{ name: 'Range', value: 'bytes=5-9' }], expectStatus: 206 },
    { name: 'Beyond the end', path: '/range/50', headers: [{ name: 'Range', value: 'bytes=50-' }], expectStatus: 416 },
  ],
}

export function registerRange(app: FastifyInstance, svc: Svc): void {
  const maxBytes = svc.config.publicMode ? 10_240 : 102_400
  const letters = Buffer.alloc(maxBytes, 'abcdefghijklmnopqrstuvwxyz')

  app.get<{ Params: { n: string } }>('/range/:n', describe(range), (request, reply) => {
    const size = parseInteger(request.params.n)
    if (size === null || size < 1 || size > maxBytes) throw invalidCount(request.params.n, maxBytes)
    const etag = `"range${size}"`
    reply.headers({ 'Accept-Ranges': 'bytes', ETag: etag })
    const { range: rangeHeader, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers
    if (isNotModified({ ifNoneMatch }, { etag })) return reply.code(304).send()

    reply.type('application/octet-stream')
    // Range is defined only for GET (RFC 9110, 14.2).
    if (rangeHeader === undefined || request.method === 'HEAD' || !isRangeCurrent(ifRange as string | undefined, etag))
      return reply.send(letters.subarray(0, size))
    const part = readRange(rangeHeader, size)
    if (part === 'whole') return reply.send(letters.subarray(0, size))
    if (part === 'unsatisfiable')
      return reply.code(416).removeHeader('Content-Type').header('Content-Range', `bytes */${size}`).send()
    reply.code(206).header('Content-Range', `bytes ${part.first}-${part.last}/${size}`)
    return reply.send(letters.subarray(part.first, part.last + 1))
  })
}
