/** `/base64/{value}`: decodes the value in the path. */
import { isUtf8 } from 'node:buffer'
import { describe, type FastifyInstance, type RouteDescription } from 'svc/plugin'
import { decodeBase64 } from '../base64.ts'
import { incorrectBase64 } from '../errors.ts'

const base64: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Decode base64',
  description:
    'Accepts the standard and the URL-safe alphabet, with or without padding. Text is sent as text, anything else as bytes.',
  parameters: [
    {
      name: 'value',
      in: 'path',
      required: true,
      description: 'Base64 with `/` and `+` percent-encoded',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: {
      description: 'The decoded bytes',
      content: { 'text/plain': { type: 'string' }, 'application/octet-stream': { type: 'string', format: 'binary' } },
    },
    400: { description: 'The value is not valid base64' },
  },
  examples: [{ name: 'Text', path: '/base64/c3ZjIHNheXMgaGVsbG8', expectStatus: 200 }],
}

export function registerBase64(app: FastifyInstance): void {
  app.get<{ Params: { value: string } }>('/base64/:value', describe(base64), (request, reply) => {
    // The text comes from the client, so it must never be rendered as a page.
    reply.header('X-Content-Type-Options', 'nosniff')
    const bytes = decodeBase64(request.params.value)
    if (bytes === null) throw incorrectBase64()
    return reply.type(isUtf8(bytes) ? 'text/plain; charset=utf-8' : 'application/octet-stream').send(bytes)
  })
}
