/**
 * The headers that every response has, whatever answers it. They are added when the head goes out, to the one object
 * that the route hands over: headers set on the response beforehand would make Node copy and check each of them twice.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import type { RequestContext } from './context.ts'
import { mergeVary } from './cors.ts'

const NAMES = new Map(['X-Request-Id', 'Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'X-Svc-Fault', 'Vary'].map(name => [name.toLowerCase(), name]))

/** Request id, CORS, the fault that was injected, and what the choice of the origin adds to `Vary`. */
export function ownHeaders(context: RequestContext): OutgoingHttpHeaders {
  const own: OutgoingHttpHeaders = {}
  if (context.hasOwnHeaders) own['X-Request-Id'] = context.requestId
  if (context.allowedOrigin !== null) {
    own['Access-Control-Allow-Origin'] = context.allowedOrigin
    own['Access-Control-Expose-Headers'] = context.generation.exposedHeaders
  }
  if (context.fault !== null) own['X-Svc-Fault'] = context.fault
  if (context.vary !== null) own.Vary = context.vary
  return own
}

/** The same with the route's, which win; names are compared in any case, and `Vary` is the members of both. */
export function withOwnHeaders(context: RequestContext, given: OutgoingHttpHeaders | undefined): OutgoingHttpHeaders {
  const head = ownHeaders(context)
  for (const name in given) {
    const own = NAMES.get(name.toLowerCase())
    if (own === 'Vary' && head.Vary !== undefined) head.Vary = mergeVary(String(given[name]), String(head.Vary))
    else head[own ?? name] = given[name]
  }
  return head
}
