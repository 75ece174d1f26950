/**
 * `/response-headers`: sets what the query asks for.
 *
 * A page that echoes the query with a `Content-Type` from the query would allow script injection by a link. The type can
 * be chosen, but the response forbids sniffing, and markup characters of the query are escaped in the JSON.
 */
import {
  describe,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { sandboxPolicy } from 'svc/toolkit'
import { requestedHeaders, showHeaders, type RequestedHeaders } from '../requested-headers.ts'
import { RESPONSE_HEADERS } from '../replies.ts'

const responseHeaders: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Set response headers',
  reply: RESPONSE_HEADERS,
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

  /** Sets the headers after `negotiate` has written the response and set its own type. */
  const escapeAndSetType = (
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

  app.get('/response-headers', { ...describe(responseHeaders), onSend: escapeAndSetType }, (request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff')
    const headers = requestedHeaders(readQuery(request))
    const type = headers.get('content-type')?.[0]
    if (type !== undefined) chosenTypes.set(request, type)
    setHeaders(request, reply, headers)
    return svc.http.negotiate(request, reply, showHeaders(headers))
  })
}

function setHeaders(request: FastifyRequest, reply: FastifyReply, headers: RequestedHeaders): void {
  // Node rejects repeated lines of some fields in HTTP/2; one line with commas is equivalent (RFC 9110, 5.3).
  const joins = request.raw.httpVersionMajor === 2
  for (const [name, values] of headers) {
    if (name === 'x-content-type-options' || name === 'content-type') continue
    const value = values.length === 1 ? values[0]! : joins && name !== 'set-cookie' ? values.join(', ') : values
    // Fastify keeps headers in an ordinary object, where this name would set the prototype.
    if (name === '__proto__') reply.raw.setHeader(name, value)
    else reply.header(name, value)
  }
}

/** One value of a field that may be repeated. */
function shown(value: number | string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value?.toString()
}

const ESCAPES: Record<string, string> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** Equivalent JSON text without markup characters. */
function escapeMarkup(json: string): string {
  return json.replace(/[<>&]/g, character => ESCAPES[character]!)
}
