/** `/early-hints`: 103 before the response (RFC 8297), to test whether a gateway forwards it. */
import {
  decimalParameter,
  describe,
  invalidParameter,
  quoteInput,
  readQuery,
  type FastifyInstance,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { EARLY_HINTS } from '../replies.ts'

const MAX_HINTS = 20
/** A path that needs no escaping between angle brackets. */
const PATH = /^\/[\x21-\x3b\x3d\x3f-\x7e]{0,1000}$/
const KINDS: readonly (readonly [extension: RegExp, kind: string])[] = [
  [/\.css$/i, 'style'],
  [/\.m?js$/i, 'script'],
  [/\.woff2?$/i, 'font'],
  [/\.json$/i, 'fetch'],
]

const earlyHints: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Send early hints before the response',
  reply: EARLY_HINTS,
  description:
    'Sends a 103 with a `Link` header per `preload`, and after `delay` seconds the response with the same links.',
  parameters: [
    {
      name: 'preload',
      in: 'query',
      description: 'Path of the resource to preload, without the base path; can be repeated',
      schema: { type: 'string', default: '/image/svg' },
    },
    {
      name: 'delay',
      in: 'query',
      description: 'Seconds between the hints and the response; at most 30 (10 on public instances)',
      schema: { type: 'number', minimum: 0, default: 0 },
    },
  ],
  responses: {
    200: { description: 'The links of the hints' },
    400: { description: 'A path is invalid, or the delay is too long' },
  },
  examples: [{ name: 'Style and script', path: '/early-hints?preload=/app.css&preload=/app.js', expectStatus: 200 }],
}

export function registerEarlyHints(app: FastifyInstance, svc: Svc): void {
  const maxSeconds = svc.config.maxDelayMs / 1000

  app.get('/early-hints', describe(earlyHints), async (request, reply) => {
    const query = readQuery(request)
    const delay = decimalParameter(query, 'delay', { fallback: 0, max: maxSeconds })
    const links = readLinks(query).map(({ path, kind }) => `<${svc.http.path(request, path)}>; rel=preload; as=${kind}`)
    // An HTTP/1.0 client would treat the 103 as the final response (RFC 9110, 15.2).
    if (request.raw.httpVersion !== '1.0') reply.raw.writeEarlyHints({ link: links })
    if (delay > 0 && !(await svc.http.delay(request, delay * 1000))) return reply.hijack()
    return reply
      .headers({ Link: links.join(', '), 'Content-Type': 'application/json; charset=utf-8' })
      .send(JSON.stringify({ link: links }))
  })
}

function readLinks(query: URLSearchParams): { path: string; kind: string }[] {
  const paths = query.has('preload') ? query.getAll('preload') : ['/image/svg']
  if (paths.length > MAX_HINTS)
    throw invalidParameter('preload', `too many hints: ${paths.length} (at most ${MAX_HINTS})`)
  return paths.map(path => {
    if (!PATH.test(path))
      throw invalidParameter('preload', `invalid preload ${quoteInput(path)} (expected a path that starts with /)`)
    return { path, kind: KINDS.find(([extension]) => extension.test(path))?.[1] ?? 'image' }
  })
}
