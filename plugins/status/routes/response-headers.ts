/**
 * `/response-headers`: sets what the query asks for.
 *
 * A page that echoes the query under a chosen `Content-Type` is a script injection waiting for a link. So the type may
 * be chosen, but browsers are told not to sniff, and no markup character of the query appears in the JSON as itself.
 */
import { describe, readQuery, sandboxPolicy } from 'svc/plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteDescription, Svc } from 'svc/plugin'
import { requestedHeaders, showHeaders } from '../requested-headers.ts'
import type { RequestedHeaders } from '../requested-headers.ts'

const responseHeaders: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Set response headers',
  description:
    'Sets every query parameter as a response header, at most 50. Repeated parameters are sent as repeated headers. Connection headers are rejected.',
  negotiated: true,
  parameters: [
    { name: 'X-Demo', in: 'query', description: 'Any header name and its value', schema: { type: 'string' } },
  ],
  responses: {
    200: { description: 'The headers that were set, with names in lower case' },
    400: { description: 'A header cannot be set; no header is set then' },
  },
  examples: [
    { name: 'Two headers', path: '/response-headers?X-Demo=one&Cache-Control=no-store', expectStatus: 200 },
    { name: 'Repeated', path: '/response-headers?X-Demo=one&X-Demo=two', expectStatus: 200 },
  ],
}

export function registerResponseHeaders(app: FastifyInstance, svc: Svc): void {
  const chosenTypes = new WeakMap<FastifyRequest, string>()

  /** The last word on the answer: `negotiate` has written it, and set its own type, by then. */
  const escapeAndChooseType = (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
    const chosen = chosenTypes.get(request)
    if (chosen !== undefined) {
      reply.header('Content-Type', chosen)
      const policy = sandboxPolicy(chosen, shown(reply.getHeader('content-security-policy')))
      if (policy !== null) reply.header('Content-Security-Policy', policy)
    }
    done(null, isJson && typeof payload === 'string' ? escapeMarkup(payload) : payload)
  }

  app.get('/response-headers', { ...describe(responseHeaders), onSend: escapeAndChooseType }, (request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff')
    const headers = requestedHeaders(readQuery(request))
    const type = headers.get('content-type')?.[0]
    if (type !== undefined) chosenTypes.set(request, type)
    setHeaders(request, reply, headers)
    return svc.http.negotiate(request, reply, showHeaders(headers))
  })
}

function setHeaders(request: FastifyRequest, reply: FastifyReply, headers: RequestedHeaders): void {
  // Node refuses several lines of some fields in HTTP/2; one line with commas is the same field (RFC 9110, 5.3).
  const joins = request.raw.httpVersionMajor === 2
  for (const [name, values] of headers) {
    if (name === 'x-content-type-options' || name === 'content-type') continue
    const value = values.length === 1 ? values[0]! : joins && name !== 'set-cookie' ? values.join(', ') : values
    // Fastify keeps headers in an ordinary object, where this name would be a prototype.
    if (name === '__proto__') reply.raw.setHeader(name, value)
    else reply.header(name, value)
  }
}

/** One value of a field that may have been set several times. */
function shown(value: number | string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value?.toString()
}

const ESCAPES: Record<string, string> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** JSON text that holds no markup, and says the same. */
function escapeMarkup(json: string): string {
  return json.replace(/[<>&]/g, character => ESCAPES[character]!)
}
