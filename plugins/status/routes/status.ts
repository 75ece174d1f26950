/** `/status/{code}`, for every method. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { selectStatus, parseStatuses } from '../weighted-status.ts'
import { STATUS } from '../replies.ts'

const status: RouteDescription = {
  category: 'Status Codes',
  summary: 'Respond with a status code',
  reply: STATUS,
  description:
    'One code from 200 to 599, or a list of up to 20 codes from which one is picked at random: `200,500` evenly, `200:0.9,500:0.1` by weight.',
  negotiated: true,
  parameters: [
    {
      name: 'code',
      in: 'path',
      required: true,
      description: 'A code, or a comma-separated list of `code` or `code:weight`',
      schema: { type: 'string' },
    },
  ],
  responses: {
    default: { description: 'The requested status with `{"status": n}`; 204, 205 and 304 have no body' },
    400: { description: 'The code is not between 200 and 599, or the list is invalid' },
  },
  examples: [
    { name: 'Teapot', path: '/status/418', expectStatus: 418 },
    { name: 'No content', method: 'DELETE', path: '/status/204', expectStatus: 204 },
    { name: 'One of two, evenly', path: '/status/200,202', expectStatus: null },
    { name: 'Every tenth fails', path: '/status/200:0.9,503:0.1', expectStatus: null },
  ],
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const BODILESS = new Set([204, 205, 304])
/** Headers that clients need to handle the status. */
const EXTRA_HEADERS = new Map<number, Record<string, string>>([
  [401, { 'WWW-Authenticate': 'Basic realm="svc"' }],
  [407, { 'Proxy-Authenticate': 'Basic realm="svc"' }],
  [429, { 'Retry-After': '1' }],
  [503, { 'Retry-After': '1' }],
])

export function registerStatus(app: FastifyInstance, svc: Svc): void {
  app.all<{ Params: { code: string } }>('/status/:code', describe(status), (request, reply) => {
    const spec = request.params.code
    const drawn = selectStatus(parseStatuses(spec))
    const extra = REDIRECTS.has(drawn) ? { Location: svc.http.path(request, '/echo') } : EXTRA_HEADERS.get(drawn)
    reply.code(drawn)
    if (extra !== undefined) reply.headers(extra)
    if (BODILESS.has(drawn)) return reply.header('Vary', 'Accept').send()
    return svc.http.negotiate(
      request,
      reply,
      /[,:]/.test(spec) ? { status: drawn, chosen_from: spec } : { status: drawn },
    )
  })
}
